"""Results that are plain values: frozen dataclasses to JSON and back, by their type hints."""

import json
from dataclasses import fields, is_dataclass
from types import NoneType, UnionType
from typing import Any, Literal, Self, Union, get_args, get_origin, get_type_hints

import numpy as np

from semirank.core.arrays import Floats


class Record:
    """A frozen dataclass of numbers, texts, tuples, dicts and other records, which JSON can hold.

    Undefined numbers are None, never NaN, so that equal results are equal and every JSON reader
    understands them.

    Examples
    --------
    >>> from semirank.results.result import Interval
    >>> Interval(0.25, 0.5).to_json(indent=None)
    '{"low": 0.25, "high": 0.5}'
    >>> Interval.from_json('{"low": 0.25, "high": 0.5}')
    Interval(low=0.25, high=0.5)
    """

    def to_dict(self) -> dict[str, Any]:
        """Return the record as dicts, lists, numbers and texts."""
        return {field.name: _as_json(getattr(self, field.name)) for field in fields(self)}  # type: ignore[arg-type]

    def to_json(self, indent: int | None = 2) -> str:
        """Write the record as JSON."""
        return json.dumps(self.to_dict(), indent=indent, ensure_ascii=False, allow_nan=False)

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Self:
        """Build the record from what `to_dict` gave; a name that is missing or unknown is an error."""
        return _record(cls, values)

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """Read what `to_json` wrote."""
        try:
            return cls.from_dict(json.loads(text))
        except RecursionError:
            raise ValueError(f"The JSON is nested too deeply to be a {cls.__name__}.") from None
        except json.JSONDecodeError as error:
            raise ValueError(f"This is no JSON, and so no {cls.__name__}: {error}.") from None


def plain(values: Floats) -> tuple[float | None, ...]:
    """Return numbers as a record holds them: None for NaN.

    Examples
    --------
    >>> plain(np.array([0.5, np.nan]))
    (0.5, None)
    """
    return tuple(None if np.isnan(value) else float(value) for value in values)


def _as_json(value: Any) -> Any:
    if is_dataclass(value):
        return {field.name: _as_json(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, dict):
        return {str(key): _as_json(entry) for key, entry in value.items()}
    if isinstance(value, (tuple, list)):
        return [_as_json(entry) for entry in value]
    return value


def _record(kind: Any, values: Any) -> Any:
    hints = get_type_hints(kind)
    names = [field.name for field in fields(kind)]
    if not isinstance(values, dict) or set(values) != set(names):
        given = sorted(values) if isinstance(values, dict) else type(values).__name__
        raise ValueError(f"{kind.__name__} has the fields {', '.join(names)}; got {given}.")
    read = {}
    for name in names:
        try:
            read[name] = _typed(hints[name], values[name])
        except (TypeError, OverflowError) as error:
            raise ValueError(f"{kind.__name__}: {name} is wrong: {error}.") from None
    return kind(**read)


def _typed(hint: Any, value: Any) -> Any:
    """Turn what JSON gave into what the hint asks for."""
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        [wanted] = [each for each in inner if each is not NoneType]
        return None if value is None else _typed(wanted, value)
    if origin is tuple:
        return tuple(_typed(inner[0], entry) for entry in _of(list, value))
    if origin is dict:
        return {key: _typed(inner[1], entry) for key, entry in _of(dict, value).items()}
    if origin is Literal:
        return _of(tuple({type(each) for each in inner}), value)
    if is_dataclass(hint):
        return _record(hint, value)
    if hint is float:
        return float(_of((int, float), value))
    return _of(hint, value) if hint in (int, str, bool) else value


def _of(kind: Any, value: Any) -> Any:
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise TypeError(f"{value!r:.40} is a {type(value).__name__}")
    return value
