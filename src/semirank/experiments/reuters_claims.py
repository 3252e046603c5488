"""What the paper says about semi-supervised RankBoost, held against what was measured."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from semirank.experiments.topic_methods import BLEND, LSA_GRAPH, LSA_LINEAR, RB, SEMI, SSLR, SVM, TSVM
from semirank.experiments.topic_report import Gain, Settings, gain
from semirank.experiments.topic_trials import Findings

NAMES = ("AUC", "AP@500", "P@50")


class Claim(NamedTuple):
    """A statement, what was measured, and whether that bears it out: "yes", "in part" or "no"."""

    claim: str
    measured: str
    holds: str


def _all_above(gains: Sequence[Gain]) -> str:
    """Judge the claim that all of some gains are above 0."""
    if all(each.clear and each.points > 0 for each in gains):
        return "yes"
    return "in part" if all(each.points > 0 for each in gains) else "no"


def claim_rows(
    main: Findings, other_pool: Findings, fewer: Settings, budgets: Settings
) -> list[dict[str, str]]:
    """Judge each of the paper's claims."""
    claims = [
        unlabelled_help(main, "pool A"),
        unlabelled_help(other_pool, "pool B"),
        best_k(main),
        above(main, SEMI[2], (TSVM, SSLR), "beats TSVM and ssLR"),
        above(
            main,
            SEMI[2],
            (SVM, LSA_LINEAR, LSA_GRAPH, BLEND),
            "beats today's linear models and graphs (ours)",
        ),
        rare_topics(main),
        slow_fall(fewer),
        rising(budgets),
    ]
    return [claim._asdict() for claim in claims]


def unlabelled_help(found: Findings, where: str) -> Claim:
    """All k of the paper beat RankBoost on the labels alone."""
    gains = [gain(found.splits(SEMI[k], "AP@500"), found.splits(RB, "AP@500")) for k in (1, 2, 3)]
    told = ", ".join(map(str, gains))
    return Claim(
        f"unlabelled documents help RankBoost ({where})",
        f"AP@500 of ssRB minus RB at k = 1, 2, 3: {told} (paper: +16.5, +18.5, +16.8)",
        _all_above(gains),
    )


def best_k(found: Findings) -> Claim:
    """Two neighbours are best and three worst."""
    means = {k: found.mean(name, "AP@500") for k, name in SEMI.items()}
    told = ", ".join(f"{k}: {100 * mean:.1f}" for k, mean in means.items())
    return Claim(
        "k = 2 is the best number of neighbours, k = 3 the worst",
        f"AP@500 by k: {told}",
        "yes" if max(means, key=means.__getitem__) == 2 else "no",
    )


def above(found: Findings, ours: str, rivals: tuple[str, ...], words: str) -> Claim:
    """Ours beats its rivals in AP@500 and P@50."""
    gains = {
        rival: [gain(found.splits(ours, name), found.splits(rival, name)) for name in NAMES[1:]]
        for rival in rivals
    }
    told = "; ".join(f"{rival}: {', '.join(map(str, row))}" for rival, row in gains.items())
    return Claim(
        f"{ours} {words}",
        f"points of AP@500, P@50 above {told}",
        _all_above([each for row in gains.values() for each in row]),
    )


def rare_topics(found: Findings) -> Claim:
    """On the eight rarer topics the AUC is above that of the semi-supervised classifiers."""
    ours = found.values[SEMI[2]]["AUC"]
    counts = [
        [gain(ours[topic], found.values[rival]["AUC"][topic]) for topic in range(2, len(ours))]
        for rival in (TSVM, SSLR)
    ]
    won = [sum(each.clear and each.points > 0 for each in row) for row in counts]
    lost = [sum(each.clear and each.points < 0 for each in row) for row in counts]
    return Claim(
        "on the eight rarer topics ssRB (k = 2) has a higher AUC than TSVM and ssLR",
        f"clearly higher than TSVM on {won[0]} and lower on {lost[0]}, than ssLR on {won[1]} and {lost[1]}",
        "yes" if min(won) > 4 else "in part" if min(won) > max(lost) else "no",
    )


def slow_fall(fewer: Settings) -> Claim:
    """On acq, the AUC of ssRB falls less than that of the others when relevant documents go from 9 to 3."""

    def fall(name: str) -> float:
        before, after = (float(np.mean(fewer[n].values[name]["AUC"][1])) for n in ("9", "3"))
        return 100 * (1 - after / before)

    falls = {name: fall(name) for name in (SEMI[2], TSVM, SSLR)}
    told = ", ".join(f"{name} {value:.1f} %" for name, value in falls.items())
    return Claim(
        "from 9 to 3 relevant documents the AUC on acq falls by 9 % for ssRB, by 16 % for TSVM and ssLR",
        told,
        "yes" if falls[SEMI[2]] < min(falls[TSVM], falls[SSLR]) else "no",
    )


def rising(budgets: Settings) -> Claim:
    """More labels are better for everyone."""
    names = (RB, TSVM, SSLR, SEMI[2])
    curves = {name: [found.mean(name, "AP@500") for found in budgets.values()] for name in names}
    falling = [name for name, curve in curves.items() if np.any(np.diff(curve) < 0)]
    told = "AP@500 of RB, TSVM, ssLR and ssRB rises throughout"
    return Claim(
        "more labels are better for every method",
        f"AP@500 falls somewhere for {', '.join(falling)}" if falling else told,
        "no" if falling else "yes",
    )
