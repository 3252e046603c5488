"""Results in words: the only place where sentences about them are made, and nothing reads them back."""

from semirank.results.budget import Budget, LabelWorth
from semirank.results.comparison import Choice, Comparison, Protocol
from semirank.results.result import Contrast, Result

FEW_JUDGED = 0.1

KINDS = {
    "texts": "texts (or other sparse items), relevant or not",
    "vectors": "items with features of one kind (images, embeddings), relevant or not",
    "tables": "items with columns of all kinds, relevant or not",
    "grades": "items with dense features and labels of several levels",
    "lists": "lists whose features mean the same in each",
    "given": "data of any kind",
}

_UNITS = {"list": "lists", "draw": "draws of labels"}

_PROVES = {
    "list": "A test takes each list as one observation, after averaging repetitions: it speaks of lists like "
    "these, and of rankers that learn from about as many labels.",
    "draw": "A test takes each draw of labels as one observation: it speaks of other labels for the same "
    "items, not of other lists.",
    "fold": "Folds share most of their labels, so the t-test is corrected for that, and approximate: it "
    "speaks of other items of the same lists, not of other lists.",
}


def about_contrast(contrast: Contrast, metric: str, n_labels: int) -> str:
    """Say how a ranker did against its baseline, and how sure that is."""
    observed = _observed(contrast, n_labels)
    p = f"p = {contrast.p_adjusted:.2g} after correction"
    by = f"{metric} {contrast.difference:+.3f} against {contrast.baseline}"
    if contrast.verdict != "no evidence":
        return f"{contrast.verdict}: {by} ({observed}, {p})"
    return f"no evidence: {by} ({p}; {_limit(contrast, observed)})"


def _observed(contrast: Contrast, n_labels: int) -> str:
    if contrast.unit == "fold":
        return f"{n_labels} labels"
    return f"{contrast.n_units} {_UNITS[contrast.unit]}"


def _limit(contrast: Contrast, observed: str) -> str:
    """Say what the test could have seen."""
    if contrast.changed == 0:
        return f"nothing changed in {observed}"
    if contrast.detectable is not None:
        return f"{observed} are too few to see a difference below {contrast.detectable:.2g}"
    more = "; repeat more often" if contrast.unit == "draw" else ""
    return f"{observed} are too few to see any difference{more}"


def about_choice(choice: Choice, metric: str, n_labels: int) -> str:
    """Say which ranker to use and why."""
    name, kind = choice.name, KINDS[choice.kind]
    said = "" if choice.contrast is None else about_contrast(choice.contrast, metric, n_labels)
    match choice.reason:
        case "asked for":
            return f"{name}: it was asked for."
        case "proven":
            return f"{name}: it uses unlabelled items, which {said}."
        case "trusted":
            return (
                f"{name}: it uses unlabelled items, as has been good for {kind}. "
                f"Held-out labels agree but do not prove it ({said})."
            )
        case "few labels":
            return (
                f"{name}: the usual choice for {kind} with few labels. This is experience with other data, "
                f"not evidence from these: {choice.problem}"
            )
    if choice.rival is None:
        return f"{name}: it learns from labels alone; nothing that uses unlabelled items was measured."
    return (
        f"{name}: it learns from labels alone, because unlabelled items are not shown to help. The best "
        f"ranker that uses them, {choice.rival}: {said}."
    )


def headline(comparison: Comparison) -> str:
    """Say in one sentence what to do."""
    choice = comparison.choice
    if choice is None:
        return "Nothing could be compared, so nothing is recommended."
    name, words = choice.name, comparison.titles.get(choice.name, choice.words or choice.name)
    use = f"Use “{name}”" if words == name else f"Use {words}"
    return {
        "proven": f"{use}: unlabelled items help.",
        "trusted": f"{use}: unlabelled items seem to help, though your labels are too few to prove it.",
        "labels": f"{use}, which learns from labels alone: unlabelled items are not shown to help.",
        "few labels": f"{use}, the usual choice: your labels are too few to compare rankers.",
        "asked for": f"{use}: it was asked for.",
    }[choice.reason]


