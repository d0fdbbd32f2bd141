"""Names: what hides, reorders or imitates text is refused; everything else stays readable."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bearleft.web.database.values import check_text
from bearleft.web.leaderboard.errors import LeaderboardError
from bearleft.web.leaderboard.names import clean_line, clean_name, clean_text, clean_url, name_key

GOOD = [
    "Bären & Söhne",
    "東京大学",
    "فريق الدب",
    "O'Neill-Lab (v2)",
    "a\u0301",
    "🧸 team",
    "टीम",
    "=1+1 team",
    "50 % off",
]
BAD = {
    "script": "<script>alert(1)</script>",
    "right to left override": "team\u202egnp.exe",
    "isolate": "a\u2066b",
    "zero width": "bear\u200bleft",
    "byte order mark": "bear\ufeff",
    "soft hyphen": "bear\u00adleft",
    "nul": "a\0b",
    "escape": "a\x1b[31mb",
    "bell": "a\x07",
    "private": "a\ue000",
    "surrogate": "a\ud800",
    "unassigned": "a\u0378",
    "tag": "a\U000e0041",
    "filler": "\u3164",
    "halfwidth filler": "a\uffa0",
    "braille blank": "\u2800",
    "stacked marks": "a" + "\u0336" * 9,
    "empty": "",
    "spaces": " \u2003 ",
    "marks only": "-- !!",
    "long": "x" * 81,
}


@pytest.mark.parametrize("name", GOOD)
def test_names_of_all_scripts_stay(name: str) -> None:
    assert clean_name(name, "name", 80) == unicodedata.normalize("NFC", name)


@pytest.mark.parametrize("name", BAD.values(), ids=BAD)
def test_other_names_are_refused(name: str) -> None:
    with pytest.raises(LeaderboardError) as error:
        clean_name(name, "name", 80)
    assert error.value.message.isprintable()


@given(st.text(max_size=60))
def test_what_is_accepted_is_printable_and_can_be_stored(text: str) -> None:
    for clean in (clean_name, clean_line, clean_text):
        try:
            value = clean(text, "name", 80)
        except LeaderboardError:
            continue
        check_text(value, max_length=80)
        assert clean(value, "name", 80) == value
        assert all(letter.isprintable() or letter in "\n\t\u3000\u00a0" or letter.isspace() for letter in value)
        if clean is not clean_text:
            assert value == " ".join(value.split())


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Bear Left", "BEAR  left"),
        ("Bären", "Ba\u0308ren"),
        ("Straße", "STRASSE"),
        ("ﬁne", "fine"),
        ("Ｂｅａｒ", "bear"),
        ("bear ☂", "bear ☂\ufe0f"),
        ("K2", "\u212a2"),
    ],
)
def test_names_that_look_the_same_have_one_key(one: str, other: str) -> None:
    assert name_key(one) == name_key(other)
    assert name_key(one) != name_key(f"{other}x")


@pytest.mark.parametrize(
    "url", ["https://example.org/a?b=c#d", "http://example.org:8080", "  https://example.org ", "", "https://[::1]/"]
)
def test_addresses_of_pages_stay(url: str) -> None:
    assert clean_url(url, "address", 100) == url.strip()


@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)",
        "JavaScript:alert(1)//https://a.org",
        "data:text/html,<script>",
        "file:///etc/passwd",
        "ftp://example.org",
        "//example.org",
        "example.org",
        "https://",
        "https://user:secret@example.org",
        "https://example.org/a b",
        'https://example.org/"onclick="',
        "https://example.org/<b>",
        "https://exämple.org",
        "https://example.org/\u202e",
        "https://example.org/\n",
        "https://example.org:port/",
        "https://[",
        "https://example.org/" + "a" * 100,
    ],
)
def test_other_addresses_are_refused(url: str) -> None:
    if url.strip() != url:
        url = url.strip() + "\nx"
    with pytest.raises(LeaderboardError, match="address"):
        clean_url(url, "address", 100)
