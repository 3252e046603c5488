"""What the parameters of AutoRanker may be."""

from typing import Any

from semirank.meta.members import Rankers
from semirank.registry import ranker_names


class Candidates:
    """Rankers, by name or themselves, or None."""

    def __contains__(self, value: object) -> bool:
        if value is None:
            return True
        if not isinstance(value, (list, tuple)) or len(value) == 0:
            return False
        names = ranker_names()
        return all(entry in names if isinstance(entry, str) else [entry] in Rankers() for entry in value)

    def __str__(self) -> str:
        return "a sequence of names of rankers, rankers or (name, ranker) pairs, or None"

    def parse(self, text: str) -> Any:
        """Read names with commas between them, or None."""
        return None if text.lower() == "none" else text.split(",")
