"""Exports as downloads, made when they are asked for, and the import of archives."""

from __future__ import annotations

import asyncio
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, HTTPException, Query, Request
from sqlalchemy.orm import Session
from starlette.background import BackgroundTask
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, Response

from bearleft.errors import InputError
from bearleft.web.admin.audit import record
from bearleft.web.admin.forms import project_of
from bearleft.web.admin.pages import Owner, admin_page, database_of
from bearleft.web.admin.sessions import check_form_token
from bearleft.web.database.engines import Database
from bearleft.web.database.models import Project
from bearleft.web.exports import EXPORTS
from bearleft.web.exports.archive import MAX_FILE_BYTES, SUFFIX, read_archive, write_archive
from bearleft.web.scenes.worlds import SceneWorlds

router = APIRouter(prefix="/admin", include_in_schema=False)
FORM_TOKEN_HEADER = "X-Form-Token"


@router.get("/projects/{name}/export")
def export_page(request: Request, admin: Owner, name: str) -> HTMLResponse:
    """List the files of a project's export."""
    with _exported(request, name) as (project, folder, problem):
        files = [{"name": path.relative_to(folder).as_posix(), "bytes": path.stat().st_size} for path in _files(folder)]
        return admin_page(request, admin, "export.html", project=project, files=files, problem=problem, suffix=SUFFIX)


@contextmanager
def _exported(request: Request, name: str) -> Iterator[tuple[Project, Path, str]]:
    """Yield a project and a folder with its export, and why there is none."""
    worlds: SceneWorlds = request.app.state.worlds
    problem = ""
    with tempfile.TemporaryDirectory() as folder:
        with database_of(request).read() as session:
            project = project_of(session, name)
            try:
                if project.family in EXPORTS:
                    EXPORTS[project.family](session, project, worlds, Path(folder))
            except InputError as error:
                problem = str(error)
        yield project, Path(folder), problem


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


@router.get("/projects/{name}/export.zip")
def export_zip(request: Request, admin: Owner, name: str) -> Response:
    """Return all files of a project's export as one zip file."""
    with _exported(request, name) as (project, folder, problem):
        files = _files(folder)
        if not files:
            raise HTTPException(404, problem or "There is nothing to export yet.")
        target = _temporary(".zip")
        with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
            for path in files:
                archive.write(path, path.relative_to(folder).as_posix())
    _record(request, admin.name, project, f"{project.name}.zip")
    return _download(target, f"{project.name}.zip", "application/zip")


@router.get("/projects/{name}/files/{path:path}")
def export_file(request: Request, admin: Owner, name: str, path: str) -> Response:
    """Return one file of a project's export. The path is compared with those of the export, never opened."""
    with _exported(request, name) as (project, folder, _):
        found = next((one for one in _files(folder) if one.relative_to(folder).as_posix() == path), None)
        if found is None:
            raise HTTPException(404, "There is no such file in the export.")
        content = found.read_bytes()
        file = found.name
    _record(request, admin.name, project, path)
    headers = {"Content-Disposition": f'attachment; filename="{file}"', "Cache-Control": "no-store"}
    return Response(content, media_type="application/octet-stream", headers=headers)


@router.get("/projects/{name}/archive")
def archive(request: Request, admin: Owner, name: str) -> Response:
    """Return the archive of a project, from which another server makes the same project."""
    target = _temporary(SUFFIX)
    with database_of(request).read() as session:
        project = project_of(session, name)
        write_archive(session, project, target)
    _record(request, admin.name, project, f"{project.name}{SUFFIX}")
    return _download(target, f"{project.name}{SUFFIX}", "application/gzip")


def _temporary(suffix: str) -> Path:
    with tempfile.NamedTemporaryFile(suffix=suffix, delete=False) as stream:
        return Path(stream.name)


def _download(path: Path, name: str, kind: str) -> FileResponse:
    removal = BackgroundTask(path.unlink, missing_ok=True)
    return FileResponse(path, media_type=kind, filename=name, headers={"Cache-Control": "no-store"}, background=removal)


def _record(request: Request, who: str, project: Project, file: str) -> None:
    def store(session: Session) -> None:
        record(session, who, "export", f"project {project.name}", file=file)

    database_of(request).transact(store)


@router.get("/import")
def import_page(request: Request, admin: Owner) -> HTMLResponse:
    """Show the form to import an archive."""
    return admin_page(request, admin, "import.html", most=MAX_FILE_BYTES, suffix=SUFFIX)


@router.post("/import")
async def import_archive(
    request: Request, admin: Owner, name: Annotated[str, Query(max_length=100)] = ""
) -> JSONResponse:
    """Make a project from an archive, which is the body of the request."""
    check_form_token(admin, request.headers.get(FORM_TOKEN_HEADER, ""))
    target = _temporary(SUFFIX)
    try:
        size = 0
        with target.open("wb") as stream:
            async for chunk in request.stream():
                size += len(chunk)
                if size > MAX_FILE_BYTES:
                    raise InputError(f"an archive of at most {MAX_FILE_BYTES // 2**20} MB", "a larger one", "file")
                stream.write(chunk)
        made = await asyncio.to_thread(_read, database_of(request), target, name, admin.name)
    except InputError as error:
        return JSONResponse({"detail": str(error).replace(target.name, "the file")}, 422)
    finally:
        target.unlink(missing_ok=True)
    return JSONResponse({"url": f"/admin/projects/{made}?said=imported"})


def _read(database: Database, path: Path, name: str, who: str) -> str:
    made = read_archive(database, path, name)
    details: dict[str, Any] = {"bytes": path.stat().st_size}
    database.transact(lambda session: record(session, who, "import", f"project {made}", **details))
    return made
