"""A comparison with all that a report can show, and one with nothing in it."""

from semirank.dataset import Description
from semirank.results.budget import Budget, BudgetCurve, BudgetPoint, LabelWorth
from semirank.results.comparison import Choice, Comparison, ListChange, Protocol, ShownItem
from semirank.results.result import Contrast, Interval, Result

EVIL = '<script>alert("x")</script>'


def contrast(**changes):
    given = {
        "baseline": "rankboost",
        "difference": 0.1,
        "interval": Interval(0.05, 0.15),
        "p_value": 0.01,
        "p_adjusted": 0.02,
        "test": "sign flips",
        "unit": "list",
        "n_units": 3,
        "changed": 1.0,
        "improved": 2 / 3,
        "degraded": 1 / 3,
        "deltas": (0.3, None, -0.1, 0.2),
        "detectable": 0.05,
        "verdict": "helps",
    }
    return Contrast(**(given | changes))


def result(name, **changes):
    given = {
        "name": name,
        "ranker": f"{name}()",
        "settings": {"n_rounds": 100},
        "assumption": None,
        "baseline": None,
        "status": "finished",
        "place": 2,
        "values": ((0.5,), (None,), (0.7,), (0.6,)),
        "mean": 0.6,
        "interval": Interval(0.5, 0.7),
        "judged": 1.0,
        "precision": tuple(1 - level / 20 for level in range(11)),
        "fit_seconds": 0.25,
        "rank_seconds": 0.01,
        "peak_memory": 2**27,
    }
    return Result(**(given | changes))


def comparison(**changes):
    points = (BudgetPoint(1, None, None, "too few"), BudgetPoint(5, 0.5, Interval(0.4, 0.6)))
    semi = result(
        "semi-rankboost",
        assumption="neighbours are alike",
        baseline="rankboost",
        place=1,
        mean=0.7,
        contrast=contrast(),
        contrast_best=contrast(),
    )
    item = ShownItem("d7", 1.0, EVIL)
    given = {
        "name": EVIL,
        "data": Description(3, 30, 12, 18, 4, "10 to 10", "4 to 4", False, 0, {"0": 8, "1": 4}, ("odd",)),
        "metric": "nDCG@10",
        "greater_is_better": True,
        "protocol": Protocol("lists", "outside", 2, 16, None, "list", 3, 1, 3, 3, None, 3, 0, "ignore", 12),
        "lists": ("a", "b", "c", "d"),
        "results": (
            semi,
            result("rankboost"),
            result(
                "slow", status="timeout", reason="took more than 5 s", place=None, mean=None, interval=None
            ),
        ),
        "best": "semi-rankboost",
        "best_supervised": "rankboost",
        "best_semi_supervised": "semi-rankboost",
        "choice": Choice("semi-rankboost", "SemiRankBoost()", "proven", "lists", contrast=contrast()),
        "verdict": "helps",
        "changes": (
            ListChange("a", 0.5, 0.8, 0.3, (item,), (ShownItem("d1", None, None), item)),
            ListChange("c", 0.7, 0.6, -0.1, (item,), (item,)),
        ),
        "budget": Budget(
            "labels in each list",
            BudgetCurve("rankboost", points),
            BudgetCurve("semi-rankboost", points),
            (LabelWorth(5, 9.0, "about"),),
        ),
        "judged_at": 10,
        "confidence": 0.95,
        "complete": True,
        "problem": None,
        "seed": 0,
        "n_jobs": 2,
        "versions": {"semirank": "0.1"},
        "date": "2026-11-16",
        "seconds": 12.0,
    }
    return Comparison(**(given | changes))


EMPTY = {
    "protocol": None,
    "results": (),
    "lists": (),
    "best": None,
    "best_supervised": None,
    "best_semi_supervised": None,
    "choice": None,
    "verdict": None,
    "changes": (),
    "budget": None,
    "complete": False,
    "problem": "No list has labels to measure.",
}
