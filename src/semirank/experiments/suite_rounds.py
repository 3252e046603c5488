"""Rounds of feedback: labels asked for from the top, and what the ranking is worth after each round."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from semirank import metrics
from semirank.core.arrays import Booleans, Floats
from semirank.experiments.auto_tasks import show
from semirank.experiments.suite_peers import LOGISTIC, PEERS, peer_features
from semirank.experiments.suite_sets import SETS, Case, read_set
from semirank.selection.auto_ranker import AutoRanker

N_ROUNDS = 10
BATCH = 20
FIRST = {1.0: 5, 0.0: 5}
SETS_OF_ROUNDS = ("hypothyroid", "kr-vs-kp", "problem-reports", "usps 3", "Nagtegaal_2019")


@dataclass(frozen=True)
class Session:
    """Somebody who labels what AutoRanker puts first, ten times twenty items."""

    name: str
    draw: int
    seed: int


def follow(session: Session) -> dict[str, Any]:
    """Return the AUC before and after each round, of AutoRanker and of logistic regression on its labels.

    Labels are asked for in one half of the items, and quality is measured on the other half, which no label
    ever comes from: what is found in one round is not missing in the next.
    """
    items, X, truth = read_set(session.name)
    rng = np.random.default_rng((session.seed, session.draw))
    asked = np.zeros(len(truth), dtype=bool)
    for level in np.unique(truth):
        rows = rng.permutation(np.flatnonzero(truth == level))
        asked[rows[: len(rows) // 2]] = True
    y = show(np.where(asked, truth, np.nan), FIRST, rng)
    curve = []
    for _ in range(N_ROUNDS + 1):
        case = Case(items, X, y, None, np.where(asked, np.nan, truth))
        scores = AutoRanker(random_state=session.draw).fit(items, y).scores_
        curve.append({"auto": _auc(case, scores), LOGISTIC: _auc(case, _logistic(session.name, case))})
        y = answer(y, truth, scores, asked)
    return {name: [each[name] for each in curve] for name in curve[0]}


def answer(y: Floats, truth: Floats, scores: Floats, asked: Booleans) -> Floats:
    """Label the best items of those that may be asked for and have no label yet."""
    rest = np.flatnonzero(asked & np.isnan(y))
    top = rest[np.argsort(-scores[rest], kind="stable")[:BATCH]]
    labels = y.copy()
    labels[top] = truth[top]
    return labels


def _auc(case: Case, scores: Floats) -> float:
    ranked = ~np.isnan(case.truth)
    return float(metrics.auc(case.truth[ranked], scores[ranked])[0])


def _logistic(name: str, case: Case) -> Floats:
    kind = SETS[name].kind
    return PEERS[kind][LOGISTIC].fit(peer_features(kind, case.X), case.y, None)
