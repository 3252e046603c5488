"""RankRLS by its definitions: every pair written out, every held-out list retrained."""

from itertools import combinations
from math import comb

import numpy as np
from sklearn.metrics.pairwise import rbf_kernel

nan = np.nan


def pairs_of(y, qid):
    """Give every pair of labelled items of a list with its weight, 1 / binom(n, 2)."""
    for each in dict.fromkeys(qid.tolist()):
        items = np.flatnonzero((qid == each) & ~np.isnan(y))
        for i, j in combinations(items, 2):
            yield i, j, 1.0 / comb(len(items), 2)


def laplacian(y, qid):
    """Build L = D - W from the weights of the pairs."""
    L = np.zeros((len(y), len(y)))
    for i, j, weight in pairs_of(y, qid):
        L[i, i] += weight
        L[j, j] += weight
        L[i, j] -= weight
        L[j, i] -= weight
    return L


def features_of(X, kernel="linear", gamma=1.0):
    """Give features whose inner products are the kernel of all rows of X."""
    if kernel == "linear":
        return X
    values, vectors = np.linalg.eigh(rbf_kernel(X, gamma=gamma))
    return vectors * np.sqrt(np.maximum(values, 0.0))


def train(Phi, y, qid, ridge):
    """Minimise the sum over pairs plus ridge |w|^2 by an orthogonal factorisation of the stacked rows."""
    rows = [(np.sqrt(v) * (Phi[i] - Phi[j]), np.sqrt(v) * (y[i] - y[j])) for i, j, v in pairs_of(y, qid)]
    stacked = np.vstack([*(row for row, _ in rows), np.sqrt(ridge) * np.eye(Phi.shape[1])])
    target = np.append([difference for _, difference in rows], np.zeros(Phi.shape[1]))
    return np.linalg.lstsq(stacked, target, rcond=None)[0]


def train_dual(K, y, qid, ridge):
    """Return the coefficients (L K + ridge I)^-1 L y of theorem 1."""
    L = laplacian(y, qid)
    return np.linalg.solve(L @ K + ridge * np.eye(len(y)), L @ np.nan_to_num(y))


def leave_list_out(Phi, y, qid, ridge, folds=None):
    """Retrain without the labels of a list's fold; score it relative to the mean of its labelled items."""
    folds = qid if folds is None else folds
    scores = np.empty(len(y))
    for each in dict.fromkeys(qid.tolist()):
        inside = qid == each
        left_out = folds == folds[inside][0]
        found = Phi @ train(Phi, np.where(left_out, nan, y), qid, ridge)
        labelled = inside & ~np.isnan(y)
        offset = found[labelled].mean() if labelled.sum() > 1 else 0.0
        scores[inside] = found[inside] - offset
    return scores


def leave_items_out(Phi, y, ridge):
    """Retrain without each label of one list; score the item relative to the mean of the others."""
    qid = np.zeros(len(y))
    labelled = np.flatnonzero(~np.isnan(y))
    full = Phi @ train(Phi, y, qid, ridge)
    scores = full - full[labelled].mean()
    for i in labelled:
        others = labelled[labelled != i]
        found = Phi @ train(Phi, np.where(np.arange(len(y)) == i, nan, y), qid, ridge)
        scores[i] = found[i] - found[others].mean()
    return scores


def root(L):
    """Return the symmetric square root of a positive semidefinite matrix."""
    values, vectors = np.linalg.eigh(L)
    return (vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T


def left_out_residuals(Phi, y, qid, ridge, folds=None):
    """Retrain without each fold; stack L_UU^(1/2) (y_U - f(X_U)) over the folds U of lists."""
    folds = qid if folds is None else folds
    residuals = []
    for each in dict.fromkeys(folds.tolist()):
        inside = folds == each
        found = Phi @ train(Phi, np.where(inside, nan, y), qid, ridge)
        residuals.append(root(laplacian(y[inside], qid[inside])) @ (y - found)[inside])
    return np.concatenate(residuals)


def transductive_labels(Phi, y, qid, ridge, pulls, folds=None):
    """Minimise the squared residuals of left-out folds plus each pull, training again for each label."""
    unknown = np.flatnonzero(np.isnan(y))
    reference = (Phi @ train(Phi, y, qid, ridge))[unknown]
    known = np.nan_to_num(y)
    start = left_out_residuals(Phi, known, qid, ridge, folds)
    units = np.eye(len(y))[unknown]
    effects = np.column_stack([left_out_residuals(Phi, known + e, qid, ridge, folds) - start for e in units])
    labels = np.tile(y, (len(pulls), 1))
    for row, pull in zip(labels, pulls, strict=True):
        system = effects.T @ effects + pull * np.eye(len(unknown))
        row[unknown] = np.linalg.solve(system, pull * reference - effects.T @ start)
    return labels


def theorem_2(K, y, qid, ridge, pull, folds=None):
    """Return the labels of theorem 2, with P_(U^c U) P_UU^-1 in G and the ridge in place of half of it."""
    folds = qid if folds is None else folds
    V = np.isnan(y)
    known = np.nan_to_num(y)
    L = laplacian(known, qid)
    P = np.linalg.inv(L @ K + ridge * np.eye(len(y)))
    E, F = np.zeros_like(K), np.zeros(len(y))
    for each in dict.fromkeys(folds.tolist()):
        U = folds == each
        rest = P[np.ix_(~U, ~U)] - P[np.ix_(~U, U)] @ np.linalg.solve(P[np.ix_(U, U)], P[np.ix_(U, ~U)])
        G = np.zeros_like(K)
        G[np.ix_(U, ~U)] = K[np.ix_(U, ~U)] @ rest @ L[np.ix_(~U, ~U)]
        S, H, Z, B = V & U, V & ~U, ~V & U, ~V & ~U
        E[np.ix_(S, S)] += L[np.ix_(S, S)]
        E[np.ix_(S, H)] -= L[np.ix_(S, S)] @ G[np.ix_(S, H)]
        E[np.ix_(H, S)] -= G[np.ix_(S, H)].T @ L[np.ix_(S, S)]
        E[np.ix_(H, H)] += G[np.ix_(U, H)].T @ L[np.ix_(U, U)] @ G[np.ix_(U, H)]
        F[S] += L[np.ix_(S, S)] @ G[np.ix_(S, B)] @ known[B]
        F[H] += G[np.ix_(Z, H)].T @ L[np.ix_(Z, Z)] @ known[Z]
        F[H] -= G[np.ix_(U, H)].T @ L[np.ix_(U, U)] @ G[np.ix_(U, B)] @ known[B]
    reference = (K @ train_dual(K, y, qid, ridge))[V]
    labels = y.copy()
    labels[V] = np.linalg.solve(E[np.ix_(V, V)] + pull * np.eye(V.sum()), F[V] + pull * reference)
    return labels