_MEANINGS = {
    "AUC": "Of a better and a worse item, the better one stands first in {share:.0%} of the cases.",
    "AP": "Reading down to a relevant item, {share:.0%} of what was read is relevant, on average.",
    "nDCG": "The order{top} is worth {share:.0%} of the best possible one.",
    "P": "Of the first {number} items, {share:.0%} are relevant.",
    "R": "The first {number} items hold {share:.0%} of the relevant ones.",
    "RR": "The first relevant item stands at place {place:.1f}, by the usual mean.",
    "Disagreement": "Of a better and a worse item, {share:.0%} stand the wrong way round.",
}


def about_value(metric: str, value: float) -> str:
    """Say what a value of a metric means to a reader; nothing where that takes more than a sentence.

    Examples
    --------
    >>> about_value("AUC", 0.93)
    'Of a better and a worse item, the better one stands first in 93% of the cases.'
    """
    base, _, number = metric.partition("@")
    said = _MEANINGS.get(base.partition("(")[0], "")
    top = f" of the first {number} items" if number else ""
    return said.format(share=value, top=top, number=number, place=1 / value if value > 0 else float("inf"))


def about_comparison(comparison: Comparison) -> list[str]:
    """Say what a comparison comes to: the best ranker, what unlabelled data did, which ranker to use."""
    found = [] if comparison.best is None else [_best(comparison.result(comparison.best), comparison)]
    if comparison.results:
        found.append(_unlabelled(comparison))
    if len(comparison.finished) < len(comparison.results):
        found.append(f"{len(comparison.finished)} of {len(comparison.results)} rankers were measured.")
    if comparison.choice is not None:
        found.append(f"Use {about_choice(comparison.choice, comparison.metric, _n_labels(comparison))}")
    return found


def _n_labels(comparison: Comparison) -> int:
    return comparison.protocol.n_labels if comparison.protocol else comparison.data.labelled


def _best(best: Result, comparison: Comparison) -> str:
    interval = best.interval
    percent = f"{100 * comparison.confidence:g} %"
    between = "" if interval is None else f" ({percent} interval {interval.low:.3f} to {interval.high:.3f})"
    return f"The best mean {comparison.metric} is {best.mean:.3f}{between}, of {best.name}."


def _unlabelled(comparison: Comparison) -> str:
    if comparison.best_semi_supervised is None:
        return "No ranker that uses unlabelled data has finished, so nothing is known about their use."
    semi = comparison.result(comparison.best_semi_supervised)
    contrast = semi.contrast_best
    if contrast is None:
        return "No ranker that uses labels alone has finished, so nothing shows what unlabelled data did."
    change = f"{comparison.metric} {contrast.difference:+.3f}, {semi.name} against {contrast.baseline}"
    p = f"p = {contrast.p_adjusted:.2g} after correction"
    if contrast.verdict == "helps":
        shares = f"better on {contrast.improved:.0%} of {contrast.n_units} {contrast.unit}s, worse on"
        return f"Unlabelled data helps: {change} ({p}; {shares} {contrast.degraded:.0%})."
    if contrast.verdict == "harms":
        return f"Unlabelled data harms: {change} ({p})."
    limit = _limit(contrast, _observed(contrast, _n_labels(comparison)))
    return f"There is no evidence that unlabelled data helps: {change} ({p}; {limit})."


def about_protocol(protocol: Protocol) -> list[str]:
    """Say why and how rankers were measured, and what that proves."""
    said = [f"{_reason(protocol)}", _how(protocol), _PROVES[protocol.unit]]
    if protocol.n_skipped:
        lack = "they lack two better and two worse labels, or the metric is undefined on them"
        said.append(f"{protocol.n_skipped} labelled lists are not measured: {lack}.")
    if protocol.unlabelled == "irrelevant":
        said.append("Items without any label count as irrelevant.")
    return said


