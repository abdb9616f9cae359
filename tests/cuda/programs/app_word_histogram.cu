/* Letters and word lengths of a text: shared atomics, warps that add once for all lanes with the
 * same bin. */
#include "common.h"
#include <string>

__constant__ char vowels[8] = "aeiouy";

__global__ void letters(const char *text, int n, unsigned *counts, unsigned *vowel_count) {
  __shared__ unsigned bins[26];
  __shared__ unsigned in_block;
  for (int b = threadIdx.x; b < 26; b += blockDim.x)
    bins[b] = 0;
  if (threadIdx.x == 0) in_block = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
    char c = text[i] | 32;
    if (c < 'a' || c > 'z') continue;
    unsigned active = __activemask();
    unsigned same = __match_any_sync(active, (int)c);
    unsigned lane = threadIdx.x & 31;
    if (lane == 31 - __clz(same)) atomicAdd(&bins[c - 'a'], __popc(same));
    for (int k = 0; vowels[k]; k++)
      if (c == vowels[k]) atomicInc(&in_block, 0xffffffffu);
  }
  __syncthreads();
  for (int b = threadIdx.x; b < 26; b += blockDim.x)
    if (bins[b]) atomicAdd(&counts[b], bins[b]);
  if (threadIdx.x == 0) atomicAdd(vowel_count, in_block);
}

__global__ void word_lengths(const char *text, int n, unsigned long long *packed, int *longest) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n || text[i] == ' ' || (i && text[i - 1] != ' ')) return;
  int length = 0;
  while (i + length < n && text[i + length] != ' ')
    length++;
  atomicMax(longest, length);
  /* a byte for each length, where a carry cannot happen */
  atomicAdd(packed + length / 4, 1ull << length % 4 * 16);
}

int main() {
  std::string text;
  const char *words[] = {"whether", "a",     "warp", "takes",  "the",
                         "branch",  "or",    "not",  "each",   "lane",
                         "has",     "its",   "own",  "answer", "SYNCHRONISATION",
                         "memory",  "queue", "is",   "of",     "jumps"};
  unsigned seed = 12;
  for (int i = 0; i < 700; i++)
    text += std::string(words[next_random(&seed) % 20]) + " ";
  int n = text.size();
  char *d_text;
  unsigned *d_counts, counts[27];
  unsigned long long *d_packed, packed[5];
  int *d_longest, longest;
  OK(cudaMalloc(&d_text, n));
  OK(cudaMalloc(&d_counts, sizeof counts));
  OK(cudaMalloc(&d_packed, sizeof packed));
  OK(cudaMalloc(&d_longest, sizeof longest));
  OK(cudaMemcpy(d_text, text.data(), n, cudaMemcpyHostToDevice));
  OK(cudaMemset(d_counts, 0, sizeof counts));
  OK(cudaMemset(d_packed, 0, sizeof packed));
  OK(cudaMemset(d_longest, 0xff, sizeof longest));
  letters<<<3, 160>>>(d_text, n, d_counts, d_counts + 26);
  word_lengths<<<(n + 255) / 256, 256>>>(d_text, n, d_packed, d_longest);
  OK(cudaMemcpy(counts, d_counts, sizeof counts, cudaMemcpyDeviceToHost));
  OK(cudaMemcpy(packed, d_packed, sizeof packed, cudaMemcpyDeviceToHost));
  OK(cudaMemcpy(&longest, d_longest, sizeof longest, cudaMemcpyDeviceToHost));
  for (int b = 0; b < 26; b++)
    printf("%c %u%s", 'a' + b, counts[b], b % 9 == 8 || b == 25 ? "\n" : "  ");
  printf("vowels %u longest %d\n", counts[26], longest);
  for (int l = 0; l < 20; l++)
    if (unsigned c = packed[l / 4] >> l % 4 * 16 & 0xffff) printf("length %d: %u\n", l, c);
}
