"""Is a difference more than chance? Tests, corrections and intervals for a few paired observations."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import bootstrap, permutation_test
from scipy.stats import t as student

from semirank.core.arrays import Floats
from semirank.results.result import Interval

EXACT_UP_TO = 15
N_FLIPS = 9_999
N_RESAMPLES = 2_000
POWER = 0.8
_BLOCK = 2**22  # numbers held at a time


@dataclass(frozen=True)
class Paired:
    """The outcome of a test on paired observations.

    Attributes
    ----------
    p_value : float
        Two-sided.
    error : float
        Standard error of the mean difference.
    degrees : float
        Its degrees of freedom.
    smallest_p : float
        No data of this size could give less.
    test : str
        The name of the test.
    """

    p_value: float
    error: float
    degrees: float
    smallest_p: float
    test: str

    def detectable(self, level: float) -> float | None:
        """Return the smallest true difference that is found at this level with a power of 0.8.

        ``(t[1 - level / 2] + t[0.8]) * error``, with quantiles of Student's distribution; None where no
        difference could reach the level.
        """
        if self.smallest_p > level:
            return None
        return float(
            (student.ppf(1 - level / 2, self.degrees) + student.ppf(POWER, self.degrees)) * self.error
        )


def sign_flip_test(differences: Any, random_state: Any = 0) -> Paired:
    """Test whether paired differences are centred on 0 by flipping their signs.

    If a ranker and its baseline are equally good, each difference could as well have had the other sign.
    The p-value is the share of sign patterns whose mean is at least as far from 0 as the one seen: of all
    ``2**n`` patterns up to 15 differences, of 9,999 random ones (and the one seen) beyond.

    The differences must be independent of each other: one for each list, say, not one for each repetition
    on the same list.

    Parameters
    ----------
    differences : array of shape (n,)
        Finite numbers, two at least.
    random_state : int or Generator
        Seed of the random patterns.

    Notes
    -----
    O(2**n) time up to n = 15, O(9999 n) beyond.

    Examples
    --------
    >>> sign_flip_test([1, 2, 3, 4, 5]).p_value
    0.0625
    """
    d = np.asarray(differences, dtype=np.float64)
    n = len(d)
    exact = n <= EXACT_UP_TO
    found = permutation_test(
        (d,),
        np.mean,
        permutation_type="samples",  # of one sample: flips of signs
        n_resamples=np.inf if exact else N_FLIPS,
        vectorized=True,
        batch=max(1, _BLOCK // n),
        random_state=np.random.default_rng(random_state),
    )
    error = float(d.std(ddof=1) / np.sqrt(n))
    smallest = 2.0 ** (1 - n) if exact else 2 / (1 + N_FLIPS)
    test = "all sign flips" if exact else "random sign flips"
    return Paired(float(found.pvalue), error, n - 1, smallest, test)


def corrected_t_test(differences: Any, test_ratio: float) -> Paired:
    """Test paired differences of folds that share most of what they learned from.

    Folds of repeated cross-validation reuse the same labels, so their differences hang together and a
    plain test finds differences that are none. The correction of Nadeau and Bengio [1]_ replaces the
    variance of the mean ``s^2 / n`` by ``s^2 (1 / n + test_ratio)``.

    Parameters
    ----------
    differences : array of shape (n,)
        One for each fold of each repetition.
    test_ratio : float
        Held-out labels for each label shown.

    References
    ----------
    .. [1] C. Nadeau, Y. Bengio. Inference for the generalization error. Machine Learning 52, 2003.

    Examples
    --------
    >>> round(corrected_t_test([0.1, 0.2, 0.3, 0.2], test_ratio=0.25).p_value, 4)
    0.0405
    """
    d = np.asarray(differences, dtype=np.float64)
    error = float(d.std(ddof=1) * np.sqrt(1 / len(d) + test_ratio))
    if error > 0:
        p = float(2 * student.sf(abs(d.mean()) / error, len(d) - 1))
    else:
        p = 1.0 if d.mean() == 0 else 0.0
    return Paired(p, error, len(d) - 1, 0.0, "corrected t-test")


def holm(p_values: Any) -> Floats:
    """Correct p-values for their number, so that the chance of any false finding stays at the level.

    The i-th smallest of m is multiplied by m - i + 1, and none may be below a smaller one [1]_.

    References
    ----------
    .. [1] S. Holm. A simple sequentially rejective multiple test procedure. Scand. J. Statist. 6, 1979.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03])
    array([0.03, 0.06, 0.06])
    """
    p = np.asarray(p_values, dtype=np.float64)
    order = np.argsort(p)
    adjusted = np.empty_like(p)
    adjusted[order] = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    return np.minimum(adjusted, 1.0)


def bootstrap_interval(values: Any, confidence: float = 0.95, random_state: Any = 0) -> Interval | None:
    """Give the interval of a mean: percentiles of the means of 2,000 resamples, drawn with replacement.

    None for fewer than two values.

    Examples
    --------
    >>> bootstrap_interval([0.5, 0.5, 0.5])
    Interval(low=0.5, high=0.5)
    """
    values = np.asarray(values, dtype=np.float64)
    if len(values) < 2:
        return None
    found = bootstrap(
        (values,),
        np.mean,
        n_resamples=N_RESAMPLES,
        batch=max(1, _BLOCK // len(values)),
        vectorized=True,
        confidence_level=confidence,
        method="percentile",
        random_state=np.random.default_rng(random_state),
    ).confidence_interval
    return Interval(float(found.low), float(found.high))


def student_interval(mean: float, outcome: Paired, confidence: float = 0.95) -> Interval:
    """Give the interval ``mean -+ t * error`` of an outcome whose observations are not independent."""
    reach = float(student.ppf((1 + confidence) / 2, outcome.degrees)) * outcome.error
    return Interval(mean - reach, mean + reach)
