"""The page about AutoRanker on data that nobody prepared: means, all settings, goals."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from semirank.experiments.result import ExperimentPage, Rows
from semirank.experiments.suite_peers import LETTERS, LINEAR, LOGISTIC, PEERS
from semirank.experiments.suite_rounds import BATCH, N_ROUNDS
from semirank.experiments.suite_sets import BUDGETS, FEWEST_LEFT, LISTS, MOST_ITEMS, SETS

AUTO = "AutoRanker"
NOISE = 2.0  # standard errors
AHEAD, AHEAD_AT = 0.5, ("5+5", "10+40")
SLACK, MOST_BELOW, SHARE_BELOW = 0.5, 3.0, 0.05
SLACK_BEST, SHARE_BELOW_BEST = 2.0, 0.15
FALL = 0.5
N_NAMED = 8  # exceptions that a goal names
TIMES, TIMES_AT, SECONDS = 10.0, "5+5", 20.0

Draws = Sequence[Mapping[str, Any]]
Settings = Mapping[tuple[str, str], Draws]
Curves = Mapping[str, Sequence[Mapping[str, Sequence[float]]]]

PROTOCOL = (
    "Every method gets the same labels, drawn at random, and is measured on all items without a label: AUC, "
    "for real-valued labels the share of pairs in the right order, for lists the mean nDCG@10 of those that "
    f"hold different labels. Sets of more than {MOST_ITEMS:,} items are sampled to as many, the same ones in "
    f"every draw; a setting is left out where fewer than {FEWEST_LEFT} relevant or irrelevant items would "
    "remain. Labels are counted as relevant + irrelevant ones; for real-valued labels it is their number, "
    "for lists that of labelled lists; labels that are all equal are drawn again. Peers are set up as a "
    "careful user would: an empty cell gets the "
    "median, categories a column for each of the 20 most frequent levels, columns mean 0 and variance 1; "
    "images are divided by their largest value; texts are tf-idf of words that two of them share. Logistic "
    "regression and SVMs have C = 1, ridge chooses among eleven by leaving one out, kNN looks at 5 items, "
    "ExtraTrees has 300 trees, LightGBM 100 of 7 leaves whose size follows the number of labels, "
    "LabelSpreading 10 neighbours; self-training is scikit-learn's with logistic regression. *Letters* is "
    "logistic regression on tf-idf of two to four letters, for those who know that letters matter; no goal "
    "speaks of it. AutoRanker has its defaults; it gets tables and texts as they are."
)
ERRORS = (
    "Beside each peer: AutoRanker minus the peer, with the standard error over sets. 100 is best. Classes of "
    "the same images and folds of the same lists are not independent of each other, so that their errors are "
    "too small; and of a hundred peers that are as good as AutoRanker two or three would seem better beyond "
    "two standard errors."
)
CHOICES = (
    "The worth of the prior (30 labels) and the prior weights of tables (`selection/catalogue.py`) were "
    "chosen among some forty variants on other draws of the 23 binary tables of the suite, at most 1,000 "
    "rows of each, all of them looked at; the differences among the better half of the variants are "
    "within noise. The prior of vectors was set once on one class of OPTDIGITS and MNIST, and USPS looked "
    "at afterwards. The views of texts were chosen among some forty-five on one half of the text sets and "
    "reported on the other. How much *screening* counts in the mix of texts, half at the first labels and "
    "fading with them, was chosen among three ways on six other draws of the eleven text sets, and looked at "
    "once more on three others. Weights of graded labels and of lists are equal ones that are older than "
    "this page; graded labels took over the trees of tables. When labels look as if they came from the top "
    "of a ranking was made stricter for few labels by a rule of chance, after one text set had shown the "
    "need. The ten sets with real labels, the lists, and the draws of this page were not used for any "
    "choice."
)


class Gap(NamedTuple):
    """AutoRanker minus another method, in points: the mean, its standard error, and of how many."""

    mean: float
    error: float
    size: int

    @classmethod
    def of(cls, differences: Sequence[float]) -> "Gap":
        """Return the mean of differences; the error of a single one is not known."""
        points = 100.0 * np.asarray(differences, dtype=np.float64)
        error = points.std(ddof=1) / np.sqrt(len(points)) if len(points) > 1 else np.nan
        return cls(float(points.mean()), float(error), len(points))

    @property
    def beyond_noise(self) -> bool:
        """Whether the other method is better by more than twice the standard error."""
        return self.mean + NOISE * self.error < 0

    def __str__(self) -> str:
        return f"{self.mean:+.1f}" + ("" if np.isnan(self.error) else f" ± {self.error:.1f}")


def write_page(result: ExperimentPage, settings: Settings, curves: Curves, large: Settings) -> None:
    """Put the goals first, then means by kind, times, rounds and all settings."""
    goals = goal_rows(settings, curves, large)
    reached = sum(row["reached"] == "yes" for row in goals)
    result.text(f"{reached} of {len(goals)} goals are reached.")
    result.table("Goals", goals)
    result.text(PROTOCOL)
    result.text(f"## Which choices were made on which data\n\n{CHOICES}")
    kinds = [kind for kind in BUDGETS if any(SETS[name].kind == kind for name, _ in settings)]
    for kind in kinds:
        result.table(f"Means over sets: {kind}", mean_rows(settings, kind))
    result.text(ERRORS)
    if curves:
        result.table(f"Rounds of feedback: {N_ROUNDS} times {BATCH} labels from the top", round_rows(curves))
        result.text(
            "AUC on the half of the items that is never asked for, means of all draws; 5 + 5 labels at the "
            "start. A fall is from one round to the next, with its standard error over draws."
        )
    result.table("What it chose, and processor seconds", choice_rows(settings))
    for kind in kinds:
        result.table(f"All settings: {kind}", setting_rows(settings, kind))


def mean_of(draws: Draws, method: str) -> float | None:
    """Return the mean quality of a method over the draws of a setting, None if it failed in one."""
    values = [draw["quality"].get(method) for draw in draws]
    return None if None in values else float(np.mean(values))


def gap(settings: Settings, kind: str, budget: str, peer: str) -> Gap | None:
    """Return AutoRanker minus a peer over the sets of a kind; None if the peer has no result."""
    differences = [
        ours - theirs
        for draws in _of(settings, kind, budget).values()
        if (ours := mean_of(draws, AUTO)) is not None and (theirs := mean_of(draws, peer)) is not None
    ]
    return Gap.of(differences) if differences else None


def _of(settings: Settings, kind: str, budget: str | None = None) -> dict[tuple[str, str], Draws]:
    return {
        key: draws
        for key, draws in settings.items()
        if SETS[key[0]].kind == kind and budget in (None, key[1])
    }


def mean_rows(settings: Settings, kind: str) -> Rows:
    """Return a row for each number of labels: the mean of every method, and AutoRanker minus it."""
    rows = []
    for budget in BUDGETS[kind]:
        here = _of(settings, kind, budget)
        if not here:
            continue
        row: dict[str, Any] = {_labels(kind): budget, "sets": len(here), AUTO: _mean(here, AUTO)}
        for peer in PEERS[kind]:
            difference = gap(settings, kind, budget, peer)
            row[peer] = None if difference is None else f"{_mean(here, peer)} ({difference})"
        rows.append(row)
    return rows


def _mean(settings: Settings, method: str) -> str:
    values = [mean_of(draws, method) for draws in settings.values()]
    known = [value for value in values if value is not None]
    return f"{100 * float(np.mean(known)):.1f}"


def _labels(kind: str) -> str:
    return "labelled lists" if kind == LISTS else "labels"


def judged(kind: str) -> list[str]:
    """Return the peers that the goals are about."""
    return [name for name in PEERS[kind] if name != LETTERS]


def gaps_to(settings: Settings, kinds: Sequence[str], rival: str | None = None) -> dict[str, Gap]:
    """Return AutoRanker minus a rival (None: the best peer in hindsight) in each setting, over draws."""
    found = {}
    for kind in kinds:
        for (name, budget), draws in _of(settings, kind).items():
            means = {peer: mean_of(draws, peer) for peer in judged(kind) if rival in (None, peer)}
            known = {peer: mean for peer, mean in means.items() if mean is not None}
            if known:
                found[f"{name} {budget}"] = _over_draws(draws, max(known, key=known.__getitem__))
    return found


def _over_draws(draws: Draws, peer: str) -> Gap:
    return Gap.of([draw["quality"][AUTO] - draw["quality"][peer] for draw in draws])


def goal_rows(settings: Settings, curves: Curves, large: Settings | None = None) -> Rows:
    """Return each goal, what was measured, and whether it is reached."""
    rows = [
        _goal(f"No peer better in the mean beyond {NOISE:g} standard errors", *_no_better_peer(settings)),
        _goal(f"Ahead of each peer by {AHEAD} at {' and '.join(AHEAD_AT)}", *_ahead(settings)),
    ]
    for linear in dict.fromkeys(LINEAR.values()):
        gaps = gaps_to(settings, [kind for kind, name in LINEAR.items() if name == linear], linear)
        if gaps:
            goal = f"Below {linear} by more than {SLACK} in less than {SHARE_BELOW:.0%}"
            goal += f", never by more than {MOST_BELOW:g}"
            never = min(gaps.values()).mean >= -MOST_BELOW
            rows.append(_goal(goal, _share(gaps, SLACK) < SHARE_BELOW and never, _counted(gaps, SLACK)))
    gaps = gaps_to(settings, list(PEERS))
    goal = f"Below the best peer in hindsight by more than {SLACK_BEST:g} in less than {SHARE_BELOW_BEST:.0%}"
    rows.append(_goal(goal, _share(gaps, SLACK_BEST) < SHARE_BELOW_BEST, _counted(gaps, SLACK_BEST)))
    rows += [*_ratio_goal(settings), *_seconds_goal(large or {})]
    if curves:
        rows.append(
            _goal(f"No round falls by more than {FALL} and {NOISE:g} standard errors", *_no_fall(curves))
        )
    return rows


def _goal(goal: str, reached: Any, measured: str) -> dict[str, Any]:
    """Return a row; `reached` is None where a single draw or set does not tell noise from more."""
    answer = "not known" if reached is None else "yes" if reached else "no"
    return {"goal": goal, "measured": measured, "reached": answer}


def _share(gaps: Mapping[str, Gap], slack: float) -> float:
    return float(np.mean([each.mean < -slack for each in gaps.values()]))


def _counted(gaps: Mapping[str, Gap], slack: float) -> str:
    lower = [each for each in gaps.values() if each.mean < -slack]
    known = not any(np.isnan(each.error) for each in gaps.values())
    sure = sum(each.beyond_noise for each in lower) if known else "an unknown number"
    worst = min(gaps, key=lambda name: gaps[name].mean)
    return (
        f"{len(lower)} of {len(gaps)} settings ({_share(gaps, slack):.0%}), {sure} of them beyond the noise "
        f"of draws; the worst {gaps[worst]} ({worst})"
    )


def _gaps(settings: Settings, budgets: Sequence[str] | None = None) -> Iterator[tuple[str, Gap]]:
    for kind in PEERS:
        for budget in BUDGETS[kind]:
            for peer in judged(kind):
                found = gap(settings, kind, budget, peer)
                if found is not None and (budgets is None or budget in budgets):
                    yield f"{kind} {budget} {peer}", found


def _none_of(found: Mapping[str, Gap], gaps: Mapping[str, Gap]) -> bool | None:
    """Tell whether nothing was found beyond noise; None where the noise of some gap is not known."""
    if found:
        return False
    return None if any(np.isnan(each.error) for each in gaps.values()) else True


def _no_better_peer(settings: Settings) -> tuple[bool | None, str]:
    gaps = dict(_gaps(settings))
    better = {name: found for name, found in gaps.items() if found.beyond_noise}
    return _none_of(better, gaps), _exceptions(better, len(gaps), "a peer is better")


def _ahead(settings: Settings) -> tuple[bool, str]:
    gaps = dict(_gaps(settings, AHEAD_AT))
    short = {name: found for name, found in gaps.items() if found.mean < AHEAD}
    return not short, _exceptions(short, len(gaps), "not so far ahead")


def _exceptions(found: Mapping[str, Gap], total: int, what: str) -> str:
    worst = sorted(found.items(), key=lambda entry: entry[1].mean)
    words = "; ".join(f"{name} {each}" for name, each in worst[:N_NAMED])
    more = "; ..." if len(worst) > N_NAMED else ""
    return f"{what} in {len(found)} of {total}" + (f": {words}{more}" if words else "")


def _ratio_goal(settings: Settings) -> list[dict[str, Any]]:
    ratios = {
        name: _median(draws, "seconds") / _median(draws, "cross-validated seconds")
        for (name, budget), draws in settings.items()
        if budget == TIMES_AT and draws[0]["cross-validated seconds"] is not None
    }
    if not ratios:
        return []
    most = max(ratios, key=ratios.__getitem__)
    median = float(np.median(list(ratios.values())))
    measured = f"median {median:.1f} times, the most {ratios[most]:.1f} ({most})"
    goal = f"At {TIMES_AT} at most {TIMES:g} times as long as cross-validated logistic regression"
    return [_goal(goal, ratios[most] <= TIMES, measured)]


def _seconds_goal(large: Settings) -> list[dict[str, Any]]:
    seconds = {name: _median(draws, "seconds") for (name, _), draws in large.items()}
    if not seconds:
        return []
    measured = ", ".join(f"{name} {value:.1f} s" for name, value in seconds.items())
    goal = f"At most {SECONDS:g} s of processor time with 50+50 labels and 5,000 items"
    return [_goal(goal, max(seconds.values()) <= SECONDS, measured)]


def _median(draws: Draws, what: str) -> float:
    return float(np.median([draw[what] for draw in draws]))


def falls(draws: Sequence[Mapping[str, Sequence[float]]], method: str = "auto") -> list[Gap]:
    """Return the change of quality in each round, over draws."""
    curves = np.array([draw[method] for draw in draws])
    return [Gap.of(change) for change in np.diff(curves, axis=1).T]


def _no_fall(curves: Curves) -> tuple[bool | None, str]:
    changes = {
        f"{name}, round {at}": change
        for name, draws in curves.items()
        for at, change in enumerate(falls(draws), 1)
    }
    fallen = {name: change for name, change in changes.items() if change.beyond_noise and change.mean < -FALL}
    worst = min(changes, key=lambda name: changes[name].mean)
    return (
        _none_of(fallen, changes),
        f"{_exceptions(fallen, len(changes), 'falls')}. The largest fall: {changes[worst]} ({worst})",
    )


def round_rows(curves: Curves) -> Rows:
    """Return the quality of AutoRanker round by round, and the largest falls."""
    rows = []
    for name, draws in curves.items():
        means = 100 * np.mean([draw["auto"] for draw in draws], axis=0)
        row: dict[str, Any] = {"set": name}
        row |= {str(at): f"{mean:.1f}" for at, mean in enumerate(means)}
        row["largest fall"] = str(min(falls(draws)))
        row[f"largest fall, {LOGISTIC}"] = str(min(falls(draws, LOGISTIC)))
        rows.append(row)
    return rows


def choice_rows(settings: Settings) -> Rows:
    """Return how often each candidate was chosen at each number of labels, and how long that took."""
    rows = []
    for kind, budgets in BUDGETS.items():
        for budget in budgets:
            draws = [draw for each in _of(settings, kind, budget).values() for draw in each]
            if not draws:
                continue
            chosen = Counter(draw["chosen"] for draw in draws).most_common()
            plain = [draw["cross-validated seconds"] for draw in draws]
            rows.append(
                {
                    "kind": kind,
                    "labels": budget,
                    "chosen": ", ".join(f"{name} ({count})" for name, count in chosen),
                    AUTO: f"{_median(draws, 'seconds'):.2f}",
                    "cross-validated logistic regression": None
                    if None in plain
                    else f"{float(np.median(plain)):.2f}",
                }
            )
    return rows


def setting_rows(settings: Settings, kind: str) -> Rows:
    """Return every setting of a kind: means of draws, and AutoRanker minus the linear and the best peer."""
    rows = []
    for (name, budget), draws in _of(settings, kind).items():
        means = {peer: mean_of(draws, peer) for peer in PEERS[kind]}
        known = {peer: value for peer, value in means.items() if value is not None and peer in judged(kind)}
        ours = mean_of(draws, AUTO) or 0.0
        row: dict[str, Any] = {"set": name, _labels(kind): budget, "items": draws[0]["items"]}
        row[AUTO] = f"{100 * ours:.1f}"
        row |= {peer: None if value is None else f"{100 * value:.1f}" for peer, value in means.items()}
        linear = LINEAR[kind]
        row[f"minus {linear}"] = str(_over_draws(draws, linear)) if linear in known else None
        row["minus the best"] = f"{100 * (ours - max(known.values())):+.1f}" if known else None
        rows.append(row)
    return rows
