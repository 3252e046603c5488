"""Machine translation: proposals for each sentence, ranked by their likeness to a person's translation."""

import numpy as np

from semirank.dataset import RankingDataset
from semirank.experiments.quality import METHODS, Progress, Rows, Trials, compare, rows, summary
from semirank.experiments.result import Result
from semirank.readers.datasets import load

SENTENCES = (2, 4, 8)
LIST_SIZE = 100


def translation(seed: int = 0, progress: Progress | None = None, trials: int = 3) -> Result:
    """Rank translations by BLEU and by human effort: lists without labels, line search as the baseline."""
    data = load("moses-nbest")
    plan = Trials.of(data, np.array([name.split(".")[0] for name in data.list_ids]), SENTENCES)
    found = compare(plan, trials, seed, progress)
    result = Result("translation", "Translations: lists without labels", {"seed": seed, "trials": trials})
    result.table("BLEU (%) of the translation that is ranked first", rows(found, plan.blocks, 100.0))
    result.text(
        "50 lists: 100 proposals by the Moses decoder for each of ten sentences in each of five runs, 14 "
        "features; labels are sentence BLEU. In each of five folds the lists of two sentences are ranked "
        "without their labels, and those of 2, 4 or 8 other sentences teach. A gain in Label@1 is over the "
        "control: line search for the base rankers, the base ranker for what is built on it. p is from a "
        "t-test over the ten sentences, whose five lists are not independent; verdicts are at p < 0.05, not "
        "corrected for their number."
    )
    result.table("Effort of correction (wmt12-qe): one test list", effort_rows(seed))
    result.text(
        f"1,832 translations with 17 features and labels from 1 to 5, cut at random into lists of {LIST_SIZE}"
        " (the set has one list), teach; the 422 of the test part are one list. One list allows no test."
    )
    return result


def effort_rows(seed: int) -> Rows:
    """Rank the test part of wmt12-qe as one list, taught by the training part cut into lists."""
    data = load("wmt12-qe")
    train = data.list_of_item == 0
    order = np.random.default_rng(seed).permutation(int(train.sum()))
    lists = np.append(order // LIST_SIZE, np.full(int((~train).sum()), -1))
    cut = RankingDataset(data.X, data.y, lists)
    blocks = np.where(cut.list_ids == -1, 0, 1)
    plan = Trials.of(cut, blocks, (1,))
    taught, ranked = np.array([1]), np.array([0])
    return [
        {"method": name, **summary(plan.rank(method.make, taught, ranked, seed), 1.0)}
        for name, method in METHODS.items()
    ]
