"""Where rankers are judged: values per list are averaged here, and only here."""

from semirank.selection.candidates import Candidate
from semirank.selection.comparing import CannotCompareError, compare
from semirank.selection.comparison import Comparison, Contrast, Standing
from semirank.selection.evaluation import Evaluation, evaluate, hidden_labels
from semirank.selection.protocols import Plan, choose_protocol, plan_splits, usual_metric

__all__ = [
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
