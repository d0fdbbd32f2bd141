"""Pictures and features on a simulated GPU: tasks of streams are done in any order that events allow."""

from __future__ import annotations

import contextlib
from collections import deque
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from bearleft.models.examples import Panorama  # noqa: E402
from bearleft.models.features import gpu_slices  # noqa: E402
from bearleft.models.features.computed import ComputedFeatures, even_chunks  # noqa: E402
from bearleft.models.features.gpu_slices import SlicePipeline  # noqa: E402
from bearleft.training.pointing.batches import ExampleTable  # noqa: E402
from bearleft.world.city.city import open_city  # noqa: E402
from bearleft.world.pictures import RenderedPictures  # noqa: E402
from bearleft.world.slices import Slicing  # noqa: E402
from tests.models.tolerances import Means  # noqa: E402

SMALL, WORLDS = Slicing(8, 8), ("city/3/4x5", "rooms/0/12")


class Event:
    there, waited = False, 0

    def synchronize(self) -> None:
        self.waited += 1


class Stream:
    """Tasks in a row, each with the event that it waits for, or none."""

    every: ClassVar[list[Stream]] = []

    def __init__(self, *_: Any) -> None:
        self.tasks: deque[tuple[Event | None, Callable[[], None]]] = deque()
        self.every.append(self)

    def wait_event(self, event: Event) -> None:
        self.tasks.append((event, lambda: None))

    def record_event(self) -> Event:
        made = Event()
        self.tasks.append((None, lambda: setattr(made, "there", True)))
        return made

    def wait_stream(self, other: Stream) -> None:
        self.wait_event(other.record_event())

    def do(self, task: Callable[[], None]) -> None:
        self.tasks.append((None, task))


