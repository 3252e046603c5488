"""Work in the background: shown, and cancelled when asked."""

import secrets
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

KEPT = 20


class CancelledError(Exception):
    """Somebody has cancelled the work."""


@dataclass
class Job:
    """A piece of work.

    Attributes
    ----------
    id, kind : str
        Its name, and what it does.
    state : str
        "running", "done", "failed" or "cancelled".
    progress : float, optional
        From 0 to 1; None: unknown.
    says : str
        What is going on, or what went wrong.
    result : JSON value, optional
        What came of it.
    """

    id: str
    kind: str
    state: str = "running"
    progress: float | None = None
    says: str = ""
    result: Any = None
    cancelled: threading.Event = field(default_factory=threading.Event, repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON can say it."""
        names = ("id", "kind", "state", "progress", "says", "result")
        return {name: getattr(self, name) for name in names}

    def check(self) -> None:
        """Stop here if the work was cancelled."""
        if self.cancelled.is_set():
            raise CancelledError


class Jobs:
    """The jobs of a project; `tell` is called with each change of one."""

    def __init__(self, tell: Callable[[dict[str, Any]], None]) -> None:
        self._tell = tell
        self._jobs: dict[str, Job] = {}
        self._lock = threading.Lock()

    def all(self) -> list[Job]:
        """Return the jobs, the newest last."""
        with self._lock:
            return [*self._jobs.values()]

    def running(self, kind: str) -> Job | None:
        """Return the job of a kind that is under way."""
        return next((job for job in self.all() if job.kind == kind and job.state == "running"), None)

    def start(self, kind: str, work: Callable[[Job], Any], says: str = "") -> Job:
        """Run work in a thread of its own; one of a kind at a time."""
        with self._lock:
            for job in self._jobs.values():
                if job.kind == kind and job.state == "running":
                    return job
            job = Job(secrets.token_hex(6), kind, says=says)
            self._jobs[job.id] = job
            for old in [each.id for each in self._jobs.values() if each.state != "running"][:-KEPT]:
                del self._jobs[old]
        threading.Thread(target=self._run, args=(job, work), name=f"job {kind}", daemon=True).start()
        return job

    def _run(self, job: Job, work: Callable[[Job], Any]) -> None:
        self._tell(job.to_dict())
        try:
            job.result = work(job)
            job.state, job.progress = "done", 1.0
        except CancelledError:
            job.state, job.says = "cancelled", "Cancelled."
        except Exception as error:
            job.state, job.says = "failed", str(error) or type(error).__name__
        self._tell(job.to_dict())

    def report(self, job: Job, progress: float | None, says: str | None = None) -> None:
        """Say how far a job is."""
        job.check()
        job.progress = progress
        job.says = job.says if says is None else says
        self._tell(job.to_dict())

    def cancel(self, name: str) -> bool:
        """Cancel a job; return whether there is such a one."""
        job = self._jobs.get(name)
        if job is not None:
            job.cancelled.set()
        return job is not None

    def close(self) -> None:
        """Cancel all of them."""
        for job in self.all():
            job.cancelled.set()
