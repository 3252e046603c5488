"""The ranker of loops: least squares against a dense solution, fusion against a count by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.svm import LinearSVC

from semirank import ScreeningRanker
from semirank.features import TfIdf, WordPairs
from semirank.meta.screening import _Fusion
from semirank.rankers.solvers.examples import Background, Rows, ridge_duals

nan = np.nan
WORDS = ["heart", "kidney", "liver", "trial", "review", "case", "child", "adult", "drug", "diet", "stone"]


def some_texts(n: int = 60, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.array([" ".join(rng.choice(WORDS, 6)) for _ in range(n)], dtype=object)


def with_topics(texts: np.ndarray) -> np.ndarray:
    """Add a word of few texts to each, so that there is a graph."""
    return np.array([f"{text} topic{k % 13}" for k, text in enumerate(texts)], dtype=object)


def some_labels(texts: np.ndarray, n: int, seed: int = 0) -> np.ndarray:
    y = np.full(len(texts), nan)
    rows = np.random.default_rng(seed).permutation(len(texts))[:n]
    y[rows] = ["heart" in texts[row] for row in rows]
    return y


@given(st.integers(0, 50), st.booleans(), st.integers(5, 60), st.floats(0, 1))
def test_duals_minimise_the_sum_of_squares(seed, with_background, n_rows, share):
    """With few relevant rows the solver is preconditioned, with many it is not."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows + 3, 8)) * (rng.random((n_rows + 3, 8)) < 0.5)
    rows = rng.permutation(len(X))[:n_rows]
    targets, costs = np.where(rng.random(n_rows) < share, 1.0, -1.0), 10 * rng.random(n_rows) + 0.1
    background = Background(rng.random(8), rng.choice([-1.0, 1.0]), 0.7) if with_background else None
    duals = ridge_duals(Rows(csr_array(X), rows), targets, costs, background)
    X = X[rows]
    if background is not None:
        X, targets = np.vstack([X, background.features]), np.append(targets, background.target)
        costs = np.append(costs, background.cost)
    Z = np.column_stack([X, np.ones(len(X))])
    w = np.linalg.solve(np.eye(9) + Z.T @ (costs[:, None] * Z), Z.T @ (costs * targets))
    np.testing.assert_allclose(Z.T @ duals, w, atol=1e-8)


@given(st.integers(0, 50))
def test_products_with_some_rows(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(7, 9)) * (rng.random((7, 9)) < 0.5)
    numbers = rng.permutation(7)[: rng.integers(8)]
    rows, v, factors = Rows(csr_array(X), numbers), rng.normal(size=9), rng.normal(size=len(numbers))
    np.testing.assert_allclose(rows.times(v), X[numbers] @ v, atol=1e-12)
    np.testing.assert_allclose(rows.sum(factors), X[numbers].T @ factors, atol=1e-12)
    np.testing.assert_allclose(rows.inner_products(), X[numbers] @ X[numbers].T, atol=1e-12)


def test_with_few_small_steps_it_is_the_support_vector_machine_of_asreview():
    """C so small that no margin is reached: squared hinge and least squares are the same."""
    texts = some_texts()
    y = some_labels(texts, 20)
    features = TfIdf(1, stop_words=None)
    ranker = ScreeningRanker(background=0.0, graph=0.0, features=features).fit(texts, y)
    X, known = features.fit_transform(texts), ~np.isnan(y)
    signs = np.where(y[known] > 0, 1, -1)
    weights = np.where(signs > 0, 1.0, (signs > 0).sum() / (9.8 * (signs < 0).sum()))
    weights *= len(weights) / weights.sum()
    svm = LinearSVC(C=0.11, dual=False, tol=1e-12).fit(X[known], signs, sample_weight=weights)
    scores = svm.decision_function(X)
    assert (signs * scores[known] < 1).all()
    np.testing.assert_allclose(ranker.scores_, (scores - scores.mean()) / scores.std(), atol=1e-7)


