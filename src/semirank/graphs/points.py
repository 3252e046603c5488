"""The points a graph is made of: rows of numbers, dense or sparse, and the distances between them."""

from typing import Any, Literal

import numpy as np
from scipy.sparse import csr_array, issparse

from semirank.core.arrays import AnyArray, Floats, Integers
from semirank.core.neighbours import squared_distances as _dense_squared_distances
from semirank.core.threads import in_parallel
from semirank.dataset import check_features

_BLOCK_CELLS = 2**19

Metric = Literal["euclidean", "cosine"]
Points = Any  # a float array or a csr_array; scipy carries no types


def check_points(X: Any, metric: Metric = "euclidean") -> Points:
    """Return X as a C-ordered float array or CSR matrix without gaps; for "cosine", rows of length 1.

    Between rows of length 1 the squared Euclidean distance is 2 - 2 cos, so that one search serves both
    metrics. An all-zero row has no direction and stays all zero.
    """
    if metric not in ("euclidean", "cosine"):
        raise ValueError(f"metric must be 'euclidean' or 'cosine'; got {metric!r}.")
    X = check_features(X)[0]
    if X.shape[0] == 0:
        raise ValueError("X has no rows: a graph needs at least one item.")
    missing = np.isnan(X.data if issparse(X) else X)
    if missing.any():
        rows = X.tocoo().row[missing] if issparse(X) else np.nonzero(missing)[0]
        raise ValueError(f"X has a missing value (NaN) in row {rows.min()}: fill missing values first.")
    if metric == "cosine":
        X = _directions(X)
    if issparse(X):
        X = csr_array(X)
        X.sort_indices()
        return X
    return np.ascontiguousarray(X)


def _directions(X: Points) -> Points:
    """Divide rows by their length; one that is 1 already, up to rounding, keeps its bits."""
    lengths = np.sqrt(squared_lengths(X))
    rounding = 8 * np.finfo(X.dtype).eps
    lengths = np.where((lengths == 0) | (np.abs(lengths - 1) <= rounding), 1.0, lengths).astype(X.dtype)
    if not issparse(X):
        return X / lengths[:, None]
    values = X.data / np.repeat(lengths, np.diff(X.indptr))
    return csr_array((values, X.indices, X.indptr), shape=X.shape)


def check_lists(indptr: Any, n_items: int) -> Integers:
    """Return where each list starts; None means that all items are one list."""
    if indptr is None:
        return np.array([0, n_items])
    indptr = np.asarray(indptr, dtype=np.int64)
    if indptr.ndim != 1 or len(indptr) < 2 or indptr[0] != 0 or indptr[-1] != n_items:
        raise ValueError(f"indptr must run from 0 to {n_items}, the number of items; got {indptr}.")
    if (np.diff(indptr) < 0).any():
        raise ValueError("indptr must not decrease: list i holds the items indptr[i] to indptr[i + 1].")
    return indptr


def squared_lengths(points: Points) -> Floats:
    """Return the squared length of each row in float64."""
    if issparse(points):
        return np.asarray((points.astype(np.float64) ** 2).sum(axis=1)).ravel()
    return np.einsum("ij,ij->i", points, points, dtype=np.float64)


def squared_distances(rows: Points, others: Points) -> Floats:
    """Return the matrix of squared Euclidean distances, the same bits in both directions."""
    if not issparse(rows):
        step = max(1, _BLOCK_CELLS // max(len(others), 1))
        blocks = (rows[at : at + step] for at in range(0, len(rows), step))
        return np.concatenate(in_parallel(lambda block: _dense_squared_distances(block, others), blocks))
    products = (rows.astype(np.float64) @ others.T.astype(np.float64)).toarray()
    sums = squared_lengths(rows)[:, None] + squared_lengths(others)[None, :]
    return np.maximum(sums - 2.0 * products, 0.0)


def is_zero(points: Points) -> AnyArray:
    """Tell which rows hold nothing but zeros."""
    return squared_lengths(points) == 0.0
