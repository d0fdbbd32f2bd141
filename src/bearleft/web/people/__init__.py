"""People who play or work: the cookie that knows them, consent, identities of platforms, their own page, deletion."""

from __future__ import annotations

from bearleft.web.people.cookie import COOKIE as COOKIE
from bearleft.web.people.cookie import add_worker as add_worker
from bearleft.web.people.cookie import current_worker as current_worker
from bearleft.web.people.cookie import read_cookie as read_cookie
from bearleft.web.people.cookie import set_cookie as set_cookie
from bearleft.web.people.cookie import sign as sign