def test_terms_without_a_column_make_no_difference():
    """What a text alone has is not a column of WordPairs, and is as if it were."""
    texts = some_texts(40)
    texts[::3] += [f" unique{k}" for k in range(len(texts[::3]))]
    y = some_labels(texts, 15)
    pairs = WordPairs(prefix=None)
    vectors = pairs.fit_transform(texts)
    missing = np.sqrt(np.maximum(1 - (vectors.toarray() ** 2).sum(axis=1), 0.0))
    whole = np.column_stack([vectors.toarray(), np.diag(missing)])
    ranker = ScreeningRanker(background=0.0, graph=0.0, features=pairs).fit(texts, y)
    known = ~np.isnan(y)
    signs = np.where(y[known] > 0, 1.0, -1.0)
    shares = np.where(signs > 0, 9.8 / (signs > 0).sum(), 1 / (signs < 0).sum())
    costs = 0.22 * len(signs) * shares / shares.sum()
    Z = np.column_stack([whole, np.ones(len(whole))])
    w = np.linalg.solve(
        np.eye(Z.shape[1]) + Z[known].T @ (costs[:, None] * Z[known]), Z[known].T @ (costs * signs)
    )
    scores = Z @ w
    order = np.flatnonzero(~known)
    expected, found = scores[order], ranker.scores_[order]
    np.testing.assert_allclose(
        found - found.mean(), (expected - expected.mean()) * found.std() / expected.std()
    )


def dense_scores(vectors, examples, targets, costs):
    """Return scores of least squares by its normal equations; an example that lacks length is fitted less."""
    missing = np.maximum(1 - (examples[:-1] ** 2).sum(axis=1), 0)
    costs = 1 / (1 / costs + np.append(missing, 0))
    Z = np.column_stack([examples, np.ones(len(examples))])
    w = np.linalg.solve(np.eye(Z.shape[1]) + Z.T @ (costs[:, None] * Z), Z.T @ (costs * targets))
    return np.column_stack([vectors, np.ones(len(vectors))]) @ w


def test_the_mean_is_irrelevant_or_until_a_relevant_text_has_words_the_relevant_example():
    texts = ["", *some_texts(40)]
    pairs = WordPairs()
    vectors = pairs.fit_transform(texts).toarray()
    mean, ranker = vectors[1:].mean(axis=0), ScreeningRanker(graph=0.0, features=pairs)
    shares = {0: np.array([0.5, 0.5, 9.8]), 1: np.array([9.8, 0.5, 0.5, 0.3])}
    targets = {0: [-1, -1, 1], 1: [1, -1, -1, -1]}
    for relevant, rows in ((0, [2, 3]), (1, [1, 2, 3])):
        y = np.full(len(texts), nan)
        y[[relevant, 2, 3]] = 1, 0, 0
        costs = 0.22 * 3 * shares[relevant] / shares[relevant].sum()
        expected = dense_scores(vectors, np.vstack([vectors[rows], mean]), targets[relevant], costs)
        found = ranker.fit(texts, y).scores_
        assert np.corrcoef(found[1:], expected[1:])[0, 1] > 1 - 1e-9


def test_from_an_empty_record_typical_texts_come_first():
    texts = ["", *["heart failure trial number " + "abcdefgh"[k] for k in range(8)], "kidney stones of dogs"]
    texts += ["unheard of stones", "dogs and cats"]
    scores = ScreeningRanker().fit(texts, [1, *[nan] * 8, 0, nan, nan]).scores_
    assert scores[1:9].min() > scores[10:].max()


def test_the_graph_joins_texts_by_words_of_at_most_a_tenth_of_them():
    texts = [f"{'odd' if k % 2 else 'even'} word{k // 5} all word{k % 7}x" for k in range(300)]
    ranker = ScreeningRanker().fit(texts, [1, 0, *[nan] * 298])
    topical = ranker._topical(ranker.features_.transform(texts))
    names = ranker.features_.get_feature_names_out()
    counts = {name: sum(name in text.split() for text in texts) for name in names if " " not in name}
    assert topical.shape[1] == sum(2 <= count <= 30 for count in counts.values()) < len(counts)
    np.testing.assert_allclose((topical.toarray() ** 2).sum(axis=1), 1.0)


