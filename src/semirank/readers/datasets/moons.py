"""Two moons: the toy on which nearness along the data and nearness in space disagree."""

import numpy as np
from sklearn.datasets import make_moons

from semirank.readers.datasets.entry import Counts, Entry
from semirank.readers.datasets.items import Items


def draw_moons(size: int = 400, noise: float = 0.1, random_state: int | None = 0) -> Items:
    """Draw points near two interleaved half circles, half of them on each."""
    X, lower = make_moons(size, noise=noise, random_state=random_state)
    names = tuple(("lower",) if each else ("upper",) for each in lower)
    return Items(item_ids=np.arange(1, size + 1), X=X, classes=names)


ENTRIES = (
    Entry(
        name="moons",
        summary="points near two interleaved half circles; generated (options: size, noise, random_state)",
        labels="the moons: upper, lower",
        address="https://scikit-learn.org/stable/modules/generated/sklearn.datasets.make_moons.html",
        terms="free",
        parts={"all": Counts(400)},
        read=draw_moons,
        n_features=2,
        n_classes=2,
        relevant="upper",
        options=("size", "noise", "random_state"),
    ),
)
