"""The page on metrics is complete and its examples run."""

import doctest
from pathlib import Path

import pytest

from semirank import metrics

PAGE = Path(__file__).resolve().parents[2] / "docs" / "metrics.md"


def test_examples_run():
    failed, tried = doctest.testfile(str(PAGE), module_relative=False)
    assert tried > 20
    assert failed == 0


@pytest.mark.parametrize("metric", metrics.METRICS.values(), ids=str)
def test_every_metric_stands_in_the_table(metric):
    [row] = [line for line in PAGE.read_text().splitlines() if line.startswith(f"| `{metric.example}`")]
    assert f"| {metric.meaning} |" in row


@pytest.mark.parametrize("name", [name for name in metrics.__all__ if name[0].islower()])
def test_every_function_is_mentioned(name):
    assert name in PAGE.read_text()
