#!/usr/bin/env python3
"""Tests of check_alloc.py."""
import unittest

from checking import CheckCase

import check_alloc


class CheckAlloc(CheckCase):
    always = {f"{name}/a.c" if "." not in name else name: "char *f(void) { return malloc(1); }\n"
              for name in check_alloc.EXEMPT}

    def find(self, text, path="src/sim/x.c"):
        return self.check(check_alloc.problems, {path: text})

    def test_libc_is_refused_with_its_line(self):
        self.assertEqual(self.find("int a;\nvoid *p(void) {\n  return calloc(1, 2);\n}\n"),
                         ["src/sim/x.c:3: calloc() cannot be made to fail by a test; use weir_calloc (base/mem.h)"])
        for name in check_alloc.OURS + check_alloc.OTHERS:
            self.assertEqual(len(self.find(f"x = {name} (y);\n", "src/l1/x.h")), 1, name)

    def test_ours_members_and_longer_names_are_allowed(self):
        self.assertEqual(self.find("a = weir_malloc(1); b->malloc(2); c.free(); my_calloc(3); mallocs(4);\n"), [])

    def test_comments_and_strings_are_not_code(self):
        self.assertEqual(self.find('/* malloc(1)\n * calloc(2) */ // strdup(x)\nputs("malloc(3) \\" realloc(4)");\n'), [])
        self.assertEqual(len(self.find("char q = '\"'; p = malloc(3); /* \" */\n")), 1)

    def test_the_lowest_module_may(self):
        self.assertEqual(self.find("p = malloc(3);\n", "src/base/x.c"), [])
        self.assertEqual(len(self.find("p = malloc(3);\n", "src/basement/x.c")), 1)

    def test_an_exemption_that_is_not_needed_is_refused(self):
        self.assertIn("is exempt and does not exist", list(check_alloc.problems(check_alloc.pathlib.Path("/nowhere")))[0])

    def test_fix_writes_the_name_and_the_include(self):
        def fixed(root):
            check_alloc.fix(root)
            yield (root / "src/sim/x.c").read_text()
        text = '#include <stdlib.h>\n\nvoid *p(void) { /* malloc( */ return malloc(1); }\n'
        self.assertEqual(self.check(fixed, {"src/sim/x.c": text}),
                         ['#include <stdlib.h>\n\n#include "base/mem.h"\n\n'
                          'void *p(void) { /* malloc( */ return weir_malloc(1); }\n'])


if __name__ == "__main__":
    unittest.main()
