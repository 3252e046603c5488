"""The gate: unlabelled data are used where labels say that they help."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from scipy.stats import t as student

from semirank.core.arrays import Floats
from semirank.results.comparison import Choice, Reason
from semirank.results.result import Contrast, Unit
from semirank.selection.catalogue import Catalogue
from semirank.selection.judge import Judge
from semirank.selection.summary import spell

CLEARLY: dict[Unit, float] = {"list": 2.0, "draw": 2.0, "fold": 1.0}
"""Standard errors that make a clear difference; that of folds allows for the labels they share."""


@dataclass(frozen=True, eq=False)
class Gate:
    """How the choice among measured candidates is made.

    Attributes
    ----------
    catalogue : Catalogue
        The candidates, and what experience says of them.
    judge : Judge
        How differences are tested.
    units : mapping of str to float64 array
        The metric of each candidate that was measured, one number for each observation.
    contrasts : mapping of str to Contrast
        Each candidate that uses unlabelled items against the best that does not.
    """

    catalogue: Catalogue
    judge: Judge
    units: Mapping[str, Floats]
    contrasts: Mapping[str, Contrast]

    def choose(self) -> Choice | None:
        """Choose among the candidates that were measured; None: none of those that use labels alone was."""
        supervised = [
            each.name
            for each in self.catalogue.candidates
            if each.name in self.units and each.assumption is None
        ]
        if not supervised:
            return None
        usual = self.catalogue.usual if self.catalogue.usual in supervised else supervised[0]
        trusted = [name for name in self.catalogue.trusted if self._better(name) and self._gains(name)]
        holder = max(trusted, key=self._difference, default=usual)
        name = self._challenge(holder, supervised)
        proven = [
            name for name, each in self.contrasts.items() if each.verdict == "helps" and self._gains(name)
        ]
        return self._choice(self._challenge(name, proven))

    def _difference(self, name: str) -> float:
        return self.contrasts[name].difference

    def _better(self, name: str) -> bool:
        """Tell whether a candidate with unlabelled items has a better mean than any without."""
        return name in self.contrasts and self._difference(name) > 0

    def _gains(self, name: str) -> bool:
        """Tell whether a candidate is clearly better with unlabelled items than without any."""
        alone = self.units.get(self.catalogue.named(name).baseline or "")
        return alone is None or self._clearly_better(self.units[name], alone)

    def _challenge(self, holder: str, rivals: Sequence[str]) -> str:
        """Return the best of the rivals if it is clearly better than the holder."""
        best = max(rivals, key=lambda name: self.judge.sign * float(self.units[name].mean()), default=holder)
        return best if self._clearly_better(self.units[best], self.units[holder], len(rivals)) else holder

    def _clearly_better(self, units: Floats, others: Floats, n_rivals: int = 1) -> bool:
        """Tell whether the mean is better by more than `CLEARLY` standard errors of the difference.

        The best of several rivals looks better than it is, so that more are asked for.
        """
        contrast, outcome = self.judge.contrast("", units - others, ())
        if outcome is None:
            return False
        chance = (1 - self.judge.confidence) / 2
        several, one = student.isf([chance / max(n_rivals, 1), chance], outcome.degrees)
        return bool(contrast.difference > CLEARLY[self.judge.unit] * several / one * outcome.error)

    def _choice(self, name: str) -> Choice:
        chosen, kind = self.catalogue.named(name), self.catalogue.kind
        spelt, words = spell(chosen.ranker), chosen.ranker.in_words()
        if name in self.contrasts:
            found = self.contrasts[name]
            reason: Reason = "proven" if found.verdict == "helps" else "trusted"
            return Choice(name, spelt, reason, kind, chosen.assumption, contrast=found, words=words)
        rival = max(self.contrasts, key=self._difference, default=None)
        contrast = None if rival is None else self.contrasts[rival]
        return Choice(name, spelt, "labels", kind, rival=rival, contrast=contrast, words=words)


def by_experience(catalogue: Catalogue, problem: str) -> Choice:
    """Choose by experience alone, because labels are too few."""
    chosen = catalogue.named(catalogue.for_few)
    spelt = spell(chosen.ranker)
    words = chosen.ranker.in_words()
    return Choice(
        chosen.name, spelt, "few labels", catalogue.kind, chosen.assumption, problem=problem, words=words
    )
