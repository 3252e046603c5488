"""The loop: read the best next item, say what it is, have everything ranked anew, and know when to stop.

No HTTP, no SQL, no clock, no thread. `Items` are what is read; an `Event` is something that somebody did; a
`State` is what follows from the events so far; an `Engine` turns a state into an `Order`; a `queue` says
what to read next; `evidence` says how much is probably left. Events are the only truth: the same items and
events give the same state and the same orders, which `replay` proves.

    state = State(items)
    engine = Engine(items)
    order = engine.rank(state)
    row = queue(state, order, n=1)[0]
    state.apply(Event(id=..., kind="label", item=items.ids[row], value=1, order=order.number))
    order = engine.rank(state)
"""

from semirank.feedback.agreement import Agreement, agreement
from semirank.feedback.duplicates import Copies, find_copies
from semirank.feedback.engine import Engine, Order, OrderRecord, default_ranker
from semirank.feedback.events import KINDS, Event, RefusedError
from semirank.feedback.evidence import Evidence, evidence
from semirank.feedback.items import Items
from semirank.feedback.labels import Taught, combine
from semirank.feedback.next_items import next_items
from semirank.feedback.queue import MODES, queue
from semirank.feedback.replay import Difference, Replay, replay
from semirank.feedback.seeds import Found, find_items
from semirank.feedback.simulation import Run, Simulation, Start, simulate, with_baselines
from semirank.feedback.state import AuditStart, Question, State
from semirank.feedback.stop_rules import RULES, Stop
from semirank.feedback.why import Reason, reasons, sentence, strongest, strongest_words

__all__ = [
    "KINDS",
    "MODES",
    "RULES",
    "Agreement",
    "AuditStart",
    "Copies",
    "Difference",
    "Engine",
    "Event",
    "Evidence",
    "Found",
    "Items",
    "Order",
    "OrderRecord",
    "Question",
    "Reason",
    "RefusedError",
    "Replay",
    "Run",
    "Simulation",
    "Start",
    "State",
    "Stop",
    "Taught",
    "agreement",
    "combine",
    "default_ranker",
    "evidence",
    "find_copies",
    "find_items",
    "next_items",
    "queue",
    "reasons",
    "replay",
    "sentence",
    "simulate",
    "strongest",
    "strongest_words",
    "with_baselines",
]
