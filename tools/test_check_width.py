#!/usr/bin/env python3
"""Tests of check_width.py."""
import re
import unittest

import check_width

LONG = "word " * 40


class CheckWidth(unittest.TestCase):
    def find(self, text):
        return list(check_width.problems("a.md", text))

    def fix(self, text):
        """The text that --fix makes of it; it says the same, and says it again."""
        out = check_width.fixed(text)
        self.assertEqual(out.split(), text.split())
        self.assertEqual(check_width.fixed(out), out)
        return out

    def test_width_is_counted_in_characters(self):
        self.assertEqual(self.find("ä " * 60), [])
        self.assertEqual(self.find("x\n" + "ab " * 40 + "a"),
                         ["a.md:2: 121 columns, more than 120; tools/check_width.py --fix wraps text"])

    def test_code_counts_rows_of_tables_do_not(self):
        self.assertEqual(len(self.find("```\n" + LONG + "\n```\n    " + LONG)), 2)
        self.assertEqual(self.find("| a | " + LONG + "|\n" + "x" * 200), [])

    def test_what_a_program_prints_may_be_wide(self):
        self.assertEqual(self.find("text\n\n    $ weir\n    a\n\n    " + LONG + "\n\n```\n$ weir\n" + LONG + "\n```\n"), [])
        self.assertEqual(self.find("    weir: " + LONG + "\n      " + LONG), [])
        self.assertEqual(len(self.find("```\nweir: 1\na: " + LONG + "\n```\n")), 1)
        self.assertEqual(len(self.find("    $ " + LONG + "\n\n" + LONG + "\n\n    " + LONG + "\n")), 3)

    def test_paragraphs_and_items_are_wrapped(self):
        out = self.fix(LONG + "\nend\n\n- " + LONG + "\n  end\n- next\n  1. " + LONG + "\n\nnot\nthis\n")
        self.assertEqual(self.find(out), [])
        self.assertIn("\n- word", out)
        self.assertIn("\n  word", out)
        self.assertIn("end\n- next\n  1. word", out)
        self.assertTrue(out.endswith("\n\nnot\nthis\n"))

    def test_what_is_no_text_is_left_alone(self):
        for text in ["# " + LONG, "```\n" + LONG + "\n- " + LONG + "\n```", "    " + LONG, "| " + LONG + " |",
                     "text:\n\n    " + LONG, "> " + LONG]:
            self.assertEqual(self.fix(text), text)

    def test_no_line_becomes_another_thing(self):
        for word in ["-", "1.", "#", "+", ">", "|"]:
            for shift in range(6):
                out = self.fix("x" * shift + " " + f"abcd {word} " * 40)
                self.assertFalse(any(re.match(r"\s*" + re.escape(word), line) for line in out.split("\n")[1:]), word)

    def test_short_code_and_links_stay_whole(self):
        out = self.fix("see `weir run a b` and [the long text](some/page.md#here) " * 12)
        self.assertEqual(out.count("`weir run a b`"), 12)
        self.assertEqual(out.count("](some/page.md#here)"), 12)


if __name__ == "__main__":
    unittest.main()
