"""Names of metrics: read, printed, refused."""

import pickle

import numpy as np
import pytest

from semirank import metrics


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("nDCG@10", "nDCG@10"),
        ("NDCG@10", "nDCG@10"),
        ("ndcg(gain=exponential)@10", "nDCG@10"),
        (" nDCG( gain=linear )@5 ", "nDCG(gain=linear)@5"),
        ("AP", "AP"),
        ("map", "AP"),
        ("AUP@500", "AP@500"),
        ("AP(rel=2)@500", "AP(rel=2)@500"),
        ("AP(rel=0.5)", "AP(rel=0.5)"),
        ("P@50", "P@50"),
        ("recall@100", "R@100"),
        ("MRR", "RR"),
        ("auc", "AUC"),
        ("AUC(strict=True,rel=1)", "AUC(rel=1,strict=True)"),
        ("judged@10", "Judged@10"),
        ("wss@95", "WSS@95"),
        ("WSS@97.5", "WSS@97.5"),
        ("WSS@100", "WSS@100"),
        ("disagreement", "Disagreement"),
    ],
)
def test_names_are_read_and_printed(text, name):
    metric = metrics.parse(text)
    assert metric.name == str(metric) == name
    assert metrics.parse(metric.name) == metric
    assert metrics.parse(metric) is metric


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nDGC@10", r"no metric 'nDGC'\. Did you mean nDCG\? Metrics: nDCG@10, AP@500, P@50,"),
        ("F1", r"no metric 'F1'\. Metrics: "),
        ("nDCG@", r"'nDCG@' is not the name of a metric"),
        ("", r"'' is not the name of a metric"),
        ("P", r"'P' lacks its number: write for example P@50"),
        ("WSS", r"write for example WSS@95"),
        ("WSS@0", r"recall must be a number in \(0, 1\]; got 0"),
        ("WSS@101", r"recall must be a number in \(0, 1\]; got 1.01"),
        ("P@0", r"cutoff must be a whole number in \[1, inf\); got 0"),
        ("P@2.5", r"'2.5' after @ is not a whole number"),
        ("AUC@3", r"AUC takes no number after @"),
        ("nDCG(gain=log)@3", r"gain must be 'exponential' or 'linear'; got 'log'"),
        ("P(depth=3)@3", r"'depth=3' does not set a parameter: .* Parameters: rel\."),
        ("AP(rel=high)", r"rel must be .* number; got 'high'"),
    ],
)
def test_what_cannot_be_read_is_explained(text, message):
    with pytest.raises(ValueError, match=message):
        metrics.parse(text)


def test_metrics_are_equal_by_name_and_survive_pickling():
    one, other = metrics.parse("ndcg@5"), metrics.parse("nDCG@5")
    assert one == other
    assert len({one, other, metrics.parse("nDCG@6")}) == 2
    assert pickle.loads(pickle.dumps(one)) == one


def test_unknown_options_are_refused():
    with pytest.raises(ValueError, match=r"AP has no option 'depth'\. Options: cutoff, relevant"):
        metrics.parse("AP").with_options(depth=3)


@pytest.mark.parametrize("metric", metrics.METRICS.values(), ids=str)
def test_every_declaration_is_complete(metric):
    assert metrics.parse(metric.example).base == metric.base
    assert set(metric.limits) == set(metric.defaults)
    assert metric.meaning.endswith(".")


def test_functions_and_names_are_the_same_metric():
    rng = np.random.default_rng(0)
    y, scores, qid = rng.integers(0, 3, 90), rng.integers(0, 9, 90), rng.integers(0, 5, 90)
    by_function = {
        "nDCG(gain=linear)@5": metrics.ndcg(y, scores, qid, cutoff=5, gain="linear"),
        "AP(rel=2)@7": metrics.average_precision(y, scores, qid, cutoff=7, relevant=2),
        "P@5": metrics.precision_at(y, scores, qid, cutoff=5),
        "R@5": metrics.recall_at(y, scores, qid, cutoff=5),
        "RR": metrics.reciprocal_rank(y, scores, qid),
        "AUC(strict=True)": metrics.auc(y, scores, qid, strict=True),
        "Disagreement": metrics.disagreement(y, scores, qid),
        "WSS@80": metrics.wss_at(y, scores, qid, recall=0.8),
        "Judged@5": metrics.judged_at(y, scores, qid, cutoff=5),
    }
    by_name = metrics.measure(by_function, y, scores, qid)
    assert list(by_name) == list(by_function)
    for name, values in by_function.items():
        np.testing.assert_array_equal(by_name[name], values)


def test_a_single_name_may_stand_alone():
    assert list(metrics.measure("nDCG@10", [1, 0], [1, 2])) == ["nDCG@10"]
    assert list(metrics.measure(metrics.parse("AP"), [1, 0], [1, 2])) == ["AP"]


def test_an_error_is_better_when_it_is_lower():
    worse = {name for name, metric in metrics.METRICS.items() if not metric.greater_is_better}
    assert worse == {"Disagreement"}
