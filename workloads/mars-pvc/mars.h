// What the MapReduce programs after "Mars" share: the phases around a program's own map and reduce.
//
// A record is a key and a value of so many bytes in two buffers, and an int4 that says where: x and
// y are offset and bytes of the key, z and w those of the value. Every phase that makes records has
// two kernels, one that counts how many bytes a thread will write, and, after prefix sums over the
// threads, one that writes. Grouping sorts the int4s by a bitonic network, a launch per step, then
// moves values and keys into that order (mars_copy: each thread one record, byte by byte from a
// place of its own, so that a line serves its thread many times if it stays, and hardly another
// one), and at last finds where keys change.
//
// A program defines before this header MARS_COMPARE(a, b, text), which orders two keys (1, 0, -1),
// MARS_UNEVEN if threads make different numbers of records, MARS_REDUCE if it has a reduction; and
// after it mars_count_record, mars_map_record and, for a reduction, mars_count_group and
// mars_reduce_group.
#ifndef WEIR_WORKLOADS_MARS_H
#define WEIR_WORKLOADS_MARS_H

// ---- records that threads make

struct mars_sizes { // of each thread
  int *keys, *vals, *counts;
};

struct mars_output { // where each thread writes, and what it has written
  int *keys_at, *vals_at, *counts_at;
  int2 *used;
  char *keys, *vals;
  int4 *index;
  int *current;
};

__device__ static inline int mars_thread() {
  return blockIdx.x * blockDim.x + threadIdx.x;
}

__device__ static inline void mars_emit_count(mars_sizes s, int key_bytes, int val_bytes) {
  int t = mars_thread();
  s.keys[t] += key_bytes;
  s.vals[t] += val_bytes;
  s.counts[t]++;
}

// Of a map: what it needs twice is kept in registers.
__device__ static inline void mars_emit(mars_output o, const char *key, const char *val,
                                        int key_bytes, int val_bytes) {
#ifndef MARS_UNEVEN // all threads emit equally often
  __syncthreads();
#endif
  int t = mars_thread();
  int2 used = o.used[t];
  char *to_key = o.keys + o.keys_at[t] + used.x, *to_val = o.vals + o.vals_at[t] + used.y;
  LOOP
  for (int i = 0; i < key_bytes; i++)
    to_key[i] = key[i];
  LOOP
  for (int i = 0; i < val_bytes; i++)
    to_val[i] = val[i];
  o.used[t] = make_int2(used.x + key_bytes, used.y + val_bytes);
  int n = o.current[t], at = n + o.counts_at[t];
  int4 entry = o.index[at], before = o.index[at - 1];
  if (n != 0) {
    entry.x = before.x + before.y;
    entry.z = before.z + before.w;
  }
  entry.y = key_bytes;
  entry.w = val_bytes;
  o.index[at] = entry;
  o.current[t] = n + 1;
}

// Of a reduction: the same, but everything is read again from memory whenever it is used.
__device__ static inline void mars_emit_group(mars_output o, const char *key, const char *val,
                                              int key_bytes, int val_bytes) {
  __syncthreads();
  int t = mars_thread();
  char *to_key = o.keys + o.keys_at[t] + o.used[t].x;
  char *to_val = o.vals + o.vals_at[t] + o.used[t].y;
  LOOP
  for (int i = 0; i < key_bytes; i++)
    to_key[i] = key[i];
  LOOP
  for (int i = 0; i < val_bytes; i++)
    to_val[i] = val[i];
  o.used[t].x += key_bytes;
  o.used[t].y += val_bytes;
  if (o.current[t] != 0) {
    int4 *before = &o.index[o.counts_at[t] + o.current[t] - 1];
    o.index[o.counts_at[t] + o.current[t]].x = before->x + before->y;
    before = &o.index[o.counts_at[t] + o.current[t] - 1];
    o.index[o.counts_at[t] + o.current[t]].z = before->z + before->w;
  }
  o.index[o.counts_at[t] + o.current[t]].y = key_bytes;
  o.index[o.counts_at[t] + o.current[t]].w = val_bytes;
  o.current[t]++;
}

// Thread t of a block takes records t, t + blockDim.x, ... of the block's share.
#define MARS_EACH(i, n, per_thread)                                                                \
  int mars_first = blockIdx.x * (per_thread) * blockDim.x;                                         \
  int mars_end = min(mars_first + (per_thread) * (int)blockDim.x, n);                              \
  LOOP                                                                                             \
  for (int i = mars_first + threadIdx.x; i < mars_end; i += blockDim.x)

__device__ static inline void mars_count_record(char *key, char *val, char *text, mars_sizes s);
__device__ static inline void mars_map_record(char *key, char *val, char *text, mars_output o);

