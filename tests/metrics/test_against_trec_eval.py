"""The same values as trec_eval, to the last tie, and the same names as ir_measures."""

import ir_measures
import numpy as np
import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st

from semirank import metrics

PAIRS = {
    "map": "AP",
    "map_cut_5": "AP@5",
    "map_cut_100": "AP@100",
    "P_5": "P@5",
    "P_100": "P@100",
    "recall_5": "R@5",
    "recall_100": "R@100",
    "recip_rank": "RR",
    "ndcg": "nDCG(gain=linear)",
    "ndcg_cut_5": "nDCG(gain=linear)@5",
    "ndcg_cut_100": "nDCG(gain=linear)@100",
}


def tied_lists(seed, n_lists=12):
    """Give lists with many ties, ids in no order, graded labels and gaps in them."""
    rng = np.random.default_rng(seed)
    qid = rng.permutation(np.repeat(np.arange(n_lists), rng.integers(1, 40, n_lists)))
    ids = np.array([f"d{number}" for number in rng.permutation(len(qid))])
    scores = rng.integers(-5, 5, len(qid)) + rng.choice([0.0, 1e-9, 0.25], len(qid))
    y = rng.choice([np.nan, 0, 1, 2], len(qid), p=[0.2, 0.5, 0.2, 0.1])
    return y, scores, qid, ids


def by_trec_eval(y, scores, qid, ids, measures, *, rel=1, only_judged=False):
    qrels, run = {}, {}
    for label, score, name, item in zip(y, scores, qid, ids, strict=True):
        run.setdefault(str(name), {})[item] = float(score)
        qrels.setdefault(str(name), {})
        if not np.isnan(label):
            qrels[str(name)][item] = int(label)
    evaluator = pytrec_eval.RelevanceEvaluator(
        qrels, measures, relevance_level=rel, judged_docs_only_flag=only_judged
    )
    return evaluator.evaluate(run)


def by_list(theirs, measure, qid):
    return np.array([theirs.get(str(name), {}).get(measure, 0.0) for name in dict.fromkeys(qid.tolist())])


def compare(ours, theirs, measure, qid):
    np.testing.assert_allclose(np.nan_to_num(ours), by_list(theirs, measure, qid), rtol=0, atol=1e-12)


@pytest.mark.parametrize("unlabelled", ["ignore", "irrelevant"])
@pytest.mark.parametrize("seed", range(5))
def test_values_equal_trec_evals(seed, unlabelled):
    y, scores, qid, ids = tied_lists(seed)
    theirs = by_trec_eval(
        y, scores, qid, ids, {"map", "map_cut", "P", "recall", "recip_rank", "ndcg", "ndcg_cut"},
        only_judged=unlabelled == "ignore",
    )  # fmt: skip
    ours = metrics.measure(PAIRS.values(), y, scores, qid, ties="trec", unlabelled=unlabelled, item_ids=ids)
    for measure, name in PAIRS.items():
        compare(ours[name], theirs, measure, qid)


@pytest.mark.parametrize("measure", ["map", "P_5", "recall_5", "recip_rank"])
def test_relevance_level_equals_trec_evals(measure):
    y, scores, qid, ids = tied_lists(7)
    theirs = by_trec_eval(y, scores, qid, ids, {"map", "P", "recall", "recip_rank"}, rel=2)
    base, _, number = PAIRS[measure].partition("@")
    metric = metrics.parse(f"{base}(rel=2)" + (f"@{number}" if number else ""))
    ours = metric(y, scores, qid, ties="trec", unlabelled="irrelevant", item_ids=ids)
    compare(ours, theirs, measure, qid)


@pytest.mark.parametrize("seed", range(5))
def test_curve_equals_trec_evals(seed):
    y, scores, qid, ids = tied_lists(seed)
    theirs = by_trec_eval(y, scores, qid, ids, {"iprec_at_recall"})
    ours = metrics.precision_recall_curve(y, scores, qid, ties="trec", unlabelled="irrelevant", item_ids=ids)
    relevant = np.array([(y[qid == name] > 0).sum() for name in dict.fromkeys(qid.tolist())])
    for level in range(11):
        # in doubles 0.7 * 3 + 0.9 is just below 3, and trec_eval takes 2 items of 3 for a recall of 0.7
        rounds_down = (level / 10 * relevant + 0.9).astype(int) < np.ceil(level * relevant / 10)
        assert rounds_down.mean() <= 0.25
        theirs_or_ours = by_list(theirs, f"iprec_at_recall_{level / 10:.2f}", qid)
        theirs_or_ours[rounds_down] = ours[rounds_down, level]
        np.testing.assert_allclose(np.nan_to_num(ours[:, level]), theirs_or_ours, rtol=0, atol=1e-12)


def test_without_ids_the_later_item_comes_first():
    y, scores, qid, _ = tied_lists(3)
    rows = np.array([f"{row:06}" for row in range(len(y))])
    with_rows = metrics.average_precision(y, scores, qid, ties="trec", item_ids=rows)
    np.testing.assert_array_equal(metrics.average_precision(y, scores, qid, ties="trec"), with_rows)


def test_ids_that_are_numbers_are_compared_as_text():
    assert metrics.reciprocal_rank([1, 0], [1, 1], ties="trec", item_ids=[9, 10]) == [1.0]
    assert metrics.reciprocal_rank([1, 0], [1, 1], ties="trec", item_ids=[10, 9]) == [0.5]


def test_trec_eval_reads_scores_in_single_precision():
    scores = [1.0, 1.0 + 1e-12]
    assert metrics.reciprocal_rank([0, 1], scores) == [1.0]
    assert metrics.reciprocal_rank([0, 1], scores, ties="trec", item_ids=["b", "a"]) == [0.5]


@pytest.mark.parametrize("name", ["AP", "AP(rel=2)@7", "P(rel=2)@5", "R@8", "RR", "RR@3", "Judged@6"])
@given(seed=st.integers(0, 2**31))
def test_names_and_values_of_ir_measures(name, seed):
    rng = np.random.default_rng(seed)
    y = rng.choice([np.nan, 0, 1, 2], 20)
    scores = rng.permutation(20)
    theirs = ir_measures.parse_measure(name)
    assert str(theirs) == metrics.parse(name).name
    qrels = {"q": {str(i): int(label) for i, label in enumerate(y) if not np.isnan(label)}}
    run = {"q": {str(i): float(score) for i, score in enumerate(scores)}}
    [expected] = [found.value for found in theirs.iter_calc(qrels, run)]
    [ours] = metrics.parse(name)(y, scores, unlabelled="irrelevant")
    assert (0.0 if np.isnan(ours) else ours) == pytest.approx(expected)
