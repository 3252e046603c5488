"""Three projects to try everything with; none needs a network."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib.resources import as_file, files
from typing import Any

from semirank.core.arrays import AnyArray
from semirank.web.project import ProjectItem

Made = tuple[list[ProjectItem], AnyArray | None, dict[str, Any]]
SIDE = 8  # pixels of a digit


@dataclass(frozen=True)
class Demo:
    """A project that is made with one click."""

    title: str
    about: str
    make: Callable[[], Made]


def _abstracts() -> Made:
    from semirank.readers import read_records

    with as_file(files("semirank.web") / "data" / "abstracts.csv") as path:
        records = list(read_records(path).each())
    items = [
        ProjectItem(
            str(each["id"]), each["title"], each["abstract"],
            meta={name: each[name] for name in ("authors", "year", "journal")},
        )
        for each in records
    ]  # fmt: skip
    return items, None, {"kind": "texts"}


def _digits() -> Made:
    from sklearn.datasets import load_digits

    X, _ = load_digits(return_X_y=True)
    items = [ProjectItem(str(number), f"digit {number}") for number in range(1, len(X) + 1)]
    return items, X, {"kind": "images", "pixels": [SIDE, SIDE, 16]}


def _moons() -> Made:
    from semirank.readers import load

    X = load("moons", noise=0.1, random_state=0).X
    items = [ProjectItem(str(number), f"point {number}") for number in range(1, len(X) + 1)]
    return items, X, {"kind": "vectors"}


DEMOS = {
    "abstracts": Demo(
        "Exercise for back pain",
        "160 invented abstracts. Find the trials of exercise for chronic low back pain.",
        _abstracts,
    ),
    "digits": Demo(
        "Handwritten digits",
        "1,797 small pictures. Mark a few of one digit, and find all others of it.",
        _digits,
    ),
    "moons": Demo(
        "Two moons",
        "400 points on the map. Mark one or two on one moon, and see the rest of it come up.",
        _moons,
    ),
}
