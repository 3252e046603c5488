"""How good a ranking is: one value per list, NaN where a list cannot say.

Every metric is a function ``metric(y, scores, qid=None, ...)`` of labels and scores. It returns a
float64 array with one value for each list, in the order in which the lists first appear; nothing is
averaged here. `parse` reads a metric from its name, such as "nDCG@10", and `measure` computes several
at once.

Three options are the same everywhere:

``ties``
    What equal scores mean. "expected" (default): the value is the expectation over every order of the
    tied items, in closed form, so that the order of the file never counts. "trec": ties are broken as
    trec_eval does: scores are rounded to single precision, then the item with the larger id (compared
    as text) comes first.
``unlabelled``
    What an item without a label (NaN) is. "ignore" (default): it is taken out before the list is
    ranked, and nothing is claimed about it. "irrelevant": it stays and counts as irrelevant, as in
    trec_eval: label 0, or the smallest label of its list when that is below 0.
``item_ids``
    The ids that break ties with ``ties="trec"``. Without them the later item comes first.

An item is relevant when its label is above 0, or at least ``relevant`` where that option is given.
"""

from semirank.metrics.auc import auc
from semirank.metrics.average_precision import average_precision
from semirank.metrics.curves import precision_recall_curve, precision_recall_points
from semirank.metrics.disagreement import disagreement
from semirank.metrics.judged import judged_at
from semirank.metrics.metric import Metric
from semirank.metrics.ndcg import ndcg
from semirank.metrics.notation import METRICS, measure, parse
from semirank.metrics.precision import precision_at, recall_at
from semirank.metrics.ranking import Ranking
from semirank.metrics.reciprocal_rank import reciprocal_rank
from semirank.metrics.top_label import mean_label_at
from semirank.metrics.work_saved import wss_at

__all__ = [
    "METRICS",
    "Metric",
    "Ranking",
    "auc",
    "average_precision",
    "disagreement",
    "judged_at",
    "mean_label_at",
    "measure",
    "ndcg",
    "parse",
    "precision_at",
    "precision_recall_curve",
    "precision_recall_points",
    "recall_at",
    "reciprocal_rank",
    "wss_at",
]
