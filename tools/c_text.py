"""What the checks of C text share."""
import re

# A comment, a string or a character; the rest of a text passes.
TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)


def blank(text):
    """The text with blanks for comments and for what strings hold: lines and columns stay as they are."""
    return TOKEN.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), text)


def line_of(text, at):
    """The line, from 1, that holds position `at`."""
    return text.count("\n", 0, at) + 1
