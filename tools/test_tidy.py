#!/usr/bin/env python3
"""Tests of tidy.py."""
import json
import pathlib
import shutil
import tempfile
import unittest

import tidy


class Tidy(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name).resolve()
        self.build = self.root / "build"
        self.put("src/a.c", '#include "a.h"\nint f(void) { return A; }\n')
        self.put("src/a.h", "enum { A = 1 };\n")
        entries = [{"directory": str(self.build), "command": f"cc -c ../{file} -o {out}", "file": f"../{file}", "output": out}
                   for file, out in [("src/a.c", "a.o"), ("src/a.c", "b.o"), ("tests/t.c", "t.o"), ("src/x.S", "x.o")]]
        self.put("build/compile_commands.json", json.dumps(entries))

    def put(self, path, text):
        (self.root / path).parent.mkdir(exist_ok=True)
        (self.root / path).write_text(text)

    def state(self, common=b"1"):
        entry = tidy.commands(self.build, self.root)["src/a.c"]
        return tidy.state(entry, {"a.o": ["../src/a.c", "../src/a.h"]}, common)

    def test_each_c_file_of_src_once(self):
        entries = tidy.commands(self.build, self.root)
        self.assertEqual(list(entries), ["src/a.c"])
        self.assertEqual(entries["src/a.c"]["output"], "a.o")

    def test_what_ninja_says(self):
        text = ("a.o: #deps 2, deps mtime 5 (VALID)\n    ../src/a.c\n    /usr/include/x.h\n\n"
                "b.o: #deps 1, deps mtime 5 (STALE)\n    ../src/b.c\n\n")
        self.assertEqual(tidy.parse_deps(text), {"a.o": ["../src/a.c", "/usr/include/x.h"]})

    def test_any_change_is_another_state(self):
        states = {self.state(), self.state(b"2")}
        self.put("src/a.h", "enum { A = 2 };\n")
        states.add(self.state())
        self.put("src/a.c", "int f(void);\n")
        states.add(self.state())
        self.assertEqual(len(states), 4)
        self.assertEqual(self.state(), self.state())

    def test_unknown_headers_are_no_state(self):
        entry = tidy.commands(self.build, self.root)["src/a.c"]
        self.assertIsNone(tidy.state(entry, {}, b""))
        self.assertIsNone(tidy.state(entry, {"a.o": ["../src/gone.h"]}, b""))

    @unittest.skipUnless(shutil.which("clang-tidy"), "clang-tidy is not installed")
    def test_a_finding_is_found_and_can_be_marked(self):
        shutil.copy(tidy.ROOT / ".clang-tidy", self.root)
        for mark, is_found in (("", True), (" // NOLINT(*NullDereference): why", False)):
            self.put("src/a.c", f"int f(int *p) {{\n  if (!p) return *p;{mark}\n  return 0;\n}}\n")
            text, status, _ = tidy.check(self.build, str(self.root / "src/a.c"))
            self.assertEqual(("NullDereference" in text, status != 0), (is_found, is_found))


if __name__ == "__main__":
    unittest.main()
