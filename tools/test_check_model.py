#!/usr/bin/env python3
"""Tests of tools/check_model.py."""
import unittest

import check_model

TOP = "Entries marked `[MODEL]` change results.\n\n"


def header(model, traces=0, registers=0):
    return f"enum {{ WEIR_MODEL = {model}, WEIR_MODEL_TRACES = {traces}, WEIR_MODEL_REGISTERS = {registers} }};"


class Model(unittest.TestCase):
    def test_one_for_each_mark(self):
        self.assertIsNone(check_model.check(TOP + "## [Unreleased]\n- [MODEL] a\n- b `[MODEL]`\n", header(2)))

    def test_a_mark_without_a_version(self):
        self.assertIn("3 marks", check_model.check(TOP + "## [1]\n[MODEL] [MODEL] [MODEL]\n", header(2)))

    def test_a_version_without_a_mark(self):
        self.assertIn("0 marks", check_model.check(TOP + "## [1]\n- a\n", header(2)))

    def test_a_machine_that_changes_needs_no_version(self):
        self.assertIsNone(check_model.check(TOP + "## [1]\n- [MODEL] a\n- `[MODEL, machine]` b\n", header(1)))

    def test_traces_have_a_version_of_their_own(self):
        text = TOP + "## [1]\n- [MODEL] a\n- `[MODEL, traces]` b\n"
        self.assertIsNone(check_model.check(text, header(1, 1)))
        self.assertIn("WEIR_MODEL_TRACES is 0", check_model.check(text, header(1)))

    def test_registers_have_a_version_of_their_own(self):
        text = TOP + "## [1]\n- [MODEL] a\n- `[MODEL, registers]` b\n"
        self.assertIsNone(check_model.check(text, header(1, 0, 1)))
        self.assertIn("WEIR_MODEL_REGISTERS is 0", check_model.check(text, header(1)))

    def test_no_version(self):
        self.assertIn("not there", check_model.check(TOP + "## [1]\n", ""))
        self.assertIn("WEIR_MODEL_TRACES is not there", check_model.check(TOP + "## [1]\n", "enum { WEIR_MODEL = 0 };"))


if __name__ == "__main__":
    unittest.main()
