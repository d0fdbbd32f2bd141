"""Accounts of admins: add, list, disable, change roles and passwords."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeVar

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from bearleft.errors import InputError, format_value, unknown_name
from bearleft.web.admin.audit import record
from bearleft.web.admin.passwords import hash_password
from bearleft.web.database.admins import Admin, AdminSession
from bearleft.web.database.engines import open_database

T = TypeVar("T")
Role = Literal["viewer", "reviewer", "owner"]
ROLES: tuple[Role, ...] = ("viewer", "reviewer", "owner")  # each may do what those before it may
NAME = re.compile(r"[a-z0-9][a-z0-9._@-]{0,79}")


def allows(role: str, needed: Role) -> bool:
    """Return whether a role may do what another one may."""
    return role in ROLES and ROLES.index(role) >= ROLES.index(needed)


def add_admin(session: Session, name: str, role: str, hashed: str, who: str) -> Admin:
    """Add an account.

    Args:
        session: A session that writes.
        name: The name.
        role: One of ROLES.
        hashed: The hash of its password, see `hash_password`; it takes long, so it is made before the transaction.
        who: Who adds it, for the audit log.

    Raises:
        InputError: The name is invalid or taken, or the role is unknown.
    """
    if not NAME.fullmatch(name):
        expected = "a name of an account: a-z, 0-9 and . _ @ -, at most 80 characters"
        raise InputError(expected, format_value(name), "name")
    check_role(role)
    if find_admin(session, name) is not None:
        raise InputError("a name that is free", format_value(name), "name")
    admin = Admin(name=name, role=role, password=hashed)
    session.add(admin)
    session.flush()
    record(session, who, "add account", f"account {name}", role=role)
    return admin


def check_role(role: str) -> None:
    """Raise InputError for a role that does not exist."""
    if role not in ROLES:
        raise InputError(f"a role: {', '.join(ROLES)}", format_value(role), "role")


def find_admin(session: Session, name: str) -> Admin | None:
    """Return an account by its name; None if there is none."""
    return session.scalars(select(Admin).where(Admin.name == name)).one_or_none()


def get_admin(session: Session, name: str) -> Admin:
    """Return an account by its name; raise InputError with the known names if there is none."""
    admin = find_admin(session, name)
    if admin is None:
        raise unknown_name("account", name, session.scalars(select(Admin.name).order_by(Admin.name)))
    return admin


def set_password(session: Session, admin: Admin, hashed: str, who: str) -> None:
    """Store another password, and sign the account out everywhere."""
    admin.password = hashed
    sign_out_everywhere(session, admin.id)
    record(session, who, "set password", f"account {admin.name}")


def set_role(session: Session, admin: Admin, role: str, who: str) -> None:
    """Give an account another role; raise InputError if no owner would be left."""
    check_role(role)
    if role != "owner":
        _check_other_owner(session, admin)
    record(session, who, "change role", f"account {admin.name}", before=admin.role, after=role)
    admin.role = role


def set_disabled(session: Session, admin: Admin, disabled: bool, who: str) -> None:
    """Disable an account and sign it out, or enable it; raise InputError if no owner would be left."""
    if disabled:
        _check_other_owner(session, admin)
        sign_out_everywhere(session, admin.id)
    admin.disabled = disabled
    record(session, who, "disable account" if disabled else "enable account", f"account {admin.name}")


def _check_other_owner(session: Session, admin: Admin) -> None:
    # All owners are locked, so that two of them cannot disable each other at the same time.
    owners = session.scalars(
        select(Admin.id).where(Admin.role == "owner", ~Admin.disabled).order_by(Admin.id).with_for_update()
    ).all()
    if list(owners) == [admin.id]:
        raise InputError("another account that is an owner", "none", "name", hint="Add another owner first.")


def sign_out_everywhere(session: Session, admin_id: int) -> None:
    """End all sessions of an account."""
    session.execute(delete(AdminSession).where(AdminSession.admin_id == admin_id))


def admin_rows(session: Session) -> list[dict[str, Any]]:
    """Return a row for each account: name, role, whether it is disabled, and browsers that are signed in."""
    sessions = func.count(AdminSession.id)
    query = select(Admin, sessions).outerjoin(AdminSession, AdminSession.admin_id == Admin.id).group_by(Admin.id)
    return [
        {
            "name": admin.name,
            "role": admin.role,
            "disabled": admin.disabled,
            "sessions": count,
            "created": admin.created.strftime("%Y-%m-%d %H:%M"),
        }
        for admin, count in session.execute(query.order_by(Admin.name))
    ]


def change_accounts(url: str, change: Callable[[Session], T] | None = None) -> list[dict[str, Any]]:
    """Change the accounts of a database, and return a row for each.

    Args:
        url: The database.
        change: Changes accounts in a session; None changes nothing.
    """
    database = open_database(url)
    try:
        if change is not None:
            database.transact(change)
        with database.read() as session:
            return admin_rows(session)
    finally:
        database.close()


def new_account(name: str, role: str, password: str, who: str) -> Callable[[Session], Admin]:
    """Return the change that adds an account."""
    hashed = hash_password(password)
    return lambda session: add_admin(session, name, role, hashed, who)


def new_password(name: str, password: str, who: str) -> Callable[[Session], None]:
    """Return the change that sets the password of an account."""
    hashed = hash_password(password)
    return lambda session: set_password(session, get_admin(session, name), hashed, who)


def disabling(names: Sequence[str], disabled: bool, who: str) -> Callable[[Session], None]:
    """Return the change that disables or enables accounts."""

    def change(session: Session) -> None:
        for name in names:
            set_disabled(session, get_admin(session, name), disabled, who)

    return change
