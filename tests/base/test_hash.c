#include "base/hash.h"
#include "testing.h"

/* The first outputs of the reference generator for seed 1234567. */
static void splitmix64_is_the_published_one(void **state) {
  (void)state;
  static const uint64_t expected[] = {UINT64_C(6457827717110365317), UINT64_C(3203168211198807973),
                                      UINT64_C(9817491932198370423), UINT64_C(4593380528125082431),
                                      UINT64_C(16408922859458223821)};
  uint64_t x = 1234567;
  for (size_t i = 0; i < COUNT(expected); i++) {
    assert_true(weir_splitmix64(x) == expected[i]);
    x += UINT64_C(0x9E3779B97F4A7C15);
  }
}

static void hash32_is_the_upper_half(void **state) {
  (void)state;
  assert_int_equal(weir_hash32(0, 1234567), (uint32_t)(UINT64_C(6457827717110365317) >> 32));
  /* seed 1, x 0 is the second output of the generator started at 0 */
  assert_int_equal(weir_hash32(1, 0), weir_splitmix64(UINT64_C(0x9E3779B97F4A7C15)) >> 32);
  assert_true(weir_hash32(1, 2) != weir_hash32(2, 1));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(splitmix64_is_the_published_one),
      cmocka_unit_test(hash32_is_the_upper_half),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
