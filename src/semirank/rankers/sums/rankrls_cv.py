"""RankRLSCV over parts: in the eigenbasis of all lists, a list is left out where it is."""

from typing import NamedTuple

import numpy as np

from semirank import metrics
from semirank.core.arrays import Floats
from semirank.dataset import Features
from semirank.dataset.parts import Part
from semirank.rankers.losses.squared import ListSquared
from semirank.rankers.rankrls_cv import RankRLSCV
from semirank.rankers.solvers.held_out import list_errors
from semirank.rankers.solvers.least_squares import Expansion, LeastSquares
from semirank.rankers.sums import rankrls
from semirank.rankers.sums.passes import Passes
from semirank.rankers.sums.rankrls import SummedRidge, choose_columns, equations, n_passes, taught
from semirank.spelling import option


class Basis(NamedTuple):
    """The eigenbasis of the matrix of all lists, and the right side in it."""

    spectrum: Floats
    vectors: Floats
    projection: Floats


class ListsOfAPart(SummedRidge):
    """The lists of a part within the least squares of all."""

    def __init__(self, features: Features, loss: ListSquared, basis: Basis) -> None:
        self.features, self.loss = features, loss
        self._eigen, self.projection = (basis.spectrum, basis.vectors), basis.projection


def fit(ranker: RankRLSCV, passes: Passes) -> None:
    """Fit a RankRLSCV: one more pass leaves every list out, for all ridges."""
    if passes.parts.one_list:
        raise ValueError(
            "RankRLSCV leaves lists out, and here is one. Choose the ridge by hand (RankRLS), or raise the "
            f"budget for labelled items in memory ({option('budget', ...)})."
        )
    passes.n_passes = n_passes(ranker) + 1
    expansion = choose_columns(ranker, passes)
    summed = equations(ranker, passes, expansion)
    if summed.n_taught < 2:
        raise ValueError("RankRLSCV leaves lists out, and one alone has different labels. Label more lists.")
    form = SummedRidge((summed.matrix, summed.right))
    unit = float(np.trace(summed.matrix)) / summed.n_taught
    ridges = ranker._ridges_to_try(unit, summed.n_taught, summed.n_taught)
    basis = Basis(form.spectrum, form.vectors, form.projection)
    found = passes.each(errors, expansion, basis, ridges, ranker.metric, ranker.tied_lists)
    ridge = ranker._decide(ridges, np.hstack(list(found)))
    rankrls.finish(ranker, expansion, summed, ridge)


def errors(
    part: Part, expansion: Expansion, basis: Basis, ridges: Floats, metric: str, tied_lists: bool
) -> Floats:
    """Return how well each list of a part is ranked by all others: (n_ridges, n_lists), higher is better."""
    data = part.read()
    loss, columns = taught(part, data, expansion, tied_lists)
    if not loss.n_lists:
        return np.empty((len(ridges), 0))
    form = ListsOfAPart(columns, loss, basis)
    if metric == "squared":
        return -list_errors(LeastSquares(data, expansion, form), ridges)
    measure = metrics.parse(metric)
    residuals = [form.without_lists(np.array([k]), ridges).residuals for k in range(loss.n_lists)]
    scores = loss.y - np.hstack(residuals)
    y, qid = data.y[loss.rows], data.list_of_item[loss.rows]
    values = np.array([measure(y, each, qid) for each in scores])
    return values if measure.greater_is_better else -values
