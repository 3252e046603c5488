"""What holds for every metric: order of items, scale of scores, neighbours in the batch, bad input."""

import lzma
import warnings
from math import inf, nan

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from semirank import metrics

NAMES = [
    "nDCG", "nDCG@3", "nDCG(gain=linear)@5", "AP", "AP@4", "AP(rel=2)", "P@3", "R@3", "RR", "RR@2", "AUC",
    "AUC(strict=True)", "AUC(rel=2)", "Disagreement", "WSS@95", "WSS@50", "Judged@3",
]  # fmt: skip
every_metric = pytest.mark.parametrize("name", NAMES)
some_items = st.lists(
    st.tuples(
        st.sampled_from([nan, -1.0, 0.0, 0.0, 0.3, 1.0, 2.0]), st.integers(0, 5), st.sampled_from("abc")
    ),
    min_size=1,
    max_size=40,
)


def columns(rows):
    y, scores, qid = zip(*rows, strict=True)
    return np.array(y), np.array(scores, dtype=float), np.array(qid)


def measure(y, scores, qid=None):
    """Give one column a metric."""
    return np.column_stack(list(metrics.measure(NAMES, y, scores, qid).values()))


@given(rows=some_items, seed=st.integers(0, 99))
def test_order_of_the_items_does_not_matter(rows, seed):
    y, scores, qid = columns(rows)
    shuffled = np.random.default_rng(seed).permutation(len(y))
    before = dict(zip(dict.fromkeys(qid), measure(y, scores, qid), strict=True))
    after = measure(y[shuffled], scores[shuffled], qid[shuffled])
    expected = [before[q] for q in dict.fromkeys(qid[shuffled])]
    np.testing.assert_allclose(after, expected, rtol=0, atol=1e-12)


@given(rows=some_items)
def test_only_the_order_of_the_scores_matters(rows):
    y, scores, qid = columns(rows)
    np.testing.assert_array_equal(measure(y, np.exp(3 * scores) - 1e4, qid), measure(y, scores, qid))


@given(rows=some_items)
def test_lists_together_are_lists_apart(rows):
    y, scores, qid = columns(rows)
    apart = [measure(y[qid == q], scores[qid == q])[0] for q in dict.fromkeys(qid)]
    np.testing.assert_array_equal(measure(y, scores, qid), apart)


def test_a_short_list_is_not_changed_by_a_long_one():
    rng = np.random.default_rng(0)
    for size in (1, 5, 20, 31):
        y, scores = rng.choice([0.1, 0.3, 0.7], size + 200), rng.random(size + 200)
        together = measure(y, scores, np.arange(size + 200) >= size)
        np.testing.assert_array_equal(together[0], measure(y[:size], scores[:size])[0])


@given(rows=some_items)
def test_values_are_shares(rows):
    for name, values in metrics.measure(NAMES, *columns(rows)).items():
        assert np.nanmax(values, initial=0) <= 1, name
        assert np.nanmin(values, initial=0) >= (-1 if name.startswith("WSS") else 0), name


@given(rows=some_items)
def test_labels_as_scores_are_best_and_their_negatives_worst(rows):
    y, any_scores, qid = columns(rows)
    scores = np.where(np.isnan(y), 0.0, y)
    names = ["nDCG", "nDCG@3", "nDCG(gain=linear)", "AP", "RR", "RR@2", "AUC", "AUC(rel=2)"]
    best, others, worst = (metrics.measure(names, y, s, qid) for s in (scores, any_scores, -scores))
    for name in names:
        known = ~np.isnan(best[name])
        np.testing.assert_allclose(best[name][known], 1.0, rtol=1e-12, err_msg=name)
        assert (worst[name][known] <= others[name][known] + 1e-12).all(), name


def test_one_thread_or_many_and_all_at_once_or_one_by_one():
    rng = np.random.default_rng(0)
    y, scores = rng.integers(0, 3, 70_000).astype(float), rng.integers(0, 500, 70_000)
    qid = rng.integers(0, 50, 70_000)
    many = metrics.measure(NAMES, y, scores, qid)
    threads = numba.get_num_threads()
    try:
        numba.set_num_threads(1)
        for name in NAMES:
            np.testing.assert_array_equal(many[name], metrics.parse(name)(y, scores, qid), err_msg=name)
    finally:
        numba.set_num_threads(threads)


