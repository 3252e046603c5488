"""How much more often something occurs in one set of rows than in another."""

from semirank.density_ratio.kliep import KLIEP, effective_size

__all__ = ["KLIEP", "effective_size"]
