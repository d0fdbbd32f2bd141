from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from bearleft.errors import InputError
from bearleft.runtime.store import (
    atomic_write,
    cache_folder,
    data_folder,
    exclusive_writer,
    existing_file,
    file_lock,
    sha256,
    try_file_lock,
    write_text,
)


def test_a_failed_write_leaves_the_old_file_and_no_scraps(tmp_path: Path) -> None:
    path = tmp_path / "new" / "a.txt"
    write_text(path, "old")
    with pytest.raises(RuntimeError), atomic_write(path) as stream:
        stream.write("half of the n")
        raise RuntimeError
    assert path.read_text() == "old"
    assert list(path.parent.iterdir()) == [path]


def test_a_folder_or_a_forbidden_place_is_an_input_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="a folder"):
        write_text(tmp_path, "x")
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="can be written"):
        write_text(tmp_path / "file" / "a.txt", "x")


def test_files_that_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="nothing there"):
        existing_file(tmp_path / "a")
    with pytest.raises(InputError, match="a folder"):
        existing_file(tmp_path)


def test_folders_come_from_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("BEARLEFT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("BEARLEFT_DATA", str(tmp_path))
    assert cache_folder() == tmp_path / "cache"
    assert data_folder() == tmp_path
    assert data_folder(tmp_path) == tmp_path
    with pytest.raises(InputError, match="does not exist"):
        data_folder(tmp_path / "nowhere")
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="which is a file"):
        data_folder(tmp_path / "file")


def test_a_lock_lets_one_process_through(tmp_path: Path) -> None:
    taken = tmp_path / "taken"
    code = (
        f"from bearleft.runtime.store import file_lock\nimport os\nwith file_lock({str(taken)!r}):\n"
        f"    os.open({str(taken)!r}, os.O_CREAT | os.O_EXCL); os.remove({str(taken)!r})"
    )
    with file_lock(taken):
        waiting = [subprocess.Popen([sys.executable, "-c", code]) for _ in range(2)]
        with pytest.raises(subprocess.TimeoutExpired):
            waiting[0].wait(0.5)
    assert [process.wait(60) for process in waiting] == [0, 0]
    assert not os.path.exists(taken)


def test_a_taken_lock_is_not_waited_for(tmp_path: Path) -> None:
    with try_file_lock(tmp_path / "new" / "run") as first, try_file_lock(tmp_path / "new" / "run") as second:
        assert first and not second
    with try_file_lock(tmp_path / "new" / "run") as again:
        assert again
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="file"), try_file_lock(tmp_path / "file" / "run"):
        pass


def test_a_folder_that_a_mistake_left_empty_goes_again(tmp_path: Path) -> None:
    kept, there = tmp_path / "kept", tmp_path / "there"
    there.mkdir()
    for folder in (tmp_path / "new", there):
        with pytest.raises(InputError, match="a leg"), exclusive_writer(folder, "a store"):
            raise InputError("a leg", "an arm")
    with pytest.raises(InputError, match="a leg"), exclusive_writer(kept, "a store"):
        write_text(kept / "done", "x")
        raise InputError("a leg", "an arm")
    assert {path.name for path in tmp_path.iterdir()} == {"kept", "there"} and (kept / "done").exists()


def test_sha256(tmp_path: Path) -> None:
    write_text(tmp_path / "a", "abc")
    assert sha256(tmp_path / "a").startswith("ba7816bf8f01cfea")
