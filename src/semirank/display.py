"""What notebooks show of our objects: HTML in the notebook's own colours, without scripts and network."""

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

BETTER, WORSE = "#2f8fc9", "#d9743a"  # seen on white and on black
CELL = "text-align:left;padding:.15em .8em .15em 0;vertical-align:top;border:0;background:none"
FAINT = "opacity:.7"
STRONGEST = 12


def card(title: str, *parts: str) -> str:
    """Put parts, which are HTML already, below a title."""
    return f"<div style='line-height:1.4'><strong>{escape(title)}</strong>{''.join(parts)}</div>"


def paragraph(words: str) -> str:
    """Write a paragraph."""
    return f"<p style='margin:.3em 0;max-width:50em'>{escape(words)}</p>"


def table(rows: Sequence[Mapping[str, Any]]) -> str:
    """Write rows of the same columns as a table; None is an empty cell.

    Examples
    --------
    >>> "<td" in table([{"ranker": "<b>", "AUC": 0.5}]), "<b>" in table([{"ranker": "<b>"}])
    (True, False)
    """
    names = list(rows[0]) if rows else []
    cells = "".join(f"<th style='{CELL};{FAINT}'>{escape(str(name))}</th>" for name in names)
    head = f"<thead><tr>{cells}</tr></thead>" if any(name.strip() for name in names) else ""
    body = "".join(f"<tr style='background:none'>{''.join(map(_cell, row.values()))}</tr>" for row in rows)
    return f"<table style='border-collapse:collapse;margin:.3em 0'>{head}<tbody>{body}</tbody></table>"


def bars(amounts: Iterable[tuple[str, float]]) -> str:
    """Write amounts as bars to the right of a middle line, or to its left where they are below 0."""
    pairs = list(amounts)
    largest = max((abs(amount) for _, amount in pairs), default=0.0) or 1.0
    both = any(amount < 0 for _, amount in pairs)
    body = "".join(_bar(name, amount, 100 * abs(amount) / largest, both) for name, amount in pairs)
    return f"<table style='border-collapse:collapse;margin:.3em 0'><tbody>{body}</tbody></table>"


def contributions(title: str, names: Sequence[str], amounts: Iterable[float]) -> str:
    """Write what makes up a score as bars: the strongest contributions, and the rest as one."""
    pairs = sorted(zip(names, map(float, amounts), strict=True), key=lambda pair: -abs(pair[1]))
    rest = pairs[STRONGEST:]
    shown = pairs[:STRONGEST] + ([(f"{len(rest)} others", sum(amount for _, amount in rest))] if rest else [])
    return card(f"{title}, {sum(amount for _, amount in pairs):+.4g} in all", bars(shown))


def _bar(name: str, amount: float, percent: float, both: bool) -> str:
    left = _half(percent if amount < 0 else 0, WORSE, "right") if both else ""
    told = f"{amount:,}" if isinstance(amount, int) else f"{amount:+.4g}"
    return (
        f"<tr style='background:none'><td style='{CELL}'>{escape(name)}</td>{left}"
        f"{_half(percent if amount > 0 else 0, BETTER, 'left')}"
        f"<td style='{CELL};padding-left:.8em;font-variant-numeric:tabular-nums'>{told}</td></tr>"
    )


def _half(percent: float, colour: str, side: str) -> str:
    margin = "auto" if side == "right" else "0"
    bar = f"<div style='width:{percent:.1f}%;height:.8em;background:{colour};margin-left:{margin}'></div>"
    line = "border:0;border-left:1px solid currentColor" if side == "left" else "border:0"
    style = f"width:9em;min-width:5em;padding:0;{line};background:none;vertical-align:middle"
    return f"<td style='{style}'>{bar}</td>"


def _cell(value: Any) -> str:
    text = "" if value is None else f"{value:.4g}" if isinstance(value, float) else str(value)
    number = ";font-variant-numeric:tabular-nums" if isinstance(value, (int, float)) else ""
    return f"<td style='{CELL}{number}'>{escape(text)}</td>"
