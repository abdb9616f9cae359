/* Sales by region with Thrust: sort by key, reduce by key, unique, a join by lower bound, inner
 * products. */
#include "common.h"
#include <thrust/binary_search.h>
#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/inner_product.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/reduce.h>
#include <thrust/sort.h>

struct Dear {
  __host__ __device__ bool operator()(int price) const {
    return price > 700;
  }
};
struct Squared {
  __host__ __device__ long long operator()(int k) const {
    return (long long)k * k;
  }
};

int main() {
  const int n = 1200;
  thrust::host_vector<int> region(n), price(n), count(n);
  unsigned seed = 606;
  for (int i = 0; i < n; i++) {
    region[i] = next_random(&seed) % 23 * 3;
    price[i] = next_random(&seed) % 1000;
    count[i] = 1 + next_random(&seed) % 9;
  }
  thrust::device_vector<int> d_region = region, d_price = price, d_count = count;
  long long turnover = thrust::inner_product(d_price.begin(), d_price.end(), d_count.begin(), 0ll);
  thrust::device_vector<int> dear(n);
  int dear_count =
      thrust::copy_if(d_price.begin(), d_price.end(), dear.begin(), Dear()) - dear.begin();
  thrust::stable_sort_by_key(d_region.begin(), d_region.end(), d_price.begin());
  thrust::device_vector<int> keys(n), sums(n);
  auto ends = thrust::reduce_by_key(d_region.begin(), d_region.end(), d_price.begin(), keys.begin(),
                                    sums.begin());
  int groups = ends.first - keys.begin();
  thrust::device_vector<int> asked(10), at(10);
  for (int i = 0; i < 10; i++)
    asked[i] = i * 7;
  thrust::lower_bound(keys.begin(), keys.begin() + groups, asked.begin(), asked.end(), at.begin());
  long long squares = thrust::reduce(
      thrust::make_transform_iterator(thrust::counting_iterator<int>(0), Squared()),
      thrust::make_transform_iterator(thrust::counting_iterator<int>(1000), Squared()));
  printf("turnover %lld, %d dear, %d groups, squares %lld\n", turnover, dear_count, groups,
         squares);
  thrust::host_vector<int> h_sums = sums, h_at = at, h_price = d_price, h_dear = dear;
  for (int g = 0; g < groups; g += 6)
    printf("group %d: %d\n", g, h_sums[g]);
  for (int i = 0; i < 10; i++)
    printf("%d%s", h_at[i], i < 9 ? " " : "\n");
  printf("prices %08x dear %08x\n", checksum(h_price.data(), n * 4),
         checksum(h_dear.data(), dear_count * 4));
}
