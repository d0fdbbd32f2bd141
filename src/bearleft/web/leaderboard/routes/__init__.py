"""The addresses of the leaderboard: pages under /leaderboard and /team, and the JSON API under /api/leaderboard."""

from __future__ import annotations

from fastapi import APIRouter

from bearleft.web.leaderboard.routes import api, entries, submit, tables, team

router = APIRouter()
for module in (team, tables, entries, submit, api):
    router.include_router(module.router)
