"""Mixtures: how much each of several rankers counts, by what is known beforehand and by held-out labels."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from scipy.optimize import nnls

from semirank.core.arrays import Floats, Integers
from semirank.dataset import RankingDataset
from semirank.meta.blend import Blend
from semirank.rankers._base import Ranker
from semirank.selection.benchmark import Benchmark, Fit
from semirank.selection.candidates import Candidate
from semirank.selection.catalogue import MIX, MIX_WITH_UNLABELLED, Catalogue
from semirank.selection.protocols import Plan
from semirank.selection.runner import Outcome

PRIOR_LABELS = 30.0  # how many labels the prior weights are worth
NEGLIGIBLE = 0.01  # of the largest weight


def mixture_weights(
    prior: Mapping[str, float],
    outcomes: Mapping[str, Outcome],
    plan: Plan | None,
    data: RankingDataset,
) -> dict[str, float]:
    """Return weights of 0 or more for rankers whose standardised scores are added.

    With s_k the held-out scores of ranker k, t the held-out labels, both relative to their mean over the
    held-out items of a list, t with standard deviation 1/2, and p the prior weights with sum 1/2, they
    minimise ::

        sum |t - sum_k w_k s_k|^2 / repeats + PRIOR_LABELS |w - p|^2.

    Relevant and irrelevant labels of a list count the same as a whole. Without a label to hold out the
    weights are the prior; with a few dozen, what was held out has as much to say; with hundreds it decides.
    A ranker that could not be measured keeps no weight.
    """
    known = [name for name in prior if name in outcomes and outcomes[name].status == "finished"]
    if plan is None or not known:
        return dict(prior)
    p = np.array([prior[name] for name in known]) / (2 * sum(prior[name] for name in known))
    rows, targets = [], []
    for place, split in enumerate(plan.splits):
        items = np.flatnonzero(split.measured)
        scores = np.column_stack([outcomes[name].fits[place].held_out for name in known])
        weights = _balanced(data.y[items], data.list_of_item[items])
        s, t = (_centred(values, data.list_of_item[items], weights) for values in (scores, data.y[items]))
        rows.append(np.sqrt(weights)[:, None] * s)
        targets.append(np.sqrt(weights) * t)
    target = np.concatenate(targets)
    spread = float(np.sqrt(np.mean(target**2)))
    if spread == 0:
        return dict(zip(known, p.tolist(), strict=True))
    strength = np.sqrt(PRIOR_LABELS * plan.n_repeats)
    equations = np.vstack([*rows, strength * np.eye(len(known))])
    found, _ = nnls(equations, np.concatenate([0.5 * target / spread, strength * p]))
    return {name: float(w) for name, w in zip(known, found, strict=True) if w > NEGLIGIBLE * found.max()}


def _balanced(y: Floats, lists: Integers) -> Floats:
    """Return weights of labels, mean 1: those above 0 count as much as the others of their list."""
    relevant = y > 0
    weights = np.ones(len(y))
    for at in np.unique(lists):
        here = lists == at
        share = relevant[here].mean()
        if 0 < share < 1:
            weights[here] = np.where(relevant[here], 0.5 / share, 0.5 / (1 - share))
    return weights


def _centred(values: Floats, lists: Integers, weights: Floats) -> Floats:
    centred = np.array(values, dtype=np.float64)
    for at in np.unique(lists):
        here = lists == at
        centred[here] -= np.average(centred[here], axis=0, weights=weights[here])
    return centred


def with_mixtures(
    catalogue: Catalogue,
    outcomes: Mapping[str, Outcome],
    plan: Plan | None,
    benchmark: Benchmark | None,
    data: RankingDataset,
) -> tuple[Catalogue, dict[str, Outcome]]:
    """Add the mixture of what learns from labels alone, and that of all members, to what was measured.

    Where relevant items are looked for among unlabelled ones, or nothing can be held out, weights are the
    prior, and the mixtures have no outcome.
    """
    members = {each.name: each for each in catalogue.candidates if each.name in catalogue.mix}
    alone = [name for name, each in members.items() if each.assumption is None]
    semi = next((each.assumption for each in members.values() if each.assumption is not None), None)
    measured = plan is not None and benchmark is not None and benchmark.unlabelled == "ignore"
    found, added = dict(outcomes), []
    for name, names in ((MIX, alone), (MIX_WITH_UNLABELLED, list(members))):
        if not names or (name == MIX_WITH_UNLABELLED and semi is None):
            continue
        prior = {each: catalogue.mix[each] for each in names}
        weights = mixture_weights(prior, outcomes, plan if measured else None, data)
        uses = any(members[each].assumption is not None for each in weights)
        baseline = MIX if uses and alone else None
        added.append(Candidate(name, _blend(weights, members), semi if uses else None, baseline))
        if measured and plan is not None and benchmark is not None and set(weights) <= _finished(outcomes):
            found[name] = mixed_outcome(weights, outcomes, plan, benchmark)
    return replace(catalogue, candidates=(*catalogue.candidates, *added)), found


def _finished(outcomes: Mapping[str, Outcome]) -> set[str]:
    return {name for name, each in outcomes.items() if each.status == "finished"}


def _blend(weights: Mapping[str, float], members: Mapping[str, Candidate]) -> Ranker:
    """Return the mixture as a ranker: one of its members alone, or a Blend."""
    if len(weights) == 1:
        return members[next(iter(weights))].ranker
    total = sum(weights.values())
    rankers = [(name.replace(" ", "_").replace(",", ""), members[name].ranker) for name in weights]
    return Blend(rankers, [round(w / total, 3) for w in weights.values()])


def mixed_outcome(
    weights: Mapping[str, float], outcomes: Mapping[str, Outcome], plan: Plan, benchmark: Benchmark
) -> Outcome:
    """Return what the mixture has shown on the splits, from the held-out scores of its members.

    The weights were found on the same held-out labels, all splits together; they are few and held near the
    prior, so that this flatters the mixture by little.
    """
    fits = []
    for place, split in enumerate(plan.splits):
        parts = [outcomes[name].fits[place] for name in weights]
        scores = sum(w * np.array(part.held_out) for w, part in zip(weights.values(), parts, strict=True))
        values = benchmark.measure_held_out(split, np.asarray(scores))
        fits.append(Fit(values, sum(part.fit_seconds for part in parts)))
    return Outcome("finished", None, tuple(fits))
