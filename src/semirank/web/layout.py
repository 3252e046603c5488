"""Where items stand on the map: at once by their main directions, later by t-SNE."""

from collections.abc import Callable
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.manifold import TSNE
from sklearn.neighbors import NearestNeighbors

from semirank.core.arrays import AnyArray
from semirank.feedback import Items
from semirank.files import open_output
from semirank.readers.fetch import cache_folder
from semirank.web import worker
from semirank.web.jobs import Job, Jobs

LARGE = 20_000  # items that t-SNE lays out; others are put between their neighbours
DIMENSIONS = 50
BETWEEN = 5
SEED = 0


def content_hash(items: Items, n_items: int) -> str:
    """Name what a layout is made of."""
    found = blake2b(digest_size=16)
    features = items.features[:n_items]
    if items.are_texts:
        for text in features:
            found.update(text.encode("utf-8", "surrogatepass") + b"\0")
    else:
        found.update(np.ascontiguousarray(features, dtype="<f4").tobytes())
    return found.hexdigest()


def cached(name: str, kind: str) -> Path:
    """Return the file that a layout is kept in; it may be deleted at any time."""
    return cache_folder() / "layouts" / f"{name}-{kind}.npy"


def keep(path: Path, layout: AnyArray) -> None:
    """Keep a layout for the next time."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with open_output(path) as stream:
        np.save(stream, np.ascontiguousarray(layout, dtype="<f4"))


def recall(path: Path, n_items: int) -> AnyArray | None:
    """Return a layout that was kept; None: there is none that can be used."""
    try:
        layout = np.load(path, allow_pickle=False)
    except (OSError, ValueError):
        return None
    return layout if layout.shape == (n_items, 2) and layout.dtype == np.dtype("<f4") else None


def reduce(vectors: Any, n: int) -> AnyArray:
    """Return the main directions of vectors, or of words."""
    n = min(n, vectors.shape[1] - issparse(vectors), vectors.shape[0] - 1)
    if n < 1:
        return np.zeros((vectors.shape[0], 2))
    method = TruncatedSVD(n, random_state=SEED) if issparse(vectors) else PCA(n, random_state=SEED)
    found = method.fit_transform(vectors)
    return found if found.shape[1] > 1 else np.column_stack([found, np.zeros(len(found))])


def quick(vectors: Any) -> AnyArray:
    """Lay items out by their two main directions."""
    return scaled(reduce(vectors, 2)[:, :2])


def slow(vectors: Any) -> AnyArray:
    """Lay items out by t-SNE; of many a sample, and the others between their neighbours; runs in a worker."""
    points = reduce(vectors, DIMENSIONS)
    n_items = len(points)
    if n_items < 10:
        return scaled(points[:, :2])
    chosen = np.arange(n_items)
    if n_items > LARGE:
        chosen = np.sort(np.random.default_rng(SEED).choice(n_items, LARGE, replace=False))
    perplexity = min(30.0, (len(chosen) - 1) / 3)
    laid = TSNE(2, init="pca", perplexity=perplexity, random_state=SEED).fit_transform(points[chosen])
    if len(chosen) == n_items:
        return scaled(laid)
    near = NearestNeighbors(n_neighbors=BETWEEN).fit(points[chosen]).kneighbors(points, return_distance=False)
    layout = laid[near].mean(axis=1)
    layout[chosen] = laid
    return scaled(layout)


def scaled(layout: AnyArray) -> AnyArray:
    """Bring a layout into the square from -1 to 1, both directions by the same factor."""
    centred = layout - (layout.max(axis=0) + layout.min(axis=0)) / 2
    return np.ascontiguousarray(centred / (np.abs(centred).max() or 1.0), dtype="<f4")


class Layouts:
    """The layouts of a project: made in the background, kept in the user's cache by their content."""

    def __init__(self, items: Items, jobs: Jobs) -> None:
        self._items, self._jobs = items, jobs
        self._known: dict[tuple[str, int], AnyArray] = {}
        self._name = (-1, "")
        self._given_up = False

    def best(self, n_items: int) -> tuple[str, AnyArray | None]:
        """Return the best layout that is there, after its kind: "tsne" or "pca"."""
        for kind in ("tsne", "pca"):
            if (kind, n_items) not in self._known:
                found = recall(cached(self._content(n_items), kind), n_items)
                if found is not None:
                    self._known[kind, n_items] = found
            if (kind, n_items) in self._known:
                return kind, self._known[kind, n_items]
        return "", None

    def start(self, n_items: int, vectors: Callable[[], Any]) -> Job:
        """Lay the items out in the background: by main directions at once, then by t-SNE."""
        if self.best(n_items)[0] == "tsne" or self._given_up:
            return Job("", "map", "done", 1.0)
        return self._jobs.start("map", lambda job: self._make(job, n_items, vectors), "Laying out the map.")

    def _make(self, job: Job, n_items: int, vectors: Callable[[], Any]) -> str:
        given = vectors()[:n_items]
        if self.best(n_items)[1] is None:
            self._keep("pca", n_items, quick(given))
            self._jobs.report(job, 0.1)
        try:
            self._keep("tsne", n_items, worker.run(job, slow, given))
        except BaseException:
            self._given_up = True  # until the project is opened again
            raise
        return "tsne"

    def _keep(self, kind: str, n_items: int, made: AnyArray) -> None:
        self._known[kind, n_items] = made
        with suppress(OSError):
            keep(cached(self._content(n_items), kind), made)

    def _content(self, n_items: int) -> str:
        if self._name[0] != n_items:
            self._name = (n_items, content_hash(self._items, n_items))
        return self._name[1]
