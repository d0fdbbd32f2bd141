"""What the browser sends while somebody works: every action in order, again and again until the server has answered."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest

from tests.browser.report_page import chromium
from tests.browser.waiting import until
from tests.web.scene_page import Scene, SceneServer, always, browser_missing, opened, scene_server

pytestmark = pytest.mark.skipif(bool(browser_missing()), reason=browser_missing())

OPEN = """
  const { openAttempt } = await import('/static/web/api.js');
  window.statuses = [];
  window.attempt = openAttempt({ onstatus: (status) => statuses.push(status) });
"""
TIMEOUT = 60  # seconds
SETTLE = "then((result) => ({ result }), (error) => ({ error: error.message, status: error.status }))"
SEND = f"({{ kind, data }}) => attempt.send(kind, data).{SETTLE}"
SUBMIT = f"(data) => attempt.submit(data).{SETTLE}"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as opened_browser:
        yield opened_browser.chromium


@pytest.fixture(scope="module")
def server() -> Iterator[SceneServer]:
    with scene_server() as running:
        yield running


def _send(scene: Scene, kind: str, data: Any) -> Any:
    return scene.page.evaluate(SEND, {"kind": kind, "data": data})


def _echo(_path: str, content: Any) -> tuple[int, Any]:
    return 200, {"number": content["number"], "result": {"got": content["data"]}}


def _status(scene: Scene) -> str:
    return str(scene.page.locator("#saving").text_content())


def test_actions_are_sent_in_order_with_their_numbers(browser: Any, server: SceneServer) -> None:
    server.unit["events"] = 3
    with opened(browser, server) as scene:
        server.answer = _echo
        scene.run(OPEN)
        results = scene.run("return Promise.all([1, 2, 3, 4].map((n) => attempt.send('walk', { n })));")
        assert results == [{"got": {"n": n}} for n in (1, 2, 3, 4)]
        expected = [{"token": "t", "number": 2 + n, "kind": "walk", "data": {"n": n}} for n in (1, 2, 3, 4)]
        assert server.posts("events") == expected
        assert _status(scene) == "saved" and scene.page.evaluate("() => statuses") == ["saving", "saved"]
    server.unit["events"] = 0


def test_a_server_in_trouble_gets_the_same_action_again(browser: Any, server: SceneServer) -> None:
    with opened(browser, server) as scene:
        failures: list[Any] = [500, ConnectionResetError(), 503]

        def answer(_path: str, content: Any) -> tuple[int, Any]:
            if failures:
                failure = failures.pop(0)
                if isinstance(failure, Exception):
                    raise failure
                return failure, {"detail": "in trouble"}
            return 200, {"number": content["number"], "result": {}}

        server.answer = answer
        scene.run(OPEN)
        scene.run("window.first = attempt.send('walk', { n: 1 }); window.second = attempt.send('walk', { n: 2 });")
        scene.page.wait_for_function("() => attempt.status() === 'failing'")
        assert _status(scene) == "server error, retrying"
        scene.run("await Promise.all([first, second]);")
        assert scene.page.evaluate("() => statuses")[:2] == ["saving", "failing"]
        sent = [(content["number"], content["data"]["n"]) for content in server.posts("events")]
        assert sent == [(0, 1)] * 4 + [(1, 2)]
        assert _status(scene) == "saved"


def test_without_an_answer_the_page_is_offline(browser: Any, server: SceneServer) -> None:
    with opened(browser, server) as scene:
        back = threading.Event()

        def answer(_path: str, content: Any) -> tuple[int, Any]:
            if not back.is_set():
                raise ConnectionResetError
            return 200, {"number": content["number"], "result": {}}

        server.answer = answer
        scene.run(OPEN)
        scene.run("window.first = attempt.send('walk', { n: 1 });")
        scene.page.wait_for_function("() => attempt.status() === 'offline'")
        assert _status(scene) == "offline, retrying"
        back.set()
        scene.run("await first;")
        assert _status(scene) == "saved" and scene.page.evaluate("() => statuses") == ["saving", "offline", "saved"]


def test_a_refused_action_is_not_sent_again_and_leaves_its_number_free(browser: Any, server: SceneServer) -> None:
    with opened(browser, server) as scene:
        details: list[Any] = ["expected a linked place, got z", [{"loc": ["body", "data"], "msg": "Field required"}]]
        server.answer = lambda _, content: (
            (422, {"detail": details.pop(0)})
            if details
            else (200, {"number": content["number"], "result": {"ok": True}})
        )
        scene.run(OPEN)
        assert _send(scene, "walk", {"to": "z"}) == {"error": "expected a linked place, got z", "status": 422}
        assert _send(scene, "walk", {}) == {"error": "body.data: Field required", "status": 422}
        assert _status(scene) == "saved"
        assert _send(scene, "walk", {"to": "b"}) == {"result": {"ok": True}}
        assert [content["number"] for content in server.posts("events")] == [0, 0, 0]


@pytest.mark.parametrize("status", [401, 404, 409])
def test_a_unit_that_is_no_longer_ours_is_said_to_be(browser: Any, server: SceneServer, status: int) -> None:
    reason = "You were away for long, and somebody else has taken this unit of work."
    with opened(browser, server) as scene:
        server.answer = always(status, {"detail": reason})
        scene.run(OPEN)
        assert _send(scene, "walk", {}) == {"error": reason, "status": status}
        assert _send(scene, "walk", {}) == {"error": reason, "status": status}
        assert len(server.posts("events")) == 1, "nothing more is sent"
        message = scene.page.locator("#message")
        assert message.is_visible() and reason in message.text_content()
        assert message.get_by_role("button", name="Load again").is_visible()
        assert _status(scene) == "not saved"


def test_an_answer_is_submitted_under_one_key(browser: Any, server: SceneServer) -> None:
    with opened(browser, server) as scene:
        answers = [
            (500, {}),
            (422, {"detail": "expected a text, got none"}),
            (503, {}),
            (200, {"answer": 7, "code": "C0DE", "accepted": True, "feedback": {}}),
        ]

        def answer(path: str, content: Any) -> tuple[int, Any]:
            return answers.pop(0) if path.endswith("/submit") else (200, {"number": content["number"], "result": {}})

        server.answer = answer
        scene.run(OPEN)
        assert scene.page.evaluate(SUBMIT, {"text": ""}) == {"error": "expected a text, got none", "status": 422}
        # After a reload it is the same key.
        scene.page.reload()
        scene.run(OPEN)
        scene.run("attempt.send('walk', {});")
        first, second = scene.run("return Promise.all([attempt.submit({ text: 'x' }), attempt.submit({ text: 'x' })]);")
        assert first == second == {"answer": 7, "code": "C0DE", "accepted": True, "feedback": {}}
        submitted = server.posts("submit")
        assert len(submitted) == 4 and len({content["key"] for content in submitted}) == 1
        assert len(submitted[0]["key"]) >= 16
        kinds = [path.rpartition("/")[2] for _, path, _ in server.requests]
        assert kinds == ["submit", "submit", "events", "submit", "submit"], "the answer comes after the actions"


@pytest.mark.parametrize("end", ["submit", "return"])
def test_what_is_done_while_the_unit_ends_is_not_sent_behind_it(browser: Any, server: SceneServer, end: str) -> None:
    with opened(browser, server) as scene:
        late = threading.Event()

        def answer(path: str, _content: Any) -> tuple[int, Any]:
            if not path.endswith(f"/{end}"):
                return 409, {"detail": "This unit is over."}
            assert late.wait(TIMEOUT)
            return (200, {"answer": 7, "code": "C0DE"}) if end == "submit" else (204, None)

        server.answer = answer
        scene.run(OPEN)
        ask = {"submit": "attempt.submit({})", "return": "attempt.giveBack()"}[end]
        scene.run(f"window.ending = {ask}; window.look = attempt.send('look', {{}});")
        late.set()
        scene.run("await ending; attempt.send('look', {});")
        scene.page.wait_for_function("() => attempt.status() !== 'saving'")
        assert _status(scene) == "saved" and scene.page.locator("#message").is_hidden()
        assert [path.rpartition("/")[2] for _, path, _ in server.requests] == [end]


def test_what_is_done_while_an_answer_is_refused_is_sent(browser: Any, server: SceneServer) -> None:
    with opened(browser, server) as scene:
        late = threading.Event()

        def answer(path: str, content: Any) -> tuple[int, Any]:
            if path.endswith("/submit"):
                assert late.wait(TIMEOUT)
                return 422, {"detail": "expected a text, got none"}
            return _echo(path, content)

        server.answer = answer
        scene.run(OPEN)
        scene.run(f"window.ending = attempt.submit({{}}).{SETTLE}; window.look = attempt.send('look', {{ n: 1 }});")
        late.set()
        assert scene.run("return ending;") == {"error": "expected a text, got none", "status": 422}
        assert scene.run("return look;") == {"got": {"n": 1}}


def test_a_heartbeat_keeps_the_unit(browser: Any, server: SceneServer) -> None:
    with opened(browser, server) as scene:
        scene.page.clock.install()
        scene.run(OPEN)
        with scene.page.expect_response("**/heartbeat"):
            scene.page.clock.run_for(31_000)
        with scene.page.expect_response("**/heartbeat"):
            scene.page.clock.run_for(31_000)
        assert server.posts("heartbeat") == [{"token": "t"}] * 2
        server.answer = always(409, {"detail": "Somebody else has it."})
        scene.page.clock.run_for(31_000)
        scene.page.wait_for_function("() => attempt.status() === 'lost'")
        count = len(server.requests)
        scene.page.clock.run_for(120_000)
        assert len(server.requests) == count


def test_leaving_is_warned_about_only_while_something_is_unsent(browser: Any, server: SceneServer) -> None:
    with opened(browser, server) as scene:
        page = scene.page
        dialogs: list[str] = []

        def dismiss(dialog: Any) -> None:
            dialogs.append(dialog.type)
            dialog.dismiss()

        page.on("dialog", dismiss)
        server.answer = always(200, {"number": 0, "result": {}})
        scene.run(OPEN)
        page.locator("textarea").fill("a page that was touched")
        _send(scene, "walk", {})
        page.reload()
        assert dialogs == []
        server.answer = always(503, {})
        scene.run(OPEN)
        page.locator("textarea").fill("a page that was touched")
        scene.run("attempt.send('walk', {});")
        page.evaluate("() => { setTimeout(() => location.reload()); }")
        until(page, lambda: dialogs)
        assert dialogs == ["beforeunload"]
        server.answer = always(200, {"number": 0, "result": {}})
        page.wait_for_function("() => attempt.status() === 'saved'")


def test_a_unit_is_given_back(browser: Any, server: SceneServer) -> None:
    with opened(browser, server) as scene:
        server.answer = always(204, None)
        scene.run(OPEN)
        scene.run("await attempt.giveBack();")
        assert server.posts("return") == [{"token": "t"}]


def test_the_next_unit_is_claimed(browser: Any, server: SceneServer) -> None:
    with opened(browser, server) as scene:
        server.answer = always(200, {"attempt": None, "reason": "There is nothing to do."})
        claim = "const { claimNext } = await import('/static/web/api.js'); return claimNext('my project', argument);"
        assert scene.run(claim, ["play/walk"]) == "There is nothing to do."
        assert server.requests[-1][1:] == ("/api/projects/my%20project/claim", {"kinds": ["play/walk"]})
        server.answer = always(200, {"attempt": "a2", "url": "/work/a2"})
        with scene.page.expect_navigation():
            scene.run("const { claimNext } = await import('/static/web/api.js'); claimNext('my project');")
        assert scene.page.url.endswith("/work/a2")
