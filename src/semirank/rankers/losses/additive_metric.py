"""Metrics as sums over items, which can be followed from crossing to crossing."""

from typing import NamedTuple

import numpy as np

from semirank.core.arrays import Floats
from semirank.core.lines import COUNTING, FIRST, PAIRS, PLAIN
from semirank.metrics import Metric


class AdditiveMetric(NamedTuple):
    """A metric up to a factor for each list; see `semirank.core.lines`."""

    kind: int
    gains: Floats
    discounts: Floats


def additive_metric(metric: Metric, labels: Floats, longest: int) -> AdditiveMetric | None:
    """Return a metric as a sum over items, lists having `longest` of them at most; None if it is no sum."""
    options = metric.options
    ranks = np.arange(1.0, min(options.get("cutoff") or longest, longest) + 1.0)
    relevant = options.get("relevant")
    hits = (labels > 0 if relevant is None else labels >= relevant).astype(np.float64)
    match metric.base:
        case "nDCG":
            return AdditiveMetric(PLAIN, _gains(labels, options["gain"]), 1.0 / np.log2(ranks + 1.0))
        case "P" | "R":
            return AdditiveMetric(PLAIN, hits, np.ones(len(ranks)))
        case "Label":
            return AdditiveMetric(PLAIN, labels, np.ones(len(ranks)))
        case "AP":
            return AdditiveMetric(COUNTING, hits, 1.0 / ranks)
        case "RR":
            return AdditiveMetric(FIRST, hits, 1.0 / ranks)
        case "AUC":
            return AdditiveMetric(PAIRS, labels if relevant is None else hits, ranks)
        case "Disagreement":
            return AdditiveMetric(PAIRS, labels, ranks)
    return None


def _gains(labels: Floats, gain: str) -> Floats:
    positive = np.maximum(labels, 0.0)
    return np.exp2(positive) - 1.0 if gain == "exponential" else positive
