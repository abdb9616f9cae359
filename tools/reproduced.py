"""What docs/reproduction.md says of the papers' claims; for the other pages that tell of it."""
import pathlib
import re

PAGE = pathlib.Path(__file__).resolve().parent.parent / "docs/reproduction.md"
VERDICTS = ["reproduced", "direction only", "not reproduced", "not comparable", "not run yet"]


class Claim:
    """verdict, says, and of a number: paper, here, low and high (over what the paper leaves open), mean, chance, bound."""

    def __init__(self, paper, figure, verdict, text):
        self.paper_name, self.figure, self.verdict, self.text = paper, figure, verdict, text
        self.paper = self.number(r"Paper ([\d.]+\d)")
        self.here = self.number(r"here ([\d.]+\d|\d)")
        self.low = self.number(r"here [\d.]+ \(([\d.]+) to ")
        self.high = self.number(r"here [\d.]+ \([\d.]+ to ([\d.]+) over")
        self.mean = self.number(r"mean ([\d.]+\d)")
        self.chance = self.number(r"by chance ([\d.]+\d)")
        self.bound = self.number(r"bound ([\d.]+\d)")

    def number(self, pattern):
        found = re.search(pattern, self.text)
        return float(found[1]) if found else None

    def range(self):
        """The number here, with those of what is open."""
        if self.here is None:
            return "-"
        return f"{self.here:.3f}" + (f" ({self.low:.3f} to {self.high:.3f})" if self.low is not None else "")


def claims(text=None):
    """All claims of the page, in its order."""
    found, paper, figure, lines = [], "", "", []
    for line in [*(text or PAGE.read_text(encoding="utf-8")).splitlines(), ""]:
        if lines and line.startswith("  "):
            lines[-1] += line[1:]
            continue
        if lines:
            head = re.match(r"- \S+ \*\*([a-z ]+)\*\*: (.*)", lines.pop())
            if head:
                found.append(Claim(paper, figure, head[1], head[2]))
        if title := re.match(r"(##+) (.*?):? ", line + " "):
            if title[1] == "##":
                paper = title[2]
            else:
                figure = re.match(r"### (.*)", line)[1]
        elif re.match(r"- S\d-\d+ ", line):
            lines.append(line)
    return found


def claim(found, paper, figure, says):
    """The one of this paper whose figure and text begin so."""
    of = [c for c in found if c.paper_name == paper and c.figure.startswith(figure) and c.text.startswith(says)]
    if len(of) != 1:
        raise ValueError(f"{PAGE.name}: {len(of)} claims of {paper} {figure} begin with '{says}'")
    return of[0]
