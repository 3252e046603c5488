"""Who works on a project: the owner, and those who were invited."""

import secrets
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Literal

OWNER = "owner"
Role = Literal["owner", "reviewer", "reader"]


@dataclass(frozen=True)
class Person:
    """Somebody who may ask: a name, a role, and the one project that an invitation is for (None: all)."""

    name: str = OWNER
    role: Role = "owner"
    project: str | None = None


@dataclass(frozen=True)
class Invitation:
    """An invitation as it is kept: the secret of its link only as a hash."""

    id: str
    name: str
    role: Role
    hash: str

    @classmethod
    def new(cls, name: str, role: Role) -> tuple["Invitation", str]:
        """Make an invitation; return it with its secret, which is shown once."""
        secret = secrets.token_urlsafe(32)
        return cls(secrets.token_hex(8), name, role, hash_of(secret)), secret

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON can say it."""
        return {"id": self.id, "name": self.name, "role": self.role, "hash": self.hash}


def hash_of(secret: str) -> str:
    """Return what is kept of a secret; 256 random bits need no slow hash."""
    return sha256(secret.encode()).hexdigest()
