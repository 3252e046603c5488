"""Local answers: the best items for a few labels, found without visiting all items."""

from typing import NamedTuple

import numpy as np

from semirank.core.arrays import Floats, Integers
from semirank.core.diffusion import RECURRENCES, Equation, Sparse, solve
from semirank.core.push import induced, push_out

GROWTH = 3
FIRST = 2_000
LEAST = 5_000
RETURN = 0.025
LEAST_PER_ITEM = 50
TOL = 1e-4
MOST_SWEEPS = 10_000


class Top(NamedTuple):
    """The best items near some labels.

    Attributes
    ----------
    items : int64 array
        Item numbers, the best first; fewer than asked for if no more can be reached.
    scores : float64 array
        Their scores, ``D^-c f``.
    bound : float
        No score is wrong by more than this times ``degree ** (1/2 - c)``.
    reached : int
        How many items were visited.
    """

    items: Integers
    scores: Floats
    bound: float
    reached: int


class Neighbourhood:
    """Items near some labels, ever more of them, and their scores.

    Inside, the system ``(I - alpha S) f = y`` is solved. Outside, f is 0; but of what the items pass on to
    the outside, a share comes back to them, as it would if at each step RETURN of it did. The next items
    are those to which the scores would push most, relative to the root of their degree.

    With r the residual of the whole system, and since ``S D^1/2 1 = D^1/2 1``, no score ``D^-1/2 f`` is wrong
    by more than the largest ``|r_i| d_i^-1/2 / (1 - alpha)``.

    Parameters
    ----------
    S, roots : Sparse, float64 array
        The normalised graph, and the square roots of the degrees (1 for items without edges).
    items, labels : arrays
        Where y is not 0, and its values there.
    alpha : float
        How far labels spread.
    """

    def __init__(self, S: Sparse, roots: Floats, items: Integers, labels: Floats, alpha: float) -> None:
        n_items = len(roots)
        self.S, self.roots, self.alpha = S, roots, alpha
        self.y, self.pushed = np.zeros(n_items), np.empty(n_items)
        self.state, self.touched = np.zeros(n_items, np.uint8), np.empty(n_items, np.int64)
        self.place = np.zeros(n_items, np.int32)
        self.y[items] = labels
        self.back = alpha * RETURN / (1.0 - alpha * (1.0 - RETURN))
        self.size = float(np.sqrt(np.square(labels).sum()))
        self.items, self.f = np.unique(items), np.zeros(0)
        self.solve()

    def solve(self) -> None:
        """Solve the system among the items, and find what they push outwards."""
        part, loops = induced(self.S, self.roots, self.items, self.back, self.place)
        equation = Equation(part, np.array([0, len(self.items)]), self.alpha, TOL, MOST_SWEEPS)
        start = self.f[:, None] if len(self.f) else None
        f, _, left = solve(RECURRENCES["cg"], equation, self.y[self.items, None], start)
        self.f = f[:, 0]
        n_touched = push_out(self.S, self.items, self.f, self.alpha, self.state, self.pushed, self.touched)
        self.border = self.touched[:n_touched].copy()
        self.leak = np.abs(self.pushed[self.border]) / self.roots[self.border]
        inside = (self.alpha * loops * np.abs(self.f) + left[0, 0] * self.size) / self.roots[self.items]
        self.bound = max(inside.max(), self.leak.max(initial=0.0)) / (1.0 - self.alpha)

    def grow(self) -> None:
        """Take in the part of the border that receives most, and solve again."""
        wanted = max(FIRST, (GROWTH - 1) * len(self.items))
        chosen = self.border
        if len(chosen) > wanted:
            chosen = chosen[np.argpartition(-self.leak, wanted)[:wanted]]
        items = np.concatenate([self.items, chosen])
        order = np.argsort(items)
        self.f = np.concatenate([self.f, np.zeros(len(chosen))])[order]
        self.items = items[order]
        self.solve()

    def best(self, k: int, degree_correction: float) -> tuple[Integers, Floats]:
        """Return the k items with the highest scores ``D^-c f``, and these."""
        scores = self.f * self.roots[self.items] ** (-2.0 * degree_correction)
        k = min(k, len(scores))
        among = np.flatnonzero(scores >= np.partition(scores, -k)[-k])
        best = among[np.lexsort((self.items[among], -scores[among]))[:k]]
        return self.items[best], scores[best]


def find_top(near: Neighbourhood, k: int, degree_correction: float, tol: float) -> Top:
    """Let the neighbourhood grow until no more than a share tol of its k best items changes."""
    least = max(LEAST, LEAST_PER_ITEM * k)
    found, scores = near.best(k, degree_correction)
    while len(near.border):
        before = found
        near.grow()
        found, scores = near.best(k, degree_correction)
        n_new = k - np.isin(found, before).sum()
        if len(near.items) >= least and n_new <= tol * k:
            break
    return Top(found, scores, near.bound, len(near.items))
