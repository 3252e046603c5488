"""Learning from data beyond memory, and ranking them: what rankers do with parts."""

import os
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Self

import numpy as np
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from semirank.core.arrays import AnyArray, Floats
from semirank.dataset import Features, RankingDataset
from semirank.dataset.parts import Part, Parts
from semirank.engines import TIMEOUT, Progress, engine_for
from semirank.engines.score_files import prepare_folder, write_scores
from semirank.learned import learned_by
from semirank.limits import check_limits
from semirank.rankers.sums.passes import (
    Passes,
    check_choice,
    check_features,
    stacked,
    told_apart,
    warn_of,
)
from semirank.spelling import option
from semirank.storage import Storable, digest_of

BUDGET = 1 << 30


def _learns_from_parts(ranker: Any) -> bool:
    return bool(ranker.ignores_unlabelled or ranker.learns_by_sums)


class InParts(Storable):
    """A ranker whose data may be larger than memory."""

    scores_: Floats
    n_features_in_: int
    feature_names_in_: AnyArray
    skipped_: list[str]

    @property
    def learns_by_sums(self) -> bool:
        """Whether `fit_parts` needs nothing but sums over parts, so that any number of items may teach."""
        return False

    @property
    def learns_in_rounds(self) -> bool:
        """Whether sums are added up round after round, so that `fit_parts` can go on with ``resume``."""
        return False

    @property
    def ranks_lists_apart(self) -> bool:
        """Whether each list is ranked by its own labels alone, so that `rank_parts` needs no model."""
        return False

    @available_if(_learns_from_parts)
    def fit_parts(
        self,
        parts: Parts,
        *,
        on: Any = None,
        budget: int = BUDGET,
        timeout: float = TIMEOUT,
        on_bad_part: str = "raise",
        resume: str | os.PathLike[str] | None = None,
        progress: Progress | None = None,
    ) -> Self:
        """Learn from data beyond memory: the ranker is that of `fit` on everything.

        Where unlabelled items teach nothing, the labelled ones, which are few, are gathered in memory and
        fitted. Where they take more than the budget, and where unlabelled items teach, sums over parts are
        enough for some rankers (`learns_by_sums`); others refuse, or do not have this method.

        Gathered, `scores_` and the row numbers of `explain` are those of the labelled items in the order in
        which they stand. A ranker that was learned by sums keeps no items: `scores_` is empty, and `explain`
        says so. `rank_parts` ranks all.

        Parameters
        ----------
        parts : Parts
            What `semirank.open_parts` returns.
        on : distributed.Client or str, optional
            A Dask cluster, or its address, that reads the parts. None: this machine. Both give the same bits.
        budget : int
            Bytes that the features of labelled items may take in memory. 0: sums, where they are enough.
        timeout : float
            Seconds after which a cluster that finishes no part is given up.
        on_bad_part : {"raise", "skip"}
            What to do about a part that cannot be read, or has missing features: tell, or leave it out with a
            warning, which takes a pass of its own before all others. `skipped_` then names these parts.
        resume : path, optional
            A file that keeps the rounds of boosting, always by sums, as they are finished. Called again with
            the same file after it was stopped, the fit goes on, and gives the same bits. A file of other
            data, parts or parameters is refused.
        progress : function of (done, total), optional
            Called after each part, with the number of parts in all passes over the data.
        """
        if not parts.n_labelled:
            raise ValueError(f"None of the {parts.n_items} items has a label.")
        check_choice(on_bad_part)
        if resume is not None and not self.learns_in_rounds:
            raise ValueError(
                f"{type(self).__name__} does not learn in rounds that a file could keep: leave out "
                f"{option('resume')}."
            )
        if hasattr(self, "skipped_"):
            del self.skipped_
        with engine_for(on, timeout) as engine:
            passes = Passes(parts, engine, budget if resume is None else 0, progress, resume=resume)
            skipped = passes.leave_out_bad() if on_bad_part == "skip" else []
            self._fit_passes(passes)
        if skipped:
            self.skipped_ = skipped
        return self

    def _fit_passes(self, passes: Passes) -> Self:
        """Gather labelled items and fit, or learn from sums."""
        parts = passes.parts
        check_limits(self.limits, self.get_params(deep=False))  # type: ignore[attr-defined]
        if parts.texts != self._reads_texts:
            raise ValueError(_other_kind(self, parts.texts))
        data = gather_labelled(passes) if self.ignores_unlabelled else None  # type: ignore[attr-defined]
        if data is not None:
            self.fit(data.X, data.y, data.qid)  # type: ignore[attr-defined]
        elif self.learns_by_sums:
            self.n_features_in_, self.scores_ = parts.n_features, np.empty(0)
            self._fit_sums(passes)
        else:
            raise ValueError(_beyond(parts, passes.budget))
        if parts.feature_names is not None:
            self.feature_names_in_ = np.array(parts.feature_names, dtype=object)
        return self

    @property
    def _reads_texts(self) -> bool:
        """Whether items must be texts."""
        return not self.__sklearn_tags__().input_tags.two_d_array  # type: ignore[attr-defined]

    def _fit_sums(self, passes: Passes) -> None:
        """Learn from sums over parts, where `learns_by_sums` says that this can be done."""
        raise NotImplementedError

    def rank_parts(
        self,
        parts: Parts,
        folder: str | os.PathLike[str],
        *,
        on: Any = None,
        timeout: float = TIMEOUT,
        on_bad_part: str = "raise",
        progress: Progress | None = None,
    ) -> Self:
        """Score data beyond memory, one file of scores for each part.

        A ranker that was not fitted, and ranks each list by its own labels alone (`ranks_lists_apart`), ranks
        the lists of each part, and leaves no model; `ManifoldRanking` ranks one list of all parts too,
        over a graph in files that are mapped into memory.

        A file ``part-000007.tsv`` (list, item, score) is whole or absent. Called again after it was stopped,
        it goes on; a folder with scores of another model or of other parts is refused.

        Parameters
        ----------
        parts : Parts
            What `semirank.open_parts` returns.
        folder : path
            Where the files go; made if it is not there.
        on : distributed.Client or str, optional
            A Dask cluster, or its address; workers must see the folder under the same path. None: this
            machine.
        timeout : float
            Seconds after which a cluster that finishes no part is given up.
        on_bad_part : {"raise", "skip"}
            What to do about a part that cannot be read, or scored: tell, or write no file for it, and warn.
        progress : function of (done, total), optional
            Called after each part.
        """
        check_choice(on_bad_part)
        skip = on_bad_part == "skip"
        fitted = bool(learned_by(self))
        if fitted or not self.ranks_lists_apart:
            check_is_fitted(self, "scores_")
            self._refuse_cut_list(parts)
        else:
            self._refuse_own(parts, on, skip)
        left = prepare_folder(folder, parts, digest_of(self))
        with engine_for(on, timeout) as engine:
            passes = Passes(replace(parts, parts=tuple(left)), engine, progress=progress)
            told = (
                passes.each(told_apart, write_scores, os.fspath(folder), self, skip)
                if fitted
                else self._rank_own(parts, passes, os.fspath(folder), skip)
            )
            warn_of([message for message in told if message is not None], len(left))
        return self

    def _refuse_cut_list(self, parts: Parts) -> None:
        together = not (self.one_function or self.learns_by_sums)  # type: ignore[attr-defined]
        if parts.one_list and len(parts) > 1 and together:
            raise ValueError(
                f"{type(self).__name__} ranks the items of a list together, and this list is cut into "
                f"{len(parts)} parts. Open it with larger parts ({option('part_bytes', ...)})."
            )

    def _refuse_own(self, parts: Parts, on: Any, skip: bool) -> None:
        """Refuse parts that cannot be ranked by their own labels, before anything is written."""
        self._refuse_cut_list(parts)

    def _rank_own(self, parts: Parts, left: Passes, folder: str, skip: bool) -> Iterable[str | None]:
        """Rank parts by their own labels, without a model, as `ranks_lists_apart` promises.

        skip : whether to leave out parts that cannot be ranked; what is wrong with them is returned.
        """
        raise NotImplementedError


