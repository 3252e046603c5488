"""Line search against measuring the metric in the middle of every interval between crossings."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

import semirank
from semirank import LineSearchRanker, RankingDataset, metrics
from semirank.rankers.line_search import _scale
from semirank.rankers.losses.list_metric import ListObjective

nan = np.nan
FOLLOWED = [
    "nDCG", "nDCG@1", "nDCG@3", "nDCG(gain=linear)@2", "AP", "AP@3", "AP(rel=2)", "P@1", "P@4", "R@3", "RR",
    "RR@2", "AUC", "AUC(rel=2)", "Disagreement", "Label@1", "Label@3",
]  # fmt: skip
TRIED = ["WSS@50", "WSS@95", "Judged@3"]


def some_lists(seed, sizes=(7, 2, 9, 1, 6), continuous=False):
    rng = np.random.default_rng(seed)
    qid = np.repeat(np.arange(len(sizes)), sizes)
    y = rng.normal(size=len(qid)) if continuous else rng.integers(0, 4, len(qid)).astype(float)
    return RankingDataset(np.zeros((len(qid), 1)), y, qid), rng


def intervals(data, scores, moves):
    """A place in every interval between crossings of two items of one list."""
    times = [
        (scores[i] - scores[j]) / (moves[j] - moves[i])
        for i in range(len(scores))
        for j in range(i)
        if data.qid[i] == data.qid[j] and moves[i] != moves[j]
    ]
    times = np.unique(times)
    return np.concatenate([[times[0] - 1], (times[1:] + times[:-1]) / 2, [times[-1] + 1]])


def mean_metric(name, data, scores):
    sign = 1 if metrics.parse(name).greater_is_better else -1
    return sign * np.nanmean(metrics.parse(name)(data.y, scores, data.qid))


@pytest.mark.parametrize("name", FOLLOWED + TRIED)
@settings(max_examples=12)
@given(seed=st.integers(0, 2**32 - 1), continuous=st.booleans())
def test_the_best_interval_of_the_whole_line_is_found(name, seed, continuous):
    data, rng = some_lists(seed, continuous=continuous)
    data = data.replace(y=np.where(np.arange(len(data)) == 0, 3.0, data.y))  # a list with a relevant item
    scores, moves = rng.normal(size=len(data)), rng.normal(size=len(data))
    objective = ListObjective(data, metrics.parse(name))
    kept = np.isin(data.qid, objective.training_set.qid)
    places = intervals(data, scores, moves)
    values = np.array([mean_metric(name, data, scores + t * moves) for t in places])
    step = objective.best_step(scores[kept], moves[kept])
    assert mean_metric(name, data, scores + step * moves) == pytest.approx(values.max(), abs=1e-12)
    times, amounts = objective.changes(scores[kept], moves[kept])
    steps = np.array([amounts[times < t].sum() for t in places])
    np.testing.assert_allclose(steps - steps[0], values - values[0], atol=1e-10)


@pytest.mark.parametrize("name", ["nDCG@3", "nDCG@1", "P@2", "Label@1", "Label@2"])
@settings(max_examples=20)
@given(seed=st.integers(0, 2**32 - 1))
def test_items_on_one_line_count_as_the_mean_over_their_orders(name, seed):
    data, rng = some_lists(seed)
    data = data.replace(y=np.where(np.arange(len(data)) == 0, 3.0, data.y))
    lines = rng.integers(-1, 2, (len(data), 2)) * 1.0  # many parallel and many equal lines
    objective = ListObjective(data, metrics.parse(name))
    kept = np.isin(data.qid, objective.training_set.qid)
    data, lines = data.take(kept), np.ascontiguousarray(lines[kept])  # other lists have no say in the step
    places = intervals(data, *lines.T)
    values = [mean_metric(name, data, lines @ [1.0, t]) for t in places]
    step = objective.best_step(*np.ascontiguousarray(lines.T))
    # the step says which interval is best; at 0 itself items may be tied
    around = [mean_metric(name, data, lines @ [1.0, step + nudge]) for nudge in (-1e-9, 1e-9)]
    assert max(around) == pytest.approx(max(values))


def test_many_items_are_followed_in_parallel_with_the_same_answer(monkeypatch):
    data, rng = some_lists(0, sizes=(40,) * 120)
    scores, moves = rng.normal(size=len(data)), rng.normal(size=len(data))
    objective = ListObjective(data, metrics.parse("AP"))
    together = objective.changes(scores, moves)
    monkeypatch.setattr("semirank.rankers.losses.list_metric._MOST_CROSSINGS", 5000)
    in_blocks = objective.changes(scores, moves)
    np.testing.assert_array_equal(np.sort(together.times), np.sort(in_blocks.times))
    assert together.amounts.sum() == pytest.approx(in_blocks.amounts.sum())


def features_with_labels(seed=0, n_lists=8, n_items=12, n_features=4, noise=1.0):
    rng = np.random.default_rng(seed)
    qid = rng.permutation(np.repeat(np.arange(n_lists), n_items))
    X = rng.normal(size=(len(qid), n_features)) * [1, 100, 0.01, 1][:n_features] + 5.0 * qid[:, None]
    y = X[:, 0] - X[:, 1] / 100 + noise * rng.normal(size=len(qid)) - 4.95 * qid
    y[rng.random(len(qid)) < 0.2] = nan
    return X, y, qid


@pytest.mark.parametrize("name", ["Label@1", "nDCG@3", "AP", "Disagreement", "WSS@50"])
def test_the_metric_never_gets_worse_from_round_to_round(name):
    X, y, qid = features_with_labels()
    ranker = LineSearchRanker(name, n_restarts=3, random_state=0).fit(X, y, qid)
    sign = 1 if metrics.parse(name).greater_is_better else -1
    assert (np.diff(sign * ranker.values_) >= 0).all()
    assert ranker.values_[-1] == sign * max(sign * ranker.restarts_)
    assert ranker.values_[-1] == pytest.approx(np.nanmean(metrics.parse(name)(y, ranker.scores_, qid)))
    assert len(ranker.restarts_) == 3


def test_it_beats_least_squares_on_its_own_metric():
    X, y, qid = features_with_labels(noise=2.0)
    known = ~np.isnan(y)
    squares = semirank.RankRLS(ridge=1e-6).fit(X, y, qid).scores_
    searched = LineSearchRanker("Label@1", random_state=0).fit(X, y, qid).scores_
    found = [
        metrics.mean_label_at(y[known], s[known], qid[known], cutoff=1).mean() for s in (squares, searched)
    ]
    assert found[1] > found[0] + 0.1


def test_an_order_that_features_can_express_is_found():
    X, y, qid = features_with_labels(noise=0.0)
    ranker = LineSearchRanker("Disagreement", random_state=0).fit(X, y, qid)
    assert ranker.values_[-1] < 0.01
    np.testing.assert_allclose(ranker.coef_[:2] / ranker.coef_[0], [1, -0.01], rtol=0.15)


def test_it_climbs_until_a_round_brings_nothing():
    rng = np.random.default_rng(0)
    X, qid = rng.normal(size=(200, 8)), np.repeat(np.arange(10), 20)
    y = X @ rng.normal(size=8) + rng.normal(size=200)
    rises = -np.diff(LineSearchRanker("Disagreement", random_state=0).fit(X, y, qid).values_)
    assert len(rises) > 3
    assert (rises[:-1] > 1e-12).all()
    assert rises[-1] <= 1e-12
    short = LineSearchRanker("Disagreement", max_rounds=2, random_state=0).fit(X, y, qid)
    assert len(short.values_) == 3


def test_features_that_are_constant_in_each_list_get_no_weight():
    X, y, qid = features_with_labels()
    X = np.column_stack([X, qid * 0.1, np.full(len(y), 7.0)])
    for features in (X, csr_array(X)):
        assert not LineSearchRanker(random_state=0).fit(features, y, qid).coef_[4:].any()


@pytest.mark.parametrize("size", [1e-6, 1.0, 1e6])
@pytest.mark.parametrize("form", [np.asarray, csr_array])
def test_spreads_are_those_within_lists_however_large_features_are(form, size):
    rng = np.random.default_rng(0)
    qid = np.repeat(np.arange(9), [3, 7, 11, 5, 3, 7, 11, 5, 6])
    of_lists = rng.normal(size=(9, 10))[qid]
    X = size * np.column_stack([of_lists, of_lists + 1e-4 * rng.normal(size=of_lists.shape)])
    _, spreads = _scale(RankingDataset(form(X), np.zeros(len(qid)), qid))
    within = X - np.array([X[qid == each].mean(axis=0) for each in qid])
    assert not spreads[:10].any()
    np.testing.assert_allclose(spreads[10:], within[:, 10:].std(axis=0), rtol=1e-6)


def test_unlabelled_items_teach_nothing():
    X, y, qid = features_with_labels()
    known = ~np.isnan(y)
    whole = LineSearchRanker("Label@1", random_state=0).fit(X, y, qid)
    part = LineSearchRanker("Label@1", random_state=0).fit(X[known], y[known], qid[known])
    np.testing.assert_allclose(whole.coef_, part.coef_, rtol=1e-9)


def test_what_cannot_be():
    X, y, qid = features_with_labels()
    with pytest.raises(ValueError, match=r"nDCG@10 is not defined for any list with labels"):
        LineSearchRanker().fit(X, -np.abs(y), qid)
    with pytest.raises(ValueError, match=r"^metric must be the name of a metric such as 'nDCG@10'; got 'x'"):
        LineSearchRanker("x").fit(X, y, qid)


def test_a_random_generator_is_a_seed():
    X, y, qid = features_with_labels()
    first, second = (
        LineSearchRanker(n_restarts=2, max_rounds=2, random_state=np.random.default_rng(3)).fit(X, y, qid)
        for _ in range(2)
    )
    np.testing.assert_array_equal(first.coef_, second.coef_)
