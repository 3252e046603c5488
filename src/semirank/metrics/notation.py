"""One notation for metrics: "nDCG@10" in Python, on the command line and in a table."""

import re
from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any, Unpack

from semirank.core.arrays import Floats
from semirank.limits import parse_setting
from semirank.metrics.auc import AUC
from semirank.metrics.average_precision import AVERAGE_PRECISION
from semirank.metrics.disagreement import DISAGREEMENT
from semirank.metrics.judged import JUDGED
from semirank.metrics.metric import SPELLING, Metric
from semirank.metrics.ndcg import NDCG
from semirank.metrics.precision import PRECISION, RECALL
from semirank.metrics.ranking import How, Ranking
from semirank.metrics.reciprocal_rank import RECIPROCAL_RANK
from semirank.metrics.top_label import TOP_LABEL
from semirank.metrics.work_saved import WORK_SAVED

METRICS = {
    metric.base: metric
    for metric in (
        NDCG,
        AVERAGE_PRECISION,
        PRECISION,
        RECALL,
        RECIPROCAL_RANK,
        AUC,
        DISAGREEMENT,
        TOP_LABEL,
        WORK_SAVED,
        JUDGED,
    )
}
"""Every metric that has a name, by that name, without options."""

_BY_NAME = {name.lower(): metric for metric in METRICS.values() for name in (metric.base, *metric.aliases)}
_NOTATION = re.compile(r"\s*([A-Za-z]\w*)\s*(?:\(([^()]*)\))?\s*(?:@\s*([\d.]+))?\s*")


def parse(name: str | Metric) -> Metric:
    """Read a metric from its name: ``base``, options in brackets, and a number after @.

    Upper and lower case are the same in the base. Known bases are the keys of `METRICS`; MAP, AUP,
    MRR, Precision and Recall are understood as well.

    See Also
    --------
    measure : several at once.

    Examples
    --------
    >>> from semirank.metrics import parse
    >>> parse("ndcg(gain=linear)@10").name
    'nDCG(gain=linear)@10'
    >>> parse("MAP").name, parse("AP(rel=2)@500").options
    ('AP', {'cutoff': 500, 'relevant': 2.0})
    """
    if isinstance(name, Metric):
        return name
    parts = _NOTATION.fullmatch(name)
    if not parts:
        raise ValueError(f"{name!r} is not the name of a metric. {_names()}")
    base, settings, number = parts.groups()
    metric = _find(base)
    options = _read_settings(metric, settings or "")
    if number is not None:
        options |= _read_number(metric, name, number)
    elif metric.at and metric.defaults[metric.at] not in metric.limits[metric.at]:
        raise ValueError(f"{name!r} lacks its number: write for example {metric.example}.")
    return metric.with_options(**options)


def measure(
    names: str | Metric | Iterable[str | Metric],
    y: Any,
    scores: Any,
    qid: Any = None,
    **how: Unpack[How],
) -> dict[str, Floats]:
    """Compute several metrics of the same scores, which are checked and sorted only once.

    Parameters
    ----------
    names : str, Metric, or several of them
        What to measure, as `parse` reads it.
    y : array of shape (n_items,)
        Labels, NaN where there is none.
    scores : array of shape (n_items,)
        Finite scores, higher is better.
    qid : array of shape (n_items,), optional
        The list of each item, in any order; None: one list.
    **how
        `ties`, `unlabelled` and `item_ids`: see `semirank.metrics`.

    Returns
    -------
    values : dict
        From the name of each metric to one value for each list.

    See Also
    --------
    parse : a metric from its name.
    semirank.evaluate : of a dataset, with means.

    Examples
    --------
    >>> from semirank.metrics import measure
    >>> measure(["nDCG@10", "P@2"], [1, 0, 0, 1], [4, 3, 2, 1], qid=["a", "a", "b", "b"])
    {'nDCG@10': array([1.        , 0.63092975]), 'P@2': array([0.5, 0.5])}
    """
    metrics = [parse(name) for name in ([names] if isinstance(names, (str, Metric)) else names)]
    ranking = Ranking(y, scores, qid, **how)
    return {metric.name: metric.of(ranking) for metric in metrics}


def _find(base: str) -> Metric:
    if base.lower() in _BY_NAME:
        return _BY_NAME[base.lower()]
    near = get_close_matches(base.lower(), _BY_NAME, n=1)
    hint = f"Did you mean {_BY_NAME[near[0]].base}? " if near else ""
    raise ValueError(f"There is no metric {base!r}. {hint}{_names()}")


def _names() -> str:
    return "Metrics: " + ", ".join(metric.example for metric in METRICS.values()) + "."


def _read_settings(metric: Metric, settings: str) -> dict[str, Any]:
    limits = {
        SPELLING.get(option, option): limit for option, limit in metric.limits.items() if option != metric.at
    }
    options = {spelling: option for option, spelling in SPELLING.items()}
    read = [parse_setting(limits, setting.strip()) for setting in settings.split(",") if setting.strip()]
    return {options.get(name, name): value for name, value in read}


def _read_number(metric: Metric, name: str, number: str) -> dict[str, Any]:
    if metric.at is None:
        raise ValueError(f"{name!r}: {metric.base} takes no number after @.")
    try:
        value = float(number) / 100 if metric.at == "recall" else int(number)
    except ValueError:
        raise ValueError(f"{name!r}: {number!r} after @ is not a whole number.") from None
    return {metric.at: value}


class MetricName:
    """What a parameter may be: the name of a metric, or one of some other words.

    Examples
    --------
    >>> "nDCG@10" in MetricName(), "auto" in MetricName(), "auto" in MetricName("auto")
    (True, False, True)
    """

    def __init__(self, *others: str) -> None:
        self.others = others

    def __contains__(self, value: object) -> bool:
        if not isinstance(value, str):
            return False
        try:
            return value in self.others or bool(parse(value))
        except ValueError:
            return False

    def __str__(self) -> str:
        return " or ".join([*map(repr, self.others), "the name of a metric such as 'nDCG@10'"])

    def parse(self, text: str) -> str:
        """Take the text as it is."""
        return text
