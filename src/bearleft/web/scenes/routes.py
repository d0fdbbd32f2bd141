"""Panoramas, maps and 3-D models over HTTP."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from enum import IntEnum
from pathlib import Path
from typing import Any

from fastapi import APIRouter, HTTPException, Request
from starlette.responses import FileResponse, JSONResponse

from bearleft.errors import InputError
from bearleft.web.admin.sessions import current_admin
from bearleft.web.people import current_worker
from bearleft.web.scenes.models import ModelCache
from bearleft.web.scenes.panoramas import PanoramaCache
from bearleft.web.scenes.worlds import SceneWorlds

router = APIRouter(prefix="/api/worlds", tags=["worlds"])
models_router = APIRouter(prefix="/api/models", tags=["worlds"])
DAY = 24 * 3600  # seconds
TIMEOUT = 60.0  # seconds until a panorama is given up


class Width(IntEnum):
    """Widths of panoramas in pixels."""

    SMALL = 512
    MEDIUM = 1024
    LARGE = 2048


def _check_visitor(request: Request) -> None:
    if current_worker(request) is None and current_admin(request) is None:
        raise HTTPException(401, "expected a worker's cookie, got none. Open the first page.")


def _check(request: Request, world: str) -> SceneWorlds:
    """Return the worlds; answer 404 for one that no project of this server is in."""
    _check_visitor(request)
    if world not in request.app.state.served_worlds:
        raise HTTPException(404, "There is no such world here.")
    worlds: SceneWorlds = request.app.state.worlds
    return worlds


@router.get("/{world:path}/panoramas/{place}.webp", response_class=FileResponse)
async def panorama(request: Request, world: str, place: str, width: Width = Width.MEDIUM) -> FileResponse:
    """Return the panorama of a place, north in the middle."""
    worlds = await asyncio.to_thread(_check, request, world)
    cache: PanoramaCache = request.app.state.panoramas
    try:
        path = await cache.wait_for(world, place, width, TIMEOUT)
    except InputError as error:
        raise HTTPException(404, str(error)) from error
    except TimeoutError as error:
        raise HTTPException(503, "The picture takes too long. Try again.", {"Retry-After": "5"}) from error
    await asyncio.to_thread(_prepare, worlds, cache, world, place)
    return FileResponse(path, media_type="image/webp", headers={"Cache-Control": f"private, max-age={DAY}"})


def _prepare(worlds: SceneWorlds, cache: PanoramaCache, world: str, place: str) -> None:
    """Render small pictures of what the next step of a walker will show; browsers ask for them first."""
    try:
        neighbours = worlds.neighbours(world, place)
    except InputError:
        return  # photographs at places without links
    cache.prepare(world, neighbours, Width.SMALL)


@router.get("/{world:path}/map")
def world_map(request: Request, world: str) -> JSONResponse:
    """Return the background of a world's map, as rows of marks, and the places with their positions."""
    worlds = _check(request, world)
    graph = worlds.graph(world)
    places: dict[str, Any] = {
        "ids": list(graph.ids),
        "x": [round(float(x), 2) for x in graph.positions[:, 0]],
        "y": [round(float(y), 2) for y in graph.positions[:, 1]],
    }
    content = {"marks": worlds.map_marks(world), "places": places}
    return JSONResponse(content, headers={"Cache-Control": f"private, max-age={DAY}"})


@router.get("/{world:path}/sections/{number}.glb", response_class=FileResponse)
def section(request: Request, world: str, number: int) -> FileResponse:
    """Return the 3-D model of one of ArraMon's sections, as glTF."""
    _check(request, world)
    return _model(request, lambda models: models.section(world, number))


@models_router.get("/room.glb", response_class=FileResponse)
def room(request: Request) -> FileResponse:
    """Return the 3-D model of ArraMon's empty room, as glTF."""
    _check_visitor(request)
    return _model(request, ModelCache.room)


@models_router.get("/items/{name}.glb", response_class=FileResponse)
def item(request: Request, name: str) -> FileResponse:
    """Return the 3-D model of an item, such as "Striped White Book", as glTF."""
    _check_visitor(request)
    return _model(request, lambda models: models.item(name))


def _model(request: Request, find: Callable[[ModelCache], Path]) -> FileResponse:
    try:
        path = find(request.app.state.models)
    except InputError as error:
        raise HTTPException(404, str(error)) from error
    return FileResponse(path, media_type="model/gltf-binary", headers={"Cache-Control": f"private, max-age={DAY}"})
