"""Two analyses of Duh's thesis: ties that a pseudo margin pulls apart, and weights on generated features."""

from collections.abc import Callable
from typing import Any

import numpy as np

from semirank import metrics
from semirank.core.arrays import Floats, Integers
from semirank.dataset import RankingDataset
from semirank.experiments import letor, translation
from semirank.experiments.result import ExperimentPage
from semirank.meta.feature_generation import FeatureGeneration
from semirank.meta.pseudo_margin import PseudoMargin
from semirank.rankers.rankboost import RankBoost

Progress = Callable[[int, int | None], None]
FEW = 20  # labelled lists


def analyses(seed: int = 0, progress: Progress | None = None) -> ExperimentPage:
    """Duh's thesis: the semi-cheating experiment, and the weight and accuracy of kernel PCA features."""
    result = ExperimentPage("analyses", "Why methods of the thesis work or fail", {"seed": seed})
    steps = len(letor.COLLECTIONS) * 2 * len(letor.FOLDS) + 1
    done = 0

    def step() -> None:
        nonlocal done
        done += 1
        if progress is not None:
            progress(done, steps)

    result.table("AP in %: pseudo margins without the pairs that are ties in truth", _cheating(seed, step))
    result.text(
        "The semi-cheating experiment of the thesis: pairs of a test list whose true labels are equal are "
        "taken out of the pairs that are pulled apart (`fit(unlabelled_pairs=...)`); which of the other "
        "pairs is the better item stays hidden. The slides say that the pseudo margin then improves "
        f"drastically. {FEW} labelled lists of each fold, 100 rounds; the share of ties is of all pairs of "
        "the test lists."
    )
    result.table(
        "Feature generation: weight of the new features and training accuracy in %", _weights(seed, step)
    )
    result.text(
        "The slides report for machine translation that 40 % of the weights are on kernel PCA features, "
        "and that the pairwise training accuracy rises from 82 % to 85 % while the ranking gets worse. "
        "Weight: the share of the sizes of all alpha; accuracy: the share of the pairs of a training list "
        "that are put in order, mean over lists; means over the lists that were adapted to (`figures_`). "
        "Five features are added. Translation: Moses n-best lists, the first fold, eight sentences teach."
    )
    return result


def _cheating(seed: int, step: Callable[[], None]) -> list[dict[str, Any]]:
    rows = []
    for collection in letor.COLLECTIONS:
        found: dict[str, list[Floats]] = {"RankBoost": [], "pseudo margin": [], "without ties in truth": []}
        ties = []
        for fold in letor.FOLDS:
            few, test = _few_and_test(collection, fold, seed)
            X, y, qid = _beside(few, test)
            pairs, share = _pairs_not_tied(test)
            ties.append(share)
            scores = {
                "RankBoost": RankBoost().fit(X, y, qid).scores_,
                "pseudo margin": PseudoMargin().fit(X, y, qid).scores_,
                "without ties in truth": PseudoMargin()
                .fit(X, y, qid, unlabelled_pairs=pairs + few.n_items)
                .scores_,
            }
            for name, each in scores.items():
                values = metrics.average_precision(test.y, each[few.n_items :], test.qid)
                found[name].append(np.nan_to_num(values))
            step()
        means = {name: f"{100 * np.concatenate(values).mean():.1f}" for name, values in found.items()}
        rows.append({"collection": collection, "ties": f"{100 * np.mean(ties):.0f} %"} | means)
    return rows


def _few_and_test(collection: str, fold: int, seed: int) -> tuple[RankingDataset, RankingDataset]:
    train, test = letor.load_fold(collection, fold)
    lists = np.random.default_rng((seed, fold, 0)).choice(np.flatnonzero(train.labels_differ), FEW, False)
    return train.select(lists), test


def _beside(few: RankingDataset, test: RankingDataset) -> tuple[Floats, Floats, Integers]:
    X, y = np.vstack([few.X, test.X]), np.append(few.y, np.full(test.n_items, np.nan))
    return X, y, np.append(few.list_of_item, test.list_of_item + few.n_lists)


def _pairs_not_tied(test: RankingDataset) -> tuple[Integers, float]:
    """Return the pairs of items of one list with different labels, and the share of the others."""
    found, total = [], 0
    for start, stop in zip(test.indptr[:-1], test.indptr[1:], strict=True):
        first, second = np.triu_indices(stop - start, 1)
        total += len(first)
        differ = test.y[start + first] != test.y[start + second]
        found.append(start + np.column_stack([first, second])[differ])
    pairs = np.concatenate(found)
    return pairs, 1.0 - len(pairs) / total


def _weights(seed: int, step: Callable[[], None]) -> list[dict[str, Any]]:
    rows = []
    for collection in letor.COLLECTIONS:
        adapted = []
        for fold in letor.FOLDS:
            adapted.append(FeatureGeneration().fit(*_beside(*_few_and_test(collection, fold, seed))))
            step()
        rows.append(_weight_row(f"{collection}, {FEW} lists", adapted))
    plan = translation.plan_of("moses-nbest", seed)
    ranked, others = plan.split(0, (seed, 0))
    part = plan.data.select(np.isin(plan.blocks, np.append(ranked, others)))
    unseen = np.isin(plan.blocks[np.searchsorted(plan.data.list_ids, part.list_ids)], ranked)
    y = np.where(unseen[part.list_of_item], np.nan, part.y)
    rows.append(_weight_row("translation", [FeatureGeneration().fit(part.X, y, part.qid)]))
    step()
    return rows


def _weight_row(data: str, adapted: list[FeatureGeneration]) -> dict[str, Any]:
    figures = [each for ranker in adapted for each in ranker.figures_.values() if "new_weight" in each]
    plain = [np.nanmean(metrics.auc(ranker.y_, ranker.ranker_.scores_, ranker.lists_)) for ranker in adapted]
    return {
        "data": data,
        "weight on new features": f"{100 * np.mean([each['new_weight'] for each in figures]):.0f}",
        "accuracy, RankBoost": f"{100 * np.mean(plain):.1f}",
        "accuracy, feature generation": f"{100 * np.mean([f['training_accuracy'] for f in figures]):.1f}",
    }
