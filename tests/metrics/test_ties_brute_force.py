"""Every metric against its definition, averaged over all orders of tied items one by one."""

from itertools import pairwise, permutations
from math import ceil, inf, log2, nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from semirank import metrics


def orders(scores):
    """Give every order of the items that the scores allow."""
    for order in permutations(range(len(scores))):
        if all(scores[i] >= scores[j] for i, j in pairwise(order)):
            yield order


def hits_of(labels, relevant):
    return [label > 0 if relevant is None else label >= relevant for label in labels]


def average_precision(labels, cutoff=inf, relevant=None):
    hits = hits_of(labels, relevant)
    found = [sum(hits[: i + 1]) / (i + 1) for i in range(len(hits)) if hits[i] and i < cutoff]
    return sum(found) / sum(hits) if any(hits) else nan


def precision_at(labels, cutoff, relevant=None):
    return sum(hits_of(labels, relevant)[:cutoff]) / cutoff if labels else nan


def recall_at(labels, cutoff, relevant=None):
    hits = hits_of(labels, relevant)
    return sum(hits[:cutoff]) / sum(hits) if any(hits) else nan


def reciprocal_rank(labels, cutoff=inf, relevant=None):
    hits = hits_of(labels, relevant)
    if not any(hits):
        return nan
    return 1 / (hits.index(True) + 1) if hits.index(True) < cutoff else 0.0


def ndcg(labels, cutoff=inf, gain="exponential"):
    def dcg(ordered):
        gains = [
            (2**label - 1 if gain == "exponential" else label) if label > 0 else 0.0 for label in ordered
        ]
        return sum(g / log2(i + 2) for i, g in enumerate(gains) if i < cutoff)

    best = dcg(sorted(labels, reverse=True))
    return dcg(labels) / best if best > 0 else nan


def wss_at(labels, recall, relevant=None):
    hits = hits_of(labels, relevant)
    if not any(hits):
        return nan
    wanted = ceil(round(recall * sum(hits), 6))
    read = next(n for n in range(1, len(hits) + 1) if sum(hits[:n]) == wanted)
    return (len(hits) - read) / len(hits) - (1 - recall)


def auc_of_order(labels, relevant=None):
    if relevant is not None:
        labels = [label >= relevant for label in labels]
    pairs = [(a, b) for i, a in enumerate(labels) for b in labels[i + 1 :] if a != b]
    return sum(a > b for a, b in pairs) / len(pairs) if pairs else nan


def disagreement(y, scores):
    n = len(y)
    if n < 2:
        return nan
    total = sum(
        abs(np.sign(y[i] - y[j]) - np.sign(scores[i] - scores[j])) / 2 for i in range(n) for j in range(n)
    )
    return total / (n * (n - 1))


CASES = [
    (metrics.average_precision, average_precision, {}),
    (metrics.average_precision, average_precision, {"cutoff": 2}),
    (metrics.average_precision, average_precision, {"cutoff": 3, "relevant": 2}),
    (metrics.precision_at, precision_at, {"cutoff": 3}),
    (metrics.precision_at, precision_at, {"cutoff": 9, "relevant": 0.5}),
    (metrics.recall_at, recall_at, {"cutoff": 2}),
    (metrics.recall_at, recall_at, {"cutoff": 4, "relevant": -1}),
    (metrics.reciprocal_rank, reciprocal_rank, {}),
    (metrics.reciprocal_rank, reciprocal_rank, {"cutoff": 2}),
    (metrics.ndcg, ndcg, {}),
    (metrics.ndcg, ndcg, {"cutoff": 3}),
    (metrics.ndcg, ndcg, {"cutoff": 2, "gain": "linear"}),
    (metrics.wss_at, wss_at, {"recall": 0.95}),
    (metrics.wss_at, wss_at, {"recall": 0.5}),
    (metrics.wss_at, wss_at, {"recall": 1.0, "relevant": 2}),
    (metrics.auc, auc_of_order, {}),
    (metrics.auc, auc_of_order, {"relevant": 2}),
]

