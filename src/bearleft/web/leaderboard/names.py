"""Names and texts that entrants write and others read: no character that hides, reorders or imitates text."""

from __future__ import annotations

import unicodedata
from urllib.parse import urlsplit

from bearleft.web.leaderboard.errors import LeaderboardError

# Control and format characters (also those that change the direction of text), surrogates, private and unassigned
# ones, and separators other than the space.
_REFUSED_CATEGORIES = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
# Letters, marks and symbols of other categories that nobody sees: fillers of Hangul, Khmer's inherent vowels, Braille's
# empty pattern, the grapheme joiner.
_INVISIBLE = set("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
_VARIATIONS = {*map(chr, range(0xFE00, 0xFE10)), *map(chr, range(0xE0100, 0xE01F0)), *map(chr, range(0x180B, 0x1810))}
_MAX_MARKS = 4  # combining characters in a row; more of them cover the lines above


def clean_name(value: str, field: str, max_length: int, *, required: bool = True) -> str:
    """Return a name in Unicode's composed form, with single spaces.

    Args:
        value: What somebody wrote.
        field: What it is, for messages, such as "name of the team".
        max_length: The largest number of characters.
        required: Whether it needs a letter or a digit; otherwise it may be empty.

    Raises:
        LeaderboardError: It is empty or too long, or holds a character that names cannot have.
    """
    name = clean_line(value, field, max_length)
    if set(name) & set("<>"):
        raise LeaderboardError("characters", f"The {field} cannot hold < or >.")
    if (name or required) and not any(letter.isalnum() for letter in name):
        raise LeaderboardError("empty", f"The {field} needs a letter or a digit.")
    return name


def clean_line(value: str, field: str, max_length: int) -> str:
    """Return a text of one line, which may be empty; raise LeaderboardError as `clean_name` does."""
    line = " ".join(_composed(value, field, max_length).split())
    _check_letters(line, field)
    return line


def clean_text(value: str, field: str, max_length: int) -> str:
    """Return a text of several lines, which may be empty; raise LeaderboardError as `clean_name` does."""
    text = _composed(value, field, max_length).replace("\r\n", "\n").strip()
    _check_letters(text.replace("\n", " ").replace("\t", " "), field)
    return text


def _composed(value: str, field: str, max_length: int) -> str:
    # Composing may make a text three times as long, so that the length is checked before and after.
    if len(value) > max_length or len(text := unicodedata.normalize("NFC", value)) > max_length:
        raise LeaderboardError("too_long", f"The {field} can have at most {max_length:,} characters.")
    return text


def _check_letters(text: str, field: str) -> None:
    marks = 0
    for letter in text:
        category = unicodedata.category(letter)
        marks = marks + 1 if category in ("Mn", "Me") else 0
        if category in _REFUSED_CATEGORIES or letter in _INVISIBLE or marks > _MAX_MARKS:
            got = f"U+{ord(letter):04X}"
            raise LeaderboardError("characters", f"The {field} holds a character that is not allowed: {got}.")


def name_key(name: str) -> str:
    """Return a key that is equal for names which differ in case, spaces, or forms of the same characters only."""
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    return "".join(letter for letter in folded if letter not in _VARIATIONS and not letter.isspace())


def clean_url(value: str, field: str, max_length: int) -> str:
    """Return an address of a page, or an empty text; it is shown as a link and never opened by the server.

    Raises:
        LeaderboardError: It is no http or https address, or holds a name, a password, spaces or other characters.
    """
    url = value.strip()
    if not url:
        return ""
    message = f"The {field} has to be an address that begins with https:// or http://, in ASCII."
    try:
        parts = urlsplit(url)
        host, _port = parts.hostname, parts.port
    except ValueError:
        raise LeaderboardError("url", message) from None
    valid = url.isascii() and url.isprintable() and not set(url) & set(' "<>\\^`{|}')
    if len(url) > max_length or not valid or parts.scheme not in ("http", "https") or not host or "@" in parts.netloc:
        raise LeaderboardError("url", message)
    return url
