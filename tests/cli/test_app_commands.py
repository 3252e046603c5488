"""`semirank serve`, `replay` and `simulate PROJECT`, as they are typed."""

import json
import os
import re
import signal
import subprocess
import sys
import time

import httpx
import pytest

from semirank.feedback import Event
from semirank.web.people import Person
from semirank.web.project import Project, ProjectItem
from semirank.web.session import Session

TEXTS = [f"{topic} study {n}" for n in range(8) for topic in ("heart failure", "kidney stones", "back pain")]


@pytest.fixture
def project(tmp_path):
    path = tmp_path / "review.semirank"
    items = [ProjectItem(str(n), text) for n, text in enumerate(TEXTS)]
    with Project.create(path, items, settings={"n_items": len(items)}) as made:
        session = Session(made, "review")
        for n in range(12):
            session.add([Event(f"e{n}", "label", str(n), value=int(n % 3 == 0))], Person())
            session.wait_for_order(Person())
        session.close()
    return path


def test_replay_finds_every_order_again_and_names_one_that_was_changed(run, project):
    code, out, err = run("replay", project, "--json")
    assert code == 0, err
    told = json.loads(out)
    assert told["orders"] == told["same"] > 10
    with Project.open(project) as opened:
        opened._connection.execute("UPDATE order_digest SET digest = 'x', first = '[\"3\"]' WHERE number = 7")
    told = json.loads(run("replay", project, "--json")[1])
    assert told["first difference"] == 7
    assert told["same"] == told["orders"] - 1


def test_simulate_reads_the_labelled_items_of_a_project(run, project, tmp_path):
    report = tmp_path / "s.json"
    code, _, err = run("simulate", project, "--runs", 2, "--jobs", 1, "-o", report, "-q")
    assert code == 0, err
    assert len(json.loads(report.read_text())["runs"]) == 6


def test_serve_starts_on_one_command_and_opens_the_same_project_again(tmp_path):
    table = tmp_path / "reviews.csv"
    table.write_text("title,abstract,included\n" + "".join(f"{text},about {text},\n" for text in TEXTS))
    for turn in range(2):
        command = [
            sys.executable,
            "-m",
            "semirank",
            "serve",
            table,
            "--no-browser",
            "--folder",
            tmp_path / "f",
        ]
        server = subprocess.Popen(list(map(str, command)), stderr=subprocess.PIPE, text=True)
        try:
            address = next(re.search(r"http\S+", line).group() for line in server.stderr if "http" in line)
            with httpx.Client(headers={"x-semirank": "1"}, base_url=address.split("/?")[0]) as http:
                wait_for(http, address)
                first = http.get("/api/session").json()
                if turn == 0:
                    told = http.get(f"/api/imports/{first['import']}").json()
                    assert (told["state"], told["n_rows"]) == ("ready", len(TEXTS))
                    made = http.post("/api/projects", json={"import": told["id"]})
                    assert made.status_code == 200, made.text
                else:
                    assert first["open"] == "reviews"
        finally:
            server.send_signal(signal.SIGINT)
            server.wait(10)
            server.stderr.close()
    assert (tmp_path / "reviews.semirank").exists()


def wait_for(http, address):
    for _ in range(200):
        try:
            assert http.get(address).status_code == 303
            return
        except httpx.TransportError:
            time.sleep(0.05)
    raise AssertionError("the server did not come up")


def test_without_the_extra_serve_says_one_line(tmp_path):
    (tmp_path / "fastapi.py").write_text("raise ModuleNotFoundError('gone', name='fastapi')")
    code = "import sys, semirank.cli as c; sys.argv = ['semirank', 'serve']; c.main()"
    found = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
    )
    assert found.returncode == 1
    assert found.stderr.startswith("semirank: `semirank serve` needs a few more packages: pip install")
    assert found.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["nothing.csv"], "no such file"),
        (["--host", "0.0.0.0"], "--users"),
        (["--project", "nothing.semirank"], "no such project"),
    ],
)
def test_serve_refuses_in_one_line(run, words, says, tmp_path):
    code, _, err = run("serve", *words, "--no-browser", "--folder", tmp_path)
    assert code == 1
    assert says in err
    assert err.count("\n") == 1
