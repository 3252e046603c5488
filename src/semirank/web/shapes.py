"""What goes over the wire: every request and answer of the HTTP API."""

import json
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

LONGEST_VALUE = 1 << 20

Key = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]{0,79}$")]
Role = Literal["owner", "reviewer", "reader"]
Kind = Literal["texts", "vectors", "images"]
ColumnRole = Literal["title", "text", "id", "label", "list", "doi", "image", "meta", "leave out"]
Basis = Literal["random", "by experience", "proven here", "labels alone"]
JobState = Literal["running", "done", "failed", "cancelled"]


class Shape(BaseModel):
    """A part of the contract; a request with a field that is not in it is refused."""

    model_config = ConfigDict(extra="forbid")


class Problem(Shape):
    """What went wrong, where, and what to do."""

    error: str
    where: str = ""
    what_to_do: str = ""


class SessionInfo(Shape):
    """Who asks, and what to show first."""

    version: str
    reviewer: str
    role: Role
    users: bool
    open: str | None
    import_: str | None = Field(alias="import")

    model_config = ConfigDict(extra="forbid", populate_by_name=True)


class RecentProject(Shape):
    """A project that can be opened."""

    key: str
    name: str
    kind: Kind
    n_items: int
    n_read: int
    n_found: int
    changed: str


class DemoInfo(Shape):
    """A project that is made with one click."""

    name: str
    title: str
    about: str


class Projects(Shape):
    """What the start page shows."""

    recent: list[RecentProject]
    demos: list[DemoInfo]


class Scale(Shape):
    """Which grades there are, and from which on an item is relevant."""

    names: dict[str, str] = Field(default_factory=lambda: {"0": "not", "1": "relevant"}, max_length=20)
    relevant: float = Field(default=1.0, allow_inf_nan=False)


class Target(Shape):
    """What is to be reached."""

    recall: float = Field(default=0.95, gt=0, lt=1)
    confidence: float = Field(default=0.95, gt=0, lt=1)


class NewProject(Shape):
    """A project to make: a demo, or an import with the part that each column plays."""

    demo: str | None = None
    import_: str | None = Field(None, alias="import")
    name: str | None = Field(None, max_length=200)
    roles: dict[str, ColumnRole] | None = None
    scale: Scale | None = None
    target: Target | None = None
    group_near: bool = False

    model_config = ConfigDict(extra="forbid", populate_by_name=True)


class Column(Shape):
    """A column of an import."""

    name: str
    role: ColumnRole
    examples: list[str]
    n_missing: int
    n_distinct: int


class LabelCounts(Shape):
    """What the column of labels holds."""

    relevant: int = 0
    irrelevant: int = 0
    unlabelled: int = 0
    grades: dict[str, int] = {}


class Additions(Shape):
    """What a file adds to a project: new items, and labels of known items that nobody has judged."""

    n_new: int
    n_known: int
    n_labelled: int
    n_conflicts: int


class Import(Shape):
    """What was understood of a file."""

    id: str
    name: str
    state: Literal["reading", "ready", "failed"]
    progress: float | None = None
    format: str = ""
    kind: Kind = "texts"
    n_rows: int = 0
    columns: list[Column] = []
    samples: list[dict[str, str]] = []
    labels: LabelCounts = LabelCounts()
    n_lists: int = 1
    n_without_text: int = 0
    n_duplicates: int = 0
    encoding: str = ""
    warnings: list[str] = []
    error: Problem | None = None
    into: str | None = None
    adds: Additions | None = None


class Roles(Shape):
    """The part that each column plays."""

    roles: dict[str, ColumnRole]


class ListInfo(Shape):
    """A list, and how far it is read."""

    qid: str
    n_items: int
    n_read: int
    n_found: int


class Counts(Shape):
    """How far the reading is; copies count once."""

    n_items: int
    n_read: int
    n_found: int
    n_unsure: int
    n_later: int


class OrderInfo(Shape):
    """An order of the items, without the items."""

    number: int
    ranker: str
    basis: Basis
    basis_says: str
    problem: str | None
    warnings: list[str]
    n_moved: int


class QuestionInfo(Shape):
    """A typed question that stands."""

    event: str
    text: str
    qid: str


