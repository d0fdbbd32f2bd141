"""Archives: what is exported, imported and exported again is equal; damaged, foreign and newer files are refused."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, select

from bearleft.errors import InputError
from bearleft.web.database.engines import Database, open_database
from bearleft.web.database.models import Answer, Attempt, Event, Project, Slot, Unit, Worker
from bearleft.web.decisions import decide
from bearleft.web.exports import archive, touchdown
from bearleft.web.exports.archive import import_project, read_archive, write_archive
from bearleft.web.people.texts import current_text
from bearleft.web.projects import get_project
from bearleft.web.queue.slots import claim
from bearleft.web.scenes.worlds import SceneWorlds
from tests.commands import run_command
from tests.web.admin.conftest import SignIn, Site
from tests.web.admin.study import NAME
from tests.web.refer360.people import Person, sentences

Lines = list[dict[str, Any]]


def lines_of(path: Path) -> Lines:
    """Return the lines of an archive."""
    return [json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()]


def written(database: Database, name: str, path: Path) -> Lines:
    """Write an archive, and return its lines."""
    with database.read() as session:
        count = write_archive(session, get_project(session, name), path)
    lines = lines_of(path)
    assert len(lines) == count
    return lines


def rewrite(path: Path, lines: Lines) -> Path:
    """Write lines with a right end, so that only what they say can be wrong."""
    encoded = [(json.dumps(line) + "\n").encode() for line in lines if "end" not in line]
    digest = hashlib.sha256(b"".join(encoded)).hexdigest()
    end = (json.dumps({"end": {"lines": len(encoded), "sha256": digest}}) + "\n").encode()
    path.write_bytes(gzip.compress(b"".join([*encoded, end])))
    return path


def counts(database: Database) -> list[int]:
    with database.read() as session:
        tables = (Project, Worker, Unit, Slot, Attempt, Event, Answer)
        return [session.scalar(select(func.count()).select_from(table)) or 0 for table in tables]


@pytest.fixture
def file(site: Site, tmp_path: Path) -> Path:
    """The archive of the study."""
    path = tmp_path / f"{NAME}{archive.SUFFIX}"
    written(site.database, NAME, path)
    return path


def test_an_imported_project_exports_the_same_archive(
    site: Site, file: Path, database: Database, tmp_path: Path
) -> None:
    lines = written(site.database, NAME, file)
    with database.write() as session:  # other numbers than on the first server
        other = Project(name="other", family="play", settings={})
        session.add(other)
        session.flush()
        session.add_all([Unit(project_id=other.id, kind="play/walk") for _ in range(7)])
    assert read_archive(database, file) == NAME
    again = written(database, NAME, tmp_path / "again")
    assert again == lines and (tmp_path / "again").read_bytes() == file.read_bytes()
    kinds = [next(iter(line)) for line in lines]
    assert {"project", "worker", "unit", "attempt", "end"} <= set(kinds)
    text = json.dumps(lines)
    with site.database.read() as session:
        for column in (Answer.code, Answer.key, Attempt.token, Attempt.id):
            assert not any(value in text for value in session.scalars(select(column)) if len(value) > 8), column


def test_an_imported_project_exports_the_same_data(site: Site, file: Path, database: Database, tmp_path: Path) -> None:
    read_archive(database, file)
    folders = []
    for number, source in enumerate((site.database, database)):
        folder = tmp_path / str(number)
        folder.mkdir()
        with source.read() as session:
            project = get_project(session, NAME)
            touchdown.export(session, project, SceneWorlds(), folder)
            first = session.scalars(select(Unit.id).where(Unit.project_id == project.id).order_by(Unit.id)).first()
            assert first is not None
            rows = [json.loads(line) for line in (folder / f"city/touchdown/{NAME}.jsonl").read_text().splitlines()]
            folders.append([row | {"route_id": row["route_id"] - first} for row in rows])
    assert folders[0] == folders[1] and len(folders[0]) == 1


def test_references_between_units_follow_their_new_numbers(database: Database, tmp_path: Path) -> None:
    from bearleft.web.projects import create_project
    from bearleft.web.tasks.refer360.description import DESCRIPTION, FINDING

    worlds = SceneWorlds()
    settings = {"limit": 2, "hiring": False, "consent": True}
    create_project(database, worlds, "spots", "refer360", settings, "Agree to this.")
    writer, finder = (Person(database, worlds, "spots") for _ in range(2))
    lease = writer.claim(DESCRIPTION)
    assert lease
    writer.describe(lease, sentences(1))
    lease = finder.claim(FINDING)
    assert lease
    stored = finder.find(lease)
    with database.write() as session:
        decide(session, [session.get_one(Answer, stored.id)], False, "Too quick.", "ada")
    lines = written(database, "spots", tmp_path / "spots")
    assert import_project(database.name, tmp_path / "spots", "again") == [{"project": "again", "units": 3}]
    again = written(database, "again", tmp_path / "again")
    assert [line for line in again if "project" not in line and "end" not in line] == [
        line for line in lines if "project" not in line and "end" not in line
    ]
    with database.read() as session:
        project = get_project(session, "again")
        text = current_text(session, project)
        assert text is not None and text.text == "Agree to this."
        finding = session.scalars(select(Unit).where(Unit.project_id == project.id, Unit.kind == FINDING)).one()
        description = session.get_one(Unit, finding.parent_id)
        answer = session.scalars(select(Answer).where(Answer.unit_id == finding.id)).one()
        assert description.project_id == project.id
        assert finding.payload["episode"] == answer.data["trace"]["episode"] == str(description.id)
        assert session.scalar(select(func.count(Worker.id))) == 2, "who is known here is the same person"


def test_work_goes_on_in_an_imported_project(file: Path, database: Database) -> None:
    read_archive(database, file, "study-2")
    with database.write() as session:
        project = get_project(session, "study-2")
        states = set(session.scalars(select(Attempt.state)))
        newcomer = Worker()
        session.add(newcomer)
        session.flush()
        numbers = (project.id, newcomer.id)
    assert states <= {"submitted", "expired", "returned"}, "nobody holds a unit of an imported project"
    lease = claim(database, *numbers)
    assert lease is not None and lease.kind == "touchdown/writing"


def test_a_name_that_is_taken_is_refused(site: Site, file: Path) -> None:
    before = counts(site.database)
    with pytest.raises(InputError, match="a name that no project has"):
        read_archive(site.database, file)
    with pytest.raises(InputError, match="a name of a project"):
        read_archive(site.database, file, "../etc")
    assert counts(site.database) == before


def change(kind: str, /, **fields: Any) -> Callable[[Lines], None]:
    """Return a change of the last line of a kind."""

    def apply(lines: Lines) -> None:
        next(line for line in reversed(lines) if kind in line)[kind].update(fields)

    return apply


CHANGES: dict[str, Callable[[Lines], Any]] = {
    "newer": lambda lines: lines[0].update(version=2),
    "foreign": lambda lines: lines[0].update(format="something"),
    "no project": lambda lines: lines.pop(1),
    "two projects": lambda lines: lines.insert(1, lines[1]),
    "unknown line": lambda lines: lines.insert(2, {"secret": {}}),
    "two keys": lambda lines: lines[1].update(worker={}),
    "a family": change("project", family="chess"),
    "open": change("project", open=True),
    "a name": change("project", name="<script>"),
    "settings": change("project", settings=[]),
    "settings of the study": change("project", settings={"check_every": "x"}),
    "no text to agree to": change("project", settings={"consent": True}),
    "a text that nobody asks for": change("project", consent="Agree!"),
    "pseudonym": change("worker", pseudonym="Ada Lovelace"),
    "same worker": lambda lines: lines.insert(2, lines[2]),
    "kind": change("unit", kind="refer360/nothing"),
    "payload": change("unit", payload="x"),
    "many answers": change("unit", answers=10**6),
    "no writer": change("unit", writer=10**6),
    "no parent": change("unit", parent=10**6),
    "flag": change("unit", closed="yes"),
    "time": change("unit", created="yesterday"),
    "time without a zone": change("unit", created="2026-01-01T00:00:00"),
    "state": change("attempt", state="active"),
    "no unit": change("attempt", unit=10**6),
    "unit zero": change("attempt", unit=0),
    "no worker": change("attempt", worker=0),
    "answer of an expired attempt": change("attempt", state="submitted", answer=None),
    "events": change("attempt", events=[{"kind": "x"}]),
    "NUL": change("attempt", events=[{"kind": "a\0", "data": {}, "result": {}, "time": "2026-01-01T00:00:00+00:00"}]),
    "same attempt": lambda lines: lines.insert(-1, next(line for line in reversed(lines) if "attempt" in line)),
    "damaged answers": lambda lines: [
        line["attempt"]["answer"].update(data={}) for line in lines if line.get("attempt", {}).get("answer")
    ],
}


@pytest.mark.slow(keep=8)
@pytest.mark.parametrize("name", CHANGES)
def test_what_is_wrong_is_refused_as_a_whole(file: Path, tmp_path: Path, name: str) -> None:
    lines = lines_of(file)
    CHANGES[name](lines)
    database = open_database(tmp_path / "new.sqlite")
    try:
        with pytest.raises(InputError):
            read_archive(database, rewrite(tmp_path / "changed.gz", lines))
        assert counts(database) == [0] * 7
    finally:
        database.close()


def test_damaged_files_are_refused(file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content, text = file.read_bytes(), gzip.decompress(file.read_bytes())
    one = text.replace(b"Touchdown", b"Touchdowm", 1)
    lines = text.splitlines(keepends=True)
    broken = {
        "empty": b"",
        "no gzip": b"hello",
        "cut": content[:-20],
        "bit": content[:200] + bytes([content[200] ^ 1]) + content[201:],
        "letter": gzip.compress(one),
        "without its end": gzip.compress(b"".join(lines[:-1])),
        "without a line": gzip.compress(b"".join([*lines[:5], *lines[6:]])),
        "more after the end": gzip.compress(text + b"{}\n"),
        "no JSON": gzip.compress(b"{\n"),
        "NaN": gzip.compress(b'{"format": NaN}\n'),
        "deep": gzip.compress(b"[" * 100_000),
        "no UTF-8": gzip.compress(b"\xff\xfe\n"),
    }
    database = open_database(tmp_path / "new.sqlite")
    path = tmp_path / "broken.gz"
    for name, damaged in broken.items():
        path.write_bytes(damaged)
        with pytest.raises(InputError):
            read_archive(database, path)
        assert counts(database) == [0] * 7, name
    for limit, value in (("MAX_FILE_BYTES", 100), ("MAX_BYTES", 1000), ("MAX_LINE_BYTES", 100), ("MAX_LINES", 3)):
        with monkeypatch.context() as patch:
            patch.setattr(archive, limit, value)
            with pytest.raises(InputError, match="archive"):
                read_archive(database, file)
    assert counts(database) == [0] * 7
    database.close()


def test_an_owner_imports_over_http(signed_in: SignIn) -> None:
    owner = signed_in("owner")
    content = owner.get(f"/admin/projects/{NAME}/archive")
    assert f'filename="{NAME}{archive.SUFFIX}"' in content.headers["content-disposition"]
    headers = {"X-Form-Token": owner.token}
    answer = owner.http.post("/admin/import", content=content.content, headers=headers)
    assert answer.status_code == 422 and "a name that no project has" in answer.json()["detail"]
    answer = owner.http.post("/admin/import?name=copy", content=content.content, headers=headers)
    assert answer.json() == {"url": "/admin/projects/copy?said=imported"}
    assert owner.get("/admin/projects/copy").status_code == 200
    assert owner.get("/admin/projects/copy/export").text.count("/files/") == 4
    for damaged in (b"", b"x", content.content[:-9]):
        answer = owner.http.post("/admin/import?name=third", content=damaged, headers=headers)
        assert answer.status_code == 422 and "/tmp" not in answer.text
    assert owner.get("/admin/projects/third").status_code == 404


def test_archives_on_the_command_line(site: Site, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, database = tmp_path / "a.gz", f"{tmp_path}/new.sqlite"
    export = ("serve", "export", NAME, "--archive", "-o", path, "--json", "--database", site.database.name)
    code, out, _ = run_command(capsys, *export)
    assert code == 0 and json.loads(out)[0]["lines"] > 10
    for expected in (0, 2):
        code, out, err = run_command(
            capsys, "serve", "import", path, "--name", "there", "--database", database, "--json"
        )
        assert code == expected, err
    assert "a name that no project has" in err
    assert run_command(capsys, "serve", "import", tmp_path / "none", "--database", database)[0] == 2
