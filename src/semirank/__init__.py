"""Rank many things from few labels.

Data flows one way, and imports go only downwards::

    read -> dataset -> graph / kernel / features -> ranker -> scores -> metrics -> report

A *list* holds *items* that compete with each other; an item's *label* says how
good it is, and NaN says that nobody has looked yet. A *ranker* gives every item
a *score*: higher is better, comparable within a list only.

Names are imported when they are first used, so ``import semirank`` stays quick.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from semirank.dataset import RankingDataset

_HOMES = {
    "RankingDataset": "semirank.dataset",
}
_ROOMS = ("dataset", "features", "metrics", "rankers", "readers", "registry", "storage")

__all__ = ["RankingDataset"]


def __getattr__(name: str) -> Any:
    """Import a public name or room on first use; `__version__` comes from the installed package."""
    if name == "__version__":
        from importlib.metadata import version

        return version("semirank")
    if name in _ROOMS:
        return import_module(f"semirank.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module 'semirank' has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, *_ROOMS, "__version__"])
