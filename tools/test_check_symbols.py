#!/usr/bin/env python3
"""Tests of check_symbols.py."""
import json
import pathlib
import subprocess
import tempfile
import unittest

import check_symbols

ORDER = ["base", "absent", "sim", "l1", "cli"]


class CheckSymbols(unittest.TestCase):
    def find(self, sources, known=None):
        """`sources`: {path below src: C text}; all are compiled."""
        with tempfile.TemporaryDirectory() as name:
            root = pathlib.Path(name).resolve()
            build = root / "build"
            build.mkdir()
            entries = []
            for path, text in sources.items():
                file = root / path
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text)
                entries.append({"directory": str(build), "file": "../" + path, "output": path.replace("/", "_") + ".o"})
                subprocess.run(["cc", "-c", "-o", build / entries[-1]["output"], file], check=True)
            (build / "compile_commands.json").write_text(json.dumps(entries))
            objs = sorted(check_symbols.objects(build, root))
            table = check_symbols.symbols([o for _, o in objs])
            return list(check_symbols.problems(objs, table, ORDER, known or {}))

    def test_downward_own_and_foreign_are_allowed(self):
        self.assertEqual(self.find({
            "src/base/a.c": "int low(void) { return 1; }\n",
            "src/sim/b.c": "int low(void), own(void), puts(const char *);\nint b(void) { return low() + own() + puts(0); }\n",
            "src/sim/c.c": "int own(void) { return 2; }\n"}), [])

    def test_a_function_above_is_refused(self):
        self.assertEqual(self.find({"src/sim/b.c": "int up(void);\nint b(void) { return up(); }\n",
                                    "src/l1/c.c": "int up(void) { return 2; }\n"}),
                         ["src_sim_b.c.o: 'sim' needs 'up', which 'l1' above it defines"])

    def test_a_table_above_is_refused(self):
        self.assertEqual(len(self.find({"src/base/b.c": "extern int t[];\nint *b = t;\n",
                                        "src/cli/c.c": "int t[3] = {1};\n"})), 1)

    def test_local_symbols_are_nobodys(self):
        self.assertEqual(self.find({"src/base/b.c": "int up(void);\nint b(void) { return up(); }\n",
                                    "src/l1/c.c": "static int up(void) { return 2; }\nint (*p)(void) = up;\n"}), [])

    def test_other_folders_do_not_count(self):
        self.assertEqual(self.find({"src/base/b.c": "int up(void);\nint b(void) { return up(); }\n",
                                    "tests/l1/c.c": "int up(void) { return 2; }\n"}), [])

    def test_known_ones_may_only_become_fewer(self):
        files = {"src/sim/b.c": "int up(void);\nint b(void) { return up(); }\n",
                 "src/l1/c.c": "int up(void) { return 2; }\n"}
        self.assertEqual(self.find(files, {("sim", "l1"): {"up"}}), [])
        self.assertEqual(len(self.find(files, {("sim", "l1"): {"up", "more"}})), 1)


if __name__ == "__main__":
    unittest.main()
