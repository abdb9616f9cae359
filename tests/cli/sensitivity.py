"""tools/sensitivity.py: which values it tries, and what its page says of means. sensitivity.py WEIR"""
import pathlib
import sys

WEIR = sys.argv[1]
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import sensitivity as s  # noqa: E402


def main():
    assert s.number("48K") == 49152 and s.number("gto") is None
    rows = {key: (value, source) for key, value, source in s.rows(WEIR, "gcn-s2")}
    assert rows["sm.count"] == ("8", "given") and rows["noc.reply_cyc"] == ("40", "guess")
    assert rows["sched.order"] == ("off", "default")
    assert s.others(WEIR, "gcn-s2", "noc.reply_cyc", "40") == ["20", "80"]
    assert s.others(WEIR, "gcn-s2", "sm.dispatch_latency", "1") == ["2"]  # 0 is not legal
    assert s.others(WEIR, "gcn-s2", "sm.load_extra", "0") == ["1"]
    assert s.others(WEIR, "gcn-s2", "l1.bypass_gran", "sector") == ["segment", "line"]
    assert s.state(WEIR, "gcn-s2") != s.state(WEIR, "fermi-s3")
    means = [((None, None, None), {"a": [1.0, 2], "b": [1.5, 2]}),
             (("x.y", "4", "2"), {"a": [1.0, 2], "b": [1.6, 2]}), (("x.y", "4", "8"), {"a": [1.01, 2], "b": [9, 1]}),
             (("x.z", "4", "2"), {"a": [1.01, 2], "b": [1.5, 2]})]
    lines, quiet, stuck = s.table(means)
    assert lines[2:] == ["| `x.y` | 4 | 2 | b +6.7% (1.500, 1.600) |", "| `x.y` | 4 | 8 | - |"], lines
    assert [k for k, _ in quiet] == ["x.z"] and not stuck
    assert s.means_of({"a": {"v": 2.0, "w": 0.5}, "b": {"v": 1.0}}) == {"a": [1.0, 2], "b": [1.0, 1]}
    assert s.moves({"a": [1.0, 2], "b": [2.0, 2]}, {"a": [1.1, 1], "b": [1.9, 2]}) == abs(1.9 / 2 - 1)  # of equal numbers
    assert s.spread(list(range(10)), 3) == [1, 4, 7] and s.spread([1, 2], 0) == [] and s.spread([1], 4) == [1]
    s.check(WEIR, s.ROOT / "docs/reference/sensitivity.md")  # a stale page is a warning
    print("ok")


main()
