"""Files that a team has uploaded and not yet submitted: received in pieces, checked, and kept for a day.

An interrupted submission finds its files again by their hash, so that nothing is sent twice.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import re
import secrets
import shutil
import time
from collections.abc import AsyncIterator
from dataclasses import asdict
from pathlib import Path

from bearleft.errors import InputError
from bearleft.web.database.leaderboard import Track
from bearleft.web.leaderboard import uploads
from bearleft.web.leaderboard.uploads import StoredUpload
from bearleft.web.security import BodyTooLargeError

KEPT_SECONDS = 24 * 3600
MAX_STAGED = 40  # files of one team; the oldest make room
DIGEST = re.compile(r"[0-9a-f]{64}")
