"""The socket of a server."""

from __future__ import annotations

import asyncio
import socket

import pytest

pytest.importorskip("uvicorn")

from bearleft.web.server import LOOPBACK, listen


def test_answers_do_not_wait_for_acknowledgements() -> None:
    """asyncio turns Nagle's algorithm off on sockets that are known as TCP only."""
    delays: list[int] = []

    async def connect() -> None:
        def note(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            accepted = writer.get_extra_info("socket")
            delays.append(accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
            writer.close()

        with listen(LOOPBACK, 0) as listener:
            async with await asyncio.start_server(note, sock=listener):
                reader, writer = await asyncio.open_connection(*listener.getsockname())
                await reader.read()
                writer.close()

    asyncio.run(connect())
    assert delays and all(delays)
