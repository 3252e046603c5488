"""``semirank explain``: why an item has its score."""

from typing import Annotated, Any

import numpy as np
import typer

import semirank
from semirank.cli.options import Out, Reading, Seed, Speaking
from semirank.cli.ranking import AUTO, RankerName, Settings, fit_on, for_items, make_ranker, titles_of


def explain(
    reading: Reading,
    wanted: Annotated[str, typer.Argument(metavar="ITEM", help="The item's id, or its row from 1.")],
    speaking: Speaking,
    against: Annotated[str | None, typer.Option(help="Another item: say why ITEM stands before it.")] = None,
    ranker: RankerName = AUTO,
    setting: Settings = None,
    top: Annotated[int, typer.Option(min=1, help="Show so many labelled items and words.")] = 10,
    out: Out = None,
    seed: Seed = 0,
) -> None:
    """Say which labelled items, and which words, make the score of an item.

    Amounts add up to the score (with --against, to the difference of two scores): the last row is what the
    rows above leave over.
    """
    data = reading.open()
    fitted = fit_on(for_items(make_ranker(ranker, setting, seed), data), data, speaking)
    names, places = semirank.readers.item_names(data)[1].tolist(), np.argsort(data.order)
    row = _place(wanted, names, places)
    other = None if against is None else _place(against, names, places)
    found = fitted.explain(row) if other is None else fitted.explain_pair(row, other)
    titles = titles_of(reading, data)
    rows = [
        _row("labelled item", names[each], amount, float(data.y[each]), titles[each])
        for each, amount in semirank.feedback.strongest(found, top)
    ]
    total = float(np.sum(found.amounts))
    rows.append(_row("the rest", "", total - sum(each["amount"] for each in rows)))
    if other is None and hasattr(fitted, "explain_words") and data.texts is not None:
        rows += [
            _row("word", word, amount) for word, amount in semirank.feedback.strongest_words(fitted, row, top)
        ]
    speaking.say(f"{titles[row][:80]}: {total:.6g}")
    speaking.show(rows, out)


def _place(item: str, names: list[str], places: Any) -> int:
    """Return where an item stands in the order of the lists, by its name or its row in the data from 1."""
    if item in names:
        return names.index(item)
    if item.isdecimal() and 1 <= int(item) <= len(names):
        return int(places[int(item) - 1])
    raise ValueError(f"There is no item {item!r}: give its id, or its row from 1 to {len(names)}.")


def _row(kind: str, name: str, amount: float, label: float | None = None, title: str = "") -> dict[str, Any]:
    return {"by": kind, "name": name, "amount": amount, "label": label, "title": " ".join(title.split())[:80]}
