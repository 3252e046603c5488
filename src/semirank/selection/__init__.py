"""Where rankers are judged: values per list are averaged here, and only here.

Names are imported when they are first used: to measure scores takes no ranker.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from semirank.selection.auto.ranker import AutoRanker
    from semirank.selection.candidates import Candidate
    from semirank.selection.comparing.compare import CannotCompareError, compare
    from semirank.selection.evaluation import Evaluation, evaluate, hidden_labels
    from semirank.selection.findings.comparison import Comparison, Contrast, Standing
    from semirank.selection.protocols import Plan, choose_protocol, plan_splits, usual_metric

_HOMES = {
    "AutoRanker": "auto.ranker",
    "Candidate": "candidates",
    "CannotCompareError": "comparing.compare",
    "Comparison": "findings.comparison",
    "Contrast": "findings.comparison",
    "Evaluation": "evaluation",
    "Plan": "protocols",
    "Standing": "findings.comparison",
    "choose_protocol": "protocols",
    "compare": "comparing.compare",
    "evaluate": "evaluation",
    "hidden_labels": "evaluation",
    "plan_splits": "protocols",
    "usual_metric": "protocols",
}

__all__ = [
    "AutoRanker",
    "Candidate",
    "CannotCompareError",
    "Comparison",
    "Contrast",
    "Evaluation",
    "Plan",
    "Standing",
    "choose_protocol",
    "compare",
    "evaluate",
    "hidden_labels",
    "plan_splits",
    "usual_metric",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value
