#!/usr/bin/env python3
"""Tests of check_tests.py."""
import unittest

from checking import CheckCase

import check_tests

UNIT_TEST = "int main(void) {\n  return cmocka_run_group_tests(tests, NULL, NULL);\n}\n"


class CheckTests(CheckCase):
    def test_names(self):
        files = {"tests/l1/test_a.c": UNIT_TEST, "tests/l1/b.c": UNIT_TEST, "tests/l1/helper.c": "int x;\n",
                 "tests/x/y/c.c": UNIT_TEST, "src/d.c": UNIT_TEST}
        self.assertEqual(self.check(check_tests.problems, files),
                         ["tests/l1/b.c: a unit test is named test_b.c", "tests/x/y/c.c: a unit test is named test_c.c"])


if __name__ == "__main__":
    unittest.main()
