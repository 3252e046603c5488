"""The API as it describes itself: whatever is sent, answers have the described shape and no error of ours."""

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis.checks import CHECKS, load_all_checks
from tests.web.conftest import House

load_all_checks()
NAMES = ["not_a_server_error", "response_schema_conformance", "content_type_conformance"]
N_OPERATIONS = 35  # at least; a route that is added counts by itself


@pytest.fixture
def house(tmp_path, monkeypatch):
    monkeypatch.setenv("SEMIRANK_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(
        "semirank.web.checking.Checks.start", lambda self: self._session.jobs.start("check", str)
    )
    house = House(tmp_path, users=True)
    house.project()
    yield house
    house.close()


@pytest.mark.slow
def test_the_api_answers_as_it_says(house):
    cookie = f"semirank_80={house.browser().http.cookies['semirank_80']}"
    headers = {"host": "127.0.0.1", "cookie": cookie, "x-semirank": "1"}
    schema = schemathesis.openapi.from_asgi("/api/openapi.json", house.app, headers=headers)
    checks = CHECKS.get_by_names(NAMES)
    answered = {}
    for found in schema.exclude(path_regex="stream$").get_all_operations():
        operation = found.ok()
        answered[operation.label] = ask(operation, headers, checks)
    assert len(answered) >= N_OPERATIONS
    assert not {
        name for name, codes in answered.items() if codes <= {401, 403}
    }  # none was stopped at the gate
    assert sum(200 in codes for codes in answered.values()) > 0.8 * len(answered)


def ask(operation, headers, checks):
    """Send what the description of an operation allows, and look at the answers; return their codes."""
    codes = set()

    @given(case=operation.as_strategy())
    @settings(max_examples=25, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    def answers(case):
        if "key" in (case.path_parameters or {}):
            case.path_parameters["key"] = "p"
        kind = "application/octet-stream" if case.path == "/api/imports" else "application/json"
        body = {"content-type": kind} if case.method.upper() in ("POST", "PUT") else {}
        response = case.call(headers={**headers, **body})
        codes.add(response.status_code)
        case.validate_response(response, checks=checks)

    answers()
    return codes
