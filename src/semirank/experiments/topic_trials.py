"""Trials: documents of one topic ranked from a few labels, in many splits."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from semirank import metrics
from semirank.core.arrays import Floats
from semirank.experiments.cells import Progress, checkpoint_of, measure_cells, name_of
from semirank.experiments.topic_methods import METHODS, Documents, TopicMethod, TopicTask

CURVE = "precision by recall"


@dataclass(frozen=True)
class Trial:
    """One topic in one split.

    Attributes
    ----------
    topic, split : int
        Which.
    n_relevant, n_irrelevant : int
        How many labels of each kind are shown.
    pool : {"A", "B"}
        Whether half of the other documents are ranked and the other half learned from, or all of them are
        learned from and ranked.
    methods : tuple of str
        Whom to ask.
    """

    topic: int
    split: int
    n_relevant: int
    n_irrelevant: int
    pool: str
    methods: tuple[str, ...]

    def draw(self, documents: Documents, seed: int) -> TopicTask:
        """Draw the labels and the documents to be ranked; a smaller draw is a part of a larger one."""
        rng = np.random.default_rng((seed, self.split, self.topic))
        truth = documents.members[self.topic].astype(float)
        order = rng.permutation(len(truth))
        shown = [
            order[truth[order] == kind][:size]
            for kind, size in ((1, self.n_relevant), (0, self.n_irrelevant))
        ]
        y = np.full(len(truth), np.nan)
        for rows in shown:
            y[rows] = truth[rows]
        rest = rng.permutation(len(truth))
        rest = rest[np.isnan(y[rest])]
        test = np.sort(rest if self.pool == "B" else rest[: len(rest) // 2])
        left_out = test if self.pool == "A" else test[:0]
        return TopicTask(truth, y, np.setdiff1d(np.arange(len(truth)), left_out), test)


def measure_trial(
    trial: Trial, documents: Documents, methods: Mapping[str, TopicMethod], names: Sequence[str], seed: int
) -> dict[str, dict[str, Any]]:
    """Return metrics, precision at eleven recalls and seconds of each method."""
    task = trial.draw(documents, seed)
    truth = task.truth[task.test]
    found = {}
    for method in trial.methods:
        start = time.process_time()
        scores = methods[method].rank(documents, task)
        seconds = time.process_time() - start
        values = {name: float(value[0]) for name, value in metrics.measure(names, truth, scores).items()}
        curve = metrics.precision_recall_curve(truth, scores)[0].tolist()
        found[method] = values | {CURVE: curve, "seconds": seconds}
    return found


@dataclass(frozen=True)
class Setting:
    """How many labels are shown, in which pool, to which methods."""

    n_relevant: int
    n_irrelevant: int
    methods: tuple[str, ...]
    pool: str = "A"

    def trials(self, n_topics: int, n_splits: int) -> list[Trial]:
        """List the trials, split after split."""
        return [
            Trial(topic, split, self.n_relevant, self.n_irrelevant, self.pool, self.methods)
            for split in range(n_splits)
            for topic in range(n_topics)
        ]


@dataclass(frozen=True)
class Findings:
    """What was measured in one setting.

    Attributes
    ----------
    values : mapping
        An array of shape (n_topics, n_splits) for each method and metric; (n_topics, n_splits, 11) for the
        precision by recall.
    """

    values: Mapping[str, Mapping[str, Floats]]

    def splits(self, method: str, metric: str) -> Floats:
        """Return the mean over topics for each split."""
        return self.values[method][metric].mean(axis=0)

    def mean(self, method: str, metric: str) -> float:
        """Return the mean over topics and splits."""
        return float(self.values[method][metric].mean())


def run_settings(
    name: str,
    settings: Sequence[Setting],
    documents: Documents,
    names: Sequence[str],
    *,
    seed: int,
    n_splits: int,
    methods: Mapping[str, TopicMethod] = METHODS,
    progress: Progress | None = None,
    n_jobs: int = -1,
) -> list[Findings]:
    """Measure all trials of some settings; an interrupted run goes on where it stopped."""
    checkpoint = checkpoint_of(name, seed=seed, metrics=names, methods=methods)
    n_topics = len(documents.topics)
    trials = [setting.trials(n_topics, n_splits) for setting in settings]
    measure = partial(measure_trial, documents=documents, methods=methods, names=names, seed=seed)
    found = measure_cells([each for row in trials for each in row], measure, checkpoint, progress, n_jobs)
    findings = [_gather([found[name_of(each)] for each in row], n_splits) for row in trials]
    checkpoint.discard()
    return findings


def _gather(found: Sequence[Mapping[str, Mapping[str, Any]]], n_splits: int) -> Findings:
    """Turn trials, split after split, into arrays with a row for each topic."""

    def table(method: str, metric: str) -> Floats:
        values = np.array([each[method][metric] for each in found])
        return values.reshape(n_splits, -1, *values.shape[1:]).swapaxes(0, 1)

    return Findings(
        {method: {metric: table(method, metric) for metric in row} for method, row in found[0].items()}
    )
