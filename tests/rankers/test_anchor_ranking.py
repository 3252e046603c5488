"""Anchor ranking against its dense definition, and over parts of one list."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.rankers.test_sums import in_memory

from semirank import AnchorRanking
from semirank.rankers.anchor_ranking import anchor_weights, place_anchors


def dense_scores(X, y, anchors, n_neighbors, alpha, c):
    """D^-c (I - alpha D^-1/2 Z Z' D^-1/2)^-1 s, with every matrix written out."""
    distances = np.linalg.norm(X[:, None, :] - anchors[None, :, :], axis=2)
    Z = np.zeros_like(distances)
    for row, d in zip(Z, distances, strict=True):
        order = np.argsort(d)
        near, radius = order[:n_neighbors], d[order[n_neighbors]]
        row[near] = 1 - (d[near] / radius) ** 2
    Z /= Z.sum(axis=1, keepdims=True)
    W = Z @ Z.T
    D = W.sum(axis=1)
    S = W / np.sqrt(np.outer(D, D))
    s = np.where(y > 0, y, 0) / np.nansum(y[y > 0]) - (y == 0) / max((y == 0).sum(), 1)
    return D**-c * np.linalg.solve(np.eye(len(y)) - alpha * S, s)


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 99), c=st.sampled_from([0.0, 0.5, 1.0]), alpha=st.sampled_from([0.0, 0.5, 0.99]))
def test_scores_are_those_of_the_dense_system(seed, c, alpha):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(60, 3)), np.full(60, np.nan)
    y[:6] = [2, 1, 0, 0, 1, 0]
    ranker = AnchorRanking(12, 4, alpha, c).fit(X, y)
    expected = dense_scores(X, y, ranker.anchors_, 4, alpha, c)
    np.testing.assert_allclose(ranker.scores_, expected, rtol=1e-8, atol=1e-12)
    unlabelled = np.isnan(y)
    np.testing.assert_allclose(ranker.predict(X[unlabelled]), ranker.scores_[unlabelled], rtol=1e-10)


@pytest.mark.parametrize("combine", ["difference", "positive", "labels"])
@pytest.mark.parametrize("n_parts", [1, 3, 8])
def test_parts_of_one_list_teach_what_the_list_does(n_parts, combine):
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(300, 4)), np.full(300, np.nan)
    y[rng.choice(300, 20, replace=False)] = rng.integers(-1, 3, 20)
    whole = AnchorRanking(30, combine=combine).fit(X, y)
    parts = in_memory(X, y, None, [300 * k // n_parts for k in range(n_parts)], one_list=True)
    summed = AnchorRanking(30, combine=combine).fit_parts(parts)
    np.testing.assert_allclose(summed.predict(X), whole.predict(X), rtol=1e-10, atol=1e-10)


def test_parts_are_ranked_and_what_cannot_be_is_told(tmp_path):
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(90, 4)), np.full(90, np.nan)
    y[:4] = [1, 0, 1, 0]
    parts = in_memory(X, y, None, [0, 40], one_list=True)
    ranker = AnchorRanking(30).fit_parts(parts).rank_parts(parts, tmp_path / "scores")
    lines = (tmp_path / "scores" / "part-000001.tsv").read_text().splitlines()[1:]
    np.testing.assert_allclose([float(line.split("\t")[2]) for line in lines], ranker.predict(X)[40:])
    with pytest.raises(ValueError, match="no relevant item to start from"):
        AnchorRanking(30).fit_parts(in_memory(X, np.where(y > 0, np.nan, y), None, [0, 40], one_list=True))
    with pytest.raises(ValueError, match="from one list, and here are several"):
        AnchorRanking(30).fit_parts(in_memory(X, y, np.repeat([0, 1], 45), [0]))


def test_items_at_one_place_and_few_anchors():
    weights = anchor_weights(np.zeros((3, 2)), np.zeros((9, 2)), 5)
    np.testing.assert_allclose(weights.sum(axis=1), 1.0)
    two = anchor_weights(np.array([[0.0], [1.0], [0.5]]), np.array([[0.0], [1.0]]), 5).toarray()
    assert (two > 0).all()
    np.testing.assert_allclose(two[2], [0.5, 0.5])
    X = np.random.default_rng(0).normal(size=(50, 3))
    np.testing.assert_array_equal(np.sort(place_anchors(X, 50), axis=0), np.sort(X, axis=0))
    np.testing.assert_allclose(place_anchors(X[::-1], 7), place_anchors(X, 7), atol=1e-12)
