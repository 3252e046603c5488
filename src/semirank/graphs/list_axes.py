"""The shape of a list: the axes along which its items spread, each as long as its share of the variance."""

from collections.abc import Sequence
from itertools import pairwise
from numbers import Integral
from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.utils import gen_batches

from semirank.core.arrays import Floats
from semirank.core.lists import centre_list
from semirank.core.threads import in_parallel, one_blas_thread
from semirank.dataset import Features, RankingDataset
from semirank.dataset.checks import check_features

BLOCK = 32  # lists that one thread takes at a time


def list_axes(lists: Any, n_axes: int | None = None) -> Floats:
    """Return the principal axes of each list, the longest first.

    With variances lam_1 >= lam_2 >= ... along unit axes u_1, u_2, ... of a list, row m of its block is
    ``lam_m u_m / |lam|``. A shift of the list and one factor for all its features change nothing.

    Parameters
    ----------
    lists : RankingDataset, or sequence of arrays or CSR matrices of shape (n_items, n_features)
        The lists.
    n_axes : int, optional
        How many axes to keep of each list. None: all that any list has.

    Returns
    -------
    float64 array of shape (n_lists, n_axes, n_features)
        Zeros where a list has fewer axes; all zeros for a list of one item, or of equal items.

    Notes
    -----
    O(n d min(n, d)) time for a list of n items with d features.
    """
    parts = _parts(lists)
    n_features = parts[0].shape[1]
    most = min(n_features, max(max(part.shape[0] for part in parts) - 1, 1))
    axes = np.zeros((len(parts), min(most, n_axes or most), n_features))

    def fill(block: slice) -> None:
        for own, part in zip(axes[block], parts[block], strict=True):
            found = _axes(part)[: len(own)]
            own[: len(found)] = found / (np.linalg.norm(found) or 1.0)

    with one_blas_thread():
        in_parallel(fill, gen_batches(len(parts), BLOCK))
    return axes


def variances(axes: Floats) -> Floats:
    """Return the variances along the axes of each list, as a vector of length 1, the largest first."""
    return np.linalg.norm(axes, axis=2)


def covariances(axes: Floats) -> Floats:
    """Return the covariance matrix of each list as a vector of length 1; products are those of the matrices.

    Shape (n_lists, d (d + 1) / 2) for d features: the diagonal and what is above it, which counts twice.
    """
    roots = np.sqrt(variances(axes))[:, :, None]
    halves = np.divide(axes, roots, out=np.zeros_like(axes), where=roots > 0.0)
    rows, columns = np.triu_indices(axes.shape[2])
    counts = np.where(rows == columns, 1.0, np.sqrt(2.0))
    return np.array([(half.T @ half)[rows, columns] * counts for half in halves])


def check_n_axes(n_axes: int | None) -> None:
    """Refuse what is neither None nor a whole number above 0."""
    if n_axes is not None and (not isinstance(n_axes, Integral) or isinstance(n_axes, bool) or n_axes < 1):
        raise ValueError(f"n_axes must be a whole number of at least 1 or None; got {n_axes!r}.")


def _parts(lists: Any) -> list[Features]:
    if isinstance(lists, RankingDataset):
        parts = [lists.X[start:stop] for start, stop in pairwise(lists.indptr)]
    elif isinstance(lists, Sequence) or (isinstance(lists, np.ndarray) and lists.ndim == 3):
        parts = [check_features(part)[0] for part in lists]
    else:
        raise ValueError(
            f"lists must be a RankingDataset or a sequence of matrices, one a list; got "
            f"{type(lists).__name__}."
        )
    _check_parts(parts)
    return parts


def _check_parts(parts: list[Features]) -> None:
    if not parts:
        raise ValueError("There are no lists to compare.")
    for number, part in enumerate(parts):
        if part.shape[0] == 0:
            raise ValueError(f"List {number} has no items.")
        if part.shape[1] != parts[0].shape[1]:
            raise ValueError(
                f"List {number} has {part.shape[1]} features, but list 0 has {parts[0].shape[1]}: lists are "
                "compared by the features they share."
            )
        if np.isnan(part.data if issparse(part) else part).any():
            raise ValueError(f"List {number} has a missing feature (NaN): fill it first.")


def _axes(part: Features) -> Floats:
    """Return the unit axes of one list times the variances along them, the largest first."""
    X = part.toarray() if issparse(part) else np.ascontiguousarray(part)
    centred = np.empty(X.shape)
    centre_list(X, 0, len(X), 1.0, centred)
    size = np.abs(centred).max(initial=0.0)
    if size == 0.0:
        return np.empty((0, X.shape[1]))
    centred /= size
    if len(X) <= X.shape[1]:
        _, deviations, axes = np.linalg.svd(centred, full_matrices=False)
        return (deviations**2)[:, None] * axes
    variances, columns = np.linalg.eigh(centred.T @ centred)
    return (np.maximum(variances, 0.0) * columns).T[::-1]