@given(st.integers(0, 100), st.floats(0.1, 1))
def test_fusion_ranks_by_the_sum_of_reciprocal_ranks(seed, weight):
    rng = np.random.default_rng(seed)
    columns = rng.integers(0, 8, size=(9, 2)).astype(float)
    unlabelled = rng.random(9) < 0.7
    scores = _Fusion(columns, unlabelled, weight).score_fitted()
    rows = np.flatnonzero(unlabelled)

    def rank(k, row):
        return sum(columns[other, k] > columns[row, k] for other in rows)

    fused = [1 / (1 + rank(0, row)) + weight / (1 + rank(1, row)) for row in rows]
    for i, a in enumerate(rows):
        for j, b in enumerate(rows):
            if fused[i] > fused[j] + 1e-12:
                assert scores[a] >= scores[b]
    np.testing.assert_array_equal(scores[~unlabelled], columns[~unlabelled, 0])
    assert set(scores[rows]) <= set(columns[rows, 0])


def test_relevant_labels_alone_or_irrelevant_ones_alone_are_enough():
    texts = some_texts()
    for label in (1.0, 0.0):
        y = np.full(len(texts), nan)
        y[:3] = label
        scores = ScreeningRanker().fit(texts, y).scores_
        assert np.isfinite(scores).all()
        assert scores.std() > 0


def test_the_graph_is_silent_from_eight_relevant_labels_on():
    texts = with_topics(some_texts(80))
    relevant = np.flatnonzero(["heart" in text for text in texts])
    y = np.full(len(texts), nan)
    y[relevant[:8]], y[np.setdiff1d(np.arange(80), relevant)[:5]] = 1, 0
    with_graph, without = ScreeningRanker().fit(texts, y), ScreeningRanker(graph=0.0).fit(texts, y)
    np.testing.assert_array_equal(with_graph.scores_, without.scores_)
    y[relevant[7]] = nan
    assert (with_graph.rerank(y).scores_ != without.rerank(y).scores_).any()
    assert with_graph.weights_ == pytest.approx([0.5 / 8])


def test_explanations_name_labelled_texts_and_words_and_add_up():
    texts = some_texts(80)
    y = some_labels(texts, 12)
    ranker = ScreeningRanker().fit(texts, y)
    for item in np.flatnonzero(np.isnan(y))[:20].tolist():
        items, amounts = ranker.explain(item)
        assert amounts.sum() == pytest.approx(ranker.scores_[item], abs=1e-6)
        assert set(items.tolist()) <= {-1, *np.flatnonzero(~np.isnan(y)).tolist()}
        words, parts = ranker.explain_words(item)
        assert parts.sum() == pytest.approx(ranker.scores_[item], abs=1e-9)
        assert all(word.split()[0] in texts[item] for word in words if word)
    pair = ranker.explain_pair(0, 1)
    assert pair.amounts.sum() == pytest.approx(ranker.scores_[0] - ranker.scores_[1], abs=1e-6)


@pytest.mark.parametrize("graph", [0.0, 1.0])
def test_the_labels_of_a_list_rank_no_other_that_has_its_own(graph):
    texts, lists = with_topics(some_texts(60)), np.repeat(["a", "b"], [25, 35])
    y = some_labels(texts, 12)
    both = ScreeningRanker(graph=graph).fit(texts, y, lists)
    assert both.weights_.all() == bool(graph)
    for name in "ab":
        inside = lists == name
        alone = ScreeningRanker(graph=graph).fit(texts, np.where(inside, y, nan), lists)
        np.testing.assert_allclose(both.scores_[inside], alone.scores_[inside], atol=1e-6)
        if not graph:
            new = both.predict(texts[inside], lists[inside])
            np.testing.assert_allclose(new, both.scores_[inside], atol=1e-6)


def test_of_an_empty_text_nothing_is_known():
    """It has the mean score of the others, whatever the list is made of, and no word speaks for it."""
    texts = np.append(some_texts(20), ["", ""])
    y = some_labels(texts[:20], 8)
    ranker = ScreeningRanker(graph=0.0).fit(texts, np.append(y, [nan, nan]))
    assert ranker.scores_[20:] == pytest.approx([ranker.scores_[:20].mean()] * 2)
    assert ranker.explain_words(20) == ([""], pytest.approx([ranker.scores_[20]]))
    assert ranker.explain(20).amounts.sum() == pytest.approx(ranker.scores_[20], abs=1e-9)
    assert ranker.predict([" "])[0] == pytest.approx(ranker.scores_[20])
