from __future__ import annotations

import json
import random
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bearleft.data import json_stream
from bearleft.data.json_stream import Reader, loads, write_array, write_indented, write_lines
from bearleft.errors import InputError

texts = st.text(st.characters(exclude_categories=["Cs"]))
leaves = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts
values = st.recursive(leaves, lambda inner: st.lists(inner) | st.dictionaries(texts, inner), max_leaves=12)
no_deadline = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def raise_error(error: InputError) -> None:
    raise error


def items(path: Path) -> list[Any]:
    return [value for _, _, value in Reader(path, raise_error).items()]


def lines(path: Path) -> list[Any]:
    return [value for _, value in Reader(path, raise_error).lines()]


@no_deadline
@given(array=st.lists(values, min_size=1), indent=st.none() | st.integers(0, 3), ascii_only=st.booleans())
def test_array_read_in_chunks(array: list[Any], indent: int | None, ascii_only: bool, tmp_path: Path) -> None:
    path = tmp_path / "array.json"
    path.write_text(json.dumps(array, indent=indent, ensure_ascii=ascii_only), encoding="utf-8")
    for chunk in (1, 3, 64):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(json_stream, "CHUNK_BYTES", chunk)
            assert items(path) == array, chunk


@no_deadline
@given(rows=st.lists(values, min_size=1), ends=st.sampled_from(["\n", "\r\n", "\n\n \n"]), last=st.booleans())
def test_lines_of_a_file(rows: list[Any], ends: str, last: bool, tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    text = ends.join(map(json.dumps, rows)) + (ends if last else "")
    path.write_bytes(text.encode())
    assert lines(path) == rows


@no_deadline
@given(rows=st.lists(values, min_size=1))
def test_write_and_read_round_trip(rows: list[Any], tmp_path: Path) -> None:
    for write, read in ((write_lines, lines), (write_array, items), (write_indented, items)):
        path = tmp_path / "rows"
        with open(path, "w", encoding="utf-8") as out:
            write(out, rows)
        assert read(path) == rows


@no_deadline
@given(raw=st.binary(max_size=60))
def test_any_bytes_are_read_or_refused(raw: bytes, tmp_path: Path) -> None:
    path = tmp_path / "bytes"
    path.write_bytes(raw)
    for read in (lines, items):
        try:
            parsed_values = read(path)
        except InputError:
            continue
        expected = json.loads(raw) if read is items else [json.loads(line) for line in raw.split(b"\n") if line.strip()]
        assert parsed_values == expected


@no_deadline
@given(array=st.lists(values, min_size=1, max_size=4), cut=st.integers(1, 10_000))
def test_truncated_file_is_refused(array: list[Any], cut: int, tmp_path: Path) -> None:
    text = json.dumps(array)
    path = tmp_path / "cut.json"
    path.write_text(text[: cut % len(text)])
    with pytest.raises(InputError):
        items(path)


DEEP_JSON = "[" * 100_000
INVALID_JSON = {
    '{"a": NaN}': "finite",
    '{"a": -Infinity}': "finite",
    '{"a": 1e400}': "finite",
    '{"a": -1.5e999}': "finite",
    '{"a": ' + "1" * 5000 + "}": "digits",
    '{"a": ' + DEEP_JSON: "nested",
    '{"a": "\\ud800"}': "Unicode",
    '{"\\udfff": 1}': "Unicode",
    '{"a": 1, "a": 2}': "once",
    '{"b": {"a": 1, "a": 1}}': "once",
    '{"a": 1} {"a": 2}': "more after it",
    '{"a": 1': "JSON",
    '{"a": tru}': "JSON",
    "{'a': 1}": "JSON",
    '{"a": "tab\there"}': "JSON",
}


@pytest.mark.parametrize(("text", "message"), INVALID_JSON.items(), ids=[text[:20] for text in INVALID_JSON])
def test_invalid_json(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_text('{"a": 0}\n' + text + "\n")
    with pytest.raises(InputError, match=message) as caught:
        lines(path)
    assert (caught.value.file, caught.value.line) == (str(path), 2)
    path.write_text("[0,\n0,\n" + text + "\n]")
    with pytest.raises(InputError) as caught:
        items(path)
    if "more after" not in message:  # in an array that is an item too many
        assert message in str(caught.value)
        # An object without an end is noticed on the line after it.
        assert (caught.value.file, caught.value.item) == (str(path), 3)
        assert caught.value.line == 3 + (text == '{"a": 1')


def test_surrogate_pairs_are_valid() -> None:
    assert loads('"\\ud83d\\ude00"') == "\N{GRINNING FACE}"


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"", "empty file"),
        (b" \n\t\n", "empty file"),
        (b"\xef\xbb\xbf[1]", "byte order mark"),
        (b"\xff\xfe[\x001\x00]\x00", "UTF-8"),
        (b'["\xe9"]', "UTF-8"),
        (b'["caf\xc3', "UTF-8"),
    ],
)
def test_invalid_bytes(raw: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "bad"
    path.write_bytes(raw)
    for read in (lines, items):
        with pytest.raises(InputError, match=message):
            read(path)


def test_invalid_utf8_names_the_line(tmp_path: Path) -> None:
    path = tmp_path / "bad.json"
    path.write_bytes(b'[1,\n2,\n"\xe9"]')
    with pytest.raises(InputError, match=r"bad\.json:3.*0xe9"):
        items(path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"a": 1}\n', "one JSON array"),
        ("[]", "at least one item"),
        ("[1, 2", "comma or the end"),
        ("[1, 2 3]", "comma or the end"),
        ("[1, 2,]", "JSON"),
        ("[1, 2] 3", "nothing after"),
        ("[1, 2]]", "nothing after"),
        ("7", "one JSON array"),
    ],
)
def test_files_that_are_not_one_array(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.json"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        items(path)


def test_missing_files_and_folders(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none", tmp_path / ("long" * 200), tmp_path / "nul\0"):
        with pytest.raises(InputError):
            Reader(path, raise_error)


def test_truncated_line_gets_a_hint(tmp_path: Path) -> None:
    path = tmp_path / "half.jsonl"
    path.write_text('{"a": 1}\n{"a": 1, "b": [2')
    with pytest.raises(InputError, match="only in part"):
        lines(path)


def test_invalid_lines_can_be_skipped(tmp_path: Path) -> None:
    path = tmp_path / "some.jsonl"
    path.write_text('{"a": 1}\n{"a": \n{"a": 3}\nNaN\n')
    errors: list[InputError] = []
    assert [value for _, value in Reader(path, errors.append).lines()] == [{"a": 1}, {"a": 3}]
    assert [error.line for error in errors] == [2, 4]


def test_long_item_is_parsed_in_linear_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "long.json"
    array = ["x" * 100_000, list(range(20_000)), 5]
    path.write_text(json.dumps(array))
    parsed: list[int] = []
    decode = json_stream._decode

    def counted(text: str, start: int) -> tuple[Any, int]:
        parsed.append(len(text) - start)
        return decode(text, start)

    monkeypatch.setattr(json_stream, "_decode", counted)
    monkeypatch.setattr(json_stream, "CHUNK_BYTES", 16)
    assert items(path) == array
    assert sum(parsed) < 8 * path.stat().st_size


def test_memory_is_bounded(tmp_path: Path) -> None:
    path = tmp_path / "large.json"
    rows = ({"n": k, "text": "word " * 200} for k in range(8000))
    with open(path, "w") as out:
        write_array(out, rows)
    assert path.stat().st_size > 8_000_000
    tracemalloc.start()
    try:
        assert sum(value["n"] for _, _, value in Reader(path, raise_error).items()) == 8000 * 7999 // 2
        assert tracemalloc.get_traced_memory()[1] < 2_000_000
    finally:
        tracemalloc.stop()


def test_overlong_line_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_stream, "MAX_ITEM_BYTES", 1000)
    path = tmp_path / "endless"
    path.write_text('["' + "x" * 5000 + '"]')
    for read in (lines, items):
        monkeypatch.setattr(json_stream, "CHUNK_BYTES", 64)
        with pytest.raises(InputError, match="at most 1,000 bytes"):
            read(path)


def test_numbers_cut_by_chunks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # 400 digits are too many for a float, until the exponent makes it small again.
    number = "1" * 400 + ".5e-390"
    path = tmp_path / "number.json"
    path.write_text(f"[{number}, 1e300, -0.5]")
    for chunk in range(380, 420):
        monkeypatch.setattr(json_stream, "CHUNK_BYTES", chunk)
        assert items(path) == [float(number), 1e300, -0.5]


@pytest.mark.slow
def test_random_flips_never_crash(tmp_path: Path) -> None:
    rng = random.Random(5)
    original = json.dumps([{"a": [1.5, "\\u00e9", None], "é": {"b": True}}] * 3, ensure_ascii=False).encode()
    path = tmp_path / "flipped.json"
    for _ in range(400):
        raw = bytearray(original)
        for _ in range(rng.randint(1, 3)):
            raw[rng.randrange(len(raw))] = rng.randrange(256)
        path.write_bytes(raw)
        try:
            parsed_values = items(path)
        except InputError:
            continue
        assert parsed_values == json.loads(raw)
