"""Files made to do harm: each is refused with an error that names it, in bounded memory, and nothing is written.

Files of JSON: see also tests/data/test_json_stream.py and tests/data/test_mutations.py.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import pickle
import shutil
import struct
import tracemalloc
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bearleft.agents.pipe import read_action
from bearleft.data import json_stream, load
from bearleft.data.manifest import read_manifest
from bearleft.errors import InputError
from bearleft.evaluation import columns, predictions, trace_files
from bearleft.evaluation import score as scoring
from bearleft.evaluation.evaluate import evaluate
from bearleft.evaluation.score import score
from bearleft.experiments.systems import saved_results
from bearleft.experiments.touchdown.predictions import SavedPredictions, read_predictions, save_predictions
from bearleft.models.features.store import read_info as read_store_info
from bearleft.models.features.store import read_panoramas, read_quantizer
from bearleft.world.album.files import read_picture
from bearleft.world.album.layout import read_info, read_places
from bearleft.world.visibility.table import VisibilityTable
from tests.data.sample_files import NAMES
from tests.hostile.conftest import Command

LONG_LINE = 100_000_000  # bytes
Change = Callable[[bytes], bytes]


def with_field(text: str) -> Change:
    """Return a change that puts text behind the first brace."""
    return lambda content: content.replace(b"{", b"{" + text.encode(), 1)


REFUSED: dict[str, Change] = {
    "nested 100,000 deep": lambda _: b"[" * 100_000 + b"]" * 100_000,
    "a field nested 100,000 deep": with_field('"format":' + "[" * 100_000 + "]" * 100_000 + ","),
    "an integer of 5,000 digits": with_field('"format":' + "1" * 5000 + ","),
    "Latin-1": lambda content: content.replace(b'"', b'"\xe9', 1),
    "UTF-16": lambda content: content.decode().encode("utf-16"),
    "bytes of zero": lambda _: bytes(1000),
}
STRICTLY_REFUSED: dict[str, Change] = {
    "a byte order mark": lambda content: b"\xef\xbb\xbf" + content,
    "a field twice": with_field('"twice": 1, "twice": 2, '),
}
# Commands that read a file of traces, and whether they refuse what Python's own parser accepts.
READERS: dict[str, tuple[tuple[str, ...], bool]] = {
    "score": (("score", "FILE"), False),
    "eval": (("eval", "gold", "town/dev", "--limit", "3", "-o", "FILE"), False),
    "film": (("render", "episode", "FILE", "--id", "2", "-o", "OUT/film.gif"), True),
    "report": (("report", "FILE", "--no-pictures", "-o", "OUT/report.html"), True),
    "map": (("map", "--route", "town/dev", "--traces", "FILE", "-o", "OUT/map.svg"), True),
}


def command(words: tuple[str, ...], file: Path) -> list[str]:
    return [word.replace("FILE", str(file)).replace("OUT", str(file.parent / "out")) for word in words]


@pytest.mark.parametrize("reader", READERS)
def test_hostile_traces_are_refused_and_nothing_is_written(
    reader: str, tmp_path: Path, typed: Command, walk_traces: bytes
) -> None:
    words, is_strict = READERS[reader]
    for name, change in (REFUSED | (STRICTLY_REFUSED if is_strict else {})).items():
        file = tmp_path / "hostile.jsonl"
        file.write_bytes(change(walk_traces))
        code, err = typed(*command(words, file))
        assert code == 2 and str(file) in err and "expected" in err, (name, code, err)
        assert len(err) < 1000 and err.count("\n") == 1, name
        assert file.read_bytes() == change(walk_traces) and list(tmp_path.iterdir()) == [file], name


@pytest.mark.parametrize("reader", ["score", "eval", "report"])
def test_traces_with_crlf_are_read(reader: str, tmp_path: Path, typed: Command, walk_traces: bytes) -> None:
    file = tmp_path / "crlf.jsonl"
    file.write_bytes(walk_traces.replace(b"\n", b"\r\n"))
    code, err = typed(*command(READERS[reader][0], file))
    assert code == 0, err


def test_crlf_changes_no_score(tmp_path: Path, walk_traces: bytes) -> None:
    rows = []
    for end in (b"\n", b"\r\n"):
        (tmp_path / "file.jsonl").write_bytes(walk_traces.replace(b"\n", end))
        rows.append(score(tmp_path / "file.jsonl", resamples=10).rows)
    assert rows[0] == rows[1]


def test_the_same_episode_twice_is_said(tmp_path: Path, typed: Command, walk_traces: bytes) -> None:
    file = tmp_path / "twice.jsonl"
    file.write_bytes(walk_traces + walk_traces)
    for reader in ("score", "report"):
        code, err = typed(*command(READERS[reader][0], file))
        assert code == 0 and "twice.jsonl: 3 traces repeat an episode and seed" in err, (reader, err)


@pytest.mark.parametrize("kind", ["touchdown", "map2seq", "refer360", "arramon", "r2r"])
def test_hostile_datasets_are_refused(kind: str, tmp_path: Path, typed: Command, sample_data: Path) -> None:
    data = tmp_path / "data"
    shutil.copytree(sample_data, data)
    files = [path for path in (data / kind).rglob("*") if path.is_file() and b"{" in path.read_bytes()]
    assert files
    for file in files:
        content = file.read_bytes()
        changes = REFUSED | ({} if "connectivity" in file.name else STRICTLY_REFUSED)
        for name, change in changes.items():
            file.write_bytes(change(content))
            code, err = typed("data", "stats", NAMES[kind], "--data", data)
            assert code == 2 and str(file) in err and "expected" in err, (file.name, name, err)
        file.write_bytes(content.replace(b"\n", b"\r\n"))
        assert typed("data", "stats", NAMES[kind], "--data", data)[0] == 0
        file.write_bytes(content)


@pytest.mark.parametrize("kind", ["touchdown", "map2seq", "refer360", "arramon", "r2r"])
def test_the_same_id_twice_in_a_dataset_is_an_error(kind: str, tmp_path: Path, sample_data: Path) -> None:
    data = tmp_path / "data"
    shutil.copytree(sample_data, data)
    (file,) = (path for path in (data / kind).glob("*") if path.is_file() and "made" in path.name)
    text = file.read_text()
    if file.suffix == ".jsonl":
        file.write_text(text.rstrip("\n") + "\n" + text.splitlines()[-1] + "\n")
    else:
        rows = json.loads(text)
        file.write_text(json.dumps([*rows, rows[-1]]))
    with pytest.raises(InputError, match=r"twice|once|again|unique|another|each"):
        load(NAMES[kind], data)


SMALL_FILES: dict[str, tuple[str, Callable[[Path], Any]]] = {
    "album.json": ("album.json", lambda folder: read_info(folder)),
    "places.jsonl": ("places.jsonl", lambda folder: read_places(folder)),
    "about.json of features": ("about.json", lambda folder: read_store_info(folder)),
    "panoramas.jsonl of features": ("panoramas.jsonl", lambda folder: read_panoramas(folder, 1)),
    "about.json of a visibility table": ("about.json", lambda folder: VisibilityTable.read(folder)),
    "manifest.json": ("manifest.json", lambda folder: read_manifest(folder / "manifest.json")),
}


@pytest.mark.parametrize("kind", SMALL_FILES)
def test_hostile_descriptions_of_folders_are_refused(kind: str, tmp_path: Path) -> None:
    name, read = SMALL_FILES[kind]
    for change in REFUSED.values():
        (tmp_path / name).write_bytes(change(b'{"format": 1}\n'))
        with pytest.raises(InputError) as caught:
            read(tmp_path)
        assert caught.value.file == str(tmp_path / name)


def test_hostile_answers_of_programs_are_refused() -> None:
    for name, change in REFUSED.items():
        if name != "UTF-16":  # which Python's parser knows
            with pytest.raises(InputError, match="an answer"):
                read_action(change(b'{"action": "stop"}'))


@pytest.fixture
def long_line(tmp_path: Path, walk_traces: bytes, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file whose second line has 100 MB; it takes no space on the disk."""
    monkeypatch.setenv("BEARLEFT_THREADS", "1")  # large files are read by several processes
    file = tmp_path / "long.jsonl"
    with open(file, "wb") as stream:
        stream.write(walk_traces.splitlines(keepends=True)[0] + b'{"format":1,"episode":"')
        stream.truncate(LONG_LINE)
    return file


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("reader", READERS)
def test_line_of_100_mb_is_refused(reader: str, long_line: Path, typed: Command) -> None:
    code, err = typed(*command(READERS[reader][0], long_line))
    assert code == 2 and f"{long_line}:2" in err and len(err) < 1000, err
    assert long_line.stat().st_size == LONG_LINE and list(long_line.parent.iterdir()) == [long_line]


