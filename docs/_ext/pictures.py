"""How the gallery and its pictures look."""

import matplotlib

STYLE = {
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.prop_cycle": matplotlib.cycler(color=["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00"]),
    "figure.constrained_layout.use": True,
    "figure.dpi": 100,
    "font.size": 10,
    "legend.frameon": False,
}


FIRST = (
    "two_moons_through_time.py",
    "digits_by_example.py",
    "when_unlabelled_data_harm.py",
    "letor_to_report.py",
    "screening_session.py",
)


class FirstThingsFirst:
    """Sort examples: those to begin with, then the others by name."""

    def __init__(self, folder):
        self.folder = folder

    def __call__(self, name):
        """Return what to sort by."""
        return (name not in FIRST, FIRST.index(name) if name in FIRST else 0, name)


def reset(gallery_conf, file_name):
    """Give every example the same style, whatever the one before it did."""
    matplotlib.rcParams.update(STYLE)
