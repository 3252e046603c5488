"""Training items arranged once for many fits, each with a few features of its own."""

from dataclasses import dataclass
from itertools import islice

from semirank.core.arrays import Integers
from semirank.dataset import Features
from semirank.rankers.boosting.columns import Columns
from semirank.rankers.boosting.rounds import Lesson, Stumps, boost


@dataclass(frozen=True, eq=False)
class Prepared:
    """What boosting needs to know about training items, made by `RankBoost.prepare`.

    Bins and orders of the features are found once; a fit then costs its rounds, and arranges new features
    only.

    Attributes
    ----------
    lesson : Lesson
        What to learn.
    columns : Columns
        The features of the items of the lesson.
    rows : int64 array
        The row, as given to `prepare`, of each item of the lesson.
    n_rounds, step
        As in `RankBoost`.
    """

    lesson: Lesson
    columns: Columns
    rows: Integers
    n_rounds: int
    step: str

    def learn(self, new: Features | None = None) -> Stumps:
        """Learn from the features that were prepared, followed by new ones.

        The stumps are those of a fit on all these features together.

        new : dense array with one row for each row given to `prepare`; None for no new features.
        """
        columns = self.columns if new is None else self.columns.with_columns(new[self.rows])
        return Stumps.of(list(islice(boost(self.lesson, columns, self.step), self.n_rounds)))
