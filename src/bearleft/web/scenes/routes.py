"""Panoramas and maps over HTTP."""

from __future__ import annotations

import asyncio
from enum import IntEnum
from typing import Any

from fastapi import APIRouter, HTTPException, Request
from starlette.responses import FileResponse, JSONResponse

from bearleft.errors import InputError
from bearleft.web.admin.sessions import current_admin
from bearleft.web.people import current_worker
from bearleft.web.scenes.panoramas import PanoramaCache
from bearleft.web.scenes.worlds import SceneWorlds

router = APIRouter(prefix="/api/worlds", tags=["worlds"])
DAY = 24 * 3600  # seconds
TIMEOUT = 60.0  # seconds until a panorama is given up


class Width(IntEnum):
    """Widths of panoramas in pixels."""

    SMALL = 512
    MEDIUM = 1024
    LARGE = 2048


def _check(request: Request, world: str) -> SceneWorlds:
    """Return the worlds; answer 404 for one that no project of this server is in."""
    if current_worker(request) is None and current_admin(request) is None:
        raise HTTPException(401, "expected a worker's cookie, got none. Open the first page.")
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
