"""What the tests of the checks share: a tree of a few files to look at."""
import pathlib
import tempfile
import unittest


class CheckCase(unittest.TestCase):
    always = {}  # {path: text} of every tree

    def check(self, problems, files, **options):
        """What `problems(root)` yields for a tree of these files."""
        with tempfile.TemporaryDirectory() as name:
            root = pathlib.Path(name)
            for path, text in {**self.always, **files}.items():
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(text, encoding="utf-8")
            return list(problems(root, **options))
