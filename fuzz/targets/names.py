"""Names of metrics and settings of rankers: a value inside its limits, or a ValueError that says why not."""

from semirank.limits import parse_setting
from semirank.metrics import measure
from semirank.metrics.notation import parse
from semirank.registry import ranker_class, ranker_names

INSTRUMENTED = ("semirank.metrics.notation", "semirank.metrics.metric", "semirank.limits")
SEEDS = [b"MnDCG@10", b"MAP", b"MWSS@95", b"MP(rel=2)@5", b"MAUC", b"MRR", b"Mjudged@7"]
RANKERS = {name: ranker_class(name).limits for name in ranker_names()}
SEEDS += [f"S{name}:{param}=1".encode() for name, limits in RANKERS.items() for param in list(limits)[:3]]
SEEDS += [
    b"Smanifold-ranking:sigma=median",
    b"Smanifold-ranking-cv:alphas=0.9,0.99",
    b"Srankboost:n_bins=None",
]


def check(data: bytes) -> None:
    """Read a metric after M, a setting after S."""
    kind, text = data[:1], data[1:].decode("utf-8", "replace")
    if kind == b"M":
        _check_metric(text)
    elif kind == b"S":
        name, _, setting = text.partition(":")
        if name in RANKERS:
            _check_setting(RANKERS[name], setting)


def _check_metric(text: str) -> None:
    try:
        metric = parse(text)
    except ValueError as error:
        assert str(error)
        return
    assert parse(metric.name).name == metric.name
    values = measure(metric, [1, 0, 2, 0], [4.0, 3.0, 2.0, 1.0])[metric.name]
    assert values.shape == (1,)


def _check_setting(limits: dict, setting: str) -> None:
    try:
        name, value = parse_setting(limits, setting)
    except ValueError as error:
        assert str(error)
        return
    assert value in limits[name]
