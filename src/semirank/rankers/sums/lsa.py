"""Latent semantic features over parts, by subspace iteration: approximate, as all iterations are."""

import numpy as np
from scipy.linalg import eigh, qr

from semirank.core.arrays import Floats
from semirank.core.threads import one_blas_thread
from semirank.dataset.parts import Part
from semirank.features.lsa import LSA, NEGLIGIBLE
from semirank.rankers.sums.passes import Passes, check_features

N_PASSES = 8
MORE = 10  # directions beyond those that are wanted, which make these more accurate


def fit(lsa: LSA, passes: Passes) -> None:
    """Find the directions in which all items vary.

    Each pass multiplies a subspace by X'X, so that it turns to the largest singular values; a direction that
    these tell apart by a factor g from all that is left out is found up to g^-16.
    """
    n_features = passes.parts.n_features
    wanted = min(lsa.n_components, n_features, passes.parts.n_items)
    width = min(wanted + MORE, n_features)
    Q = _orthonormal(np.random.default_rng(lsa.random_state).normal(size=(n_features, width)))
    for _ in range(N_PASSES):
        product = passes.total(sums, np.add, 8 * n_features * width, Q)
        before, Q = Q, _orthonormal(product)
    finish(lsa, before, product, wanted)


def sums(part: Part, Q: Floats) -> Floats:
    """Return ``X'X Q`` for the items of a part."""
    X = check_features(part, part.read()).astype(np.float64)
    return np.asarray(X.T @ (X @ Q))


def finish(lsa: LSA, Q: Floats, product: Floats, wanted: int) -> None:
    """Keep the singular directions within a subspace, given its product with X'X."""
    squares, vectors = eigh(Q.T @ product)
    squares, vectors = squares[::-1][:wanted], vectors[:, ::-1][:, :wanted]
    if squares[0] <= 0.0:
        raise ValueError("All items are 0: there is no direction to tell them apart.")
    values = np.sqrt(np.maximum(squares, 0.0))
    kept = values > NEGLIGIBLE * values[0]
    components = (Q @ vectors[:, kept]).T
    largest = np.argmax(np.abs(components), axis=1)
    components *= np.sign(components[np.arange(len(components)), largest])[:, None]
    lsa.components_, lsa.singular_values_ = components, values[kept]
    lsa.n_features_in_ = len(Q)


def _orthonormal(vectors: Floats) -> Floats:
    with one_blas_thread():
        found: Floats = qr(vectors, mode="economic")[0]
    return found
