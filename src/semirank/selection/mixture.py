"""Mixtures: how much each of several rankers counts, by what is known beforehand and by held-out labels."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from scipy.optimize import nnls

from semirank.core.arrays import Booleans, Floats, Integers
from semirank.dataset import RankingDataset
from semirank.meta.blend import Blend
from semirank.rankers._base import Ranker
from semirank.selection.benchmark import Benchmark, Fit
from semirank.selection.candidates import Candidate
from semirank.selection.catalogue import MIX, MIX_WITH_UNLABELLED, Catalogue
from semirank.selection.protocols import Plan
from semirank.selection.runner import Outcome
from semirank.selection.splits import Split

PRIOR_LABELS = 30.0  # how many labels the prior weights are worth
NEGLIGIBLE = 0.01  # of the largest weight


def mixture_weights(
    prior: Mapping[str, float],
    outcomes: Mapping[str, Outcome],
    plan: Plan | None,
    data: RankingDataset,
    without: Booleans | None = None,
) -> dict[str, float]:
    """Return weights of 0 or more for rankers whose standardised scores are added.

    With s_k the held-out scores of ranker k, t the held-out labels, both relative to their mean over the
    held-out items of a list, t with standard deviation 1/2, and p the prior weights with sum 1/2, they
    minimise ::

        sum |t - sum_k w_k s_k|^2 / repeats + PRIOR_LABELS |w - p|^2.

    Relevant and irrelevant labels of a list count the same as a whole. Without a label to hold out the
    weights are the prior; with a few dozen, what was held out has as much to say; with hundreds it decides.
    A ranker that could not be measured keeps no weight. Items marked in `without` have no say.
    """
    known = [name for name in prior if name in _finished(outcomes)]
    if plan is None or not known:
        return dict(prior)
    p = np.array([prior[name] for name in known]) / (2 * sum(prior[name] for name in known))
    parts = [
        _equations(split, [outcomes[name].fits[place] for name in known], data, without)
        for place, split in enumerate(plan.splits)
    ]
    scores, target = np.vstack([part[0] for part in parts]), np.concatenate([part[1] for part in parts])
    spread = float(np.sqrt(np.mean(target**2))) if len(target) else 0.0
    if spread > 0:
        strength = np.sqrt(PRIOR_LABELS * plan.n_repeats)
        equations = np.vstack([scores, strength * np.eye(len(known))])
        found, _ = nnls(equations, np.concatenate([0.5 * target / spread, strength * p]))
        p = found if found.any() else p  # labels that speak against all of them choose none
    return {name: float(w) for name, w in zip(known, p, strict=True) if w > NEGLIGIBLE * p.max()}


def _equations(
    split: Split, fits: Sequence[Fit], data: RankingDataset, without: Booleans | None
) -> tuple[Floats, Floats]:
    """Return held-out scores and labels of a split, relative to their list, times the root of weights."""
    items = np.flatnonzero(split.measured)
    kept = np.ones(len(items), dtype=bool) if without is None else ~without[items]
    items = items[kept]
    scores = np.column_stack([np.array(fit.held_out)[kept] for fit in fits])
    lists, weights = data.list_of_item[items], _balanced(data.y[items], data.list_of_item[items])
    s, t = (_centred(values, lists, weights) for values in (scores, data.y[items]))
    return np.sqrt(weights)[:, None] * s, np.sqrt(weights) * t


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
    """Add the mixture of all members, and itself on labels alone, to what was measured.

    Where relevant items are looked for among unlabelled ones, or nothing can be held out, weights are the
    prior, and the mixtures have no outcome.
    """
    by_name = {each.name: each for each in catalogue.candidates}
    alone = _on_labels_alone(catalogue.mix, by_name)
    priors = {MIX: alone} if alone else {}
    if alone != catalogue.mix:
        priors[MIX_WITH_UNLABELLED] = dict(catalogue.mix)
    held_out = benchmark is not None and benchmark.unlabelled == "ignore"
    found, added = dict(outcomes), []
    for name, prior in priors.items():
        weights = mixture_weights(prior, outcomes, plan if held_out else None, data)
        semi = next((by_name[each].assumption for each in weights if by_name[each].assumption), None)
        baseline = MIX if semi is not None and alone else None
        added.append(Candidate(name, _blend(weights, by_name), semi, baseline))
        if held_out and plan is not None and benchmark is not None and prior.keys() & _finished(outcomes):
            found[name] = mixed_outcome(prior, outcomes, plan, benchmark)
    return replace(catalogue, candidates=(*catalogue.candidates, *added)), found


def _on_labels_alone(prior: Mapping[str, float], candidates: Mapping[str, Candidate]) -> dict[str, float]:
    """Return the prior with every member that uses unlabelled items replaced by itself on labels alone."""
    alone: dict[str, float] = {}
    for name, weight in prior.items():
        member = candidates[name]
        known = name if member.assumption is None else member.baseline
        if known is not None:
            alone[known] = alone.get(known, 0.0) + weight
    return alone


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
    prior: Mapping[str, float],
    outcomes: Mapping[str, Outcome],
    plan: Plan,
    benchmark: Benchmark,
) -> Outcome:
    """Return what the mixture has shown on the splits, from the held-out scores of its members.

    The weights for a split are found without the labels that it measures: otherwise a mixture of more members
    would always look better.
    """
    fits = []
    for place, split in enumerate(plan.splits):
        weights = mixture_weights(prior, outcomes, plan, benchmark.data, without=split.measured)
        parts = [outcomes[name].fits[place] for name in weights]
        scores = sum(w * np.array(part.held_out) for w, part in zip(weights.values(), parts, strict=True))
        values = benchmark.measure_held_out(split, np.asarray(scores))
        fits.append(Fit(values, sum(part.fit_seconds for part in parts)))
    return Outcome("finished", None, tuple(fits))
