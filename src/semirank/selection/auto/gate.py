"""The gate: unlabelled data are used where labels say that they help, and the choice is put into words."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import t as student

from semirank.core.arrays import Floats
from semirank.selection.auto.shortlist import KINDS, Shortlist
from semirank.selection.auto.trials import Tried
from semirank.selection.candidates import Candidate
from semirank.selection.findings.comparison import Contrast, Unit
from semirank.selection.verdicts import Judge

CLEARLY: dict[Unit, float] = {"list": 2.0, "draw": 2.0, "fold": 1.0}
"""Standard errors that make a clear difference; that of folds allows for the labels they share."""


class Choice(NamedTuple):
    """The chosen candidate, the reason in words, and all candidates, the best first."""

    name: str
    verdict: str
    leaderboard: list[dict[str, Any]]


@dataclass(frozen=True, eq=False)
class Gate:
    """How the choice among candidates is made.

    Attributes
    ----------
    shortlist : Shortlist
        What experience says.
    judge : Judge
        How differences are tested.
    tried : sequence of Tried
        What labels say.
    try_alone : callable
        Tries a candidate without unlabelled items.
    """

    shortlist: Shortlist
    judge: Judge
    tried: Sequence[Tried]
    try_alone: Callable[[Candidate], Tried]

    def choose(self) -> Choice:
        """Choose among the candidates that could be measured."""
        units = {each.candidate.name: each.units for each in self.tried if each.units is not None}
        supervised = [each.name for each in self._measured(units) if each.assumption is None]
        if not supervised:
            reasons = "; ".join(f"{each.candidate.name}: {each.reason}" for each in self.tried)
            raise ValueError(f"No ranker that learns from labels could be fitted and measured. {reasons}")
        usual = self.shortlist.usual if self.shortlist.usual in supervised else supervised[0]
        contrasts = self._contrasts(units, max(supervised, key=self._mean(units)))
        holder = next(filter(partial(self._gains, units), self._trusted(contrasts)), usual)
        proven = [name for name, each in contrasts.items() if each.verdict == "helps"]
        name = self._challenge(units, holder, supervised)
        name = self._challenge(units, name, [each for each in proven if self._gains(units, each)])
        verdict = self._words(name, contrasts)
        return Choice(name, verdict, leaderboard(self.tried, contrasts, self.judge.sign))

    def _measured(self, units: Mapping[str, Floats]) -> list[Candidate]:
        return [each for each in self.shortlist.candidates if each.name in units]

    def _mean(self, units: Mapping[str, Floats]) -> Callable[[str], float]:
        """Return how good a candidate is, higher being better."""
        return lambda name: float(self.judge.sign * units[name].mean())

    def _contrasts(self, units: Mapping[str, Floats], best: str) -> dict[str, Contrast]:
        """Compare all that use unlabelled items with the best supervised candidate, as one family."""
        names = [each.name for each in self._measured(units) if each.assumption is not None]
        pairs = [self.judge.contrast(best, units[name] - units[best], ()) for name in names]
        return dict(zip(names, self.judge.judge_all(pairs), strict=True))

    def _trusted(self, contrasts: Mapping[str, Contrast]) -> list[str]:
        """Return those that experience speaks for and that are better than any supervised one, best first."""
        better = [
            name for name in self.shortlist.trusted if name in contrasts and _difference(contrasts, name) > 0
        ]
        return sorted(better, key=partial(_difference, contrasts), reverse=True)

    def _gains(self, units: Mapping[str, Floats], name: str) -> bool:
        """Tell whether a candidate is clearly better with unlabelled items than without any."""
        alone = self.try_alone(self.shortlist.named(name)).units
        return alone is None or self._clearly_better(units[name], alone)

    def _challenge(self, units: Mapping[str, Floats], holder: str, rivals: Sequence[str]) -> str:
        """Return the best of the rivals if it is clearly better than the holder."""
        best = max(rivals, key=self._mean(units), default=holder)
        return best if self._clearly_better(units[best], units[holder], len(rivals)) else holder

    def _clearly_better(self, units: Floats, others: Floats, n_rivals: int = 1) -> bool:
        """Tell whether the mean is better by more than `CLEARLY` standard errors of the difference.

        The best of several rivals looks better than it is, so that more are asked for.
        """
        contrast, outcome = self.judge.contrast("", units - others, ())
        if outcome is None:
            return False
        chance = (1 - self.judge.confidence) / 2
        several, one = student.isf([chance / max(n_rivals, 1), chance], outcome.degrees)
        return contrast.difference > CLEARLY[self.judge.unit] * several / one * outcome.error

    def _words(self, name: str, contrasts: Mapping[str, Contrast]) -> str:
        if name in contrasts:
            found = contrasts[name]
            if found.verdict == "helps":
                return f"{name}: it uses unlabelled items, which {found.words}."
            return (
                f"{name}: it uses unlabelled items, as has been good for {KINDS[self.shortlist.kind]}. "
                f"Held-out labels agree but do not prove it ({found.words})."
            )
        best = max(contrasts, key=partial(_difference, contrasts), default=None)
        if best is None:
            return f"{name}: it learns from labels alone; nothing that uses unlabelled items was measured."
        return (
            f"{name}: it learns from labels alone, because unlabelled items are not shown to help. The best "
            f"ranker that uses them, {best}: {contrasts[best].words}."
        )


def _difference(contrasts: Mapping[str, Contrast], name: str) -> float:
    return contrasts[name].difference


def too_few(shortlist: Shortlist, why: str) -> Choice:
    """Choose by experience alone, and say that it is no more than that."""
    name = shortlist.for_few
    verdict = (
        f"{name}: the usual choice for {KINDS[shortlist.kind]} with few labels. This is experience with "
        f"other data, not evidence from these: {why}"
    )
    return Choice(name, verdict, [])


def leaderboard(tried: Sequence[Tried], contrasts: Mapping[str, Contrast], sign: int) -> list[dict[str, Any]]:
    """Return one row for each candidate, the best first and at last those that could not be measured."""
    rows = [_row(each, contrasts.get(each.candidate.name)) for each in tried]
    return sorted(rows, key=lambda row: np.inf if row["mean"] is None else -sign * row["mean"])


def _row(tried: Tried, contrast: Contrast | None) -> dict[str, Any]:
    return {
        "name": tried.candidate.name,
        "ranker": " ".join(repr(tried.candidate.ranker).split()),
        "assumption": tried.candidate.assumption,
        "mean": None if tried.units is None else float(tried.units.mean()),
        "difference": contrast.difference if contrast else None,
        "p_adjusted": contrast.p_adjusted if contrast else None,
        "verdict": contrast.verdict if contrast else None,
        "seconds": tried.seconds,
        "reason": tried.reason,
    }