class Job(Shape):
    """Work in the background."""

    id: str
    kind: str
    state: JobState
    progress: float | None = None
    says: str = ""
    result: Any = None


class StopInfo(Shape):
    """The decision to stop."""

    event: str
    time: str
    reviewer: str
    value: dict[str, Any]


class ProjectInfo(Shape):
    """All that a page of work needs at its beginning."""

    key: str
    name: str
    kind: Kind
    n_items: int
    lists: list[ListInfo]
    scale: Scale
    target: Target
    tags: list[str]
    counts: Counts
    order: OrderInfo
    questions: list[QuestionInfo]
    last_seq: int
    stop: StopInfo | None
    audit: bool
    reviewer: str
    role: Role
    users: bool
    blind: bool
    read_only: bool
    jobs: list[Job]


class Verdict(Shape):
    """What a reviewer has said of an item."""

    kind: Literal["label", "unsure", "later"]
    value: float | None
    reviewer: str
    time: str


class OtherVerdict(Shape):
    """What another reviewer has said of an item."""

    reviewer: str
    kind: Literal["label", "unsure", "later"]
    value: float | None


class History(Shape):
    """Something that happened to an item."""

    seq: int
    id: str
    kind: str
    value: Any
    reviewer: str
    time: str
    undone: bool


class Item(Shape):
    """An item as it is shown."""

    row: int
    id: str
    qid: str
    title: str
    text: str | None = None
    meta: dict[str, Any]
    link: str | None
    image: bool
    score: float | None
    place: int | None
    moved: int
    copies: list[int]
    verdict: Verdict | None
    note: str
    tags: list[str]
    by: list[OtherVerdict]
    adjudicated: float | None = None


class ItemDetail(Item):
    """An item with its history."""

    history: list[History]


class Queue(Shape):
    """What to read next."""

    order: OrderInfo
    mode: str
    items: list[Item]


class Items(Shape):
    """A page of items."""

    total: int
    offset: int = 0
    items: list[Item]


class NewEvent(Shape):
    """Something that a reviewer did, named in the browser."""

    id: str = Field(min_length=1, max_length=100)
    kind: Literal[
        "label", "unsure", "later", "note", "tag", "group", "ungroup", "seed", "target", "scale", "ranker",
        "undo", "redo", "shown", "reserve", "adjudicate",
    ]  # fmt: skip
    item: str | None = Field(None, max_length=2000)
    qid: str | None = Field(None, max_length=2000)
    value: Any = None
    order: int | None = Field(None, ge=0, lt=2**53)
    mode: str | None = Field(None, max_length=40)
    via: str | None = Field(None, max_length=100)

    @field_validator("value")
    @classmethod
    def _can_be_kept(cls, value: Any) -> Any:
        """Refuse what JSON or UTF-8 cannot say, and what is too long for a log."""
        try:
            spelled = json.dumps(value, allow_nan=False, ensure_ascii=False).encode()
        except (ValueError, RecursionError) as error:
            raise ValueError("must be JSON in UTF-8, without NaN") from error
        if len(spelled) > LONGEST_VALUE:
            raise ValueError(f"must have {LONGEST_VALUE:,} bytes at most")
        return value


class Undid(Shape):
    """What an undo or redo was about."""

    id: str
    kind: str
    row: int | None = None


class Acknowledged(Shape):
    """An event that is on disk, or the reason why it is not."""

    id: str
    seq: int | None = None
    also: list[int] = []
    undid: Undid | None = None
    refused: str | None = None


class WhyItem(Shape):
    """A labelled item that speaks for or against; a typed question has no row."""

    row: int | None
    title: str
    label: float | None
    amount: float


class WhyWord(Shape):
    """A word that speaks for or against."""

    word: str
    amount: float


class Why(Shape):
    """What a score is made of: constant, items and the rest of them add up to it; so do words."""

    row: int
    score: float | None
    constant: float = 0.0
    shares: bool = False
    sentence: str
    items: list[WhyItem] = []
    words: list[WhyWord] = []
    rest_items: float = 0.0
    rest_words: float = 0.0
    against: "Why | None" = None


class WhatIf(Shape):
    """Where the nearest unread item would stand after a verdict."""

    row: int | None
    place_now: int | None
    place_then: int | None


