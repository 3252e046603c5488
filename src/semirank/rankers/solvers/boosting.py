"""Rounds of boosting: each adds the stump that lowers the loss of the pairs most."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from math import atanh, e, inf, log
from typing import NamedTuple, Self

import numpy as np
from scipy.sparse import issparse
from sklearn.utils import gen_batches

from semirank.core.arrays import Floats, Integers
from semirank.core.stumps import sum_stumps
from semirank.dataset import Features
from semirank.rankers.losses.exponential import ExponentialLoss
from semirank.rankers.solvers.columns import Columns

BLOCK_CELLS = 2**22


class Round(NamedTuple):
    """One stump, its weight, and the logarithms of the terms of the loss once it is added."""

    feature: int
    threshold: float
    alpha: float
    log_losses: Floats


class Stumps(NamedTuple):
    """What boosting has learned: ``H(x) = sum_t alpha_t [x_j > theta]``."""

    features: Integers
    thresholds: Floats
    alphas: Floats

    @classmethod
    def of(cls, rounds: Sequence[Round]) -> Self:
        """Take the stumps out of rounds of boosting."""
        features = np.array([each.feature for each in rounds], dtype=np.int64)
        thresholds = np.array([each.threshold for each in rounds])
        return cls(features, thresholds, np.array([each.alpha for each in rounds]))

    def score(self, X: Features) -> Floats:
        """Return the sum of the weights alpha of the stumps that hold for each item."""
        used, places = np.unique(self.features, return_inverse=True)
        scores = np.empty(X.shape[0])
        for rows in gen_batches(X.shape[0], max(1, BLOCK_CELLS // max(len(used), 1))):
            block = X[rows][:, used]
            block = block.toarray() if issparse(block) else block
            block = np.ascontiguousarray(block, dtype=np.float64)
            scores[rows] = sum_stumps(block, places, self.thresholds, self.alphas)
        return scores


def boost(loss: ExponentialLoss, columns: Columns, step: str = "bound") -> Iterator[Round]:
    """Yield rounds without end, or until no stump is left that lowers the loss.

    Parameters
    ----------
    loss : ExponentialLoss
        What to lower.
    columns : Columns
        The features of the items of the loss, in their order.
    step : {"bound", "exact"}
        Whether alpha minimises the bound of the loss or the loss itself. With r the sum of the signed
        weights of the stump's items, the first is ``1/2 ln((1 + r) / (1 - r))``. A stump without a fault
        would get an infinite weight: it is held at ``1/2 ln(1 + 2 P)`` for P pairs.
    """
    scores = np.zeros(len(loss.items))
    signed, log_losses = loss.weigh(scores)
    while True:
        column, cut, r = columns.best(signed)
        if column < 0:
            return
        at_one = None
        if step == "exact":
            raised = scores.copy()
            columns.raise_above(column, cut, 1.0, raised)
            change = np.logaddexp.reduce(loss.log_losses(raised)) - np.logaddexp.reduce(log_losses)
            at_one = float(np.exp(change))
        alpha = step_along(r, at_one, loss.log_count)
        columns.raise_above(column, cut, alpha, scores)
        signed, log_losses = loss.weigh(scores)
        yield Round(*columns.stump(column, cut), alpha, log_losses)


def step_along(r: float, loss_at_one: float | None, log_count: float) -> float:
    """Return alpha for a stump, see `boost`.

    loss_at_one : for an exact step, the loss at alpha = 1 relative to the loss now; None: minimise the bound.
    """
    limit = 0.5 * float(np.logaddexp(0.0, log(2.0) + log_count))
    alpha = _bound_step(r) if loss_at_one is None else _exact_step(r, loss_at_one)
    return min(max(alpha, -limit), limit)


def _bound_step(r: float) -> float:
    return atanh(r) if abs(r) < 1 else inf * r


def _exact_step(r: float, loss_at_one: float) -> float:
    """Minimise the loss ``ties + right e^-alpha + wrong e^alpha``.

    It is 1 at alpha = 0 and known at alpha = 1; right - wrong is r: which determines all three parts.
    """
    wrong = max((loss_at_one - 1.0 - r * (1 / e - 1.0)) / (e + 1 / e - 2.0), 0.0)
    right = wrong + r
    if wrong <= 0 or right <= 0:
        return inf * r
    return 0.5 * log(right / wrong)


def staged_scores(X: Features, stumps: Iterable[tuple[int, float, float]]) -> Iterator[Floats]:
    """Yield the scores after the first stump, the first two, and so on."""
    columns = X.tocsc() if issparse(X) else X
    scores = np.zeros(X.shape[0])
    for feature, threshold, alpha in stumps:
        column = columns[:, [feature]]
        values = (column.toarray() if issparse(column) else column).ravel().astype(np.float64)
        scores = scores + alpha * (values > threshold)
        yield scores


@dataclass(frozen=True, eq=False)
class Prepared:
    """What boosting needs to know about training items, made by `RankBoost.prepare`.

    Bins and orders of the features are found once; a fit then costs its rounds, and arranges new features
    only.

    Attributes
    ----------
    loss : ExponentialLoss
        What to lower.
    columns : Columns
        The features of the items of the loss.
    rows : int64 array
        The row, as given to `prepare`, of each item of the loss.
    n_rounds, step
        As in `RankBoost`.
    """

    loss: ExponentialLoss
    columns: Columns
    rows: Integers
    n_rounds: int
    step: str

    def learn(self, new: Features | None = None) -> Stumps:
        """Learn from the features that were prepared, followed by new ones.

        The stumps are those of a fit on all these features together.

        new : dense array with one row for each row given to `prepare`; None for no new features.
        """
        columns = self.columns if new is None else self.columns.with_columns(new[self.rows])
        return Stumps.of(list(islice(boost(self.loss, columns, self.step), self.n_rounds)))
