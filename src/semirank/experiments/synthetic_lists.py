"""Lists made so that one assumption about lists without labels truly holds."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from semirank.core.arrays import Floats, Integers
from semirank.dataset import RankingDataset

N_LISTS = 40
N_ITEMS = 40

Make = Callable[[np.random.Generator], RankingDataset]


@dataclass(frozen=True)
class World:
    """A source of lists.

    Attributes
    ----------
    make : callable
        Draws forty lists with all their true labels.
    n_labelled : int
        How many of them are shown with labels.
    wrong : float
        Share of the shown labels that are wrong.
    """

    make: Make
    n_labelled: int = 20
    wrong: float = 0.0

    def draw(self, seed: tuple[int, ...]) -> tuple[RankingDataset, RankingDataset]:
        """Return lists with their true labels, and the same with the labels that are shown."""
        rng = np.random.default_rng(seed)
        truth = self.make(rng)
        shown = truth.hide_labels(keep=self.n_labelled, by="list", random_state=rng)
        wrong = rng.random(truth.n_items) < self.wrong
        return truth, shown.replace(y=np.where(wrong, 1.0 - shown.y, shown.y))


def turning_rankers(rng: np.random.Generator) -> RankingDataset:
    """Turn what is relevant twice as fast as the shape of the list."""
    qid, X = _noise(6, rng)
    angle = np.pi * rng.random(N_LISTS)[qid]
    long, short = 2.0 * X[:, 0], 0.7 * X[:, 1]
    X[:, 0] = np.cos(angle) * long - np.sin(angle) * short
    X[:, 1] = np.sin(angle) * long + np.cos(angle) * short
    return _labelled(X, np.cos(2 * angle) * X[:, 0] + np.sin(2 * angle) * X[:, 1], qid, rng)


def shifted_lists(rng: np.random.Generator) -> RankingDataset:
    """Vary the scale of lists: near items are relevant by one feature, far ones by another."""
    qid, X = _noise(6, rng)
    scale = np.where(np.arange(N_LISTS) % 4 == 0, 0.3, 3.0)[qid]
    X *= scale[:, None]
    size = np.linalg.norm(X, axis=1) / np.sqrt(X.shape[1])
    far = 1.0 / (1.0 + np.exp(-8.0 * (size - 1.0)))
    return _labelled(X, ((1 - far) * X[:, 0] + far * X[:, 1]) / scale, qid, rng)


def curved_directions(rng: np.random.Generator) -> RankingDataset:
    """Take the distance from the middle, along which items vary most, as relevance."""
    qid, X = _noise(6, rng)
    radius, angle = 0.5 + 2.0 * rng.random(len(qid)), 2 * np.pi * rng.random(len(qid))
    X[:, 0], X[:, 1] = radius * np.cos(angle), radius * np.sin(angle)
    X[:, 2:] *= 0.3
    return _labelled(X, radius, qid, rng)


def separated_pairs(rng: np.random.Generator) -> RankingDataset:
    """Put relevant items apart from the others, in ten of forty features at once."""
    qid, X = _noise(40, rng)
    relevant = rng.random(len(qid)) < 0.4
    X[:, :10] += np.where(relevant, 1.0, -1.0)[:, None]
    return RankingDataset(X, relevant.astype(float), qid)


def plain_lists(rng: np.random.Generator) -> RankingDataset:
    """Take the sum of two features as relevance, the same in every list: no assumption is of use."""
    qid, X = _noise(6, rng)
    return _labelled(X, X[:, 0] + X[:, 1], qid, rng)


def _noise(n_features: int, rng: np.random.Generator) -> tuple[Integers, Floats]:
    qid = np.repeat(np.arange(N_LISTS), N_ITEMS)
    return qid, rng.normal(size=(len(qid), n_features))


def _labelled(X: Floats, quality: Floats, qid: Integers, rng: np.random.Generator) -> RankingDataset:
    """Label the upper third of each list, by quality with some noise, as relevant."""
    noisy = quality + 0.2 * quality.std() * rng.normal(size=len(quality))
    by_list = noisy.reshape(-1, N_ITEMS)
    relevant = by_list > np.quantile(by_list, 2 / 3, axis=1, keepdims=True)
    return RankingDataset(X, relevant.ravel().astype(float), qid)


WORLDS = {
    "rankers turn with the list": World(turning_rankers),
    "lists are shifted": World(shifted_lists),
    "kernel directions inform": World(curved_directions),
    "pairs are separated, labels few and noisy": World(separated_pairs, n_labelled=3, wrong=0.3),
    "none of these": World(plain_lists),
    "none of these, labels few and noisy": World(plain_lists, n_labelled=3, wrong=0.3),
}
