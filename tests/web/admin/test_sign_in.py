"""Signing in and out: delays after failures, sessions, cookies that were forged or copied, and the accounts."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from sqlalchemy import select, text
from sqlalchemy.exc import DBAPIError

from bearleft.errors import InputError
from bearleft.web.admin import passwords
from bearleft.web.admin.accounts import add_admin, set_disabled, set_role
from bearleft.web.admin.audit import record
from bearleft.web.admin.delays import FREE, LONGEST, begin_attempt, delay_after
from bearleft.web.admin.sessions import COOKIE, LIFETIME, WRONG, RefusedSignInError, sign_in
from bearleft.web.database.admins import Admin, AdminSession, AuditEntry
from bearleft.web.database.engines import Database
from bearleft.web.database.values import utc_now
from tests.commands import run_command
from tests.web.admin.conftest import SignIn, Site
from tests.web.admin.study import NAME, PASSWORD, AdminClient

NEW = "another long password"


@pytest.fixture
def owner(database: Database) -> Database:
    """A database with one owner."""
    with database.write() as session:
        add_admin(session, "ada", "owner", passwords.hash_password(PASSWORD), "test")
    return database


def test_failures_wait_longer_and_longer(owner: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    checked: list[str | None] = []
    verify = passwords.verify_password

    def checking(stored: str | None, password: str) -> bool:
        checked.append(stored)
        return verify(stored, password)

    monkeypatch.setattr("bearleft.web.admin.sessions.verify_password", checking)
    now = utc_now()
    owner.clock = lambda: now
    for name in ("ada", "nobody"):
        checked.clear()
        address = f"address of {name}"
        for _ in range(FREE["account"] + 1):
            with pytest.raises(RefusedSignInError) as refusal:
                sign_in(owner, name, "wrong password", address)
            assert refusal.value.wait == timedelta(0)
        for k in range(8):
            # While one has to wait, nothing is checked, not even the right password.
            with pytest.raises(RefusedSignInError) as refusal:
                sign_in(owner, name, PASSWORD, "another address")
            assert refusal.value.wait == timedelta(seconds=2.0**k)
            now += refusal.value.wait
            with pytest.raises(RefusedSignInError) as refusal:
                sign_in(owner, name, "wrong password", address)
            assert refusal.value.wait == timedelta(0)
        assert len(checked) == FREE["account"] + 9
        assert all((stored is None) == (name == "nobody") for stored in checked)
    now += LONGEST
    assert sign_in(owner, "ada", PASSWORD, "address of ada")
    with pytest.raises(RefusedSignInError) as refusal:
        sign_in(owner, "ada", "wrong password", "address of ada")
    assert refusal.value.wait == timedelta(0), "who has signed in begins anew"


def test_an_address_waits_whatever_names_it_tries(owner: Database) -> None:
    now = utc_now()
    with owner.write() as session:
        waits = [begin_attempt(session, f"name {k}", "1.2.3.4", now) for k in range(FREE["address"] + 2)]
    assert waits == [timedelta(0)] * (FREE["address"] + 1) + [timedelta(seconds=1)]


def test_delays_double_up_to_a_quarter_of_an_hour() -> None:
    assert [delay_after(k, 2).total_seconds() for k in (0, 2, 3, 4, 5, 12, 13, 10**6)] == [0, 0, 1, 2, 4, 512, 900, 900]


@pytest.mark.slow
def test_unknown_names_and_disabled_accounts_get_the_same_answer(site: Site, browse: Callable[[], AdminClient]) -> None:
    with site.database.write() as session:
        gone = add_admin(session, "gone", "viewer", passwords.hash_password(PASSWORD), "test")
        set_disabled(session, gone, True, "test")
    pages = []
    for name, password in (
        ("owner", "x"),
        ("gone", PASSWORD),
        ("unknown", PASSWORD),
        ("x' OR '1'='1", "x"),
        ("\0", ""),
    ):
        answer = browse().http.post("/admin/sign-in", data={"name": name, "password": password})
        assert answer.status_code == 403 and WRONG in answer.text and "set-cookie" not in answer.headers
        pages.append(re.sub(r'name="name" value="[^"]*"', "", answer.text))
    assert len(set(pages)) == 1


def test_the_cookie_is_for_this_site_only_and_new_each_time(browse: Callable[[], AdminClient]) -> None:
    client = browse()
    answer = client.sign_in("viewer")
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie and "SameSite=strict" in cookie and "Secure" not in cookie
    first = client.http.cookies[COOKIE]
    client.sign_in("viewer")
    assert client.http.cookies[COOKIE] != first
    old = browse()
    old.http.cookies.set(COOKIE, first)
    assert old.get("/admin").status_code == 303, "the session before is over"


def test_forged_cookies_are_nobodys(site: Site, signed_in: SignIn, browse: Callable[[], AdminClient]) -> None:
    good = signed_in("owner").http.cookies[COOKIE]
    with site.database.read() as session:
        stored = session.scalars(select(AdminSession.token_hash)).all()
    forged = ["", "x", "1", good[:-1], good + "A", good[:-1] + ("A" if good[-1] != "A" else "B"), good.swapcase()]
    for value in [*forged, *stored, *(one[:43] for one in stored), "'" * 43, "%00" * 14 + "x", "e" * 5000]:
        client = browse()
        assert client.http.get("/admin", headers={"Cookie": f"{COOKIE}={value}"}).status_code == 303, value
        answer = client.http.get(f"/admin/projects/{NAME}", headers={"Cookie": f"{COOKIE}={value}"})
        assert answer.status_code == 303 and NAME not in answer.text.replace(f"/{NAME}", "")


@pytest.mark.slow
def test_signing_out_ends_the_session_on_the_server(signed_in: SignIn, browse: Callable[[], AdminClient]) -> None:
    client, other = signed_in("reviewer"), signed_in("reviewer")
    copied = browse()
    copied.http.cookies.set(COOKIE, client.http.cookies[COOKIE])
    assert copied.get("/admin").status_code == 200
    assert client.post("/admin/sign-out").status_code == 303
    assert copied.get("/admin").status_code == 303 and other.get("/admin").status_code == 200
    again = signed_in("reviewer")
    assert again.post("/admin/sign-out", everywhere="yes").status_code == 303
    assert other.get("/admin").status_code == 303


def test_sessions_end_by_themselves(site: Site, signed_in: SignIn, monkeypatch: pytest.MonkeyPatch) -> None:
    client = signed_in("viewer")
    monkeypatch.setattr(site.database, "clock", lambda: utc_now() + LIFETIME - timedelta(minutes=1))
    assert client.get("/admin").status_code == 200
    monkeypatch.setattr(site.database, "clock", lambda: utc_now() + LIFETIME)
    assert client.get("/admin").status_code == 303


def test_accounts_are_changed_by_owners(signed_in: SignIn, browse: Callable[[], AdminClient]) -> None:
    owner = signed_in("owner")
    for fields, problem in (
        ({"name": "Eve Smith", "role": "viewer", "password": NEW}, "expected a name of an account"),
        ({"name": "viewer", "role": "viewer", "password": NEW}, "expected a name that is free"),
        ({"name": "eve", "role": "king", "password": NEW}, "expected a role"),
        ({"name": "eve", "role": "viewer", "password": "short"}, "at least 12 characters"),
        ({"name": "eve", "role": "viewer", "password": "x" * 1001}, "at most 1,000 characters"),
    ):
        answer = owner.post("/admin/accounts", **fields)
        assert answer.status_code == 422 and problem in answer.text, fields
    assert owner.post("/admin/accounts", name="eve", role="viewer", password=NEW).status_code == 303
    eve = browse()
    assert eve.sign_in("eve", NEW).status_code == 303
    assert eve.get("/admin/audit").status_code == 403
    assert owner.post("/admin/accounts/eve", action="role", role="owner").status_code == 303
    assert eve.get("/admin/audit").status_code == 200, "the new role holds at once"
    changed = {"current": "wrong", "password": "a new long password", "repeated": "a new long password"}
    assert "This is not your password" in eve.post("/admin/account/password", **changed).text
    assert "Both must be the same" in eve.post("/admin/account/password", **{**changed, "repeated": "x"}).text
    assert eve.post("/admin/account/password", **{**changed, "current": NEW}).status_code == 303
    assert eve.get("/admin").status_code == 303 and eve.sign_in("eve", NEW).status_code == 403
    assert eve.sign_in("eve", "a new long password").status_code == 303
    assert owner.post("/admin/accounts/eve", action="disable").status_code == 303
    assert eve.get("/admin").status_code == 303 and eve.sign_in("eve", "a new long password").status_code == 403
    assert "another account that is an owner" in owner.post("/admin/accounts/owner", action="disable").text
    assert "another account that is an owner" in owner.post("/admin/accounts/owner", action="role", role="viewer").text
    assert owner.post("/admin/accounts/nobody", action="disable").status_code == 404
    assert owner.post("/admin/accounts/eve", action="delete").status_code == 422
    page = owner.get("/admin/audit", params={"action": "add account"}).text
    assert "account eve" in page and "sign in" not in page.partition("<tbody>")[2]


def test_one_owner_stays(database: Database) -> None:
    with database.write() as session:
        first = add_admin(session, "first", "owner", "hash", "test")
        second = add_admin(session, "second", "owner", "hash", "test")
        set_disabled(session, first, True, "test")
        with pytest.raises(InputError, match="another account that is an owner"):
            set_role(session, second, "viewer", "test")
        set_disabled(session, first, False, "test")
        set_role(session, second, "viewer", "test")


@pytest.mark.parametrize("statement", ["UPDATE audit_log SET who = 'x'", "DELETE FROM audit_log"])
def test_the_database_refuses_to_change_the_audit_log(database: Database, statement: str) -> None:
    with database.write() as session:
        record(session, "ada", "sign in")
    with pytest.raises(DBAPIError, match="only added to"), database.write() as session:
        session.execute(text(statement))
    with database.read() as session:
        assert session.scalars(select(AuditEntry.who)).all() == ["ada"]


def test_passwords_are_hashed_by_argon2id(owner: Database) -> None:
    with owner.read() as session:
        stored = session.scalars(select(Admin.password)).one()
    assert stored.startswith("$argon2id$") and PASSWORD not in stored
    assert passwords.verify_password(stored, PASSWORD) and not passwords.verify_password(stored, PASSWORD + " ")
    assert not passwords.verify_password(None, PASSWORD) and not passwords.verify_password("no hash", PASSWORD)
    assert not passwords.verify_password(stored, "\ud800") and not passwords.verify_password(stored, "x" * 10**6)


def test_accounts_on_the_command_line(
    tmp_path: object, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    database = ("--database", f"{tmp_path}/web.sqlite", "--json")
    admin = ("serve", "admin")
    monkeypatch.setenv("BEARLEFT_ADMIN_PASSWORD", PASSWORD)
    code, out, _ = run_command(capsys, *admin, "add", "ada", "--role", "owner", *database)
    assert (code, [(row["name"], row["role"]) for row in json.loads(out)]) == (0, [("ada", "owner")])
    assert run_command(capsys, *admin, "add", "ada", "--role", "owner", *database)[0] == 2
    assert run_command(capsys, *admin, "add", "bob", "--role", "viewer", *database)[0] == 0
    monkeypatch.setenv("BEARLEFT_ADMIN_PASSWORD", "short")
    code, _, err = run_command(capsys, *admin, "set-password", "bob", *database)
    assert code == 2 and "at least 12 characters" in err
    code, _, err = run_command(capsys, *admin, "disable", "ada", *database)
    assert code == 2 and "another account that is an owner" in err
    code, out, _ = run_command(capsys, *admin, "disable", "bob", *database)
    assert code == 0 and [row["disabled"] for row in json.loads(out)] == [False, True]
    code, _, err = run_command(capsys, *admin, "enable", "bop", *database)
    assert code == 2 and "bob" in err
    assert run_command(capsys, *admin, "enable", "bob", *database)[0] == 0
    code, out, _ = run_command(capsys, *admin, "list", *database)
    assert [row["disabled"] for row in json.loads(out)] == [False, False]


def test_the_clock_of_a_session_is_the_databases(owner: Database) -> None:
    later = datetime.fromisoformat("2030-01-01T00:00:00+00:00")
    owner.clock = lambda: later
    sign_in(owner, "ada", PASSWORD, "here")
    with owner.read() as session:
        assert session.scalars(select(AdminSession.expires)).one() == later + LIFETIME
