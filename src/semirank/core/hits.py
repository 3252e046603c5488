"""Where the hits of each list stand: expectations over every order of tied items.

All functions take lists sorted by `semirank.core.ranks.sort_lists`: ``hits`` (bool) and ``tied`` (bool) in
sorted order, ``indptr`` (int64). In a run of t tied items with c hits each place holds a hit with
probability c / t; given a hit there, each other place of the run holds one with probability
(c - 1) / (t - 1).
"""

import numpy as np

from semirank.core.arrays import Booleans, Floats, Integers
from semirank.core.compiling import compiled


@compiled()
def _next_run(hits: Booleans, tied: Booleans, start: int, stop: int) -> tuple[int, int]:
    """Find the end of the run that begins at `start`, and how many hits it holds."""
    end, inside = start + 1, int(hits[start])
    while end < stop and tied[end]:
        inside += hits[end]
        end += 1
    return end, inside


@compiled()
def count_hits(hits: Booleans, indptr: Integers) -> Integers:
    """Count the hits of each list."""
    counts = np.empty(len(indptr) - 1, np.int64)
    for i in range(len(counts)):
        counts[i] = np.count_nonzero(hits[indptr[i] : indptr[i + 1]])
    return counts


@compiled()
def top_hits_of_list(hits: Booleans, tied: Booleans, start: int, stop: int, cutoff: int) -> float:
    """Count the hits expected among the first `cutoff` items of one list."""
    limit = min(stop, start + cutoff)
    found = 0.0
    run = start
    while run < limit:
        end, inside = _next_run(hits, tied, run, stop)
        found += inside if end <= limit else inside * (limit - run) / (end - run)
        run = end
    return found


@compiled()
def top_hits(hits: Booleans, tied: Booleans, indptr: Integers, cutoff: int) -> Floats:
    """Count the hits expected among the first `cutoff` items of each list."""
    found = np.empty(len(indptr) - 1)
    for i in range(len(found)):
        found[i] = top_hits_of_list(hits, tied, indptr[i], indptr[i + 1], cutoff)
    return found


@compiled()
def precision_sum_of_list(hits: Booleans, tied: Booleans, start: int, stop: int, cutoff: int) -> float:
    """Sum the precision at each hit among the first `cutoff` items of one list."""
    limit = min(stop, start + cutoff)
    total, before = 0.0, 0
    run = start
    while run < limit:
        end, inside = _next_run(hits, tied, run, stop)
        size = end - run
        if inside > 0:
            others = (inside - 1) / max(size - 1, 1)
            for place in range(run, min(end, limit)):
                precision = (before + 1 + (place - run) * others) / (place - start + 1)
                total += inside / size * precision
        before += inside
        run = end
    return total


@compiled()
def precision_sums(hits: Booleans, tied: Booleans, indptr: Integers, cutoff: int) -> Floats:
    """Sum the precision at each hit among the first `cutoff` items of each list."""
    sums = np.empty(len(indptr) - 1)
    for i in range(len(sums)):
        sums[i] = precision_sum_of_list(hits, tied, indptr[i], indptr[i + 1], cutoff)
    return sums


@compiled()
def _first_hit_of_run(inside: int, size: int, before: int, allowed: int) -> float:
    """Give the expected 1 / rank of the first of `inside` hits in a run of `size` items."""
    expected, none_yet = 0.0, 1.0
    for place in range(min(size - inside + 1, allowed)):
        left = size - place
        expected += none_yet * inside / left / (before + place + 1)
        none_yet *= (left - inside) / left
    return expected


@compiled()
def first_hit_of_list(hits: Booleans, tied: Booleans, start: int, stop: int, cutoff: int) -> float:
    """Give the expected 1 / rank of the first hit of one list, 0 below the cut-off."""
    limit = min(stop, start + cutoff)
    run = start
    while run < limit:
        end, inside = _next_run(hits, tied, run, stop)
        if inside > 0:
            return _first_hit_of_run(inside, end - run, run - start, limit - run)
        run = end
    return 0.0


@compiled()
def first_hits(hits: Booleans, tied: Booleans, indptr: Integers, cutoff: int) -> Floats:
    """Give the expected 1 / rank of the first hit of each list, 0 below the cut-off."""
    expected = np.empty(len(indptr) - 1)
    for i in range(len(expected)):
        expected[i] = first_hit_of_list(hits, tied, indptr[i], indptr[i + 1], cutoff)
    return expected


@compiled()
def depth_of_list(hits: Booleans, tied: Booleans, start: int, stop: int, wanted: int) -> float:
    """Give the expected rank of hit number `wanted` (from 1) of one list that has as many.

    Hit number m of the c hits in a run of t items stands, on average, in its place m (t + 1) / (c + 1).
    """
    before = 0
    run = start
    while run < stop:
        end, inside = _next_run(hits, tied, run, stop)
        if before + inside >= wanted:
            return run - start + (wanted - before) * (end - run + 1) / (inside + 1)
        before += inside
        run = end
    return np.nan


@compiled()
def depths(hits: Booleans, tied: Booleans, indptr: Integers, wanted: Integers) -> Floats:
    """Give the expected rank of hit number ``wanted[i]`` of each list i; NaN where there are fewer."""
    ranks = np.empty(len(indptr) - 1)
    for i in range(len(ranks)):
        ranks[i] = depth_of_list(hits, tied, indptr[i], indptr[i + 1], wanted[i])
    return ranks


@compiled()
def hits_so_far(hits: Booleans, tied: Booleans, indptr: Integers) -> Floats:
    """Count at every place the hits expected in its list up to and including it."""
    found = np.empty(len(hits))
    for i in range(len(indptr) - 1):
        run, before = indptr[i], 0
        while run < indptr[i + 1]:
            end, inside = _next_run(hits, tied, run, indptr[i + 1])
            for place in range(run, end):
                found[place] = before + inside * (place - run + 1) / (end - run)
            before += inside
            run = end
    return found


@compiled()
def best_precision_of_list(found: Floats, start: int, stop: int, levels: Floats, best: Floats) -> None:
    """Fill `best` with the highest precision at any cut of one list whose recall reaches each level.

    levels : recalls in ascending order; found : from `hits_so_far`; best : one entry a level.
    """
    total = found[stop - 1] if stop > start else 0.0
    if total == 0.0:
        best[:] = np.nan
        return
    highest, level = 0.0, len(levels) - 1
    for place in range(stop - 1, start - 1, -1):
        while level >= 0 and found[place] < levels[level] * total - 1e-9:
            best[level] = highest
            level -= 1
        highest = max(highest, found[place] / (place - start + 1))
    best[: level + 1] = highest


@compiled()
def best_precisions(found: Floats, indptr: Integers, levels: Floats) -> Floats:
    """Give the highest precision at any cut whose recall reaches each level: one row a list."""
    best = np.empty((len(indptr) - 1, len(levels)))
    for i in range(len(best)):
        best_precision_of_list(found, indptr[i], indptr[i + 1], levels, best[i])
    return best
