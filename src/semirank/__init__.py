"""Rank many things from few labels.

Data flows one way, and imports go only downwards::

    read -> dataset -> graph / kernel / features -> ranker -> scores -> metrics -> report

A *list* holds *items* that compete with each other; an item's *label* says how
good it is, and NaN says that nobody has looked yet. A *ranker* gives every item
a *score*: higher is better, comparable within a list only.

Names are imported when they are first used, so ``import semirank`` stays quick; the
table of names is `__init__.pyi`, which type checkers read too.
"""

from typing import Any

import lazy_loader

_find, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)


def __getattr__(name: str) -> Any:
    """Import a public name on first use; `__version__` comes from the installed package."""
    if name == "__version__":
        from importlib.metadata import version

        return version("semirank")
    return _find(name)