@every_metric
@pytest.mark.parametrize("bad", [nan, inf, -inf])
def test_scores_must_be_finite(name, bad):
    with pytest.raises(ValueError, match=r"score in row 1 is (nan|inf|-inf)"):
        metrics.parse(name)([0, 1, 0], [1.0, bad, bad])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"ties": "random"}, r"ties must be 'expected' or 'trec'; got 'random'"),
        ({"unlabelled": 0}, r"unlabelled must be 'ignore' or 'irrelevant'; got 0"),
        ({"cutoff": 0}, r"cutoff must be .*whole number in \[1, inf\); got 0"),
        ({"cutoff": 2.5}, r"cutoff must be .*; got 2.5"),
        ({"relevant": "high"}, r"relevant must be .* a number; got 'high'"),
        ({"qid": ["a"]}, r"qid must name the list of each of 3 items"),
    ],
)
def test_wrong_options_are_named(options, message):
    with pytest.raises(ValueError, match=message):
        metrics.average_precision([0, 1, 0], [1, 2, 3], **options)


def test_wrong_shapes_are_named():
    with pytest.raises(ValueError, match="one label for each of 3 items"):
        metrics.ndcg([0, 1], [1, 2, 3])
    with pytest.raises(ValueError, match="one score for each item"):
        metrics.ndcg([0, 1], [[1], [2]])
    with pytest.raises(ValueError, match="one score for each item"):
        metrics.ndcg([], [])
    with pytest.raises(ValueError, match="levels must be"):
        metrics.precision_recall_curve([0, 1], [1, 2], levels=0)


@pytest.mark.parametrize("labels", [[nan, nan], [nan, 0], [0, 0], [nan, 1], [1, 1]])
@every_metric
def test_lists_that_cannot_say_are_nan_and_the_others_stay(name, labels):
    y, scores, qid = [*labels, 0, 2, 1], [2, 1, 2, 1, 1], [7, 7, 8, 8, 8]
    values = metrics.parse(name)(y, scores, qid)
    assert not np.isnan(values[1])
    known = [label for label in labels if label == label]
    if name.startswith("AUC"):
        undefined = True
    elif name == "Disagreement":
        undefined = len(known) < 2
    elif name.startswith(("P@", "Judged")):
        undefined = name.startswith("P@") and not known
    else:
        undefined = max(known, default=0) < (2 if "rel=2" in name else 1)
    assert np.isnan(values[0]) == undefined


def test_unlabelled_as_irrelevant_stand_with_the_lowest_label():
    scores = [3, 2, 1]
    assert metrics.precision_at([nan, 1, 0], scores, cutoff=2, unlabelled="irrelevant") == [0.5]
    assert metrics.auc([nan, 1, -1], scores, unlabelled="irrelevant") == [0.5]
    assert metrics.disagreement([nan, 0, -1], scores) == [0.0]
    assert metrics.disagreement([nan, 0, -1], scores, unlabelled="irrelevant") == [0.5]


def test_too_large_labels_for_an_exponential_gain():
    with pytest.raises(ValueError, match="a linear gain"):
        metrics.ndcg([2000, 1], [1, 2])
    assert metrics.ndcg([2000, 1], [2, 1], gain="linear") == [1.0]


def test_rounding_never_makes_a_ranking_better_than_the_best():
    # the mean gain of six tied items at 0.7 rounds to less than the gain of one
    assert metrics.ndcg([0.7] * 6 + [0.1], [7, 6, 5, 4, 3, 2, 1]) == [1.0]


def test_rounding_never_asks_for_one_item_more():
    assert 0.55 * 100 > 55
    y, scores = [1] * 100 + [0] * 100, range(200, 0, -1)
    assert metrics.wss_at(y, scores, recall=0.55) == pytest.approx((200 - 55) / 200 - 0.45)


def test_a_constant_score_gains_nothing_from_the_order_of_a_file(real_data):
    labels, lists = [], []
    for path in sorted((real_data / "ohsumed-letor" / "QueryLevelNorm").glob("S*.txt.xz")):
        with lzma.open(path, "rt") as file:
            for line in file:
                label, name = line.split(maxsplit=2)[:2]
                labels.append(float(label))
                lists.append(name)
    y, qid = np.array(labels), np.array(lists)
    assert len(y) == 16140

    def mean(scores):  # the one list without a relevant item counts as 0, as in LETOR's own tables
        return np.nan_to_num(metrics.average_precision(y, scores, qid)).mean()

    rng = np.random.default_rng(0)
    shuffled = [mean(rng.random(len(y))) for _ in range(30)]
    assert mean(-np.arange(len(y))) == pytest.approx(0.426, abs=0.001)
    assert mean(np.zeros(len(y))) == pytest.approx(0.306, abs=0.001)
    assert mean(np.zeros(len(y))) == pytest.approx(np.mean(shuffled), abs=0.003)


@pytest.mark.parametrize("name", ["AUC", "AP", "nDCG@5", "Disagreement", "RR", "R@5"])
def test_a_list_that_defines_no_value_gives_nan_without_a_remark(name):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        values = metrics.parse(name)([0.0, 1.0, 0.0], [1.0, 2.0, 3.0], [0, 0, 1])
    assert np.isnan(values[1]) or values[1] == 0
    assert np.isfinite(values[0])
