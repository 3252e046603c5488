"""Where transductive RankRLS helps: few labels, many features, and directions that all items share."""

from collections.abc import Sequence

import numpy as np

from semirank import metrics
from semirank.experiments.rankrls import Progress, Rows
from semirank.rankers.rankrls import RankRLS
from semirank.rankers.transductive_rankrls import TransductiveRankRLS


def shared_directions(
    labelled_lists: Sequence[int] = (3, 6, 10, 20),
    trials: int = 20,
    seed: int = 0,
    n_features: int = 60,
    progress: Progress | None = None,
) -> Rows:
    """Show where transduction helps: labels along one of two strong directions that all items share.

    Disagreement in per cent on forty unlabelled lists of six items, of RankRLS and of its transductive form
    with a small pull, each with the best of nine ridges (chosen with hindsight). Values and the standard
    error of the gain are over trials.
    """
    rows = []
    for count in labelled_lists:
        found = 100.0 * np.array([_shared_trial(count, n_features, (seed, trial)) for trial in range(trials)])
        best = found.mean(axis=0).argmin(axis=1)
        supervised, transductive = found[:, 0, best[0]], found[:, 1, best[1]]
        gains = supervised - transductive
        rows.append(
            {
                "labelled lists": count,
                "RankRLS": float(supervised.mean()),
                "transductive": float(transductive.mean()),
                "gain": float(gains.mean()),
                "standard error": float(gains.std(ddof=1) / np.sqrt(trials)),
            }
        )
        if progress is not None:
            progress(len(rows), len(labelled_lists))
    return rows


def _shared_trial(count: int, n_features: int, seed: tuple[int, int]) -> list[list[float]]:
    """Return the disagreement of both forms, one value a ridge."""
    rng = np.random.default_rng(seed)
    qid = np.repeat(np.arange(count + 40), 6)
    hidden = rng.normal(size=(len(qid), 2))
    directions = 3.0 * np.linalg.qr(rng.normal(size=(n_features, 2)))[0].T
    X = hidden @ directions + rng.normal(size=(len(qid), n_features))
    noisy, new = hidden[:, 0] + 0.3 * rng.normal(size=len(qid)), qid >= count
    y = np.where(new, np.nan, noisy)
    unit = float(np.mean([2.0 * X[qid == each].var(axis=0, ddof=1).sum() for each in range(count)]))
    ridges = unit * 10.0 ** np.arange(-3.0, 1.5, 0.5)
    rankers: list[list[RankRLS | TransductiveRankRLS]] = [[RankRLS(ridge=ridge) for ridge in ridges]]
    rankers += [[TransductiveRankRLS(ridge=ridge, pull=1e-3 * 2.0 / 6.0) for ridge in ridges]]

    def error(ranker: RankRLS | TransductiveRankRLS) -> float:
        scores = ranker.fit(X, y, qid).scores_[new]
        return float(metrics.disagreement(hidden[new, 0], scores, qid[new]).mean())

    return [[error(ranker) for ranker in row] for row in rankers]
