"""A comparison in words: how it was measured, what unlabelled data did, which ranker to use."""

from collections.abc import Sequence
from typing import NamedTuple

from semirank.dataset import RankingDataset
from semirank.selection.findings.comparison import Judgement, ProtocolSummary, Standing
from semirank.selection.protocols import Plan
from semirank.selection.verdicts import Judge, best_of

FEW_JUDGED = 0.1

_PROVES = {
    "list": "A test takes each list as one observation, after averaging repetitions: it speaks of lists like "
    "these, and of rankers that learn from about as many labels.",
    "draw": "A test takes each draw of labels as one observation: it speaks of other labels for the same "
    "items, not of other lists.",
    "fold": "Folds share most of their labels, so the t-test is corrected for that, and approximate: it "
    "speaks of other items of the same lists, not of other lists.",
}


class Summary(NamedTuple):
    """What a comparison comes to."""

    best: str | None
    best_supervised: str | None
    best_semi_supervised: str | None
    recommended: str | None
    verdict: Judgement | None
    words: tuple[str, ...]


def summarise(standings: Sequence[Standing], judge: Judge) -> Summary:
    """Name the best rankers, and say what unlabelled data did."""
    best = best_of(standings, judge.sign)
    plain = best_of([each for each in standings if each.supervised], judge.sign)
    semi = best_of([each for each in standings if not each.supervised], judge.sign)
    contrast = None if semi is None else semi.contrast_best
    verdict = None if contrast is None else contrast.verdict
    recommended = semi if verdict == "helps" else plain
    words = [_best(best, judge)] if best else []
    words += [_unlabelled(plain, semi, judge)] + ([f"Use {recommended.name}."] if recommended else [])
    return Summary(_name(best), _name(plain), _name(semi), _name(recommended), verdict, tuple(words))


def _name(standing: Standing | None) -> str | None:
    return None if standing is None else standing.name


def _best(best: Standing, judge: Judge) -> str:
    interval = best.interval
    percent = f"{100 * judge.confidence:g} %"
    between = "" if interval is None else f" ({percent} interval {interval.low:.3f} to {interval.high:.3f})"
    return f"The best mean {judge.metric} is {best.mean:.3f}{between}, of {best.name}."


def _unlabelled(plain: Standing | None, semi: Standing | None, judge: Judge) -> str:
    if semi is None:
        return "No ranker that uses unlabelled data has finished, so nothing is known about their use."
    if plain is None or semi.contrast_best is None:
        return "No ranker that uses labels alone has finished, so nothing shows what unlabelled data did."
    contrast = semi.contrast_best
    change = f"{judge.metric} {contrast.difference:+.3f}, {semi.name} against {plain.name}"
    p = f"p = {contrast.p_adjusted:.2g} after correction"
    if contrast.verdict == "helps":
        shares = f"better on {contrast.improved:.0%} of {contrast.n_units} {contrast.unit}s, worse on"
        return f"Unlabelled data helps: {change} ({p}; {shares} {contrast.degraded:.0%})."
    if contrast.verdict == "harms":
        return f"Unlabelled data harms: {change} ({p})."
    limit = contrast.words.partition("after correction; ")[2]
    return f"There is no evidence that unlabelled data helps: {change} ({p}; {limit}."


def summarise_protocol(plan: Plan, n_units: int) -> ProtocolSummary:
    """Say how rankers were measured."""
    return ProtocolSummary(
        name=plan.protocol,
        why=plan.why,
        how=_how(plan),
        proves=_PROVES[plan.unit],
        unit=plan.unit,
        n_units=n_units,
        n_repeats=plan.n_repeats,
        n_folds=plan.n_folds,
        n_splits=len(plan.splits),
        keep=plan.keep,
        n_measured=len(plan.lists),
        notes=plan.notes,
    )


def _how(plan: Plan) -> str:
    times = "once" if plan.n_repeats == 1 else f"{plan.n_repeats} times over"
    if plan.protocol == "lists":
        shown = "those of all others" if plan.keep is None else f"those of {plan.keep} others"
        return (
            f"The labelled lists are cut into {plan.n_folds} parts, {times}. The labels of one part are "
            f"hidden, rankers see {shown} and all items, and are measured on the hidden labels."
        )
    if plan.keep is not None:
        return (
            f"In each list {plan.keep} labels are drawn and shown, {times}. Rankers see these and all items, "
            "and are measured on the other labels."
        )
    return (
        f"The labels of each list are cut into up to {plan.n_folds} parts, {times}. The labels of one part "
        "are hidden, rankers see the others and all items, and are measured on the hidden labels."
    )


def warnings_of(data: RankingDataset, standings: Sequence[Standing], depth: int) -> tuple[str, ...]:
    """Say what makes the figures less certain than they look."""
    judged = [each.judged for each in standings if each.judged is not None]
    found = []
    if judged and min(judged) < FEW_JUDGED:
        found.append(
            f"Only {min(judged):.1%} of the first {depth} items have a held-out label: the metric ranks the "
            "labelled items among themselves, and labels that were not chosen at random can mislead it."
        )
    bad = [each for each in standings if each.status != "finished"]
    found += [f"{each.name} is not ranked ({each.status}): {each.reason}" for each in bad]
    return tuple(found)
