"""Shows results and computes none: tables, pictures, pages."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from semirank.report.writing import write_report

__all__ = ["write_report"]


def __getattr__(name: str) -> Any:
    if name != "write_report":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from semirank.report.writing import write_report  # draws, so it is imported on first use

    return write_report
