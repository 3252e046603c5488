"""Protein structures: models of a chain, ranked by their distance from the true structure."""

from functools import lru_cache

import numpy as np
from sklearn.cluster import KMeans
from sklearn.preprocessing import StandardScaler

from semirank.core.arrays import Integers
from semirank.dataset import RankingDataset
from semirank.experiments import quality
from semirank.experiments.cells import Progress, checkpoint_of, measure_cells
from semirank.experiments.quality import METHODS, QualityPlan, QualityRun
from semirank.experiments.result import ExperimentPage
from semirank.readers.datasets import load

N_LISTS, LIST_SIZE = 100, 60
SIZES = (5, 30)
CUTS = ("alike", "at random")


def protein(
    seed: int = 0, progress: Progress | None = None, trials: int = 1, n_jobs: int = -1
) -> ExperimentPage:
    """Rank protein models by their error: lists without labels, line search as the baseline."""
    by_cut = {cut: quality.cells(cut, SIZES, trials, seed) for cut in CUTS}
    checkpoint = checkpoint_of("protein", methods=list(METHODS))
    found = measure_cells(
        [cell for cut in CUTS for cell in by_cut[cut]], measure, checkpoint, progress, n_jobs
    )
    result = ExperimentPage(
        "protein", "Protein models: lists without labels", {"seed": seed, "trials": trials}
    )
    tables = {}
    for cut, measured in by_cut.items():
        plan = plan_of(cut, seed)
        tables[cut] = quality.rows(quality.gather(plan, measured, found), plan, 1.0)
    result.table(
        "The thesis' verdicts, and ours on lists of models that are alike",
        quality.beside_thesis(tables["alike"], "protein"),
    )
    result.text(CONCLUSION)
    for cut, table in tables.items():
        result.table(f"Minus the error (Angstrom), lists cut {cut}", table)
    result.text(ABOUT)
    checkpoint.discard()
    return result


def measure(cell: QualityRun) -> list[list[float]]:
    """Return the metrics of each list that is ranked."""
    return quality.measure(plan_of(cell.name, cell.seed), cell)


@lru_cache(maxsize=2)
def plan_of(cut: str, seed: int) -> QualityPlan:
    """Draw models and cut them into lists; each list is a block of its own."""
    data = load("casp")
    drawn = data.take(np.random.default_rng(seed).permutation(data.n_items)[: N_LISTS * LIST_SIZE])
    lists = cut_by_likeness(drawn, seed) if cut == "alike" else np.arange(drawn.n_items) // LIST_SIZE
    return QualityPlan.of(RankingDataset(drawn.X, drawn.y, lists), np.arange(N_LISTS))


def cut_by_likeness(data: RankingDataset, seed: int) -> Integers:
    """Return the number of the list of each item: items near each other are in one list."""
    X = StandardScaler().fit_transform(data.X)
    return np.asarray(KMeans(N_LISTS, n_init=1, random_state=seed).fit_predict(X), dtype=np.int64)


CONCLUSION = (
    "With seed 0 and the default number of trials. In plain words: no method is safe to use without a "
    "trial. Where lists differ from each other, the pseudo margin is ahead of RankBoost with few and "
    "with many lists (p = 0.03 and 0.21), but RankBoost is the weakest base there, and stays so; where "
    "lists are samples of one whole, it is 0.6 to 0.7 Angstrom behind RankBoost. Feature generation and "
    "importance weighting change many lists and their mean little, as in the thesis. Propagation, the "
    "best method of the thesis, is below its base in all four settings: lists alike in shape do not "
    "need the same ranker here. Of 24 comparisons with a base, three have p < 0.05, one of them a gain; "
    "one or two are to be expected by chance. The base counts more: with five lists cut at random, "
    "RankRLS, RankSVM and RankBoost are 1.5 to 1.9 Angstrom better than line search, which learns few "
    "lists by heart; with thirty the difference is no longer clear."
)

ABOUT = (
    f"The set names no proteins, so there are no lists in it: {N_LISTS * LIST_SIZE:,} models are drawn "
    f"at random and cut into {N_LISTS} lists, once into models that are alike (k-means on the nine "
    "scaled features, so that lists differ from each other, as those of proteins would), once at random "
    "(all lists are samples of one whole). Labels are minus the RMSD. In each of five folds 20 lists "
    "are ranked without their labels, and 5 or 30 others teach. A gain in Label@1 is over the control: "
    "line search for the base rankers, the base ranker for what is built on it. p is from a t-test over "
    "lists; verdicts are at p < 0.05, not corrected for their number. Changed, better and worse: the "
    "share of lists whose first model has another, a higher or a lower label than with the control. In "
    "the thesis 32 % of the lists changed by importance weighting, 45 % by feature generation and 70 % "
    "by the pseudo margin."
)