extern "C" __global__ void mars_map_count(char *in_keys, char *in_vals, int4 *in_index, char *text,
                                          int *key_bytes, int *val_bytes, int *counts, int n,
                                          int per_thread) {
  if (mars_thread() * per_thread >= n) return;
  MARS_EACH(i, n, per_thread) {
    int4 r = in_index[i];
    mars_count_record(in_keys + r.x, in_vals + r.z, text, {key_bytes, val_bytes, counts});
  }
}

extern "C" __global__ void mars_map(char *in_keys, char *in_vals, int4 *in_index, char *text,
                                    int *keys_at, int *vals_at, int *counts_at, int2 *used,
                                    char *keys, char *vals, int4 *index, int *current, int n,
                                    int per_thread) {
  int t = mars_thread();
  if (t * per_thread >= n) return;
  int first = counts_at[t]; // the thread's first record has the place of the prefix sums
#ifdef MARS_UNEVEN           // one that has none shares the entry with the next
  index[first].x = keys_at[t];
  index[first].z = vals_at[t];
#else
  int4 entry = index[first];
  entry.x = keys_at[t];
  entry.z = vals_at[t];
  index[first] = entry;
#endif
  MARS_EACH(i, n, per_thread) {
    int4 r = in_index[i];
    mars_map_record(in_keys + r.x, in_vals + r.z, text,
                    {keys_at, vals_at, counts_at, used, keys, vals, index, current});
  }
}

#ifdef MARS_REDUCE
__device__ static inline void mars_count_group(char *key, char *vals, int n, mars_sizes s);
__device__ static inline void mars_reduce_group(char *key, char *vals, int n, mars_output o);

extern "C" __global__ void mars_reduce_count(char *in_keys, char *in_vals, int4 *in_index,
                                             int2 *groups, int *key_bytes, int *val_bytes,
                                             int *counts, int n, int per_thread) {
  if (mars_thread() * per_thread >= n) return;
  MARS_EACH(i, n, per_thread) {
    int first = groups[i].x, members = groups[i].y - groups[i].x;
    mars_count_group(in_keys + in_index[first].x, in_vals + in_index[first].z, members,
                     {key_bytes, val_bytes, counts});
  }
}

extern "C" __global__ void mars_reduce(char *in_keys, char *in_vals, int4 *in_index, int2 *groups,
                                       int *keys_at, int *vals_at, int *counts_at, int2 *used,
                                       char *keys, char *vals, int4 *index, int *current, int n,
                                       int per_thread) {
  int t = mars_thread();
  if (t * per_thread >= n) return;
  index[counts_at[t]].x = keys_at[t];
  index[counts_at[t]].z = vals_at[t];
  MARS_EACH(i, n, per_thread) {
    int first = groups[i].x, members = groups[i].y - groups[i].x;
    mars_reduce_group(in_keys + in_index[first].x, in_vals + in_index[first].z, members,
                      {keys_at, vals_at, counts_at, used, keys, vals, index, current});
  }
}
#endif

// ---- prefix sums: two elements per thread, a tree in shared memory that leaves out every 17th word

#define MARS_PAD(i) ((i) + ((i) >> 4))

// `part`: the elements of this block do not fill it. `total`: each block's sum is kept.
template <bool total, bool part>
__device__ static inline void mars_scan(int *out, const int *in, int *sums, int n, int block,
                                        int base) {
  extern __shared__ int tree[];
  int x = threadIdx.x, half = blockDim.x, a = x, b = x + half;
  int from = base == 0 ? blockIdx.x * 2 * half : base;
  tree[MARS_PAD(a)] = in[from + a];
  tree[MARS_PAD(b)] = part && b >= n ? 0 : in[from + b];
  int stride = 1;
  LOOP
  for (int active = half; active > 0; active >>= 1) {
    __syncthreads();
    if (x < active) {
      int left = 2 * stride * x + stride - 1, right = left + stride;
      tree[MARS_PAD(right)] += tree[MARS_PAD(left)];
    }
    stride *= 2;
  }
  if (x == 0) {
    int root = MARS_PAD(2 * half - 1);
    if (total) sums[block == 0 ? blockIdx.x : block] = tree[root];
    tree[root] = 0;
  }
  LOOP
  for (int active = 1; active <= half; active *= 2) {
    stride >>= 1;
    __syncthreads();
    if (x < active) {
      int left = 2 * stride * x + stride - 1, right = left + stride;
      int value = tree[MARS_PAD(left)];
      tree[MARS_PAD(left)] = tree[MARS_PAD(right)];
      tree[MARS_PAD(right)] += value;
    }
  }
  __syncthreads();
  out[from + a] = tree[MARS_PAD(a)];
  if (!part || b < n) out[from + b] = tree[MARS_PAD(b)];
}

