"""Candidates on held-out labels, one after the other in this process, as long as time lasts."""

import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import clone

from semirank import metrics
from semirank.core.arrays import Floats
from semirank.dataset import RankingDataset
from semirank.metrics.ranking import Unlabelled
from semirank.selection.candidates import Candidate
from semirank.selection.comparing.standings import observations
from semirank.selection.protocols import Plan
from semirank.selection.splits import Split

OUT_OF_TIME = "out of time"


@dataclass(frozen=True, eq=False)
class Tried:
    """What a candidate has shown.

    Attributes
    ----------
    candidate : Candidate
        Which.
    units : float64 array or None
        The metric, one number for each unit of the plan; None where it could not be measured.
    seconds : float
        How long it took.
    reason : str or None
        Why it could not be measured.
    """

    candidate: Candidate
    units: Floats | None
    seconds: float
    reason: str | None = None


@dataclass(frozen=True, eq=False)
class Trials:
    """Where candidates are tried.

    Attributes
    ----------
    data : RankingDataset
        All labels; rankers are shown those of a split.
    plan : Plan
        The splits.
    metric : str
        What is measured.
    unlabelled : {"ignore", "irrelevant"}
        How the metric takes items without a label.
    """

    data: RankingDataset
    plan: Plan
    metric: str
    unlabelled: Unlabelled

    def run(
        self, candidates: Sequence[Candidate], first: int, time_budget: float | None, n_jobs: int | None
    ) -> list[Tried]:
        """Try all candidates; the `first` ones take the time they need, others what is left of the budget."""
        end = None if time_budget is None else time.perf_counter() + time_budget
        ends = [None if place < first else end for place in range(len(candidates))]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # rankers complain about the labels that were taken from them
            tries = (delayed(self.try_one)(each, last) for each, last in zip(candidates, ends, strict=True))
            return list(Parallel(n_jobs=n_jobs, prefer="threads")(tries))

    def try_one(self, candidate: Candidate, end: float | None = None) -> Tried:
        """Measure a candidate on all splits, unless it fails or the time is over before."""
        ranker: Any = clone(candidate.ranker)
        X, qid = self.data.X, self.data.qid

        def score(split: Split) -> Floats:
            learn = ranker.fit if split is self.plan.splits[0] else ranker._refit
            scores: Floats = learn(X, split.visible(self.data), qid).scores_
            return scores

        return self._try(candidate, score, end)

    def try_alone(self, candidate: Candidate) -> Tried:
        """Measure a candidate that sees the labels shown in each split and no other item."""
        data = self.data

        def score(split: Split) -> Floats:
            shown, scores = split.shown, np.zeros(data.n_items)
            alone = clone(candidate.ranker).fit(data.X[shown], data.y[shown], data.qid[shown])
            scores[~shown] = alone.predict(data.X[~shown], data.qid[~shown])
            return scores

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return self._try(candidate, score, None)

    def _try(self, candidate: Candidate, score: Callable[[Split], Floats], end: float | None) -> Tried:
        start, values = time.perf_counter(), []
        for split in self.plan.splits:
            seconds = time.perf_counter() - start
            if end is not None and start + seconds > end:
                return Tried(candidate, None, seconds, OUT_OF_TIME)
            try:
                values.append(self._measure(score(split), split))
            except (ValueError, ArithmeticError, MemoryError) as error:
                return Tried(candidate, None, seconds, str(error))
        units = observations(np.column_stack(values), self.plan)
        return Tried(candidate, units, time.perf_counter() - start)

    def _measure(self, scores: Floats, split: Split) -> Floats:
        """Return the metric on each list of the plan, over the items whose label was not shown."""
        data = self.data
        held = np.logical_or.reduceat(split.measured, data.indptr[:-1])
        rest = ~split.shown & held[data.list_of_item]
        y, s, qid = split.held_out(data)[rest], scores[rest], data.qid[rest]
        values = np.full(data.n_lists, np.nan)
        values[np.unique(data.list_of_item[rest])] = metrics.measure(
            [self.metric], y, s, qid, unlabelled=self.unlabelled
        )[self.metric]
        return values[self.plan.lists]
