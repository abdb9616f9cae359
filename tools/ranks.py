"""Rank correlation, of what a GPU has and what weir says of it."""
import math
import statistics


def ranks_of(values):
    """Ranks from 1 on; equals share the mean of theirs."""
    order = sorted(range(len(values)), key=lambda i: values[i])
    out, i = [0.0] * len(values), 0
    while i < len(order):
        j = i
        while j + 1 < len(order) and values[order[j + 1]] == values[order[i]]:
            j += 1
        for k in range(i, j + 1):
            out[order[k]] = (i + j) / 2 + 1
        i = j + 1
    return out


def spearman(xs, ys):
    """Rank correlation; None where one of the two is constant or there are fewer than three."""
    if len(xs) < 3:
        return None
    a, b = ranks_of(xs), ranks_of(ys)
    ma, mb = statistics.mean(a), statistics.mean(b)
    sa, sb = math.fsum((x - ma) ** 2 for x in a), math.fsum((y - mb) ** 2 for y in b)
    if sa == 0 or sb == 0:
        return None
    return math.fsum((x - ma) * (y - mb) for x, y in zip(a, b)) / math.sqrt(sa * sb)
