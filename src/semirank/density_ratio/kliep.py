"""KLIEP: weights that make one set of rows look like another."""

import warnings
from collections.abc import Mapping
from math import inf
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from scipy.sparse import issparse
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import _check_sample_weight, check_array, check_is_fitted

from semirank.core.arrays import Floats, Integers
from semirank.core.threads import one_blas_thread
from semirank.dataset import DataWarning, Features, check_sparse
from semirank.density_ratio.gaussian_basis import Distances, GaussianBasis
from semirank.density_ratio.likelihood import Likelihood
from semirank.density_ratio.mixture_weights import MixtureWeights
from semirank.kernels import fixed_projection
from semirank.learned import Array, Number, Table, count
from semirank.limits import FLAG, Between, Either, Limit, OneOf, check_limits
from semirank.storage import Storable

WIDTHS = (0.25, 0.5, 1.0, 2.0, 4.0)
ROUNDING = 1e-12


class KLIEP(Storable, BaseEstimator):
    r"""Estimate the ratio of two densities, that of the test rows to that of the training rows.

    The ratio is a sum of Gaussian basis functions around some of the test rows [1]_,

    .. math:: w(x) = \sum_b \beta_b \psi_b(x), \qquad \psi_b(x) = e^{-|x - c_b|^2 / (2\,width^2)},

    with the coefficients that make the test rows most likely,

    .. math:: \max_{\beta \ge 0} \; \frac1U \sum_{u} \log w(x_u)
       \quad\text{where training rows have a mean weight of 1.}

    With ``m_b`` the mean of a function over the training rows, ``beta_b m_b`` are the weights of a mixture:
    they are not negative and sum to 1. So EM solves it without a step size, Newton's method finishes, and a
    certificate says how far from the optimum the answer can be at most (see
    `semirank.density_ratio.mixture_weights.most_likely`).

    A centre whose function hardly meets the training rows (sum below 0.001) is left out: it would
    explain test rows by weights that no training row has.

    Parameters
    ----------
    width : float, optional
        Width of the basis functions. None: of the median distance of test rows to centres, times 1/4, 1/2,
        1, 2 and 4, the one with the greatest likelihood of test rows held out.
    n_centres : int
        How many test rows are centres: every so many-th in the order of their projection on a fixed
        direction, so that there is no seed and the order of the rows does not matter.
    even : bool
        Whether a row x and its mirror image -x mean the same, as the difference of two items does when nobody
        knows which is better. The functions are then ``psi_b(x) + psi_b(-x)``, and weights do not depend on
        the orientation of any row.
    n_folds : int
        Into how many parts the test rows are dealt out to choose the width.
    tol : float
        Stop when the certificate is no more. Below 1e-7 or so, rounding may keep it from being reached.
    max_iter : int
        Stop after so many steps, with a warning.

    Attributes
    ----------
    weights_ : float64 array of shape (n_train,)
        Weights of the training rows; their mean is 1.
    certificate_ : float
        The greatest mean log-weight of test rows, for this width and these centres, exceeds that reached by
        no more than this.
    likelihoods_ : float64 array
        Mean log-weight of the test rows at the start and after each step. It never falls. At the end, weights
        of 1 would have 0.
    width_ : float
        Width of the basis functions.
    cv_widths_, cv_likelihoods_ : float64 arrays
        The widths tried, and the mean log-weight of test rows held out; empty when the width was given.
    effective_size_ : float
        ``sum(w)^2 / sum(w^2)`` of the training rows: so many equally weighted rows would average as steadily.
    centres_ : array or CSR matrix of shape (n_centres_kept, n_features)
        The centres that were not left out.
    coefficients_ : float64 array of shape (n_centres_kept,)
        The coefficients beta.

    Warns
    -----
    DataWarning
        When no training row is near any test row. All weights are 1 then.

    See Also
    --------
    ImportanceWeighting : uses it for pairs of items.
    semirank.density_ratio.effective_size : how many rows weights are worth.

    Notes
    -----
    With L training rows, U test rows, B centres and d features: O((L + U) B d) time for distances, which are
    the same for all widths, O(L B) for the basis of each width and O(U B) or O(U B^2) for a step, of which a
    dozen do. Memory is O(U B) and a block of a few megabytes, however many training rows there are; 10,000
    to 100,000 of them tell the means well enough. The results are the same bits for any number of threads.

    References
    ----------
    .. [1] M. Sugiyama, T. Suzuki, S. Nakajima, H. Kashima, P. von Bünau, M. Kawanabe. Direct importance
       estimation for covariate shift adaptation. Annals of the Institute of Statistical Mathematics 60, 2008.

    Examples
    --------
    >>> import numpy as np
    >>> from semirank import KLIEP
    >>> rng = np.random.default_rng(0)
    >>> train, test = rng.normal(size=(500, 1)), rng.normal(1.0, size=(200, 1))
    >>> ratio = KLIEP().fit(train, test)
    >>> ratio.predict([[-2.0], [0.0], [2.0]]).round(1)
    array([0. , 0.6, 3.9])
    >>> float(ratio.weights_.mean().round(6)), bool(ratio.certificate_ <= 1e-4)
    (1.0, True)
    """

    limits: ClassVar[Mapping[str, Limit]] = {
        "width": Either(Between(0, inf, closed="neither"), OneOf(None)),
        "n_centres": Between(1, kind=Integral),
        "even": FLAG,
        "n_folds": Between(2, kind=Integral),
        "tol": Between(0, inf, closed="neither"),
        "max_iter": Between(1, kind=Integral),
    }

    learned: ClassVar[Table] = {
        "n_features_in_": count("n_features", low=1),
        "weights_": Array("n_rows", low=0),
        "certificate_": Number(),
        "likelihoods_": Array("n_steps", infinite=True),
        "width_": Number(0),
        "cv_widths_": Array("n_widths", low=0),
        "cv_likelihoods_": Array("n_widths", infinite=True),
        "effective_size_": Number(0),
        "centres_": Array("n_centres", "n_features", sparse=True),
        "coefficients_": Array("n_centres", low=0),
    }

    weights_: Floats
    certificate_: float
    likelihoods_: Floats
    width_: float
    cv_widths_: Floats
    cv_likelihoods_: Floats
    effective_size_: float
    centres_: Features
    coefficients_: Floats
    n_features_in_: int

    def __init__(
        self,
        width: float | None = None,
        n_centres: int = 100,
        *,
        even: bool = False,
        n_folds: int = 5,
        tol: float = 1e-4,
        max_iter: int = 1000,
    ) -> None:
        self.width = width
        self.n_centres = n_centres
        self.even = even
        self.n_folds = n_folds
        self.tol = tol
        self.max_iter = max_iter

    def fit(self, train: Any, test: Any, sample_weight: Any = None) -> Self:
        """Find the weights of training rows that make them look like the test rows.

        A `sample_weight` of 2 counts as a training row given twice; its own weight, which makes it look like
        the test rows, comes on top.
        """
        self.estimate(*self._check(train, test, sample_weight))
        self._warn()
        return self

    def estimate(self, train: Features, test: Features, given: Floats) -> Self:
        """Do as `fit` does, without checks and warnings, for callers that do both for many fits at once."""
        self.n_features_in_ = int(train.shape[1])
        with one_blas_thread():
            order = self._order(test)
            basis = GaussianBasis(test[_evenly(order, self.n_centres)], self.even)
            distances = basis.distances(test)
            widths = self._widths(distances)
            sums = basis.sums(train, widths, given)
            likelihoods = [
                Likelihood.of(distances, row, float(given.sum()), width)
                for width, row in zip(widths, sums, strict=True)
            ]
            chosen, found = self._solve(likelihoods, order)
            self._keep(basis, likelihoods[chosen], found)
            self._weigh(train, given)
        return self

    def predict(self, X: Any) -> Floats:
        """Return the weights of new rows: 1 is as frequent among test rows as among training rows."""
        check_is_fitted(self, "coefficients_")
        X = _check_rows("X", X)
        if X.shape[1] != self.n_features_in_:
            raise ValueError(f"X has {X.shape[1]} features; KLIEP was fitted on {self.n_features_in_}.")
        with one_blas_thread():
            return self._ratio(X)

    def _check(self, train: Any, test: Any, sample_weight: Any) -> tuple[Features, Features, Floats]:
        check_limits(self.limits, self.get_params(deep=False))
        train, test = _check_rows("train", train), _check_rows("test", test)
        if train.shape[1] != test.shape[1]:
            raise ValueError(
                f"train has {train.shape[1]} features and test {test.shape[1]}; both must have the same."
            )
        given = _check_sample_weight(sample_weight, train, dtype=np.float64, ensure_non_negative=True)
        return train, test, given

    def _order(self, test: Features) -> Integers:
        """Return the rows in an order that depends neither on theirs nor, if even, on their orientation."""
        projection = fixed_projection(test)
        return np.argsort(np.abs(projection) if self.even else projection, kind="stable")

    def _widths(self, distances: Distances) -> list[float]:
        if self.width is not None:
            return [float(self.width)]
        median = _median_distance(distances)
        few = len(distances.near) == 1  # one test row: there is nothing to hold out
        return [median * multiple for multiple in ((1.0,) if few else WIDTHS)]

    def _solve(self, likelihoods: list[Likelihood], order: Integers) -> tuple[int, MixtureWeights]:
        """Return the number of the best likelihood, by likelihood of rows held out, and its solution."""
        self.cv_widths_ = self.cv_likelihoods_ = np.empty(0)
        if len(likelihoods) == 1:
            return 0, likelihoods[0].solve(self.tol, self.max_iter)
        n_folds = min(self.n_folds, len(order))
        fold_of_row = np.empty(len(order), dtype=np.int64)
        fold_of_row[order] = np.arange(len(order)) % n_folds
        found, held_out = [], []
        for likelihood in likelihoods:
            found.append(likelihood.solve(self.tol, self.max_iter))
            folds = (fold_of_row == fold for fold in range(n_folds))
            logs = [likelihood.held_out(fold, found[-1], self.tol, self.max_iter) for fold in folds]
            held_out.append(float(np.concatenate(logs).mean()))
        self.cv_widths_ = np.array([likelihood.width for likelihood in likelihoods])
        self.cv_likelihoods_ = np.array(held_out)
        chosen = int(np.argmax(held_out))
        return chosen, found[chosen]

    def _keep(self, basis: GaussianBasis, likelihood: Likelihood, found: MixtureWeights) -> None:
        self.width_ = likelihood.width
        self.centres_ = basis.centres[likelihood.kept]
        self.coefficients_ = found.weights / likelihood.means
        self.certificate_ = found.certificate
        self.likelihoods_ = found.likelihoods

    def _warn(self) -> None:
        if len(self.coefficients_) == 0:
            warnings.warn(
                "No training row is near any test row, so that no weights can make them look alike: all "
                "weights are 1. Scale the features alike, or give a larger width.",
                DataWarning,
                stacklevel=3,
            )
        elif self.certificate_ > self.tol:
            warnings.warn(
                f"KLIEP stopped {self.certificate_:.1e} or less from the greatest likelihood, after "
                f"{len(self.likelihoods_) - 1} steps; tol is {self.tol:g}. Raise max_iter or tol.",
                ConvergenceWarning,
                stacklevel=3,
            )

    def _weigh(self, train: Features, given: Floats) -> None:
        weights = self._ratio(train)
        self.weights_ = weights / np.average(weights, weights=given)
        self.effective_size_ = effective_size(self.weights_, given)

    def _ratio(self, X: Features) -> Floats:
        active = np.flatnonzero(self.coefficients_)
        if len(active) == 0:
            return np.ones(X.shape[0])
        basis = GaussianBasis(self.centres_, self.even).take(active)
        return basis.mixture(X, self.width_, self.coefficients_[active])

    def _check_state(self) -> None:
        check_limits(self.limits, self.get_params(deep=False))
        if not self.width_ > 0.0:
            raise ValueError("width_ must be above 0")


def effective_size(weights: Floats, counts: Floats) -> float:
    """Return how many equally weighted rows would average as steadily as rows that occur so many times."""
    return float((counts @ weights) ** 2 / (counts @ weights**2))


def _check_rows(name: str, X: Any) -> Features:
    X = check_sparse(X, name) if issparse(X) else X
    return check_array(X, accept_sparse="csr", dtype=np.float64, input_name=name)


def _evenly(order: Integers, number: int) -> Integers:
    """Return so many entries, or all if there are no more, evenly spaced."""
    return order[np.linspace(0, len(order) - 1, min(number, len(order))).astype(np.int64)]


def _median_distance(distances: Distances) -> float:
    """Return the median distance of rows to centres, and to mirrored ones, that are apart; 1 if none is."""
    near, gap = distances
    squares = near.ravel() if gap is None else np.concatenate([near, near + gap], axis=None)
    apart = squares[squares > ROUNDING * squares.max()]
    return float(np.median(np.sqrt(apart))) if len(apart) else 1.0
