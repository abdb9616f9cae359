/* Names of kernels as compilers write them. */
#include "testing.h"

#include "base/demangle.h"

static void names_are_readable(void **state) {
  (void)state;
  static const struct {
    const char *mangled, *readable;
  } cases[] = {
      {"spmv", "spmv"},
      {"_Z4axpyPfPKffi", "axpy"},
      {"_ZN2ns6reduceIfLi256EEEvPT_i", "ns::reduce<float, 256>"},
      {"_ZL6hiddenv", "hidden"},
      {"_Z3sumIdLb1ELin3EEvPT_", "sum<double, true, -3>"},
      {"_Z3sumIPKfmEvT_T0_", "sum<float const*, unsigned long>"},
      {"_ZN12_GLOBAL__N_16kernelEv", "(anonymous)::kernel"},
      {"_ZN47_GLOBAL__N__0123abcd_4_a_cu_89abcdef_1234_567893fooEi", "(anonymous)::foo"},
      {"_Z3mapI3AddN2ns3SubEEvv", "map<Add, ns::Sub>"},
      {"_Z3mapISt4lessIiEEvv", "map<std::less<int>>"},
      {"_Z3mapIN2ns1AENS0_1BEEvv", "map<ns::A, ns::B>"},
      {"_ZN3app5applyINS_2OpEEEvPfiT_", "app::apply<app::Op>"},
      {"_Z3mapIPKfS1_S0_EvT_", "map<float const*, float const*, float const>"},
      {"_ZN2ns3mapINS_3VecIfEES2_NS1_IdEEEEvT_",
       "ns::map<ns::Vec<float>, ns::Vec<float>, ns::Vec<double>>"},
      {"_Z3mapISaIiESbIcEEvv", "map<std::...<int>, std::...<char>>"},
      {"_Z4packIJifdEEvDpT_", "pack<int, float, double>"},
      {"_Z3enmIL5Color2EEvv", "enm<(Color)2>"},
      {"_Z3strIA4_cEvv", "_Z3strIA4_cEvv"},
      {"_Zoops", "_Zoops"},
      {"_Z99x", "_Z99x"},
      {"_ZN3foo", "_ZN3foo"},
      {"_Z1aIL", "_Z1aIL"},
      {"_Z1aILi", "_Z1aILi"},
      {"_Z", "_Z"},
      {"", ""},
  };
  char buf[WEIR_DEMANGLED];
  for (size_t i = 0; i < COUNT(cases); i++)
    assert_string_equal(weir_demangle(cases[i].mangled, buf, sizeof buf), cases[i].readable);
}

static void long_names_are_cut(void **state) {
  (void)state;
  char buf[12];
  assert_string_equal(weir_demangle("_Z13a_long_kernelv", buf, sizeof buf), "a_long_k...");
  assert_string_equal(weir_demangle("a_plain_long_name", buf, sizeof buf), "a_plain_...");
}

/* Whatever stands there, something comes out. */
static void nonsense_does_no_harm(void **state) {
  (void)state;
  static const char letters[] = "_ZNIELJSPKst0123456789abv";
  uint64_t rng = 3;
  for (int i = 0; i < 200000; i++) {
    char text[64] = "_Z", buf[24];
    for (int k = 2; k < 63; k++) {
      rng = rng * UINT64_C(6364136223846793005) + 1442695040888963407u;
      text[k] = letters[(rng >> 33) % (sizeof letters - 1)];
    }
    text[2 + (rng >> 40) % 61] = 0;
    assert_true(strlen(weir_demangle(text, buf, sizeof buf)) < sizeof buf);
  }
  char deep[4000] = "_Z1a";
  memset(deep + 4, 'I', 1000);
  char buf[WEIR_DEMANGLED];
  weir_demangle(deep, buf, sizeof buf);
  memset(deep + 5, 'P', 3000);
  weir_demangle(deep, buf, sizeof buf);
  memset(deep + 5, 'J', 3000);
  weir_demangle(deep, buf, sizeof buf);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names_are_readable),
      cmocka_unit_test(long_names_are_cut),
      cmocka_unit_test(nonsense_does_no_harm),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
