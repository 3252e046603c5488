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
    names = data.restore(semirank.readers.item_names(data)[1]).tolist()
    row = semirank.feedback.row_of(wanted, names)
    other = None if against is None else semirank.feedback.row_of(against, names)
    found = fitted.explain(row) if other is None else fitted.explain_pair(row, other)
    titles, labels = titles_of(reading, data), data.restore(data.y)
    rows = [
        _row("labelled item", names[each], amount, float(labels[each]), titles[each])
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


def _row(kind: str, name: str, amount: float, label: float | None = None, title: str = "") -> dict[str, Any]:
    return {"by": kind, "name": name, "amount": amount, "label": label, "title": " ".join(title.split())[:80]}