def _other_kind(ranker: Any, texts: bool) -> str:
    name = type(ranker).__name__
    if texts:
        return f"{name} ranks by numbers, and these items are texts: put it into a TextRanker."
    return f"{name} ranks texts, and these items have none: say text=... to open_parts."


def _beyond(parts: Parts, budget: int) -> str:
    needed = "more" if parts.sparse else f"{8 * parts.n_labelled * parts.n_features} bytes"
    return (
        f"{parts.n_labelled} labelled items of {parts.n_features} features take {needed}, and the "
        f"budget is {budget}. Raise it ({option('budget', ...)}), or label fewer items; RankRLS with a "
        "linear kernel and RankBoost learn from any number."
    )


def gather_labelled(passes: Passes) -> RankingDataset | None:
    """Read the labelled items of all parts into memory; None if they take more than the budget.

    How much dense features take is known before any is read; of sparse ones the stored cells are counted.
    """
    parts = passes.parts
    if not parts.sparse and 8 * parts.n_labelled * parts.n_features > passes.budget:
        return None
    found: list[Any] = []
    left = passes.budget
    for each in filter(None, passes.each(labelled_items)):
        left -= bytes_of(each[0]) if parts.sparse else 0
        if left < 0:
            passes.done = 0
            return None
        found.append(each)
    X, y, qid = (list(each) for each in zip(*found, strict=True))
    qids = None if parts.one_list else np.concatenate(qid)
    return RankingDataset(stacked(X), np.concatenate(y), qids)


def bytes_of(X: Any) -> int:
    """Return what the stored cells of a sparse matrix take: values and where they stand."""
    return int(X.data.nbytes + X.indices.nbytes + X.indptr.nbytes)


def labelled_items(part: Part) -> tuple[Features, Floats, AnyArray] | None:
    """Read the labelled items of a part, in the order in which they stand; None if there are none."""
    if not part.n_labelled:
        return None
    data = part.read()
    rows = np.flatnonzero(data.labelled)
    rows = rows[np.argsort(data.order[rows])]
    return check_features(part, data, rows), data.y[rows], data.qid[rows]