labels = st.sampled_from([-1.0, 0.0, 0.0, 0.5, 1.0, 2.0])
items = st.lists(st.tuples(labels, st.integers(0, 2)), min_size=1, max_size=6)
partly = st.lists(st.tuples(st.sampled_from([nan, 0.0, 1.0]), st.integers(0, 2)), min_size=1, max_size=6)


def expect(pairs, y, scores):
    """Compare every metric of y and scores with the mean of its definition over the orders of the pairs."""
    ranked = [[pairs[i][0] for i in order] for order in orders([score for _, score in pairs])]
    for metric, definition, options in CASES:
        expected = np.mean([definition(ordered, **options) for ordered in ranked])
        message = f"{metric.__name__} {options}"
        np.testing.assert_allclose(
            metric(y, scores, **options), [expected], rtol=0, atol=1e-12, err_msg=message
        )


@given(pairs=items)
def test_every_metric_is_the_mean_over_all_orders_of_ties(pairs):
    expect(pairs, *zip(*pairs, strict=True))


@given(pairs=partly)
def test_unlabelled_items_are_taken_out_before_ranking(pairs):
    expect([pair for pair in pairs if pair[0] == pair[0]], *zip(*pairs, strict=True))


@pytest.mark.parametrize("cutoff", [1, 3, 8])
@given(pairs=partly)
def test_judged_counts_over_all_items(cutoff, pairs):
    y, scores = zip(*pairs, strict=True)
    shares = [np.mean([y[i] == y[i] for i in order[:cutoff]]) for order in orders(scores)]
    np.testing.assert_allclose(metrics.judged_at(y, scores, cutoff=cutoff), [np.mean(shares)], atol=1e-12)


@given(pairs=items)
def test_disagreement_is_equation_1_word_for_word(pairs):
    y, scores = zip(*pairs, strict=True)
    np.testing.assert_allclose(metrics.disagreement(y, scores), [disagreement(y, scores)], atol=1e-12)


@given(pairs=items)
def test_strict_auc_counts_tied_scores_as_wrong(pairs):
    right = [s > t for y, s in pairs for z, t in pairs if y > z]
    expected = np.mean(right) if right else nan
    np.testing.assert_allclose(metrics.auc(*zip(*pairs, strict=True), strict=True), [expected], atol=1e-12)


def test_auc_of_many_levels_against_all_pairs():
    rng = np.random.default_rng(0)
    y, scores = rng.normal(size=300).round(1), rng.normal(size=300).round(1)
    higher = y[:, None] > y
    right = (scores[:, None] > scores) + 0.5 * (scores[:, None] == scores)
    np.testing.assert_allclose(metrics.auc(y, scores), [right[higher].mean()])


@given(pairs=items)
def test_points_of_the_curve_are_precision_and_recall_at_each_cut(pairs):
    y, scores = zip(*pairs, strict=True)
    [points] = metrics.precision_recall_points(y, scores)
    for cutoff, (recall, precision) in enumerate(points, start=1):
        assert precision == pytest.approx(metrics.precision_at(y, scores, cutoff=cutoff)[0])
        assert recall == pytest.approx(metrics.recall_at(y, scores, cutoff=cutoff)[0], nan_ok=True)


@pytest.mark.parametrize("levels", [1, 2, 11])
@given(pairs=items)
def test_the_curve_is_the_best_precision_that_reaches_a_recall(levels, pairs):
    y, scores = zip(*pairs, strict=True)
    [points] = metrics.precision_recall_points(y, scores)
    [curve] = metrics.precision_recall_curve(y, scores, levels=levels)
    for level, value in zip(np.linspace(0, 1, levels), curve, strict=True):
        reached = points[points[:, 0] >= level - 1e-9, 1]
        assert value == pytest.approx(reached.max() if len(reached) else nan, nan_ok=True)
