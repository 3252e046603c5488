"""Boosting by its definition: every pair is written down, every stump is tried."""

import itertools
from dataclasses import dataclass

import numpy as np


@dataclass
class DensePairs:
    """Pairs (better, worse) of rows and the weight of each; the loss is the sum of the weights."""

    better: np.ndarray
    worse: np.ndarray
    weights: np.ndarray

    def join(self, other):
        return DensePairs(*(np.concatenate(both) for both in zip(self, other, strict=True)))

    def __iter__(self):
        return iter((self.better, self.worse, self.weights))


def dense_pairs(y, lists, weights=None, balance="pairs", total=1.0, rows=None):
    """Write down all pairs of one list with different labels; together they weigh `total`."""
    weights = np.ones(len(y)) if weights is None else np.asarray(weights, dtype=float)
    rows = np.arange(len(y)) if rows is None else rows
    found = [(p, q) for p in range(len(y)) for q in range(len(y)) if lists[p] == lists[q] and y[p] > y[q]]
    found = [(p, q) for p, q in found if weights[p] * weights[q] > 0]
    better, worse = np.array(found, dtype=int).reshape(-1, 2).T
    D = weights[better] * weights[worse]
    if balance == "lists":
        names = np.array(lists)[better]
        for name in set(names.tolist()):
            D[names == name] /= D[names == name].sum()
    return DensePairs(rows[better], rows[worse], total * D / D.sum())


def all_stumps(X):
    """List every stump as (feature, threshold), lowest feature and then largest threshold first."""
    for j in range(X.shape[1]):
        values = np.unique(X[:, j])[::-1]
        for high, low in itertools.pairwise(values):
            yield j, (high + low) / 2


@dataclass
class DenseRound:
    feature: int
    threshold: float
    alpha: float
    r: float
    loss: float
    pair_weights: np.ndarray
    clear: bool


def dense_boost(X, pairs, n_rounds, n_pairs, step="bound", rows=None):
    """Boost with a weight for every pair. `clear` says that no second stump was as good as the chosen one.

    rows : the rows of X whose values give thresholds.
    """
    D, limit = pairs.weights.copy(), 0.5 * np.log(1 + 2 * n_pairs)
    stumps = list(all_stumps(X if rows is None else X[rows]))
    holds = np.array([X[:, j] > theta for j, theta in stumps], dtype=float)
    orders = holds[:, pairs.better] - holds[:, pairs.worse] if stumps else np.zeros((0, len(D)))
    rounds = []
    for _ in range(n_rounds):
        r = orders @ (D / D.sum())
        chosen = first_best(r)
        if chosen is None:
            break
        others = np.delete(np.abs(r), chosen)
        alpha = weight_of(orders[chosen], D / D.sum(), r[chosen], step)
        alpha = float(np.clip(alpha, -limit, limit))
        D = D * np.exp(-alpha * orders[chosen])
        clear = len(others) == 0 or abs(r[chosen]) - others.max() > 1e-9
        rounds.append(DenseRound(*stumps[chosen], alpha, r[chosen], D.sum(), D.copy(), clear))
    return rounds


def first_best(r):
    best, place = 0.0, None
    for i, value in enumerate(np.abs(r)):
        if value > best + 1e-12:
            best, place = value, i
    return place


def weight_of(order, D, r, step):
    right, wrong = D[order > 0].sum(), D[order < 0].sum()
    with np.errstate(divide="ignore"):
        if step == "exact":
            return 0.5 * np.log(right / wrong)
        return np.arctanh(np.clip(r, -1, 1))


def pseudo_labels(X, y, lists, n_neighbors, distance, conflict):
    """Give labels one by one; return {item: {label: distance of the nearest labelled item}}."""
    points = X / np.linalg.norm(X, axis=1, keepdims=True) if distance == "cosine" else X
    lent = {}
    for i in np.flatnonzero(~np.isnan(y)):
        free = [j for j in range(len(y)) if np.isnan(y[j]) and lists[j] == lists[i]]
        free.sort(key=lambda j: (np.linalg.norm(points[i] - points[j]), j))
        for j in free[:n_neighbors]:
            distance = np.linalg.norm(points[i] - points[j])
            labels = lent.setdefault(j, {})
            labels[y[i]] = min(labels.get(y[i], np.inf), distance)
    return {item: kept for item, labels in sorted(lent.items()) if (kept := settle(labels, conflict))}


def settle(labels, conflict):
    if conflict == "both" or len(labels) == 1:
        return labels
    nearest = min(labels.values())
    winners = {label: distance for label, distance in labels.items() if distance == nearest}
    return winners if conflict == "nearest" and len(winners) == 1 else {}
