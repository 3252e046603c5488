"""The Rayleigh ranker as its definition reads: dense, pair by pair, item by item."""

import numpy as np


def nearest_neighbour_graph(X, qid, n_neighbors):
    """Join i and j of a list when either is among the nearest neighbours of the other."""
    W = np.zeros((len(X), len(X)))
    for i in range(len(X)):
        others = np.array([j for j in np.flatnonzero(qid == qid[i]) if j != i], dtype=int)
        distances = ((X[others] - X[i]) ** 2).sum(axis=1)
        for j in others[np.argsort(distances, kind="stable")][:n_neighbors]:
            W[i, j] = W[j, i] = 1.0
    return W


def dense_laplacian(W, normed=True):
    d = W.sum(axis=1)
    if not normed:
        return np.diag(d) - W
    scale = np.diag(np.where(d > 0, 1 / np.sqrt(np.maximum(d, 1e-300)), 0.0))
    return np.diag((d > 0).astype(float)) - scale @ W @ scale


def pairs_of_levels(F, y):
    """Average over all pairs of labelled items with different labels."""
    difference, spread, n_pairs = 0.0, 0.0, 0
    covariance = {level: np.cov(F[y == level].T, bias=True) for level in np.unique(y[~np.isnan(y)])}
    for i in range(len(y)):
        for j in range(len(y)):
            if y[i] > y[j]:
                difference = difference + F[i] - F[j]
                spread = spread + covariance[y[i]] + covariance[y[j]]
                n_pairs += 1
    return difference / n_pairs, spread / n_pairs


def rayleigh_matrix_and_target(F, y, qid, L, ridge, smoothness):
    """Return A and mu+ - mu- for coordinates F, one row an item."""
    centred = F - np.array([F[qid == each].mean(axis=0) for each in qid])
    difference, spread = pairs_of_levels(centred, y)
    A = ridge * np.eye(F.shape[1]) + spread + smoothness / len(F) * F.T @ L @ F
    return A, difference


def rayleigh_scores(F, y, qid, L, ridge, smoothness):
    A, difference = rayleigh_matrix_and_target(F, y, qid, L, ridge, smoothness)
    return F @ np.linalg.solve(A, difference)


def paper_equation_5(F, y, L, ridge, gamma):
    """Equation 5 as printed, L of the order of all N items: labels 1 and 0, one list."""
    better, worse = F[y == 1], F[y == 0]
    S = sum(np.cov(part.T, bias=True) for part in (better, worse))
    A = ridge * np.eye(F.shape[1]) + S + gamma / len(F) ** 2 * F.T @ L @ F
    return F @ np.linalg.solve(A, better.mean(axis=0) - worse.mean(axis=0))
