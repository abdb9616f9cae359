#include "../reference.h"

// Matches are found here without links: a walk from the root for each place of a read, and a search
// in the sorted suffixes for the places that share enough letters with it.
//
// `reference NAME tree` writes the files of the tree, to be compressed with `zstd -19 --rm *.bin`.

enum { LETTERS = 39000, LENGTH = 25, LEAST = 20, STARTS = LENGTH - LEAST + 1, ROOM = 3 };
enum { END = LETTERS + 1, PLACES = LETTERS + 1, MOST = 2 * PLACES + 2 };

struct node {
  int length;   // letters down to its end
  int place;    // first place where they are
  int parent;   // all of these are numbers of nodes, 0: none
  int child[5]; // A, C, G, T, $
  int link;     // of an inner node: the node for its letters less the first
};

static const char letter[] = "ACGT";
static uint8_t text[LETTERS + 2]; // 0 to 4, from place 1
static uint8_t ascii[LETTERS + 2];
static int sorted[PLACES], common[PLACES]; // places of suffixes; letters shared with the one before
static struct node tree[MOST];             // in the order of their making; the root is 1
static int nodes = 1;
static int number[MOST], by_number[MOST]; // breadth first

static int suffix_order(const void *a, const void *b) {
  int p = *(const int *)a, q = *(const int *)b;
  return memcmp(text + p, text + q, (size_t)(END + 1 - (p > q ? p : q)));
}

static void make_text(void) {
  ascii[0] = 's';
  ascii[END] = '$';
  text[END] = 4;
  for (int i = 1; i <= LETTERS; i++) {
    uint32_t h = ref_hash(1, (uint64_t)(i >= 25000 && i < 27000 ? i - 15000 : i)) % 100;
    text[i] = h < 32 ? 0 : h < 50 ? 1 : h < 68 ? 2 : 3;
    ascii[i] = (uint8_t)letter[text[i]];
  }
  for (int i = 0; i < PLACES; i++)
    sorted[i] = i + 1;
  qsort(sorted, PLACES, sizeof *sorted, suffix_order);
  for (int i = 1; i < PLACES; i++)
    while (text[sorted[i] + common[i]] == text[sorted[i - 1] + common[i]])
      common[i]++;
}

static int add_node(int parent, int length, int place) {
  tree[++nodes] = (struct node){.length = length, .place = place, .parent = parent};
  return nodes;
}

// Along the sorted suffixes; `now` is always the leaf of the last one.
static void make_tree(void) {
  nodes = 0;
  int root = add_node(0, 0, 0);
  int now = root;
  for (int i = 0; i < PLACES; i++) {
    int below = 0;
    while (tree[now].length > common[i]) {
      below = now;
      now = tree[now].parent;
    }
    if (tree[now].length < common[i]) { // split the edge
      int split = add_node(now, common[i], tree[below].place);
      tree[now].child[text[tree[below].place + tree[now].length]] = split;
      tree[split].child[text[tree[below].place + common[i]]] = below;
      tree[below].parent = split;
      now = split;
    }
    int leaf = add_node(now, END + 1 - sorted[i], sorted[i]);
    tree[now].child[text[sorted[i] + tree[now].length]] = leaf;
    for (int n = now; n != root; n = tree[n].parent)
      if (sorted[i] < tree[n].place) tree[n].place = sorted[i];
    now = leaf;
  }
  int last = 1;
  by_number[1] = number[root] = 1;
  for (int i = 1; i <= last; i++)
    for (int c = 0; c < 5; c++) {
      int child = tree[by_number[i]].child[c];
      if (!child) continue;
      by_number[++last] = child;
      number[child] = last;
    }
  for (int i = 1; i <= nodes; i++) { // inner nodes: down from the root over whole edges
    if (tree[i].length == END + 1 - tree[i].place) continue; // a leaf
    int n = root;
    while (tree[n].length < tree[i].length - 1)
      n = tree[n].child[text[tree[i].place + 1 + tree[n].length]];
    tree[i].link = n;
  }
}

static void write_file(const char *name, const void *data, size_t bytes) {
  FILE *f = fopen(name, "wb");
  if (!f || fwrite(data, 1, bytes, f) != bytes || fclose(f)) {
    perror(name);
    exit(1);
  }
}