class Device:
    """What is asked is only noted; `finish` does it."""

    def __init__(self) -> None:
        Stream.every.clear()
        self.now = Stream()
        self.recorded: list[Any] = []

    @contextlib.contextmanager
    def stream(self, one: Stream) -> Iterator[None]:
        before, self.now = self.now, one
        yield
        self.now = before

    def finish(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        while any(one.tasks for one in Stream.every):
            able = [one for one in Stream.every if one.tasks and ((first := one.tasks[0][0]) is None or first.there)]
            assert able, "everyone waits"
            able[rng.integers(len(able))].tasks.popleft()[1]()


@pytest.fixture
def device(monkeypatch: pytest.MonkeyPatch) -> Device:
    made = Device()

    class Renderer:
        """Colours every picture by its place and heading."""

        def __init__(self, scene: int) -> None:
            self.scene = scene

        def into(self, out: Any, poses: Any, *_: Any) -> None:
            shade = torch.from_numpy(((poses @ (7, 13)) + self.scene) % 251).to(torch.uint8)
            made.now.do(lambda: out.rgb.copy_(shade[:, None, None, None].expand(out.rgb.shape)))

    monkeypatch.setattr(gpu_slices, "Renderer", Renderer)
    monkeypatch.setattr(torch.cuda, "Stream", Stream)
    monkeypatch.setattr(torch.cuda, "stream", made.stream)
    monkeypatch.setattr(torch.cuda, "current_stream", lambda _: made.now)
    monkeypatch.setattr(torch.cuda, "device", lambda _: contextlib.nullcontext())
    monkeypatch.setattr(torch.Tensor, "record_stream", lambda one, stream: made.recorded.append((one, stream)))
    return made


def source(scene: int) -> RenderedPictures:
    made = RenderedPictures.__new__(RenderedPictures)
    made.city = SimpleNamespace(scene=scene, poses=lambda places, looks: np.column_stack([places, looks]))  # type: ignore[assignment]
    made.light, made.samples, made.shadows = None, 1, True  # type: ignore[assignment]
    return made


def groups(rng: np.random.Generator, counts: list[int]) -> list[list[Any]]:
    """Pieces of two worlds."""
    found = []
    for count in counts:
        runs = [(world, rng.integers(99, size=n)) for world, n in (("a", count // 2), ("b", count - count // 2))]
        found.append([(world, p, 0 * p, rng.integers(99, size=(len(p), 8))) for world, p in runs if len(p)])
    return found


def shades(pieces: list[list[Any]]) -> Any:
    """What is seen of every slice of every panorama."""
    each = [
        (7 * places[:, None] + 13 * looks + ord(world)) % 251 for piece in pieces for world, places, _, looks in piece
    ]
    return torch.from_numpy(np.concatenate(each))


@pytest.mark.parametrize("seed", range(12))
def test_pictures_are_read_before_others_take_their_room(device: Device, seed: int) -> None:
    """Two batches are begun before anything is done, in an order that changes with the seed."""
    pipeline = SlicePipeline({"a": source(ord("a")), "b": source(ord("b"))}, SMALL.lens, 3 * 8, torch.device("cpu"))
    rng, here = np.random.default_rng(seed), device.now

    def read(out: Any, rgb: Any, begin: int, end: int) -> None:
        device.now.do(lambda: out[begin:end].copy_(rgb[:, 0, 0, 0].view(end - begin, 8)))

    batches = [groups(rng, [3, 2, 3, 1]), groups(rng, [1, 3])]
    begun = [
        pipeline.submit(lambda n=n: torch.zeros(n, 8, dtype=torch.int64), one, read)  # type: ignore[misc]
        for n, one in zip((9, 4), batches, strict=True)
    ]
    got: list[Any] = []
    for one, batch in zip(begun, batches, strict=True):
        made = pipeline.wait(one)
        here.do(lambda made=made, batch=batch: got.append(torch.equal(made, shades(batch))))  # type: ignore[misc]
        assert device.recorded[-1] == (made, here)
    device.finish(seed)
    assert got == [True, True]


@pytest.mark.usefixtures("device")
def test_only_so_many_are_under_way() -> None:
    """Nothing is read here; who begins a third waits for the first."""
    pipeline = SlicePipeline({"a": source(0)}, SMALL.lens, 8, torch.device("cpu"))
    done = [pipeline.submit(lambda: torch.zeros(1), [], lambda *_: None)[1] for _ in range(4)]
    assert [one.waited for one in done] == [1, 1, 0, 0]


class ImmediatePipeline:
    """A pipeline that does everything at once, and counts its calls."""

    def __init__(self, made: ComputedFeatures) -> None:
        self.made, self.submitted = made, 0

    def submit(self, allocate: Any, chunks: Any, encode: Any) -> Any:
        self.submitted += 1
        output, begin = allocate(), 0
        for groups in chunks:
            seen = np.concatenate([self.made._group_slices(*group) for group in groups])
            encode(output, torch.from_numpy(seen), begin, begin + len(seen) // 8)
            begin += len(seen) // 8
        return output, None

    def wait(self, pending: Any) -> Any:
        return pending[0]


@pytest.fixture
def computed() -> tuple[ComputedFeatures, ComputedFeatures, ImmediatePipeline]:
    """Features by the CPU, and the same by a pipeline; panoramas of two worlds."""
    panoramas = [Panorama(world, open_city(world).graph.ids[k], 20.0 * k) for k in range(4) for world in WORLDS]
    plain, made = (ComputedFeatures(panoramas, Means(), SMALL) for _ in range(2))
    pipeline = ImmediatePipeline(made)
    made._pipeline, made.chunk_size = pipeline, 3  # type: ignore[assignment]
    return plain, made, pipeline


def test_prefetched_features_are_those_requested(
    computed: tuple[ComputedFeatures, ComputedFeatures, ImmediatePipeline],
) -> None:
    plain, made, pipeline = computed
    first, other = torch.tensor([5, 0, 3, 6, 5]), torch.tensor([1, 2])
    made.prefetch(first)
    kept = first.clone()
    first += 1  # the caller's indices may change
    assert torch.equal(made(kept), plain(kept)) and pipeline.submitted == 1
    assert torch.equal(made(kept), plain(kept)) and pipeline.submitted == 2  # returned once
    made.prefetch(kept)
    assert torch.equal(made(other), plain(other)) and pipeline.submitted == 4  # not what was said
    assert torch.equal(made(kept), plain(kept)) and made(kept).is_contiguous(memory_format=torch.channels_last)
    torch.nn.Conv2d(3, 1, 1)(made(kept)).sum().backward()
    plain.prefetch(kept)  # a CPU waits until it is asked


def test_examples_say_which_pictures_come_next(
    computed: tuple[ComputedFeatures, ComputedFeatures, ImmediatePipeline],
) -> None:
    _, made, pipeline = computed
    none, sizes = torch.zeros(4, 2, dtype=torch.int64), torch.tensor([1, 2, 2, 1])
    table = ExampleTable(made, torch.tensor([4, 4, 7, 1]), none, sizes, sizes, none.float(), torch.float32)
    table.prefetch(torch.tensor([], dtype=torch.int64))
    assert pipeline.submitted == 0
    rows = torch.tensor([2, 0])
    table.prefetch(rows)
    batch = table.batch(rows, rows)
    assert pipeline.submitted == 1 and torch.equal(batch.features, made(torch.tensor([7, 4])))


@pytest.mark.parametrize(
    ("count", "most", "expected"),
    [(10, 5, [5, 5]), (32, 5, [4, 4, 4, 5, 5, 5, 5]), (1, 5, [1]), (6, 5, [3, 3]), (0, 5, [])],
)
def test_chunks_are_even(count: int, most: int, expected: list[int]) -> None:
    found = even_chunks(count, most)
    assert sorted(end - begin for begin, end in found) == expected
    assert [k for begin, end in found for k in range(begin, end)] == list(range(count))
