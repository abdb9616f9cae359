#!/usr/bin/env python3
"""Tests of check_deps.py."""
import importlib.util
import pathlib
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
spec = importlib.util.spec_from_file_location("check_deps", HERE / "check_deps.py")
check_deps = importlib.util.module_from_spec(spec)
spec.loader.exec_module(check_deps)


class CheckDeps(unittest.TestCase):
    def check(self, files):
        with tempfile.TemporaryDirectory() as name:
            root = pathlib.Path(name)
            for path, text in {"src/base/a.h": "", "src/ptx/b.h": "", "include/weir/e.h": "", **files}.items():
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(text)
            return list(check_deps.problems(root))

    def test_downward_and_own_are_allowed(self):
        text = '#include <stdio.h>\n#include "base/a.h"\n#include "b.h"\n#include "weir/e.h"\n'
        self.assertEqual(self.check({"src/ptx/x.c": text}), [])

    def test_upward_is_refused_with_its_line(self):
        found = self.check({"src/base/x.c": 'int x;\n#include "ptx/b.h"\n'})
        self.assertEqual(found, ["src/base/x.c:2: 'base' may not include 'ptx/b.h': ptx is above it"])

    def test_upward_by_a_relative_path_is_refused(self):
        self.assertEqual(len(self.check({"src/base/x.h": '# include "../ptx/b.h"\n'})), 1)

    def test_missing_header_is_refused(self):
        self.assertEqual(len(self.check({"src/base/x.c": '#include "zlib.h"\n'})), 1)

    def test_unknown_module_is_refused(self):
        self.assertEqual(len(self.check({"src/misc/x.c": ""})), 1)

    def test_public_headers_stand_alone(self):
        self.assertEqual(len(self.check({"include/weir/x.h": '#include "base/a.h"\n'})), 1)


if __name__ == "__main__":
    unittest.main()
