"""Gram-Schmidt features: the space of a kernel, spanned by a few well chosen items."""

from collections.abc import Callable
from math import inf
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from scipy.linalg import solve_triangular
from scipy.linalg.blas import dtrsm
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.preprocessing import normalize
from sklearn.utils import Tags, gen_batches
from sklearn.utils.validation import check_is_fitted

from semirank.core.arrays import AnyArray, Floats, Integers
from semirank.core.threads import in_parallel, one_blas_thread
from semirank.dataset import Features
from semirank.features.matrix import check_matrix
from semirank.kernels import GAMMA, KERNEL, Kernel, resolve, squared_lengths
from semirank.learned import AnyOf, Array, Names, Number, Optional, Table, count
from semirank.limits import Between, Limit, check_limits
from semirank.storage import Storable

Progress = Callable[[int, int | None], None]

BLOCK_ROWS = 4096
CONTENDERS = 1024
ROUNDING = 1e-12
INDEFINITE = 1e-8


class GramSchmidt(Storable, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Turn items into coordinates whose inner products come near to a kernel.

    Items i_1, i_2, ... are chosen one after the other, always the one that those before it describe worst:
    the largest squared distance r in the kernel's space to what they span. With F the coordinates, one row
    an item, and K the kernel matrix, ::

        F[:, j] = (K[:, i_j] - F[:, :j] F[i_j, :j]') / sqrt(r[i_j]),    r = diag(K) - sum_j F[:, j]^2,

    which is incomplete Cholesky factorisation with pivots [1]_, or Gram-Schmidt in the kernel's space:
    F F' equals K in the rows of the chosen items and is never above it. K itself is not formed. An item x
    that was not fitted gets the solution f of ``F[pivots] f = k(pivots, x)``.

    Items that are equally badly described (at the start of an rbf kernel, all) are taken in the order of
    their distance to the mean of all, so that the answer does not depend on the order of the items. The
    coordinates are nested: the first p columns are those of a run with ``n_components=p``.

    Parameters
    ----------
    kernel : {"linear", "rbf", "polynomial", "cosine", "precomputed"}
        The kernel; see `semirank.kernels.Kernel`. With "precomputed", X is the kernel matrix in `fit`, and
        in `transform` the kernel of new items (rows) with all fitted ones.
    gamma : float, optional
        Coefficient of "rbf", ``exp(-gamma |x - z|^2)``, and "polynomial". None: ``1 / (2 m^2)`` with m the
        median distance of items for "rbf", ``1 / n_features`` for "polynomial".
    n_components : int
        How many coordinates; fewer when the items span no more (or are no more).
    degree : int
        Degree of "polynomial".

    Attributes
    ----------
    pivots_ : int64 array of shape (`n_components_`,)
        The rows of the chosen items, in the order in which they were chosen.
    basis_ : array or CSR matrix of shape (`n_components_`, n_features)
        The chosen items; for a precomputed kernel their row numbers.
    triangle_ : float64 array of shape (`n_components_`, `n_components_`)
        Their coordinates, lower triangular.
    gamma_ : float or None
        The coefficient that was used.
    n_components_ : int
        How many coordinates there are.

    See Also
    --------
    semirank.RayleighRanker : ranks in these coordinates.
    semirank.kernels.resolve : the kernels.

    Notes
    -----
    O(N p^2) time, N p evaluations of the kernel and O(N p) memory for N items and p components. The choice
    is made among the few items described worst, as long as these are certain to contain the worst of all;
    then all rows are brought up to date at once. So nearly all the work is products of matrices, and the
    chosen items are those of the rule above.

    References
    ----------
    .. [1] S. Fine, K. Scheinberg. Efficient SVM training using low-rank kernel representations. Journal
       of Machine Learning Research 2, 2001.

    Examples
    --------
    >>> import numpy as np
    >>> from semirank.features import GramSchmidt
    >>> X = np.array([[3.0, 4.0], [1.0, 0.0], [2.0, 2.0]])
    >>> transformer = GramSchmidt("linear", n_components=2).fit(X)
    >>> transformer.pivots_
    array([0, 1])
    >>> transformer.transform([[1.0, 0.0], [2.0, 2.0]]).round(2)
    array([[0.6, 0.8],
           [2.8, 0.4]])
    """

    limits: ClassVar[dict[str, Limit]] = {
        "kernel": KERNEL,
        "gamma": GAMMA,
        "n_components": Between(1, inf, Integral),
        "degree": Between(1, inf, Integral),
    }

    learned: ClassVar[Table] = {
        "n_features_in_": count("n_features", low=1),
        "feature_names_in_": Optional(Names("n_features")),
        "gamma_": AnyOf(None, Number(0)),
        "pivots_": Array("n_components", dtype="int64", low=0),
        "basis_": AnyOf(
            Array("n_components", "n_features", dtype="float", sparse=True),
            Array("n_components", dtype="int64", low=0, high="n_features"),
        ),
        "triangle_": Array("n_components", "n_components"),
    }

    pivots_: Integers
    basis_: Features
    triangle_: Floats
    gamma_: float | None
    n_features_in_: int

    def __init__(
        self, kernel: str = "rbf", gamma: float | None = None, n_components: int = 100, *, degree: int = 3
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.n_components = n_components
        self.degree = degree

    def fit(self, X: Any, y: Any = None, *, progress: Progress | None = None) -> Self:
        """Choose the items that span the coordinates; `progress` is called with (done, total)."""
        self._run(X, progress)
        return self

    def fit_transform(self, X: Any, y: Any = None, *, progress: Progress | None = None) -> AnyArray:
        """Choose the items that span the coordinates, and return the coordinates of all."""
        return self._run(X, progress)

    def transform(self, X: Any) -> AnyArray:
        """Return the coordinates of items, in float32 when X is, else in float64."""
        check_is_fitted(self, "triangle_")
        X = check_matrix(self, X, reset=False)
        features = np.empty((X.shape[0], self.n_components_), dtype=X.dtype)
        kernel = Kernel(self.kernel, self.gamma_, self.degree)

        def fill(rows: slice) -> None:
            block = kernel.block(X[rows].astype(np.float64), self.basis_)
            features[rows] = _forward(self.triangle_, block)

        with one_blas_thread():
            in_parallel(fill, gen_batches(X.shape[0], BLOCK_ROWS))
        return features

    @property
    def n_components_(self) -> int:
        """How many coordinates there are."""
        return len(self.triangle_)

    @property
    def _n_features_out(self) -> int:
        return self.n_components_

    def _run(self, X: Any, progress: Progress | None) -> AnyArray:
        check_limits(self.limits, self.get_params(deep=False))
        X = check_matrix(self, X)
        given, X = X.dtype, X.astype(np.float64, copy=False)
        kernel = resolve(self.kernel, self.gamma, X, degree=self.degree)
        run = Orthogonalisation(kernel, X, self.n_components)
        run.complete(progress or (lambda done, total: None))
        self.gamma_ = kernel.gamma
        self.pivots_ = run.pivots[: run.known]
        self.basis_ = kernel.basis(X, self.pivots_)
        self.triangle_ = run.triangle[: run.known, : run.known]
        return np.ascontiguousarray(run.features(), dtype=given)

    def _check_state(self) -> None:
        check_limits(self.limits, self.get_params(deep=False))
        if not (np.diagonal(self.triangle_) > 0.0).all():
            raise ValueError("triangle_ must have a positive diagonal")
        if (self.kernel == "precomputed") != (self.basis_.ndim == 1):
            raise ValueError("basis_ must hold items, or of a precomputed kernel their rows")

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.kernel != "precomputed"
        tags.input_tags.pairwise = self.kernel == "precomputed"
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


class Orthogonalisation:
    """Coordinates in the making.

    The first `known` coordinates of all items and the `residual`, the squared distance of each item to the
    span of the first `known` pivots, are up to date between two rounds. While they grow, the coordinates
    of a block of rows stand together, one row of ``panels[b]`` a coordinate, so that BLAS, which takes
    ``panel.T`` for its own, solves for coordinates in place.
    """

    def __init__(self, kernel: Kernel, X: Features, n_components: int) -> None:
        size = min(n_components, X.shape[0])
        self.kernel, self.X, self.size, self.known = kernel, X, size, 0
        self.rows = list(gen_batches(X.shape[0], BLOCK_ROWS))
        self.memory = np.empty(X.shape[0] * size)
        self.panels = [self.memory[r.start * size : r.stop * size].reshape(size, -1) for r in self.rows]
        self.triangle = np.zeros((size, size))
        self.pivots = np.zeros(size, dtype=np.int64)
        self.residual = kernel.diagonal(X)
        self.remoteness = _remoteness(normalize(X) if kernel.name == "cosine" else X)
        self.slack = ROUNDING * self.residual.max()
        if self.slack <= 0.0:
            raise ValueError("All items are 0 in the space of the kernel: there is nothing to span.")

    def complete(self, progress: Progress) -> None:
        """Go on in rounds until all components are there or nothing is left to describe."""
        with one_blas_thread():
            while self.known < self.size and self.residual.max() > self.slack:
                self._update(self._choose(*self._contenders()))
                progress(self.known, self.size)
        worst = int(self.residual.argmin())
        if self.residual[worst] < -INDEFINITE / ROUNDING * self.slack:
            raise ValueError(
                f"The kernel is not positive semidefinite: item {worst} would have the squared distance "
                f"{self.residual[worst]:g} to the span of {self.known} others. Check the kernel matrix, or "
                "add a constant to its diagonal."
            )

    def features(self) -> Floats:
        """Return the coordinates, one row an item, in the memory of the panels, which are gone then."""

        def turn(panel: Floats) -> None:
            panel.reshape(-1, self.size)[:] = panel.T.copy()

        in_parallel(turn, self.panels)
        return self.memory.reshape(-1, self.size)[:, : self.known]

    def _contenders(self) -> tuple[Integers, float]:
        """Return the items described worst, and the largest residual of the others."""
        n_items = len(self.residual)
        if n_items <= CONTENDERS:
            return np.arange(n_items), 0.0
        tied = np.flatnonzero(self.residual >= self.residual.max() - self.slack)
        if len(tied) > CONTENDERS:
            chosen = tied[np.argpartition(self.remoteness[tied], CONTENDERS)[:CONTENDERS]]
        else:
            chosen = np.argpartition(-self.residual, CONTENDERS)[:CONTENDERS]
        others = np.ones(n_items, dtype=bool)
        others[chosen] = False
        return np.sort(chosen), float(self.residual[others].max())

    def _choose(self, items: Integers, bound: float) -> int:
        """Add pivots from the given items as long as one of them is the worst; return the new number."""
        X, residual, remoteness = self.X[items], self.residual[items], self.remoteness[items]
        panel = self._panel(items)
        for j in range(self.known, self.size):
            worst = max(residual.max(), bound)
            tied = np.flatnonzero(residual >= max(worst - self.slack, self.slack))
            if len(tied) == 0:
                return j
            i = tied[np.argmin(remoteness[tied])]
            self.pivots[j] = items[i]
            self.triangle[j, :j] = panel[:j, i]
            self.triangle[j, j] = np.sqrt(residual[i])
            column = self.kernel.block(X, self.kernel.basis(self.X, self.pivots[j : j + 1]))[:, 0]
            panel[j] = (column - panel[:j, i] @ panel[:j]) / self.triangle[j, j]
            residual -= panel[j] ** 2
        return self.size

    def _panel(self, items: Integers) -> Floats:
        """Return the coordinates of some items, in ascending order of their rows, with room for more."""
        panel = np.empty((self.size, len(items)))
        cuts = np.searchsorted(items, [rows.start for rows in self.rows] + [len(self.residual)])
        for rows, whole, start, stop in zip(self.rows, self.panels, cuts[:-1], cuts[1:], strict=True):
            panel[: self.known, start:stop] = whole[: self.known, items[start:stop] - rows.start]
        return panel

    def _update(self, known: int) -> None:
        """Compute the coordinates of the new pivots for all items."""
        old, new = slice(self.known), slice(self.known, known)
        pivots, across = self.X[self.pivots[new]], self.triangle[new, old]
        upper = self.triangle[new, new].T

        def fill(b: int) -> None:
            panel = self.panels[b][new]
            panel[:] = self.kernel.block(pivots, self.kernel.basis(self.X, self.rows[b]))
            # numpy's product lets other threads run meanwhile, which scipy's dgemm does not
            panel -= across @ self.panels[b][old]
            dtrsm(1.0, upper, panel.T, side=1, overwrite_b=1)
            self.residual[self.rows[b]] -= np.einsum("ij,ij->j", panel, panel)

        in_parallel(fill, range(len(self.rows)))
        self.residual[self.pivots[new]] = 0.0
        self.known = known


def _remoteness(X: Features) -> Floats:
    """Return the squared distance of each row to the mean of all rows, up to a constant."""
    mean = np.asarray(X.mean(axis=0)).ravel()
    if issparse(X):
        return squared_lengths(X) - 2.0 * (X @ mean)
    remoteness = np.empty(X.shape[0])
    for rows in gen_batches(X.shape[0], BLOCK_ROWS):
        remoteness[rows] = squared_lengths(X[rows] - mean)
    return remoteness


def _forward(triangle: Floats, block: Floats) -> Floats:
    """Solve ``f triangle' = block`` by forward substitution."""
    return solve_triangular(triangle, block.T, lower=True, overwrite_b=True, check_finite=False).T
