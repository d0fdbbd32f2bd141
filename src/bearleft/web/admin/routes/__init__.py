"""The addresses under /admin."""

from __future__ import annotations

from fastapi import APIRouter

from bearleft.web.admin.routes import accounts, answers, projects, transfers

router = APIRouter(prefix="/admin", include_in_schema=False)
for module in (accounts, projects, transfers, answers):
    router.include_router(module.router)
