/* Lists of the elements of an array, by their numbers: each has a link, `stride` bytes from that of
 * the one before it. In links and ends a number is the index + 1, and 0 is none, so that zeroed
 * memory is an empty list. */
#ifndef WEIR_BASE_LIST_H
#define WEIR_BASE_LIST_H

#include <stddef.h>
#include <stdint.h>

struct weir_link {
  uint16_t prev, next;
};

struct weir_list {
  uint16_t first, last;
};

/* The array's links, as the functions below want them: WEIR_LINKS(ways, link). */
#define WEIR_LINKS(array, member) &(array)->member, sizeof *(array)

static inline struct weir_link *weir_link_of(struct weir_link *links, size_t stride, uint32_t n) {
  return (struct weir_link *)((char *)links + (n - 1) * stride);
}

/* `n` is in no list. */
static inline void weir_list_append(struct weir_list *l, struct weir_link *links, size_t stride,
                                    uint32_t n) {
  *weir_link_of(links, stride, n) = (struct weir_link){.prev = l->last};
  if (l->last != 0)
    weir_link_of(links, stride, l->last)->next = (uint16_t)n;
  else
    l->first = (uint16_t)n;
  l->last = (uint16_t)n;
}

static inline void weir_list_prepend(struct weir_list *l, struct weir_link *links, size_t stride,
                                     uint32_t n) {
  *weir_link_of(links, stride, n) = (struct weir_link){.next = l->first};
  if (l->first != 0)
    weir_link_of(links, stride, l->first)->prev = (uint16_t)n;
  else
    l->last = (uint16_t)n;
  l->first = (uint16_t)n;
}

static inline void weir_list_remove(struct weir_list *l, struct weir_link *links, size_t stride,
                                    uint32_t n) {
  struct weir_link x = *weir_link_of(links, stride, n);
  if (x.prev != 0)
    weir_link_of(links, stride, x.prev)->next = x.next;
  else
    l->first = x.next;
  if (x.next != 0)
    weir_link_of(links, stride, x.next)->prev = x.prev;
  else
    l->last = x.prev;
}

#endif
