"""Projects and answers over HTTP: create, watch, decide, ask again; and hostile content in every field."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import httpx
import pytest
from sqlalchemy import func, select

from bearleft.web.database.admins import AuditEntry, Decision
from bearleft.web.database.models import Answer, Attempt, Slot, Unit
from bearleft.web.database.models import Worker as WorkerRow
from bearleft.web.forms import FORM_TYPE
from bearleft.web.projects import get_project
from tests.web.admin.conftest import SignIn, Site
from tests.web.admin.study import NAME, AdminClient
from tests.web.refer360.people import SENTENCES, answer_at
from tests.web.server import person
from tests.web.touchdown.driver import TEXT, Worker

HOSTILE = {
    "html": "<script>alert(1)</script><img src=x onerror=alert(1)>",
    "attribute": "\" autofocus onfocus=alert(1) x='",
    "sql": "'; DROP TABLE answers; --",
    "or": "1 OR 1=1",
    "template": "{{ 7 * 7 }}{% for x in y %}",
    "null": "a\x00b",
    "path": "../../../../etc/passwd",
    "long": "word " * 20_000,
    "number": "9" * 400,
    "unicode": "²٣\u202e\ud7ff",
    "list": "[1, 2]",
}


def answer_of(site: Site, kind: str) -> int:
    """Return the number of the first answer of a kind."""
    with site.database.read() as session:
        query = select(Answer.id).join(Unit, Unit.id == Answer.unit_id).where(Unit.kind == f"touchdown/{kind}")
        number: int = session.scalars(query.order_by(Answer.id)).all()[0]
        return number


@pytest.mark.slow
def test_a_project_page_shows_progress_times_and_agreement(signed_in: SignIn) -> None:
    page = signed_in("viewer").get(f"/admin/projects/{NAME}").text
    rows = {row[0]: row[1:] for row in table_rows(page, "Progress of each task")}
    #                                       units open wanted given accepted rejected active attempts returned expired
    assert rows["Hide the bear touchdown/writing"][:9] == ["3", "2", "3", "1", "1", "0", "1", "2", "0"]
    assert rows["Find the bear touchdown/validation"][:9] == ["1", "0", "2", "2", "1", "0", "0", "2", "0"]
    (agreement,) = [row for row in table_rows(page, "Agreement") if row[0] == "touchdown/validation"]
    assert agreement[1:5] == ["1", "2", "found", "0.0 %"] and agreement[6] == "90 pixels"
    assert page.count("<svg") == 2 and "style=" not in page
    statistics = signed_in("viewer").get(f"/admin/projects/{NAME}/statistics").text
    assert "Table 1" in statistics and "found by the second worker" in statistics


def table_rows(page: str, label: str) -> list[list[str]]:
    """Return the texts of the cells of a table."""
    body = page.partition(f'aria-label="{label}"')[2].partition("<tbody>")[2].partition("</tbody>")[0]
    rows = re.findall(r"<tr>(.*?)</tr>", body, re.DOTALL)
    cells = [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.DOTALL) for row in rows]
    return [[" ".join(re.sub(r"<[^>]+>", " ", cell).split()) for cell in row] for row in cells]


def test_projects_are_created_with_errors_at_their_fields(site: Site, signed_in: SignIn) -> None:
    owner = signed_in("owner")
    good = {"name": "made", "family": "touchdown", "dataset": "city/touchdown/small", "limit": "2", "answers": "3"}
    good["settings"] = '{"qualification": false}'
    for field, value in (
        ("name", "No Name"),
        ("name", NAME),
        ("family", "chess"),
        ("dataset", "city/nothing"),
        ("dataset", ""),
        ("dataset", "city/sdr/small"),
        ("limit", "0"),
        ("limit", "many"),
        ("answers", "0"),
        ("answers", "1001"),
        ("settings", "{"),
        ("settings", "[1]"),
        ("settings", '{"qualification_episodes": 3, "qualification": true}'),
        ("settings", '{"qualification_dataset": 3, "qualification": true}'),
    ):
        answer = owner.post("/admin/new", **{**good, field: value})
        assert answer.status_code == 422, (field, value)
        found = re.findall(r'class="problem" id="(\w+)-problem"', answer.text)
        assert found in ([field], ["settings"]), (field, value, found)
        assert f'value="{good["name"]}"' in answer.text or field == "name", "what was typed stays"
    assert owner.post("/admin/new", **good).headers["location"] == "/admin/projects/made?said=added"
    with site.database.read() as session:
        project = get_project(session, "made")
        units = session.scalars(select(Unit).where(Unit.project_id == project.id).order_by(Unit.id)).all()
        assert len(units) == 6, "three texts of each route have a unit each"
        assert {unit.payload["id"] for unit in units} == {"0", "1"}
        entry = session.scalars(select(AuditEntry).where(AuditEntry.action == "create project")).one()
        assert (entry.who, entry.subject) == ("owner", "project made")
    assert owner.post("/admin/new", **{**good, "name": "twice", "family": "play", "answers": "2"}).status_code == 422
    assert owner.post("/admin/new", **{**good, "name": "game", "family": "play", "answers": "1"}).status_code in (
        303,
        422,
    )


def test_nobody_writes_two_texts_of_one_route(site: Site, signed_in: SignIn) -> None:
    owner = signed_in("owner")
    fields = {"family": "refer360", "dataset": "city/refer360/small", "settings": '{"hiring": false, "consent": false}'}
    assert owner.post("/admin/new", name="spots", limit="1", answers="2", **fields).status_code == 303
    with person(site.address) as client:
        for expected in (True, False):
            claimed = client.post("/api/projects/spots/claim", json={}).json()
            assert bool(claimed["attempt"]) == expected, claimed
            if not expected:
                continue
            attempt = claimed["attempt"]
            with site.database.read() as session:
                row = session.get_one(Attempt, attempt)
                token, target = row.token, session.get_one(Unit, row.unit_id).payload["target"]
            body: dict[str, Any] = {"token": token, "number": 0, "kind": "found", "data": answer_at(target)}
            assert client.post(f"/api/attempts/{attempt}/events", json=body).status_code == 200
            body = {"token": token, "key": "k", "data": {"sentences": list(SENTENCES)}}
            assert client.post(f"/api/attempts/{attempt}/submit", json=body).status_code == 200
    with person(site.address) as other:
        kinds = ["refer360/description"]
        assert other.post("/api/projects/spots/claim", json={"kinds": kinds}).json()["attempt"] is None
        assert other.post("/api/projects/spots/claim", json={}).json()["attempt"], "first a finding, then the copy"


def test_a_closed_project_gives_out_nothing_but_can_be_finished(site: Site, signed_in: SignIn) -> None:
    owner = signed_in("owner")
    with person(site.address) as client, person(site.address) as late:
        begun = client.post(f"/api/projects/{NAME}/claim", json={}).json()["attempt"]
        assert owner.post(f"/admin/projects/{NAME}/state", action="close").status_code == 303
        assert late.post(f"/api/projects/{NAME}/claim", json={}).json()["attempt"] is None
        assert "This project is closed" in late.get(f"/projects/{NAME}").text
        assert f"/projects/{NAME}" not in late.get("/").text
        if begun:
            assert client.get(f"/work/{begun}").status_code == 200
        assert owner.post(f"/admin/projects/{NAME}/state", action="open").status_code == 303
        assert f"/projects/{NAME}" in late.get("/").text


def test_an_answer_is_rejected_with_a_reason_and_asked_for_again(site: Site, signed_in: SignIn) -> None:
    reviewer, number = signed_in("reviewer"), answer_of(site, "segmentation")
    with site.database.read() as session:
        answer = session.get_one(Answer, number)
        before, unit_id = (answer.data, answer.accepted, answer.code), answer.unit_id
    page = f"/admin/answers/{number}"
    assert "expected a reason" in reviewer.post(page, action="reject", reason="  ").text
    assert "at most 1,000" in reviewer.post(page, action="reject", reason="x" * 1001).text
    assert reviewer.post(page, action="burn").status_code == 422
    said = reviewer.post(page, action="reject", reason="The <b>bear</b> is\nmissing.", again="yes")
    assert said.headers["location"].endswith("rejected-requeued")
    shown = reviewer.get(page).text
    assert "The &lt;b&gt;bear&lt;/b&gt; is missing." in shown
    with site.database.read() as session:
        answer, unit = session.get_one(Answer, number), session.get_one(Unit, unit_id)
        assert (answer.data, answer.accepted, answer.code) == before, "the answer itself stays"
        assert (unit.slots, unit.closed) == (2, False)
        actions = session.scalars(select(AuditEntry.action).where(AuditEntry.subject == f"answer {number}")).all()
        assert sorted(actions) == ["reject", "requeue"]
        worker = session.get_one(WorkerRow, answer.worker_id)
        pseudonym = worker.pseudonym
    owner = signed_in("owner")
    assert "none in study" in owner.get(f"/admin/projects/{NAME}/export").text, "a rejected answer is not exported"
    rejected = owner.get(f"/admin/projects/{NAME}/answers", params={"decision": "rejected"}).text
    assert rejected.count(f'/admin/answers/{number}"') == 1 and "1 attempts" in rejected
    assert pseudonym in rejected
    with site.database.write() as session:  # nobody has the new slot yet
        unit = session.get_one(Unit, unit_id)
        session.delete(session.scalars(select(Slot).where(Slot.unit_id == unit_id, ~Slot.done)).one())
        unit.slots, unit.closed = 1, True
    assert reviewer.post(page, action="accept").status_code == 303
    with site.database.read() as session:
        made = session.scalars(
            select(Decision.accepted).where(Decision.answer_id == number).order_by(Decision.id)
        ).all()
        assert made == [False, True]
    assert "export.zip" in owner.get(f"/admin/projects/{NAME}/export").text


def test_the_worker_is_told_the_reason(site: Site, signed_in: SignIn) -> None:
    again = signed_in("reviewer").post(f"/admin/answers/{answer_of(site, 'writing')}", action="requeue")
    assert again.status_code == 303
    with person(site.address) as client:
        driver = Worker(client)
        assert driver.claim("writing")
        driver.walk(driver.view["route"])
        driver.act("cannot-place", reason="no good place")
        driver.submit()
        with site.database.read() as session:
            number = session.scalars(select(Answer.id).order_by(Answer.id.desc())).first()
        reviewer = signed_in("reviewer")
        assert "given up" in reviewer.get(f"/admin/projects/{NAME}/answers", params={"flagged": "yes"}).text
        assert (
            reviewer.post(f"/admin/answers/{number}", action="reject", reason="Try harder & again.").status_code == 303
        )
        page = client.get(f"/projects/{NAME}").text
        assert "Try harder &amp; again." in page
        assert reviewer.post(f"/admin/answers/{number}", action="accept").status_code == 303
        assert "Try harder" not in client.get(f"/projects/{NAME}").text
        units = count(site, Unit)
        assert reviewer.post(f"/admin/answers/{number}", action="requeue").status_code == 303
        assert count(site, Unit) == units + 1, "a text that others would depend on has a unit of its own"


def count(site: Site, table: type[Unit]) -> int:
    with site.database.read() as session:
        return session.scalar(select(func.count()).select_from(table)) or 0


def test_follow_ups_of_a_rejected_text_are_not_given_out(site: Site, signed_in: SignIn) -> None:
    reviewer, number = signed_in("reviewer"), answer_of(site, "writing")
    with site.database.write() as session:
        unit_id = session.get_one(Answer, number).unit_id
        child = session.scalars(select(Unit).where(Unit.parent_id == unit_id)).all()[0]
        session.add(Slot(unit_id=child.id, number=child.slots))
        child.slots, child.closed = child.slots + 1, False
        child_id = child.id
    for action, closed in (("reject", True), ("accept", False)):
        assert reviewer.post(f"/admin/answers/{number}", action=action, reason="bad").status_code == 303
        with site.database.read() as session:
            assert session.get_one(Unit, child_id).closed == closed


def test_units_are_closed_opened_and_given_more_answers(site: Site, signed_in: SignIn) -> None:
    reviewer = signed_in("reviewer")
    with site.database.read() as session:
        unit = session.scalars(select(Unit).where(Unit.kind == "touchdown/validation")).all()[0]
    page = f"/admin/units/{unit.id}"
    assert reviewer.post(page, action="open").status_code == 422, "all its answers are there"
    assert reviewer.post(page, action="more", count="2").status_code == 303
    with site.database.read() as session:
        assert (session.get_one(Unit, unit.id).slots, session.get_one(Unit, unit.id).closed) == (unit.slots + 2, False)
    assert reviewer.post(page, action="close").status_code == 303
    assert reviewer.post(page, action="open").status_code == 303
    assert reviewer.post(page, action="close").status_code == 303
    for wrong in ("0", "x", "1000", "99999999999999999999"):
        assert reviewer.post(page, action="more", count=wrong).status_code == 422
    assert reviewer.post(page, action="explode").status_code == 422


@pytest.mark.slow
def test_downloads_are_the_export_and_nothing_else(signed_in: SignIn, site: Site) -> None:
    owner = signed_in("owner")
    page = owner.get(f"/admin/projects/{NAME}/export").text
    names = re.findall(rf'href="/admin/projects/{NAME}/files/([^"]+)"', page)
    assert f"city/touchdown/{NAME}.jsonl" in names
    with zipfile.ZipFile(io.BytesIO(owner.get(f"/admin/projects/{NAME}/export.zip").content)) as archive:
        assert sorted(archive.namelist()) == sorted(names)
        for name in names:
            answer = owner.get(f"/admin/projects/{NAME}/files/{name}")
            assert "attachment" in answer.headers["content-disposition"]
            if not name.endswith(("-1.jsonl", "-2.jsonl")):
                assert answer.content == archive.read(name)
        assert TEXT.split(".")[0] in archive.read(f"city/touchdown/{NAME}.jsonl").decode()
    secret = site.database.name.rpartition("/")[2]
    paths = ["../", "/", ".", "..", "", f"../{secret}", "..\\..\\x", "/etc/passwd", "city", "city/"]
    paths += ["%2e%2e/%2e%2e/etc/passwd", "..%2f..%2fetc%2fpasswd", "%00", "a" * 3000]
    for path in [*paths, *(quote(path, safe="") for path in paths)]:
        request = httpx.Request("GET", f"{site.address}/admin/projects/{NAME}/files/{path}")
        answer = owner.http.send(owner.http.build_request("GET", request.url))
        # The client itself resolves "..": what it then asks for may be a page, but no file.
        assert answer.status_code in (200, 303, 307, 400, 404), (path, answer.status_code)
        assert "content-disposition" not in answer.headers, path
        assert "root:" not in answer.text


@pytest.mark.slow(keep=3)
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_texts_are_refused_or_shown_as_text(site: Site, signed_in: SignIn, name: str) -> None:
    owner, text = signed_in("owner"), HOSTILE[name]
    tables = count(site, Unit)
    posts = [
        ("/admin/new", ("name", "family", "dataset", "limit", "answers", "settings")),
        ("/admin/accounts", ("name", "role", "password")),
        ("/admin/accounts/viewer", ("action", "role")),
        (f"/admin/projects/{NAME}/state", ()),
        (f"/admin/projects/{NAME}/more", ("kind", "count")),
        ("/admin/units/1", ("action", "count")),
        ("/admin/answers/1", ("action", "reason")),
        ("/admin/account/password", ("current", "password", "repeated")),
    ]
    for path, fields in posts:
        for field in fields:
            good = {"name": "x1", "family": "touchdown", "dataset": "city/none", "kind": "touchdown/writing"}
            good |= {"role": "viewer", "password": "0123456789ab", "count": "1", "action": "reject"}
            answer = owner.post(path, **{**good, field: text})
            assert answer.status_code in (200, 303, 404, 413, 422), (path, field, answer.status_code)
            check_harmless(answer)
    pages = {
        f"/admin/projects/{NAME}/answers": ("kind", "state", "worker", "rules", "decision", "flagged", "page"),
        f"/admin/projects/{NAME}/units": ("kind", "state", "page"),
        "/admin/audit": ("who", "action", "page"),
        "/admin/accounts": ("said",),
        "/admin/sign-in": ("said",),
        f"/admin/projects/{NAME}": ("said",),
    }
    short = text[:2000]
    for path, fields in pages.items():
        for field in fields:
            answer = owner.get(path, params={field: short})
            assert answer.status_code in (200, 303, 422), (path, field, answer.status_code)
            check_harmless(answer)
    for path in ("projects/{}", "projects/{}/export", "answers/{}", "units/{}", "attempts/{}", "accounts/{}"):
        answer = owner.get(f"/admin/{path.format(quote(short, safe=''))}")
        assert answer.status_code in (303, 400, 404, 405, 422), (path, answer.status_code)
        check_harmless(answer)
    answer = owner.http.post(
        "/admin/import", params={"name": short}, content=text.encode(), headers={"X-Form-Token": owner.token}
    )
    assert answer.status_code == 422
    assert count(site, Unit) == tables or name == "or"


def check_harmless(answer: httpx.Response) -> None:
    """Check that a page shows hostile texts as text."""
    assert answer.headers.get("content-type", "").startswith(("text/html", "application/json")) or not answer.content
    if answer.headers.get("content-type", "").startswith("text/html"):
        assert "<script>alert" not in answer.text and "<img src=x" not in answer.text
        assert '"" autofocus' not in answer.text and '" autofocus onfocus' not in answer.text
        assert "49" not in re.findall(r'value="([^"]*)"', answer.text)
    assert "root:" not in answer.text and "Traceback" not in answer.text


def test_numbers_that_do_not_exist_are_not_found(signed_in: SignIn) -> None:
    owner = signed_in("owner")
    for number in ("0", "-1", "999999", str(2**63 - 1), str(2**63), str(2**200), "1.5", "x", "١"):
        for kind in ("answers", "units"):
            assert owner.get(f"/admin/{kind}/{number}").status_code in (404, 422), number
            assert owner.post(f"/admin/{kind}/{number}", action="accept").status_code in (404, 422), number
    for attempt in ("0" * 32, "x", "٣" * 32, "A" * 32):
        assert owner.get(f"/admin/attempts/{attempt}").status_code == 404


def test_forms_that_are_none_are_refused(signed_in: SignIn) -> None:
    owner = signed_in("owner")
    for content in (b"\xff\xfe", b"a=%ff", b"&" * 1000 + b"a=1", b"a=1&" * 200, b"{}", b"=" * 500):
        for kind, refused in ((FORM_TYPE, (403, 422)), ("text/plain", (415,))):
            answer = owner.http.post("/admin/new", content=content, headers={"Content-Type": kind})
            assert answer.status_code in refused, (kind, content[:20])
    assert owner.http.post("/admin/new", content=b"a=" + b"x" * 600_000).status_code == 413


def test_nothing_of_admins_is_in_the_api(browse: Callable[[], AdminClient]) -> None:
    assert "/admin" not in browse().get("/openapi.json").text
