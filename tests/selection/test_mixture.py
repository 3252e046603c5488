"""Mixtures: weights against a dense least squares, from the prior to the evidence."""

import numpy as np
import pytest
from scipy.optimize import minimize

from semirank import RankingDataset, RankRLS
from semirank.selection.benchmark import Benchmark, Fit
from semirank.selection.candidates import Candidate
from semirank.selection.catalogue import MIX, MIX_WITH_UNLABELLED, Catalogue
from semirank.selection.mixture import PRIOR_LABELS, mixture_weights, with_mixtures
from semirank.selection.protocols import plan_splits
from semirank.selection.runner import Outcome

PRIOR = {"good": 0.25, "bad": 0.25}


def measured(n, seed=0, names=("good", "bad"), share=0.5):
    """Make labels, and held-out scores of a ranker that knows them and of one that does not."""
    rng = np.random.default_rng(seed)
    y = (np.arange(n) < share * n).astype(float)
    data = RankingDataset(rng.normal(size=(n, 2)), y)
    plan = plan_splits(data, "items", metric="AUC")
    noise = {"good": 0.5, "bad": 50.0, "semi": 0.5}
    outcomes = {}
    for name in names:
        scores = (y + noise[name] * rng.normal(size=n)) / noise[name]
        fits = [Fit((0.5,), 0.1, held_out=tuple(scores[split.measured])) for split in plan.splits]
        outcomes[name] = Outcome("finished", None, tuple(fits))
    return data, plan, outcomes


def dense(prior, outcomes, plan, data):
    """The definition, minimised by a general method."""
    names = list(prior)
    p = np.array(list(prior.values())) / (2 * sum(prior.values()))
    rows, targets = [], []
    for place, split in enumerate(plan.splits):
        y = data.y[split.measured]
        w = np.where(y > 0, 0.5 / np.mean(y > 0), 0.5 / np.mean(y <= 0))
        s = np.column_stack([outcomes[name].fits[place].held_out for name in names])
        rows.append(np.sqrt(w)[:, None] * (s - np.average(s, axis=0, weights=w)))
        targets.append(np.sqrt(w) * (y - np.average(y, weights=w)))
    A, t = np.vstack(rows), np.concatenate(targets)
    t = 0.5 * t / np.sqrt(np.mean(t**2))

    def loss(w):
        return np.sum((t - A @ w) ** 2) / plan.n_repeats + PRIOR_LABELS * np.sum((w - p) ** 2)

    return minimize(loss, p, bounds=[(0, None)] * len(p), tol=1e-14).x


@pytest.mark.parametrize(("n", "share"), [(10, 0.5), (50, 0.2), (100, 0.5)])
def test_weights_minimise_what_they_say(n, share):
    data, plan, outcomes = measured(n, share=share)
    found = mixture_weights(PRIOR, outcomes, plan, data)
    expected = dict(zip(PRIOR, dense(PRIOR, outcomes, plan, data), strict=True))
    for name, weight in expected.items():
        assert found.get(name, 0.0) == pytest.approx(weight, abs=0.01)


def test_evidence_moves_the_prior_smoothly():
    shares = []
    for n in (8, 20, 50, 100, 400):
        data, plan, outcomes = measured(n)
        weights = mixture_weights(PRIOR, outcomes, plan, data)
        shares.append(weights["good"] / sum(weights.values()))
    assert shares == sorted(shares)
    assert shares[0] < 0.75
    assert shares[-1] > 0.9


def test_without_evidence_weights_are_the_prior():
    data, plan, outcomes = measured(20)
    assert mixture_weights(PRIOR, outcomes, None, data) == PRIOR
    failed = outcomes | {"bad": Outcome("failed", "no luck", ())}
    assert set(mixture_weights(PRIOR, failed, plan, data)) == {"good"}


def test_both_mixtures_are_measured_and_the_one_with_unlabelled_items_has_the_other_as_baseline():
    data, plan, outcomes = measured(60, names=("good", "bad", "semi"))
    candidates = (
        Candidate("good", RankRLS()),
        Candidate("bad", RankRLS(ridge=9.0)),
        Candidate("semi", RankRLS(ridge=5.0), "assumes", "good"),
    )
    mix = {"good": 0.2, "bad": 0.2, "semi": 0.1}
    options = Catalogue("tables", candidates, MIX, (MIX_WITH_UNLABELLED,), MIX_WITH_UNLABELLED, mix)
    benchmark = Benchmark(data, plan.lists, "AUC", "ignore")
    found, more = with_mixtures(options, outcomes, plan, benchmark, data)
    alone, both = found.named(MIX), found.named(MIX_WITH_UNLABELLED)
    assert (alone.assumption, both.assumption, both.baseline) == (None, "assumes", MIX)
    assert [name for name, _ in alone.ranker.rankers] == ["good", "bad"]  # "semi" alone is "good"
    assert len(both.ranker.rankers) == 3
    values = np.mean([fit.values[0] for fit in more[MIX].fits])
    assert 0.8 < values <= 1
    prior, none = with_mixtures(options, {}, None, None, data)
    assert none == {}
    assert prior.named(MIX_WITH_UNLABELLED).ranker.weights == [0.4, 0.4, 0.2]
    assert prior.named(MIX).ranker.weights == [0.6, 0.4]
