"""Where tasks on parts run: on this machine, or on the workers of a Dask cluster."""

from semirank.engines._base import TIMEOUT, Engine, Progress, engine_for

__all__ = ["TIMEOUT", "Engine", "Progress", "engine_for"]
