/* Words found in a text by an Aho-Corasick automaton in a texture, and one by KMP. */
#include "common.h"
#include <cstring>
#include <queue>
#include <string>
#include <vector>

__global__ void search(cudaTextureObject_t automaton, const unsigned *hits, const char *text, int n,
                       int piece, int overlap, unsigned *found, int *position_sum) {
  int p = blockIdx.x * blockDim.x + threadIdx.x;
  int from = p * piece, to = min(n, from + piece);
  if (from >= n) return;
  int state = 0;
  for (int i = max(0, from - overlap); i < to; i++) {
    state = tex1Dfetch<short>(automaton, state * 4 + (text[i] - 'a'));
    unsigned h = hits[state];
    if (i < from) continue;
    while (h) {
      int w = 31 - __clz(h);
      h ^= 1u << w;
      atomicAdd(&found[w], 1u);
      atomicAdd(&position_sum[w], i);
    }
  }
}

__global__ void kmp(const char *text, int n, const char *word, int m, int *last) {
  __shared__ int fail[32];
  if (threadIdx.x == 0) {
    fail[0] = 0;
    for (int i = 1, k = 0; i < m; i++) {
      while (k && word[k] != word[i])
        k = fail[k - 1];
      fail[i] = k += word[k] == word[i];
    }
  }
  __syncthreads();
  int share = (n + blockDim.x - 1) / blockDim.x, from = threadIdx.x * share, k = 0;
  for (int i = from; i < min(n, from + share + m - 1); i++) {
    while (k && word[k] != text[i])
      k = fail[k - 1];
    k += word[k] == text[i];
    if (k == m) {
      atomicMax(last, i - m + 1);
      k = fail[k - 1];
    }
  }
}

int main() {
  const std::vector<std::string> words = {"abba", "cad", "dd", "bacab", "aa", "abcd", "dabbad"};
  std::vector<std::vector<short>> next(1, std::vector<short>(4, -1));
  std::vector<unsigned> hits(1, 0);
  for (size_t w = 0; w < words.size(); w++) {
    int s = 0;
    for (char c : words[w]) {
      if (next[s][c - 'a'] < 0) {
        next[s][c - 'a'] = next.size();
        next.push_back(std::vector<short>(4, -1));
        hits.push_back(0);
      }
      s = next[s][c - 'a'];
    }
    hits[s] |= 1u << w;
  }
  std::vector<int> fail(next.size());
  std::queue<int> todo;
  for (int c = 0; c < 4; c++)
    if (next[0][c] > 0)
      todo.push(next[0][c]);
    else
      next[0][c] = 0;
  for (; !todo.empty(); todo.pop()) {
    int s = todo.front();
    hits[s] |= hits[fail[s]];
    for (int c = 0; c < 4; c++) {
      int t = next[s][c];
      if (t < 0)
        next[s][c] = next[fail[s]][c];
      else {
        fail[t] = next[fail[s]][c];
        todo.push(t);
      }
    }
  }
  std::vector<short> flat;
  for (auto &row : next)
    flat.insert(flat.end(), row.begin(), row.end());
  std::string text;
  unsigned seed = 29;
  for (int i = 0; i < 5000; i++)
    text += 'a' + next_random(&seed) % 4;
  short *d_flat;
  unsigned *d_hits, *d_found, found[7];
  int *d_sum, sum[8];
  char *d_text, *d_word;
  OK(cudaMalloc(&d_flat, flat.size() * 2));
  OK(cudaMalloc(&d_hits, hits.size() * 4));
  OK(cudaMalloc(&d_found, sizeof found));
  OK(cudaMalloc(&d_sum, sizeof sum));
  OK(cudaMalloc(&d_text, text.size()));
  OK(cudaMalloc(&d_word, 16));
  OK(cudaMemcpy(d_flat, flat.data(), flat.size() * 2, cudaMemcpyHostToDevice));
  OK(cudaMemcpy(d_hits, hits.data(), hits.size() * 4, cudaMemcpyHostToDevice));
  OK(cudaMemcpy(d_text, text.data(), text.size(), cudaMemcpyHostToDevice));
  OK(cudaMemcpy(d_word, "abacab", 6, cudaMemcpyHostToDevice));
  OK(cudaMemset(d_found, 0, sizeof found));
  OK(cudaMemset(d_sum, 0, sizeof sum));
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = d_flat;
  resource.res.linear.desc = cudaCreateChannelDesc<short>();
  resource.res.linear.sizeInBytes = flat.size() * 2;
  cudaTextureDesc how = {};
  how.readMode = cudaReadModeElementType;
  cudaTextureObject_t automaton;
  OK(cudaCreateTextureObject(&automaton, &resource, &how, nullptr));
  search<<<2, 64>>>(automaton, d_hits, d_text, (int)text.size(), 40, 5, d_found, d_sum);
  kmp<<<1, 128>>>(d_text, (int)text.size(), d_word, 6, d_sum + 7);
  OK(cudaMemcpy(found, d_found, sizeof found, cudaMemcpyDeviceToHost));
  OK(cudaMemcpy(sum, d_sum, sizeof sum, cudaMemcpyDeviceToHost));
  for (size_t w = 0; w < words.size(); w++) {
    int want = 0;
    for (size_t at = text.find(words[w]); at != std::string::npos; at = text.find(words[w], at + 1))
      want++;
    printf("%s: %u (host %d), positions %d\n", words[w].c_str(), found[w], want, sum[w]);
  }
  printf("last abacab at %d (host %d)\n", sum[7], (int)text.rfind("abacab"));
}
