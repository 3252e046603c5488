"""How the command line writes the options that messages of the library name."""

import shlex
from collections.abc import Collection
from typing import Any

_SAID = {
    ("features",): "--feature",
    ("kinds",): "--category or --number",
    ("on_bad_part",): "--skip-bad-parts",
    ("unlabelled", "irrelevant"): "--unjudged irrelevant",
}
"""What the command line does not call as Python does."""


def as_typed(name: str, *value: Any, words: Collection[str]) -> str | None:
    """Write an option as it is typed, if the command has it (`words`) or can set it with ``--set``.

    Examples
    --------
    >>> as_typed("features", ["size"], words={"--feature"}), as_typed("resume", True, words={"--resume"})
    ('--feature size', '--resume')
    >>> as_typed("join", True, words={"--set"}), as_typed("join", True, words=())
    ('--set join=True', None)
    """
    if said := _SAID.get((name, *map(str, value))):
        return said
    word = _SAID.get((name,), f"--{name.replace('_', '-')}")
    if word in words:
        return " ".join((word, *(_typed(each) for each in value if each is not True)))
    if "--set" in words and value:
        return f"--set {name}={_typed(value[0])}"
    return None


def _typed(value: Any) -> str:
    if value is ...:
        return "..."
    if value is None or value is False:
        return "none"
    return " ".join(shlex.quote(str(each)) for each in (value if isinstance(value, list) else [value]))
