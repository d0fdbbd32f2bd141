"""Limits of requests by worker and by address: token buckets in the memory of each process."""

from __future__ import annotations

import ipaddress
import math
import time
from collections import OrderedDict
from collections.abc import Callable

from bearleft.web.operations.options import Rate

MAX_BUCKETS = 50_000  # of one kind; the ones that were used longest ago are forgotten


class TokenBuckets:
    """A bucket of tokens for each key; a request takes one.

    Args:
        rate: How fast buckets fill, and how many tokens they hold.
        clock: Returns seconds.
    """

    def __init__(self, rate: Rate, clock: Callable[[], float] = time.monotonic) -> None:
        self.rate, self.clock = rate, clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()  # tokens, and when

    def take(self, key: str) -> float:
        """Take a token; return 0, or the seconds until there is one."""
        now = self.clock()
        tokens, before = self._buckets.pop(key, (float(self.rate.burst), now))
        tokens = min(tokens + (now - before) * self.rate.per_second, float(self.rate.burst))
        enough = tokens >= 1
        self._buckets[key] = (tokens - 1 if enough else tokens, now)
        if len(self._buckets) > MAX_BUCKETS:
            self._buckets.popitem(last=False)
        return 0.0 if enough else (1 - tokens) / self.rate.per_second


def retry_after(seconds: float) -> str:
    """Return the value of the header Retry-After: whole seconds."""
    return str(max(1, math.ceil(seconds)))


def address_key(address: str) -> str:
    """Return by what requests of an address are counted: an IPv6 network of one customer has 2**64 addresses."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return address[:100]
    if isinstance(parsed, ipaddress.IPv6Address):
        if parsed.ipv4_mapped is not None:
            return str(parsed.ipv4_mapped)
        return str(ipaddress.ip_network((parsed, 64), strict=False))
    return str(parsed)
