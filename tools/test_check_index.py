#!/usr/bin/env python3
"""Tests of check_index.py."""
import unittest

import check_index
import checking


class CheckIndex(checking.CheckCase):
    def find(self, files):
        return self.check(check_index.problems, files, pages=list(files))

    def test_each_page_is_on_the_index(self):
        self.assertEqual(self.find({"docs/README.md": "[a](a.md) [b](sub/b.md)", "docs/a.md": "", "docs/sub/b.md": "",
                                    "README.md": ""}), [])
        self.assertEqual(self.find({"docs/README.md": "", "docs/a.md": ""}), ["docs/a.md: docs/README.md does not lead to it"])

    def test_links_lead_somewhere(self):
        self.assertEqual(self.find({"docs/README.md": "[x](https://x.y) [a](a.md#there)", "docs/a.md": "`[v](R, C)` [r](../r.md)"}),
                         ["docs/a.md: there is no ../r.md"])


if __name__ == "__main__":
    unittest.main()
