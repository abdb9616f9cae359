/* Algorithms of Thrust: what many programs use of CUDA without writing a kernel. */
#include "common.h"
#include <thrust/device_vector.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/transform.h>

struct square_plus {
  int plus;
  __host__ __device__ int operator()(int x) const {
    return x * x + plus;
  }
};

int main() {
  const int n = 3000;
  static unsigned host[n];
  unsigned seed = 6;
  for (int i = 0; i < n; i++)
    host[i] = next_random(&seed);
  thrust::device_vector<unsigned> keys(host, host + n);
  thrust::device_vector<int> values(n);
  thrust::sequence(values.begin(), values.end());
  thrust::sort_by_key(keys.begin(), keys.end(), values.begin());
  int order[n], wrong = 0;
  thrust::copy(values.begin(), values.end(), order);
  for (int i = 1; i < n; i++)
    wrong += host[order[i - 1]] > host[order[i]];
  printf("sorted, wrong %d, %d %d, sum %08x\n", wrong, order[0], order[n - 1],
         checksum(order, sizeof order));

  thrust::transform(values.begin(), values.end(), values.begin(), square_plus{3});
  long long total = thrust::reduce(values.begin(), values.end(), 0ll);
  printf("total %lld\n", total);
  thrust::inclusive_scan(values.begin(), values.begin() + 500, values.begin());
  int ends[2] = {values[0], values[499]};
  printf("scan %d %d\n", ends[0], ends[1]);
  printf("largest at %d\n", (int)(thrust::max_element(keys.begin(), keys.end()) - keys.begin()));
  return wrong != 0;
}
