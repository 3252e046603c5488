"""The same values as scikit-learn, where the two define the same thing."""

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, ndcg_score, roc_auc_score

from semirank import metrics

SEEDS = range(8)


def one_list(seed, n_levels):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_levels, 60)
    return y, rng.integers(0, 15, 60).astype(float), rng.normal(size=60) + 0.3 * y


@pytest.mark.parametrize("seed", SEEDS)
def test_auc_with_ties(seed):
    y, tied, distinct = one_list(seed, 2)
    assert metrics.auc(y, tied) == pytest.approx(roc_auc_score(y, tied))
    assert metrics.auc(y, distinct) == pytest.approx(roc_auc_score(y, distinct))


@pytest.mark.parametrize("seed", SEEDS)
def test_auc_of_a_level_against_the_rest(seed):
    y, tied, _ = one_list(seed, 4)
    assert metrics.auc(y, tied, relevant=2) == pytest.approx(roc_auc_score(y >= 2, tied))


@pytest.mark.parametrize("cutoff", [None, 1, 10, 100])
@pytest.mark.parametrize("seed", SEEDS)
def test_ndcg_with_ties(seed, cutoff):
    y, tied, distinct = one_list(seed, 5)
    for scores in (tied, distinct):
        linear = ndcg_score([y], [scores], k=cutoff)
        exponential = ndcg_score([2**y - 1], [scores], k=cutoff)
        assert metrics.ndcg(y, scores, cutoff=cutoff, gain="linear") == pytest.approx(linear)
        assert metrics.ndcg(y, scores, cutoff=cutoff) == pytest.approx(exponential)


@pytest.mark.parametrize("seed", SEEDS)
def test_average_precision_without_ties(seed):
    y, _, distinct = one_list(seed, 2)
    assert metrics.average_precision(y, distinct) == pytest.approx(average_precision_score(y, distinct))
