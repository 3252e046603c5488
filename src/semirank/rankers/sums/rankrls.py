"""RankRLS over parts: the normal equations are a sum over lists."""

from operator import add
from typing import Any, NamedTuple

import numpy as np

from semirank.core.arrays import Floats
from semirank.dataset import Features, RankingDataset
from semirank.dataset.parts import Part
from semirank.features.gram_schmidt import GramSchmidt
from semirank.kernels import Kernel, resolve
from semirank.rankers.losses.squared import ListSquared
from semirank.rankers.rankrls import RankRLS
from semirank.rankers.solvers.least_squares import LARGEST_DIRECT, Expansion
from semirank.rankers.solvers.ridge import Primal
from semirank.rankers.sums.moments import Moments
from semirank.rankers.sums.passes import Passes, check_features, offsets, sample_of, stacked
from semirank.spelling import option

SAMPLE = 200_000  # items from which a basis is chosen
SAMPLE_BYTES = 1 << 28  # that the coordinates of these may take


class Sums(NamedTuple):
    """What a part adds.

    Attributes
    ----------
    matrix, right : arrays of shape (n_columns, n_columns), (n_columns,)
        Z'Z and Z't, with Z and t the columns and labels relative to their list, see `ListSquared`.
    n_lists, n_taught, n_differ : int
        All lists; those that teach; those with different labels.
    """

    matrix: Floats
    right: Floats
    n_lists: int
    n_taught: int
    n_differ: int


def fit(ranker: RankRLS, passes: Passes) -> None:
    """Fit a RankRLS by one pass, and one before it where a basis is chosen."""
    passes.n_passes = n_passes(ranker)
    expansion = choose_columns(ranker, passes)
    finish(ranker, expansion, equations(ranker, passes, expansion))


def n_passes(ranker: RankRLS) -> int:
    """Return how many passes the equations take."""
    return 1 if ranker.n_components is None else 2


def equations(ranker: RankRLS, passes: Passes, expansion: Expansion) -> Sums:
    """Add up the normal equations of all parts."""
    width = passes.parts.n_features if expansion.items is None else expansion.items.shape[0]
    if passes.parts.one_list and len(passes.parts) > 1:
        found = passes.total(moments, Moments.join, 8 * width**2, expansion)
        summed = of_one_list(found, passes)
    else:
        summed = passes.total(sums, join, 8 * width**2, expansion, ranker.tied_lists)
    if summed.n_taught == 0 or summed.n_differ == 0:
        raise ValueError(
            f"{type(ranker).__name__} learns from items of one list with different labels, and no list has "
            f"two ({passes.parts.n_items} items, {passes.parts.n_labelled} labelled). Label more items."
        )
    return summed


def sums(part: Part, expansion: Expansion, tied_lists: bool) -> Sums:
    """Return the normal equations of the lists of a part."""
    data = part.read()
    loss, columns = taught(part, data, expansion, tied_lists)
    width = columns.shape[1]
    matrix, right = np.zeros((width, width)), np.zeros(width)
    if loss.n_lists:
        matrix, right = loss.normal_equations(columns)
    return Sums(matrix, right, data.n_lists, loss.n_lists, int(data.labels_differ.sum()))


def taught(
    part: Part, data: RankingDataset, expansion: Expansion, tied_lists: bool
) -> tuple[ListSquared, Features]:
    """Return the loss of the lists of a part, and the columns of the items in it."""
    loss = ListSquared.of(data, None, tied_lists)
    X = check_features(part, data, loss.rows)
    return loss, X if expansion.items is None else columns_of(X, expansion)


def columns_of(X: Features, expansion: Expansion) -> Floats:
    """Return the columns of items, of which there may be none."""
    if X.shape[0] == 0 and expansion.items is not None:
        return np.empty((0, expansion.items.shape[0]))
    return expansion.columns(X)


def join(one: Sums, other: Sums) -> Sums:
    """Add the sums of two parts."""
    return Sums(*map(add, one, other))


def moments(part: Part, expansion: Expansion) -> Moments:
    """Return the moments of columns and labels of the labelled items of a part, a piece of a list."""
    data = part.read()
    rows = np.flatnonzero(data.labelled)
    columns = columns_of(check_features(part, data, rows), expansion)
    return Moments.of(np.column_stack([columns, data.y[rows]]))


def of_one_list(found: Moments, passes: Passes) -> Sums:
    """Return the normal equations of the one list that all parts are."""
    scatter = found.scatter * (2.0 / max(found.number - 1, 1))
    differ = int(scatter[-1, -1] > 0.0)
    return Sums(scatter[:-1, :-1], scatter[:-1, -1], 1, differ, differ)


def choose_columns(ranker: RankRLS, passes: Passes) -> Expansion:
    """Take the features as columns, or choose items that span the space of the kernel from a sample."""
    n_features = passes.parts.n_features
    if ranker.n_components is None:
        if n_features > LARGEST_DIRECT:
            raise ValueError(
                f"{n_features} features have a matrix of {n_features}^2 sums. Give n_components, for example "
                f"1000, or a larger budget for labelled items in memory ({option('budget', ...)})."
            )
        return Expansion(Kernel("linear"), None)
    before = offsets([part.n_labelled for part in passes.parts])
    wanted = min(SAMPLE, max(ranker.n_components, SAMPLE_BYTES // (8 * ranker.n_components)))
    step = -(-passes.parts.n_labelled // wanted)
    X = stacked(list(passes.each(sample, before, step, ranker.tied_lists)))
    kernel = resolve(ranker.kernel, ranker.gamma, X, degree=ranker.degree)
    run = GramSchmidt(kernel.name, kernel.gamma, ranker.n_components, degree=kernel.degree).fit(X)
    return Expansion(kernel, run.basis_, run.triangle_)


def sample(part: Part, before: list[int], step: int, tied_lists: bool) -> Any:
    """Return every step-th labelled item, of those in lists that teach."""
    data = part.read()
    rows = sample_of(np.flatnonzero(data.labelled), before[part.number], step)
    rows = rows[np.isin(rows, ListSquared.of(data, None, tied_lists).rows)]
    return check_features(part, data, rows)


class SummedRidge(Primal):
    """Least squares whose matrix was added up over parts."""

    def __init__(self, equations: tuple[Floats, Floats]) -> None:
        self.equations = equations


def finish(ranker: RankRLS, expansion: Expansion, summed: Sums, ridge: float | None = None) -> None:
    """Solve, and keep what an ordinary fit keeps, but for the items."""
    ranker.ridge_ = float(ranker.ridge) if ridge is None else ridge
    form = SummedRidge((summed.matrix, summed.right))
    ranker._keep(expansion, expansion.flatten(form.weights(ranker.ridge_)))
    ranker.n_lists_, ranker.weights_ = summed.n_lists, {}
    ranker.X_ = np.empty((0, ranker.n_features_in_))
    ranker.y_, ranker.lists_ = np.empty(0), np.empty(0, dtype=np.int64)
    ranker._problem = None