def _reason(protocol: Protocol) -> str:
    remain = f"of {protocol.inside + protocol.outside} items that remain to be ranked"
    said = {
        "asked for": "It was asked for.",
        "one list": "One list has labels, so labels can only be held out within it.",
        "same items": "The lists hold the same items, so a list is learned from its own labels.",
        "all labelled": "Every item has a label, so what remains to be ranked are other lists.",
        "inside": f"{protocol.inside} {remain} stand in lists that have labels.",
        "outside": f"{protocol.outside} {remain} stand in lists without any label.",
    }[protocol.reason]
    return said if protocol.instead_of is None else f"{said} But: {protocol.instead_of}"


def _how(protocol: Protocol) -> str:
    times = "once" if protocol.n_repeats == 1 else f"{protocol.n_repeats} times over"
    if protocol.name == "lists":
        shown = "those of all others" if protocol.keep is None else f"those of {protocol.keep} others"
        return (
            f"The labelled lists are cut into {protocol.n_folds} parts, {times}. The labels of one part are "
            f"hidden, rankers see {shown} and all items, and are measured on the hidden labels."
        )
    if protocol.keep is not None:
        return (
            f"In each list {protocol.keep} labels are drawn and shown, {times}. Rankers see these and all "
            "items, and are measured on the other labels."
        )
    return (
        f"The labels of each list are cut into up to {protocol.n_folds} parts, {times}. The labels of one "
        "part are hidden, rankers see the others and all items, and are measured on the hidden labels."
    )


def about_budget(budget: Budget, metric: str) -> list[str]:
    """Say how many labels unlabelled data was worth, for each number of labels."""
    return [about_worth(worth, budget, metric) for worth in budget.worth]


def about_worth(worth: LabelWorth, budget: Budget, metric: str) -> str:
    """Say how many labels the baseline needs to be as good."""
    needs = {"about": "about", "at least": "more than", "at most": "no more than"}[worth.bound]
    baseline = f"{budget.baseline.name} needs {needs} {worth.equivalent:.3g}"
    return f"With {worth.size} {budget.unit}: {baseline} for the same {metric}."


def warnings_of(comparison: Comparison) -> list[str]:
    """Say what makes the figures less certain than they look."""
    found = list(comparison.data.warnings)
    if comparison.problem is not None:
        found.append(comparison.problem)
    judged = [each.judged for each in comparison.results if each.judged is not None]
    if judged and min(judged) < FEW_JUDGED:
        found.append(
            f"Only {min(judged):.1%} of the first {comparison.judged_at} items have a held-out label: the "
            "metric ranks the labelled items among themselves, and labels that were not chosen at random can "
            "mislead it."
        )
    if comparison.protocol is not None and comparison.protocol.name == "items" and _needs_share(comparison):
        found.append(
            f"{comparison.metric} depends on the share of relevant items among those measured, which is "
            f"{_share_of_relevant(comparison):.0%} of the labels and may be another among all items. AUC "
            "does not depend on it."
        )
    bad = [each for each in comparison.results if each.status != "finished"]
    return found + [f"{each.name} is not ranked ({each.status}): {each.reason}" for each in bad]


def _needs_share(comparison: Comparison) -> bool:
    """Tell whether the metric on labels need not be that on all items."""
    free = comparison.metric in ("AUC", "Disagreement", "disagreement")
    return not free and comparison.data.unlabelled > 0 and len(comparison.data.label_histogram) <= 2


def _share_of_relevant(comparison: Comparison) -> float:
    histogram = comparison.data.label_histogram
    relevant = sum(count for label, count in histogram.items() if float(label) > 0)
    return relevant / max(sum(histogram.values()), 1)


def about_loss(name: str, contrast: Contrast) -> str:
    """Say of a ranker in a simulation how its loss compares with that of another."""
    way = "lower" if contrast.difference >= 0 else "higher"
    p = f"p = {contrast.p_adjusted:.2g} after correction"
    return (
        f"{name} against {contrast.baseline}: {contrast.verdict}: loss {way} by "
        f"{abs(contrast.difference):.3f} ({contrast.n_units} runs, {p})."
    )