static void write_tree(void) {
  size_t count = (size_t)nodes + 1;
  uint8_t *kids = ref_alloc(count, 1);
  uint16_t *place = ref_alloc(count, 2), *length = ref_alloc(count, 2), *link = ref_alloc(count, 2);
  for (int i = 1; i <= nodes; i++) {
    const struct node *n = &tree[by_number[i]];
    for (int c = 0; c < 5; c++)
      if (n->child[c]) kids[i] |= (uint8_t)(1 << c);
    place[i] = (uint16_t)n->place;
    if (kids[i]) {
      length[i] = (uint16_t)n->length;
      link[i] = (uint16_t)number[n->link];
    }
  }
  fprintf(stderr, "%zu nodes with that of number 0\n", count);
  write_file("kids.bin", kids, count);
  write_file("place.bin", place, count * 2);
  write_file("length.bin", length, count * 2);
  write_file("link.bin", link, count * 2);
  free(kids);
  free(place);
  free(length);
  free(link);
}

static void make_read(uint32_t r, char *read) { // 'q', the letters, 0
  uint32_t from = 1 + ref_hash(2, r) % (LETTERS - LENGTH);
  read[0] = 'q';
  for (uint32_t j = 1; j <= LENGTH; j++) {
    uint64_t i = (uint64_t)r * (LENGTH + 2) + j;
    read[j] = (char)(ref_hash(3, i) % 100 ? ascii[from + j - 1] : letter[ref_hash(4, i) % 4]);
  }
  read[LENGTH + 1] = '\0';
}

static int shared(const char *read, int place) {
  int n = 0;
  while (read[n] && read[n] == (char)ascii[place + n])
    n++;
  return n;
}

// Where a walk from the root ends: the node, and the letters on the edge above it or 0 if there is
// no edge to go on.
static int walk(const char *read, int *node, int *edge) {
  int n = 1, done = 0;
  for (;;) {
    const char *l = strchr(letter, read[done]);
    int next = tree[n].child[l - letter];
    if (!next) {
      *node = number[n];
      *edge = 0;
      return done;
    }
    done = shared(read, tree[next].place);
    if (done > tree[next].length) done = tree[next].length;
    if (done < tree[next].length || !read[done]) {
      *node = number[next];
      *edge = done - tree[n].length;
      return done;
    }
    n = next;
  }
}

static int first_with(const char *read) { // the first of the sorted that shares LEAST letters
  int lo = 0, hi = PLACES;
  while (lo < hi) {
    int mid = (lo + hi) / 2, n = shared(read, sorted[mid]);
    if (n >= LEAST)
      n = 0, hi = mid;
    else {
      const char *l = strchr(letter, read[n]);
      if (text[sorted[mid] + n] < l - letter)
        lo = mid + 1;
      else
        hi = mid;
    }
  }
  return lo;
}

int main(int argc, char **argv) {
  struct ref r = ref_begin(argc, argv);
  make_text();
  make_tree();
  if (strcmp(r.input, "tree") == 0) {
    write_tree();
    return 0;
  }
  uint32_t reads = ref_var(&r, "reads");
  int32_t *found = ref_alloc((size_t)reads * STARTS * 2, sizeof *found);
  struct {
    int32_t place;
    uint16_t length, unused;
  } *alignments = ref_alloc((size_t)reads * STARTS * ROOM, sizeof *alignments);
  for (uint32_t q = 0; q < reads; q++) {
    char read[LENGTH + 2];
    make_read(q, read);
    for (uint32_t s = 0; s < STARTS; s++) {
      uint32_t slot = q * STARTS + s;
      const char *rest = read + 1 + s;
      int node, edge;
      if (walk(rest, &node, &edge) < LEAST) continue;
      found[slot * 2] = node;
      found[slot * 2 + 1] = edge;
      int count = 0;
      for (int i = first_with(rest); i < PLACES && shared(rest, sorted[i]) >= LEAST; i++) {
        if ((char)ascii[sorted[i] - 1] == read[s]) continue; // a longer match has it
        if (count == ROOM) {
          fprintf(stderr, "more than %d alignments\n", ROOM);
          return 1;
        }
        alignments[slot * ROOM + (uint32_t)count].place = sorted[i] - 1;
        alignments[slot * ROOM + (uint32_t)count++].length = (uint16_t)shared(rest, sorted[i]);
      }
    }
  }
  ref_expect(&r, "found", found, (size_t)reads * STARTS * 2 * sizeof *found);
  ref_expect(&r, "alignments", alignments, (size_t)reads * STARTS * ROOM * sizeof *alignments);
  free(found);
  free(alignments);
  return 0;
}
