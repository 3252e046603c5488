"""The lists that a ranker changed most, with their first items before and after."""

from collections.abc import Sequence

import numpy as np

from semirank.dataset import RankingDataset
from semirank.selection.comparing.cells import Cell
from semirank.selection.findings.comparison import ListChange, ShownItem, Standing
from semirank.selection.protocols import Plan
from semirank.selection.splits import Split

MOST = 5
TEXT_LENGTH = 160


def list_changes(
    data: RankingDataset,
    plan: Plan,
    before: tuple[Standing, Sequence[Cell]],
    after: tuple[Standing, Sequence[Cell]],
) -> tuple[ListChange, ...]:
    """Return up to five lists that improved most and five that degraded most, by falling improvement."""
    contrast = after[0].contrast
    if contrast is None:
        return ()
    known = [(delta, at) for at, delta in enumerate(contrast.deltas) if delta is not None]
    known.sort(key=lambda pair: -pair[0])
    improved = [at for delta, at in known[:MOST] if delta > 0]
    degraded = [at for delta, at in known[-MOST:] if delta < 0]
    return tuple(_change(data, plan, before, after, at) for at in (*improved, *degraded))


def _change(
    data: RankingDataset,
    plan: Plan,
    before: tuple[Standing, Sequence[Cell]],
    after: tuple[Standing, Sequence[Cell]],
    at: int,
) -> ListChange:
    split = next(i for i, cell in enumerate(after[1]) if cell.tops[at])
    means = [_mean(standing.values[at]) for standing, _ in (before, after)]
    deltas = after[0].contrast.deltas if after[0].contrast else ()
    tops = [_shown(data, plan.splits[split], cells[split].tops[at]) for _, cells in (before, after)]
    name = str(data.list_ids[plan.lists[at]])
    return ListChange(name, means[0], means[1], float(deltas[at] or 0.0), tops[0], tops[1])


def _mean(values: Sequence[float | None]) -> float:
    return float(np.mean([value for value in values if value is not None]))


def _shown(data: RankingDataset, split: Split, items: Sequence[int]) -> tuple[ShownItem, ...]:
    held = split.held_out(data)
    return tuple(
        ShownItem(
            item=str(data.order[item] if data.item_ids is None else data.item_ids[item]),
            label=None if np.isnan(held[item]) else float(held[item]),
            text=None if data.texts is None else " ".join(str(data.texts[item]).split())[:TEXT_LENGTH],
        )
        for item in items
    )
