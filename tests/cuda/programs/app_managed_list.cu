/* A linked list and a hash table of strings in managed memory, changed by host and device in turn.
 */
#include "common.h"
#include <cstring>
#include <new>

struct Managed {
  void *operator new(size_t bytes) {
    void *p;
    OK(cudaMallocManaged(&p, bytes));
    return p;
  }
};

struct Item : Managed {
  char name[16];
  int value;
  Item *next;
};

struct Table : Managed {
  Item *bucket[16];
  int items;
};

__managed__ int lookups_that_failed = 0;

__host__ __device__ unsigned hash(const char *s) {
  unsigned h = 5381;
  while (*s)
    h = h * 33 ^ *s++;
  return h;
}

__global__ void add_lengths(Table *t) {
  for (Item *i = t->bucket[threadIdx.x]; i; i = i->next) {
    int l = 0;
    while (i->name[l])
      l++;
    i->value += 100 * l;
  }
}

__global__ void look_up(const Table *t, const char (*names)[16], int *found, int n) {
  int k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k >= n) return;
  const char *want = names[k];
  for (const Item *i = t->bucket[hash(want) % 16]; i; i = i->next) {
    int c = 0;
    while (want[c] && want[c] == i->name[c])
      c++;
    if (want[c] == i->name[c]) {
      found[k] = i->value;
      return;
    }
  }
  found[k] = -1;
  atomicAdd(&lookups_that_failed, 1);
}

__global__ void reverse(Table *t) {
  Item *before = nullptr, *i = t->bucket[threadIdx.x];
  while (i) {
    Item *next = i->next;
    i->next = before;
    before = i;
    i = next;
  }
  t->bucket[threadIdx.x] = before;
}

int main() {
  Table *t = new Table;
  memset(t, 0, sizeof *t);
  for (int k = 0; k < 60; k++) {
    Item *i = new Item;
    snprintf(i->name, sizeof i->name, "%c%s%d", 'a' + k % 26, k % 3 ? "x" : "long", k * k % 91);
    i->value = k;
    i->next = t->bucket[hash(i->name) % 16];
    t->bucket[hash(i->name) % 16] = i;
    t->items++;
  }
  add_lengths<<<1, 16>>>(t);
  OK(cudaDeviceSynchronize());
  for (Item *i = t->bucket[3]; i; i = i->next)
    printf("%s %d\n", i->name, i->value);
  char(*names)[16];
  int *found;
  OK(cudaMallocManaged(&names, 40 * 16));
  OK(cudaMallocManaged(&found, 40 * 4));
  for (int k = 0; k < 40; k++)
    snprintf(names[k], 16, "%c%s%d", 'a' + k % 26, k % 3 ? "x" : "long",
             (k * k + (k % 7 == 0)) % 91);
  look_up<<<2, 32>>>(t, names, found, 40);
  reverse<<<1, 16>>>(t);
  OK(cudaDeviceSynchronize());
  printf("%d failed, found %08x\n", lookups_that_failed, checksum(found, 160));
  for (Item *i = t->bucket[3]; i; i = i->next)
    printf("%s %d\n", i->name, i->value);
}
