#!/usr/bin/env python3
"""Tests of check_deps.py."""
import unittest

from checking import CheckCase

import check_deps


class CheckDeps(CheckCase):
    always = {"src/base/a.h": "", "src/ptx/b.h": "", "include/weir/e.h": ""}

    def find(self, files):
        return self.check(check_deps.problems, files)

    def test_downward_and_own_are_allowed(self):
        text = '#include <stdio.h>\n#include "base/a.h"\n#include "b.h"\n#include "weir/e.h"\n'
        self.assertEqual(self.find({"src/ptx/x.c": text}), [])

    def test_upward_is_refused_with_its_line(self):
        found = self.find({"src/base/x.c": 'int x;\n#include "ptx/b.h"\n'})
        self.assertEqual(found, ["src/base/x.c:2: 'base' may not include 'ptx/b.h': ptx is above it"])

    def test_upward_by_a_relative_path_is_refused(self):
        self.assertEqual(len(self.find({"src/base/x.h": '# include "../ptx/b.h"\n'})), 1)

    def test_missing_header_is_refused(self):
        self.assertEqual(len(self.find({"src/base/x.c": '#include "zlib.h"\n'})), 1)

    def test_unknown_module_is_refused(self):
        self.assertEqual(len(self.find({"src/misc/x.c": ""})), 1)

    def test_public_headers_stand_alone(self):
        self.assertEqual(len(self.find({"include/weir/x.h": '#include "base/a.h"\n'})), 1)

    def test_meson_follows_the_order(self):
        lists = {"['base', 'ptx',\n  'sim']": 0, "['ptx', 'base']": 1, "['base', 'misc']": 1, "['base', 'base']": 1}
        for text, n in lists.items():
            found = self.find({"meson.build": f"x = 1\nforeach module : {text}\nendforeach\n"})
            self.assertEqual(len(found), n, text)


if __name__ == "__main__":
    unittest.main()