extern "C" __global__ void mars_scan_blocks(int *out, const int *in, int *sums) {
  mars_scan<true, false>(out, in, sums, 0, 0, 0);
}
extern "C" __global__ void mars_scan_rest(int *out, const int *in, int *sums, int n, int block,
                                          int base) {
  mars_scan<true, true>(out, in, sums, n, block, base);
}
extern "C" __global__ void mars_scan_sums(int *out, const int *in, int n) {
  mars_scan<false, true>(out, in, 0, n, 0, 0);
}

extern "C" __global__ void mars_scan_add(int *data, const int *sums, int n, int block, int base) {
  __shared__ int add;
  if (threadIdx.x == 0) add = sums[blockIdx.x + block];
  int at = blockIdx.x * 2 * blockDim.x + base + threadIdx.x;
  __syncthreads();
  data[at] += add;
  if (threadIdx.x + blockDim.x < n) data[at + blockDim.x] += add;
}

// ---- grouping

__device__ static inline int mars_order(const char *keys, const char *text, int4 a, int4 b) {
  if (a.x == -1 || b.x == -1) return a.x == b.x ? 0 : a.x == -1 ? -1 : 1;
  return MARS_COMPARE(keys + a.x, keys + b.x, text);
}

__device__ static inline int mars_position() {
  return blockIdx.x * blockDim.x + threadIdx.x;
}

// Entries that only fill up a power of two come before all others.
extern "C" __global__ void mars_fill(int4 *index, int start, int n) {
  int i = start + mars_position();
  if (i < n) index[i] = make_int4(-1, -1, -1, -1);
}

extern "C" __global__ void mars_sort_step(const char *keys, int4 *index, const char *text, int k,
                                          int j) {
  int i = mars_position(), other = i ^ j;
  if (other > i) {
    int4 a = index[i], b = index[other];
    if ((i & k) == 0) {
      if (mars_order(keys, text, a, b) == 1) {
        index[i] = b;
        index[other] = a;
      }
    } else {
      if (mars_order(keys, text, a, b) == -1) {
        index[i] = b;
        index[other] = a;
      }
    }
  }
}

extern "C" __global__ void mars_get_keys(const int4 *index, int start, int n, int2 *pairs) {
  int i = start + mars_position();
  if (i < n) {
    int4 e = index[i];
    pairs[i].x = e.x;
    pairs[i].y = e.y;
  }
}
extern "C" __global__ void mars_get_values(const int4 *index, int start, int n, int2 *pairs) {
  int i = start + mars_position();
  if (i < n) {
    int4 e = index[i];
    pairs[i].x = e.z;
    pairs[i].y = e.w;
  }
}
extern "C" __global__ void mars_set_keys(int4 *index, int start, int n, const int2 *pairs) {
  int i = start + mars_position();
  if (i < n) {
    int4 e = index[i];
    e.x = pairs[i].x;
    e.y = pairs[i].y;
    index[i] = e;
  }
}
extern "C" __global__ void mars_set_values(int4 *index, int start, int n, const int2 *pairs) {
  int i = start + mars_position();
  if (i < n) {
    int4 e = index[i];
    e.z = pairs[i].x;
    e.w = pairs[i].y;
    index[i] = e;
  }
}
extern "C" __global__ void mars_get_sizes(const int2 *pairs, int start, int n, int *sizes) {
  int i = start + mars_position();
  if (i < n) {
    int2 p = pairs[i];
    sizes[i] = p.y;
  }
}

extern "C" __global__ void mars_copy(const char *from, int start, int2 *pairs, int n,
                                     const int *positions, char *to) {
  int i = start + mars_position();
  if (i < n) {
    int2 p = pairs[i];
    int at = positions[i];
    LOOP
    for (int b = 0; b < p.y; b++)
      to[b + at] = from[b + p.x];
    p.x = at;
    pairs[i] = p;
  }
}

extern "C" __global__ void mars_find_groups(const char *keys, int start, const int4 *index, int n,
                                            const char *text, int *flags) {
  int i = start + mars_position();
  if (i < n) {
    int flag = 0;
    if (i == 0)
      flag = 1;
    else if (mars_order(keys, text, index[i], index[i - 1]) != 0)
      flag = 1;
    flags[i] = flag;
  }
}
extern "C" __global__ void mars_write_groups(int start, int n, const int *flags, const int *group,
                                             int *firsts) {
  int i = start + mars_position();
  if (i < n) {
    int flag = flags[i], g = group[i];
    if (flag == 1) firsts[g] = i;
  }
}
extern "C" __global__ void mars_group_ranges(const int *firsts, int start, int groups, int n,
                                             int2 *ranges) {
  int i = start + mars_position();
  if (i < groups) {
    int2 r;
    r.x = firsts[i];
    r.y = i + 1 != groups ? firsts[i + 1] : n;
    ranges[i] = r;
  }
}

#endif
