"""The addresses under /admin."""

from __future__ import annotations

from fastapi import APIRouter

from bearleft.web.admin.routes import accounts, answers, projects, transfers

router = APIRouter()
for module in (accounts, projects, transfers, answers):
    router.include_router(module.router)
