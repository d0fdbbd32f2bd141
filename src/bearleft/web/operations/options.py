"""Settings of operations: limits, proxies, and who may read the metrics."""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bearleft.errors import InputError, format_value


@dataclass(frozen=True)
class Rate:
    """A limit of requests.

    Attributes:
        per_second: How many in the long run.
        burst: How many at once.
    """

    per_second: float
    burst: int


@dataclass(frozen=True)
class Limits:
    """Limits of requests, of each process; two hundred people may sit behind one address.

    Attributes:
        worker: Requests of one cookie, without scripts and styles.
        address: All requests of one address.
        newcomers: Requests for pages of one address that carry no valid cookie, each of which may add a worker.
        body_seconds: Seconds that the body of a request may take.
        upload_seconds: Seconds that a large one may take: an upload, or an import.
    """

    worker: Rate = Rate(20, 600)
    address: Rate = Rate(500, 10_000)
    newcomers: Rate = Rate(2, 500)
    body_seconds: float = 30.0
    upload_seconds: float = 900.0


@dataclass(frozen=True)
class Operations:
    """Settings of operations.

    Attributes:
        limits: Limits of requests.
        proxies: Addresses or networks of proxies whose X-Forwarded-For is believed.
        metrics_token: What `/metrics` asks for; without one, only this machine may read it.
        log_requests: Whether each request is logged.
        counters: Folder in which the processes of one server share their counters.
        process: Number of the process.
    """

    limits: Limits = field(default_factory=Limits)
    proxies: Sequence[str] = ()
    metrics_token: str = field(default="", repr=False)
    log_requests: bool = False
    counters: Path | None = None
    process: int = 0

    def __post_init__(self) -> None:
        for proxy in self.proxies:
            try:
                ipaddress.ip_network(proxy)
            except ValueError:
                raise InputError(
                    "the address or network of a proxy, such as 127.0.0.1 or 10.0.0.0/8", format_value(proxy), "--proxy"
                ) from None
        if 0 < len(self.metrics_token) < 16:
            raise InputError(
                "a token of at least 16 characters", str(len(self.metrics_token)), "BEARLEFT_METRICS_TOKEN"
            )
