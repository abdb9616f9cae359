/* CRC-32 of pieces by tables, joined by matrices over GF(2); Adler-32; CRC-64 bit by bit. */
#include "common.h"

__constant__ unsigned table[256];
#define PIECE  64
#define PIECES 96

__device__ unsigned times(const unsigned *matrix, unsigned v) {
  unsigned sum = 0;
  while (v) {
    int b = __ffs(v) - 1;
    sum ^= matrix[b];
    v &= v - 1;
  }
  return sum;
}

__global__ void piece_crcs(const unsigned char *data, unsigned *crc) {
  int p = blockIdx.x * blockDim.x + threadIdx.x;
  if (p >= PIECES) return;
  unsigned c = p ? 0 : ~0u;
  const uint4 *words = (const uint4 *)(data + p * PIECE);
  for (int i = 0; i < PIECE / 16; i++) {
    uint4 q = words[i];
    unsigned w[4] = {q.x, q.y, q.z, q.w};
    for (int j = 0; j < 16; j++)
      c = table[(c ^ w[j / 4] >> j % 4 * 8) & 255] ^ c >> 8;
  }
  crc[p] = c;
}

__global__ void join(const unsigned *crc, const unsigned *shift, unsigned *result) {
  __shared__ unsigned matrix[32];
  matrix[threadIdx.x] = shift[threadIdx.x];
  __syncwarp();
  if (threadIdx.x) return;
  unsigned c = 0;
  for (int p = 0; p < PIECES; p++)
    c = times(matrix, c) ^ crc[p];
  *result = ~c;
}

__global__ void adler(const unsigned char *data, int n, unsigned *out) {
  __shared__ unsigned long long sum_a, sum_b;
  if (threadIdx.x == 0) sum_a = sum_b = 0;
  __syncthreads();
  unsigned long long a = 0, b = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    a += data[i];
    b += (unsigned long long)(n - i) * data[i];
  }
  atomicAdd(&sum_a, a);
  atomicAdd(&sum_b, b);
  __syncthreads();
  if (threadIdx.x == 0) *out = (unsigned)((sum_b + n) % 65521 << 16 | (sum_a + 1) % 65521);
}

__global__ void crc64(const unsigned char *data, int n, unsigned long long *out) {
  unsigned long long c = ~0ull;
  for (int i = 0; i < n; i++) {
    c ^= (unsigned long long)data[threadIdx.x * n + i] << 56;
    for (int b = 0; b < 8; b++)
      c = (long long)c < 0 ? c << 1 ^ 0x42F0E1EBA9EA3693ull : c << 1;
  }
  out[threadIdx.x] = ~c;
}

int main() {
  static unsigned char data[PIECE * PIECES];
  unsigned t[256], shift[32], crc[PIECES], one, two, seed = 6;
  unsigned long long wide[32];
  for (auto &b : data)
    b = next_random(&seed) >> 5;
  for (unsigned i = 0; i < 256; i++) {
    t[i] = i;
    for (int b = 0; b < 8; b++)
      t[i] = t[i] & 1 ? t[i] >> 1 ^ 0xEDB88320u : t[i] >> 1;
  }
  for (int b = 0; b < 32; b++) {
    shift[b] = 1u << b;
    for (int i = 0; i < PIECE; i++)
      shift[b] = t[shift[b] & 255] ^ shift[b] >> 8;
  }
  unsigned char *d_data;
  unsigned *d_shift, *d_crc, *d_one;
  unsigned long long *d_wide;
  OK(cudaMemcpyToSymbol(table, t, sizeof t));
  OK(cudaMalloc(&d_data, sizeof data));
  OK(cudaMalloc(&d_shift, sizeof shift));
  OK(cudaMalloc(&d_crc, sizeof crc));
  OK(cudaMalloc(&d_one, 8));
  OK(cudaMalloc(&d_wide, sizeof wide));
  OK(cudaMemcpy(d_data, data, sizeof data, cudaMemcpyHostToDevice));
  OK(cudaMemcpy(d_shift, shift, sizeof shift, cudaMemcpyHostToDevice));
  piece_crcs<<<3, 32>>>(d_data, d_crc);
  join<<<1, 32>>>(d_crc, d_shift, d_one);
  adler<<<1, 200>>>(d_data, sizeof data, d_one + 1);
  crc64<<<1, 32>>>(d_data, 40, d_wide);
  OK(cudaMemcpy(&one, d_one, 4, cudaMemcpyDeviceToHost));
  OK(cudaMemcpy(&two, d_one + 1, 4, cudaMemcpyDeviceToHost));
  OK(cudaMemcpy(wide, d_wide, sizeof wide, cudaMemcpyDeviceToHost));
  unsigned whole = ~0u, a = 1, b = 0;
  for (auto c : data) {
    whole = t[(whole ^ c) & 255] ^ whole >> 8;
    a = (a + c) % 65521;
    b = (b + a) % 65521;
  }
  printf("crc32 %08x (host %08x) adler %08x (host %08x)\n", one, ~whole, two, b << 16 | a);
  printf("crc64 %016llx %016llx, all %08x\n", wide[0], wide[31], checksum(wide, sizeof wide));
}
