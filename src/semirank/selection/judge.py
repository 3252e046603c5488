"""From the values of two rankers to a verdict."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from semirank import metrics
from semirank.core.arrays import Floats
from semirank.results.result import Contrast, Interval, Judgement, Result, Unit
from semirank.selection.significance import (
    Paired,
    bootstrap_interval,
    corrected_t_test,
    holm,
    sign_flip_test,
    student_interval,
)


@dataclass(frozen=True)
class Judge:
    """How differences are tested.

    Attributes
    ----------
    unit : {"list", "draw", "fold"}
        What counts as one observation.
    test_ratio : float
        Held-out labels for each label shown; for folds.
    confidence : float
        Of intervals; verdicts are given at 1 - confidence.
    metric : str
        Its name; intervals stay where its values lie.
    sign : {1, -1}
        -1: less of the metric is better.
    seed : int
        Of resampling.
    """

    unit: Unit
    test_ratio: float
    confidence: float
    metric: str
    sign: int
    seed: int

    def mean_interval(self, values: Floats) -> Interval | None:
        """Give the interval of a mean of the metric, which cannot leave the values that the metric has."""
        found = self.interval(values)
        low, high = metrics.parse(self.metric).span
        return None if found is None else Interval(max(found.low, low), min(found.high, high))

    def interval(self, values: Floats) -> Interval | None:
        """Give the interval of a mean of observations."""
        if len(values) < 2:
            return None
        if self.unit == "fold":
            return student_interval(float(values.mean()), self._test(values), self.confidence)
        return bootstrap_interval(values, self.confidence, self.seed)

    def contrast(
        self, baseline: str, differences: Floats, deltas: tuple[float | None, ...]
    ) -> tuple[Contrast, Paired | None]:
        """Compare on paired observations; the verdict waits for the correction of `judge_all`."""
        d = self.sign * differences
        outcome = self._test(d) if len(d) > 1 else None
        mean = float(d.mean())
        contrast = Contrast(
            baseline=baseline,
            difference=mean,
            interval=self.interval(d),
            p_value=1.0 if outcome is None else outcome.p_value,
            p_adjusted=1.0,
            test="none" if outcome is None else outcome.test,
            unit=self.unit,
            n_units=len(d),
            changed=float(np.mean(d != 0)),
            improved=float(np.mean(d > 0)),
            degraded=float(np.mean(d < 0)),
            deltas=deltas,
            detectable=None,
            verdict="no evidence",
        )
        return contrast, outcome

    def judge_all(self, pairs: Sequence[tuple[Contrast, Paired | None]]) -> list[Contrast]:
        """Correct the p-values of several contrasts for their number, and pronounce the verdicts."""
        if not pairs:
            return []
        level = 1 - self.confidence
        adjusted = holm([contrast.p_value for contrast, _ in pairs])
        found = []
        for (contrast, outcome), p in zip(pairs, adjusted.tolist(), strict=True):
            detectable = None if outcome is None else outcome.detectable(level / len(pairs))
            verdict = _verdict(contrast.difference, p, level)
            found.append(replace(contrast, p_adjusted=p, detectable=detectable, verdict=verdict))
        return found

    def _test(self, differences: Floats) -> Paired:
        if self.unit == "fold":
            return corrected_t_test(differences, self.test_ratio)
        return sign_flip_test(differences, self.seed)


def _verdict(difference: float, p: float, level: float) -> Judgement:
    if p >= level or difference == 0:
        return "no evidence"
    return "helps" if difference > 0 else "harms"


def best_of(results: Sequence[Result], sign: int) -> Result | None:
    """Return the finished ranker with the best mean, the first of equals."""
    finished = [each for each in results if each.status == "finished" and each.mean is not None]
    return max(finished, key=lambda each: sign * (each.mean or 0.0), default=None)
