#!/usr/bin/env python3
"""Tests of check_size.py."""
import unittest

from checking import CheckCase

import check_size


def function(name, lines, head="static int {}(int a,\n    char *b)"):
    head = head.format(name)
    return head + " {\n" + "  x = (struct s){1};\n" * (lines - 2 - head.count("\n")) + "}\n"


class CheckSize(CheckCase):
    def find(self, text, larger=None, path="src/sim/x.c"):
        return self.check(check_size.problems, {path: text}, larger=larger or {})

    def test_limits_are_inclusive(self):
        self.assertEqual(self.find(function("f", 80)), [])
        self.assertEqual(self.find("int a;\n" * 800), [])

    def test_longer_ones_are_refused_by_name(self):
        self.assertEqual(self.find("int a;\n\n" + function("f", 81)), ["src/sim/x.c:f: 81 lines, more than 80"])
        self.assertEqual(self.find("int a;\n" * 801), ["src/sim/x.c: 801 lines, more than 800"])

    def test_heads_of_all_forms(self):
        for head in ["void {}(void)", "struct s *{}(struct t *a)", "__attribute__((cold)) int {}(void)",
                     "enum e\n{}(int a,\n  void (*g)(int), int c)", "static inline uint8_t {}(int a[static 3])"]:
            self.assertEqual(self.find(function("f", 81, head)), ["src/sim/x.c:f: 81 lines, more than 80"], head)

    def test_the_one_behind_is_not_hidden(self):
        self.assertEqual(len(self.find(function("f", 20) + "\n" + function("g", 90) + function("h", 90))), 2)

    def test_what_is_no_function_may_be_long(self):
        table = "static const struct s t[] = {\n" + "    S(a, (b)),\n" * 100 + "};\n"
        types = "struct s {\n" + "  int a; /* f(x) { */\n" * 100 + "};\nenum e {\n" + "  A,\n" * 100 + "};\n"
        macro = "#define M(a) \\\n" + "  do { f(a); } while (0) \\\n" * 100 + "  g(a)\n"
        comment = "/* f(a) {\n" + " * x\n" * 100 + " */\n"
        self.assertEqual(self.find(table + types + macro + comment + function("f", 80)), [])

    def test_tables_in_files_of_their_own(self):
        self.assertEqual(self.find("X(a)\n" * 900, path="src/sim/x.def"), [])
        self.assertEqual(len(self.find("X(a);\n" * 900, path="src/sim/x.h")), 1)

    def test_exceptions_may_only_shrink(self):
        text = function("f", 90)
        self.assertEqual(self.find(text, {"src/sim/x.c:f": 90}), [])
        self.assertEqual(self.find(text, {"src/sim/x.c:f": 89}), ["src/sim/x.c:f: 90 lines, more than 89"])
        self.assertEqual(len(self.find(function("f", 80), {"src/sim/x.c:f": 90})), 1)
        self.assertEqual(len(self.find("", {"src/gone.c": 900})), 1)


if __name__ == "__main__":
    unittest.main()