class NewSeeds(Shape):
    """What somebody looks for: a question, or items that are known already."""

    text: str | None = Field(None, max_length=20_000)
    references: list[Annotated[str, Field(max_length=5_000)]] | None = Field(None, max_length=10_000)
    qid: str | None = Field(None, max_length=2000)


class Seeds(Shape):
    """What became of it."""

    question: str | None
    matched: list[Item]
    unknown: list[str]


class Log(Shape):
    """A page of the log, newest first."""

    class Entry(Shape):
        """An event."""

        seq: int
        id: str
        time: str
        reviewer: str
        kind: str
        item: str | None
        qid: str | None
        value: Any
        order: int | None
        mode: str | None
        undone: bool
        row: int | None
        title: str | None

    total: int
    events: list[Entry]


class Bound(Shape):
    """At least so much was found, from the order of reading."""

    recall: float
    p: float
    reached: bool
    most_missing: int
    sentence: str
    method: str
    assumption: str | None
    citation: str


class AuditFound(Shape):
    """At least so much was found, from a random sample."""

    recall: float
    reached: bool
    n_drawn: int
    n_relevant: int
    n_unread: int
    at_most_left: int
    sentence: str
    method: str
    assumption: str | None
    citation: str


class MethodInfo(Shape):
    """How a number was found."""

    method: str
    assumption: str | None
    citation: str


class ListEvidence(ListInfo):
    """How far a list is read, and how many of its ten best were judged."""

    judged10: float


class EvidenceInfo(Shape):
    """How much is probably left."""

    n_items: int
    n_read: int
    n_found: int
    n_unsure: int
    since_last: int
    target: Target
    bound: Bound
    audit: AuditFound | None
    audit_price: int | None
    audit_price_says: str
    curve: list[tuple[int, int]]
    rank_change: list[tuple[int, float]]
    rank_change_method: MethodInfo
    per_list: list[ListEvidence]
    labels_per_minute: float | None
    wave: list[int]


class Started(Shape):
    """An event that the server has made."""

    id: str
    seq: int
    sentence: str = ""


class RankerInfo(Shape):
    """What ranks, why, and what a check has found."""

    class Row(Shape):
        """A ranker that was tried."""

        name: str
        score: float | None
        difference: float | None

    ranker: str
    basis: Basis
    basis_says: str
    verdict: str | None
    leaderboard: list[Row]
    checked_at: int | None
    offered: dict[str, Any] | None = None


class MapWaiting(Shape):
    """A layout that is being made."""

    job: Job


class MapPoints(Shape):
    """What points of the map look like, row by row."""

    verdicts: list[str | None]
    scores: list[float | None]


class PairInfo(Shape):
    """How far two reviewers agree."""

    a: str
    b: str
    n: int
    percent: float
    kappa: float | None
    kappa_low: float | None
    kappa_high: float | None
    labels: list[float]
    table: list[list[int]]


class ReviewerInfo(Shape):
    """How far a reviewer is."""

    name: str
    n_read: int
    n_found: int


class AgreementInfo(Shape):
    """How far reviewers agree."""

    reviewers: list[ReviewerInfo]
    pairs: list[PairInfo]
    alpha: float | None
    alpha_low: float | None
    alpha_high: float | None
    n_conflicts: int


class NewInvitation(Shape):
    """Somebody to invite."""

    name: str = Field(min_length=1, max_length=80, pattern=r"^[^\x00-\x1f\x7f]+$")
    role: Literal["reviewer", "reader"] = "reviewer"


class InvitationInfo(Shape):
    """Somebody who was invited; the link is shown once."""

    id: str
    name: str
    role: Role
    link: str | None = None


class Settings(Shape):
    """What the owner can set."""

    double: Literal["none", "all", "first"] = "none"
    double_n: int = Field(default=50, ge=0, lt=2**31)
    takeover: Literal["ask", "auto"] = "auto"
    spread_every: Literal[0, 10] = 0


class Prisma(Shape):
    """Counts for a PRISMA flow diagram."""

    identified: int
    duplicates_removed: int
    screened: int
    excluded: int
    included: int
    unsure: int
    not_screened: int
    imports: list[dict[str, Any]]
    stopped: dict[str, Any] | None
