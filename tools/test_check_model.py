#!/usr/bin/env python3
"""Tests of tools/check_model.py."""
import unittest

import check_model

TOP = "Entries marked `[MODEL]` change results.\n\n"


class Model(unittest.TestCase):
    def test_one_for_each_mark(self):
        self.assertIsNone(check_model.check(TOP + "## [Unreleased]\n- [MODEL] a\n- b `[MODEL]`\n", "enum { WEIR_MODEL = 2 };"))

    def test_a_mark_without_a_version(self):
        self.assertIn("3 marks", check_model.check(TOP + "## [1]\n[MODEL] [MODEL] [MODEL]\n", "enum { WEIR_MODEL = 2 };"))

    def test_a_version_without_a_mark(self):
        self.assertIn("0 marks", check_model.check(TOP + "## [1]\n- a\n", "enum { WEIR_MODEL = 2 };"))

    def test_a_machine_that_changes_needs_no_version(self):
        self.assertIsNone(check_model.check(TOP + "## [1]\n- [MODEL] a\n- `[MODEL, machine]` b\n", "enum { WEIR_MODEL = 1 };"))

    def test_no_version(self):
        self.assertIn("not there", check_model.check(TOP + "## [1]\n", ""))


if __name__ == "__main__":
    unittest.main()
