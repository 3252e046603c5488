"""Protein structures: models of a chain, ranked by their distance from the true structure."""

import numpy as np
from sklearn.cluster import KMeans
from sklearn.preprocessing import StandardScaler

from semirank.core.arrays import Integers
from semirank.dataset import RankingDataset
from semirank.experiments.quality import Progress, Trials, compare, rows
from semirank.experiments.result import Result
from semirank.readers.datasets import load

N_LISTS, LIST_SIZE = 100, 60
SIZES = (5, 30)


def protein(seed: int = 0, progress: Progress | None = None, trials: int = 1) -> Result:
    """Rank protein models by their error: lists without labels, line search as the baseline."""
    data = load("casp")
    drawn = data.take(np.random.default_rng(seed).permutation(data.n_items)[: N_LISTS * LIST_SIZE])
    cuts = {"alike": cut_by_likeness(drawn, seed), "at random": np.arange(drawn.n_items) // LIST_SIZE}
    result = Result("protein", "Protein models: lists without labels", {"seed": seed, "trials": trials})
    for at, (name, lists) in enumerate(cuts.items()):
        plan = Trials.of(RankingDataset(drawn.X, drawn.y, lists), np.arange(N_LISTS), SIZES)
        found = compare(plan, trials, seed, _part(progress, at, len(cuts)))
        result.table(f"Minus the error (Angstrom), lists cut {name}", rows(found, plan.blocks, 1.0))
    result.text(
        f"The set names no proteins, so there are no lists in it: {N_LISTS * LIST_SIZE:,} models are drawn "
        f"at random and cut into {N_LISTS} lists, once into models that are alike (k-means on nine scaled "
        "features: lists differ from each other as proteins do), once at random (all lists are samples of "
        "one whole). Labels are minus the RMSD. In each of five folds 20 lists are ranked without their "
        "labels, and 5 or 30 others teach. A gain in Label@1 is over the control: line search for the "
        "base rankers, the base ranker for what is built on it. p is from a t-test over lists; verdicts "
        "are at p < 0.05, not corrected for their number."
    )
    return result


def cut_by_likeness(data: RankingDataset, seed: int) -> Integers:
    """Return the number of the list of each item: items near each other are in one list."""
    X = StandardScaler().fit_transform(data.X)
    return np.asarray(KMeans(N_LISTS, n_init=1, random_state=seed).fit_predict(X), dtype=np.int64)


def _part(progress: Progress | None, at: int, parts: int) -> Progress | None:
    """Report one of several parts as a part of the whole."""
    if progress is None:
        return None
    return lambda done, total: progress(at * (total or 0) + done, parts * (total or 0))
