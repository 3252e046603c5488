"""Where rankers are judged: values per list are averaged here, and only here."""

from semirank.selection.evaluation import Evaluation, evaluate, hidden_labels

__all__ = ["Evaluation", "evaluate", "hidden_labels"]
