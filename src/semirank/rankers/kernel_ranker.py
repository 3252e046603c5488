"""What rankers share whose scores are weighted sums of kernels with items."""

from math import inf
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from scipy.sparse import issparse
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from semirank.core.arrays import Floats
from semirank.dataset import Features, RankingDataset
from semirank.kernels import Kernel, resolve
from semirank.learned import AnyOf, Array, Number, Optional, Table
from semirank.limits import Between, Either, OneOf
from semirank.rankers._base import Ranker
from semirank.rankers.formulas import Bells, Linear
from semirank.rankers.losses.squared import ListSquared
from semirank.rankers.solvers.least_squares import Expansion

RIDGE = Between(0, inf, closed="neither")
COMPONENTS = Either(Between(1, inf, Integral), OneOf(None))
DEGREE = Between(1, inf, Integral)


class KernelRanker(Ranker):
    """A ranker with weights of features (linear kernel) or of items (other kernels).

    A subclass has the parameters `kernel`, `gamma` and `degree`, and calls `_keep` in `fit`.
    """

    kernel: str
    gamma: float | None
    degree: int

    learned: ClassVar[Table] = Ranker.learned | {
        "gamma_": AnyOf(None, Number(0)),
        "coef_": Optional(Array("n_features")),
        "items_": Optional(
            AnyOf(
                Array("n_basis", "n_features", dtype="float", sparse=True),
                Array("n_basis", dtype="int64", low=0, high="n_features"),
            )
        ),
        "dual_coef_": Optional(Array("n_basis")),
    }

    coef_: Floats
    items_: Features
    dual_coef_: Floats
    gamma_: float | None

    def predict(self, X: Any, qid: Any = None) -> Floats:
        """Score new items; `qid` does not matter, since no list has a model of its own."""
        data = self._check_new(X, qid)
        return data.restore(self._score(data.X))

    def formula(self) -> Linear | Bells:
        """Return what `predict` computes, for the linear and the rbf kernel."""
        check_is_fitted(self, "gamma_")
        if self.kernel == "linear":
            return Linear(self.coef_)
        if self.kernel != "rbf":
            raise ValueError(f"There is no formula for the kernel {self.kernel!r}: take 'linear' or 'rbf'.")
        items = self.items_.toarray() if issparse(self.items_) else self.items_
        return Bells(items, self.dual_coef_, float(self.gamma_ or 0.0))

    def _resolve(self, data: RankingDataset) -> Kernel:
        as_given = self.kernel == "precomputed" and not issparse(data.X)
        X = data.restore(data.X) if as_given else data.X
        return resolve(self.kernel, self.gamma, X, degree=self.degree)

    def _require_pairs(self, loss: ListSquared, data: RankingDataset) -> ListSquared:
        if loss.n_items == 0 or not data.labels_differ.any():
            raise ValueError(
                f"{type(self).__name__} learns from items of one list with different labels, and no list has "
                f"two (n_samples={data.n_items}, {int(data.labelled.sum())} labelled). Label more items."
            )
        return loss

    def _keep(self, expansion: Expansion, weights: Floats) -> None:
        self.gamma_ = expansion.kernel.gamma
        if self.kernel == "linear":
            self.coef_ = weights
        else:
            self.items_, self.dual_coef_ = expansion.items, weights

    def _score(self, X: Features) -> Floats:
        kernel = Kernel(self.kernel, self.gamma_, self.degree)
        if self.kernel == "linear":
            return Expansion(kernel, None).score(X, self.coef_)
        return Expansion(kernel, self.items_).score(X, self.dual_coef_)

    def _check_state(self) -> None:
        super()._check_state()
        needed = ("coef_",) if self.kernel == "linear" else ("items_", "dual_coef_")
        if not all(hasattr(self, name) for name in needed):
            raise ValueError(f"{' and '.join(needed)} must be there for kernel={self.kernel!r}")
        if self.kernel != "linear" and (self.kernel == "precomputed") != (self.items_.ndim == 1):
            raise ValueError("items_ must hold items, or of a precomputed kernel their rows")

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags


def check_positive(name: str, values: Any) -> Floats:
    """Return one or more numbers as an array; refuse what is not positive."""
    found = np.atleast_1d(np.asarray(values, dtype=np.float64))
    if found.ndim != 1 or len(found) == 0 or not (np.isfinite(found) & (found > 0.0)).all():
        raise ValueError(f"{name} must be positive numbers; got {values!r}.")
    return found
