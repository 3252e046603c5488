"""Any sequence of what reviewers can do, against a model of sixty lines."""

import shutil
import tempfile
from pathlib import Path

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from semirank.feedback import Event, queue
from semirank.web.people import Person
from semirank.web.project import Project, ProjectItem
from semirank.web.session import Session
from semirank.web.shelf import make

N_ITEMS = 8
PEOPLE = {name: Person(name, role) for name, role in (("owner", "owner"), ("bob", "reviewer"))}
ROWS, WHO = st.integers(0, N_ITEMS - 1), st.sampled_from(sorted(PEOPLE))
VERDICTS = st.sampled_from([("label", 1), ("label", 0), ("unsure", None), ("later", None)])
COPIES = {0: [0, 1], 1: [0, 1]}  # rows 0 and 1 have the same title


class Model:
    """What must stand: each reviewer's acts in order, the undone ones apart."""

    def __init__(self):
        self.acts = {name: [] for name in PEOPLE}  # [rows, verdict]
        self.undone = {name: [] for name in PEOPLE}

    def judge(self, who, row, verdict):
        self.acts[who].append((COPIES.get(row, [row]), verdict))
        self.undone[who] = []

    def undo(self, who):
        if not self.acts[who]:
            return False
        self.undone[who].append(self.acts[who].pop())
        return True

    def redo(self, who):
        if not self.undone[who]:
            return False
        self.acts[who].append(self.undone[who].pop())
        return True

    def verdicts(self, who):
        return {row: verdict for rows, verdict in self.acts[who] for row in rows}

    def read(self):
        return {row for who in PEOPLE for row, verdict in self.verdicts(who).items() if verdict[0] != "later"}

    def label(self, row):
        labels = [v[1] for who in PEOPLE if (v := self.verdicts(who).get(row)) and v[0] == "label"]
        return max(labels) if labels else None  # of two, unanimous or any relevant


class SessionMachine(RuleBasedStateMachine):
    @initialize()
    def begin(self):
        self.folder = Path(tempfile.mkdtemp())
        titles = ["same title", "Same: title", *(f"title {n}" for n in range(2, N_ITEMS))]
        items = [ProjectItem(f"i{n}", title, f"text {n % 3}") for n, title in enumerate(titles)]
        make(self.folder / "p.semirank", items, None, {}).close()
        self.model, self.number, self.sent = Model(), 0, {}
        self.open()

    def open(self):
        self.session = Session(Project.open(self.folder / "p.semirank"), "p", users=True)

    def send(self, who, kind, item=None, value=None):
        event = Event(f"e{self.number}", kind, item, value=value)
        self.number += 1
        taken = self.session.add([event], PEOPLE[who])[0]
        if taken.refused is None:
            self.sent[event.id] = (who, event, taken)
        return taken.refused is None

    @rule(who=WHO, row=ROWS, verdict=VERDICTS)
    def judge(self, who, row, verdict):
        assert self.send(who, verdict[0], f"i{row}", verdict[1])
        self.model.judge(who, row, verdict)

    @rule(who=WHO)
    def undo(self, who):
        assert self.send(who, "undo") == self.model.undo(who)

    @rule(who=WHO)
    def redo(self, who):
        assert self.send(who, "redo") == self.model.redo(who)

    @rule(who=WHO, row=ROWS)
    def note(self, who, row):
        assert self.send(who, "shown", value=[row])

    @precondition(lambda self: self.sent)
    @rule(data=st.data())
    def send_again(self, data):
        name = data.draw(st.sampled_from(sorted(self.sent)))
        who, event, taken = self.sent[name]
        again = self.session.add([event], PEOPLE[who])[0]
        assert (again.seq, again.also, again.undid) == (taken.seq, taken.also, taken.undid)

    @rule()
    def come_back(self):
        self.session.close()
        self.open()

    @invariant()
    def stands_as_in_the_model(self):
        state = self.session.state
        for who in PEOPLE:
            found = {row: state.verdict(row, who) for row in range(N_ITEMS)}
            known = {row: (e.kind, e.value) for row, e in found.items() if e is not None}
            assert known == self.model.verdicts(who)
        assert set(np.flatnonzero(state.read).tolist()) == self.model.read()
        labels = [self.model.label(row) for row in range(N_ITEMS)]
        assert [None if np.isnan(y) else y for y in state.y.tolist()] == labels

    @invariant()
    def nobody_is_asked_twice(self):
        order, state = self.session.shared.published.order, self.session.state
        for who in PEOPLE:
            offered = set(queue(state, order, n=100, reviewer=who).tolist())
            assert not offered & self.model.read()
            later = {row for row, verdict in self.model.verdicts(who).items() if verdict[0] == "later"}
            assert not offered & later
            assert 1 not in offered  # a copy is asked through the first of its group

    def teardown(self):
        if hasattr(self, "session"):
            self.session.close()
            shutil.rmtree(self.folder)


SessionMachine.TestCase.settings = settings(max_examples=6, stateful_step_count=20, deadline=None)
test_any_sequence_of_acts = SessionMachine.TestCase