def test_long_lines_need_bounded_memory(long_line: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    limit = 1_000_000
    for module in (json_stream, trace_files, columns, scoring, predictions):
        monkeypatch.setattr(module, "MAX_ITEM_BYTES", limit)

    def fail(error: InputError) -> None:
        raise error

    readers: list[Callable[[], object]] = [
        lambda: list(json_stream.Reader(long_line, fail).lines()),
        lambda: evaluate("gold", "town/dev", long_line, limit=3),
        lambda: score(long_line),
    ]
    for read in readers:
        tracemalloc.start()
        with pytest.raises(InputError):
            read()
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 10 * limit
    with open(long_line, "r+b") as stream:
        stream.write(b'{"format":1,"episode":"')
        stream.write(bytes(10_000))
    tracemalloc.start()
    assert scoring.trace_dataset(long_line) is None
    assert predictions._is_single_object(long_line)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10 * limit


class Evil:
    """Pickled, it creates a file when it is read."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, tuple[str, int]]:
        return os.mkdir, (str(self.path), 0o777)


@pytest.fixture
def hostile_checkpoints(tmp_path: Path) -> dict[str, Path]:
    """Checkpoints with pickles that create the folder `harm`, each with a correct checksum."""
    torch = pytest.importorskip("torch")

    files = {}
    new, old, bomb = io.BytesIO(), io.BytesIO(), io.BytesIO()
    content = {"format": 2, "kind": "point", "weights": Evil(tmp_path / "harm")}
    torch.save(content, new)
    torch.save(content, old, _use_new_zipfile_serialization=False)
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("archive/data.pkl", pickle.dumps({"format": 2, "kind": "point"}))
        archive.writestr("archive/version", "3\n")
        archive.writestr("archive/data/0", bytes(50_000_000))
    for name, data in {
        "new": new.getvalue(),
        "old": old.getvalue(),
        "plain": pickle.dumps(content),
        "bomb": bomb.getvalue(),
    }.items():
        files[name] = tmp_path / f"{name}.pt"
        digest = hashlib.sha256(data).hexdigest()
        files[name].write_bytes(data + f"\nsha256 {digest}\n".encode())
    return files


def test_pickles_in_checkpoints_are_not_executed(
    hostile_checkpoints: dict[str, Path], tmp_path: Path, typed: Command
) -> None:
    from bearleft.models.backbones.base import read_weights
    from bearleft.models.checkpoint import KIND_NAMES, read_checkpoint

    for name, file in hostile_checkpoints.items():
        for kind in KIND_NAMES:
            with pytest.raises(InputError) as caught:
                read_checkpoint(file, kind=kind)
            assert caught.value.file == str(file)
        with pytest.raises(InputError):
            read_weights(file)
        code, err = typed("eval", file, "city/sdr/small", "-o", tmp_path / "out.jsonl")
        assert code == 2 and str(file) in err, name
    assert not (tmp_path / "harm").exists() and not (tmp_path / "out.jsonl").exists()


def test_compressed_checkpoints_are_refused_before_they_are_unpacked(hostile_checkpoints: dict[str, Path]) -> None:
    from bearleft.models.backbones.base import read_weights
    from bearleft.models.checkpoint import read_checkpoint

    for read in (read_checkpoint, read_weights):
        with pytest.raises(InputError, match="compressed parts"):
            read(hostile_checkpoints["bomb"])


def _saved(tmp_path: Path, **arrays: Any) -> Path:
    """Write a file of answers with some of its arrays replaced."""
    answers = SavedPredictions("LINGUNET", "sdr/dev", 0, ("a",), np.zeros((1, 2)))
    path = save_predictions(tmp_path, answers)
    with np.load(path) as archive:
        stored = {name: archive[name] for name in archive.files}
    np.savez_compressed(path, **stored | arrays)
    return path


def test_object_arrays_in_npz_are_not_unpickled(tmp_path: Path) -> None:
    for name in ("head", "ids", "answers"):
        path = _saved(tmp_path, **{name: np.array([Evil(tmp_path / "harm")], object)})
        with pytest.raises(InputError, match="Object arrays cannot be loaded") as caught:
            read_predictions(path)
        assert caught.value.file == str(path)
    np.save(tmp_path / "scales.npy", np.array([Evil(tmp_path / "harm")], object), allow_pickle=True)
    with pytest.raises(InputError, match="Object arrays cannot be loaded"):
        read_quantizer(tmp_path, 1)
    assert not (tmp_path / "harm").exists()


def _header(shape: tuple[int, ...]) -> bytes:
    stream = io.BytesIO()
    np.lib.format.write_array_header_1_0(stream, {"descr": "<f4", "fortran_order": False, "shape": shape})
    return stream.getvalue()


def test_npz_that_unpacks_to_much_is_refused_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert saved_results.MAX_BYTES == 2**28
    monkeypatch.setattr(saved_results, "MAX_BYTES", 10_000_000)
    path = _saved(tmp_path)
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, part in parts.items():
            with archive.open(name, "w", force_zip64=True) as stream:
                stream.write(part if name != "answers.npy" else _header((1_500_000, 2)))
                for _ in range(12 if name == "answers.npy" else 0):
                    stream.write(bytes(1_000_000))
    assert path.stat().st_size < 1_000_000
    with pytest.raises(InputError, match=r"at most 10,000,000 bytes, got 12,\d\d\d,\d\d\d bytes"):
        read_predictions(path)


def test_arrays_that_claim_to_be_enormous_are_refused(tmp_path: Path) -> None:
    (tmp_path / "scales.npy").write_bytes(_header((2, 10**15)))
    with pytest.raises(InputError, match="an array"):
        read_quantizer(tmp_path, 1)
    path = _saved(tmp_path)
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(path, "w") as archive:
        for name, part in parts.items():
            archive.writestr(name, part if name != "answers.npy" else _header((10**15, 2)))
    with pytest.raises(InputError, match="a file of answers"):
        read_predictions(path)


def _png(width: int, height: int, content: bytes) -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + content + chunk(b"IDAT", b"") + chunk(b"IEND", b"")


def test_pictures_that_unpack_to_much_are_refused_before(tmp_path: Path, typed: Command) -> None:
    (tmp_path / "pictures").mkdir()
    bomb = tmp_path / "pictures" / "bomb.png"
    # A chunk of text that unpacks to 70 MB, too.
    text = b"key\0\0" + zlib.compress(bytes(70_000_000), 1)
    chunk = struct.pack(">I", len(text)) + b"zTXt" + text + struct.pack(">I", zlib.crc32(b"zTXt" + text))
    for content, message in ((b"", "at most 30000 x 15000 pixels, got 200000 x 100000"), (chunk, "expected a")):
        bomb.write_bytes(_png(200_000, 100_000, content))
        tracemalloc.start()
        with pytest.raises(InputError, match=message):
            read_picture(bomb)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 80_000_000
        code, err = typed("album", "import", tmp_path / "pictures", "-o", tmp_path / "album")
        assert code in (1, 2) and "bomb.png" in err


def test_heat_maps_of_enormous_size_are_refused(tmp_path: Path) -> None:
    heat = {"width": 10**9, "height": 10**9, "values": "AAAA"}
    with pytest.raises(InputError, match="an answer"):
        read_action(json.dumps({"heading": 1, "pitch": 1, "heat": heat}).encode())
    file = tmp_path / "heat.jsonl"
    evaluate("center", "town/point", file, limit=1)
    row = json.loads(file.read_text())
    row["legs"][0]["heat"] = heat
    file.write_text(json.dumps(row) + "\n")
    for read in (score, lambda path: evaluate("center", "town/point", path, limit=1)):
        with pytest.raises(InputError, match=r"heat\.jsonl:1"):
            read(file)
