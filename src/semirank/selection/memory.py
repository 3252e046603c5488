"""How much memory this process has needed at most."""

import sys
from pathlib import Path

_STATUS = Path("/proc/self/status")
_CLEAR = Path("/proc/self/clear_refs")


def reset_peak() -> None:
    """Forget the peak so far, where the system can (Linux); elsewhere it is that of the whole process."""
    try:
        _CLEAR.write_text("5")
    except OSError:
        return


def peak_memory() -> int | None:
    """Return the most memory, in bytes, that this process has held since `reset_peak`; None if unknown."""
    try:
        lines = _STATUS.read_text().splitlines()
        return 1024 * next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))
    except (OSError, StopIteration):
        return _peak_of_process()


def _peak_of_process() -> int | None:
    try:
        import resource
    except ImportError:  # Windows
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return int(peak if sys.platform == "darwin" else 1024 * peak)
