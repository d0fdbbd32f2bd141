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

SMALL_SLICING, WORLDS = Slicing(8, 8), ("city/3/4x5", "rooms/0/12")


class Event:
    done, waits = False, 0

    def synchronize(self) -> None:
        self.waits += 1


class Stream:
    """A fake stream: a queue of tasks, each with the event that it waits for, or None."""

    instances: ClassVar[list[Stream]] = []

    def __init__(self, *_: Any) -> None:
        self.tasks: deque[tuple[Event | None, Callable[[], None]]] = deque()
        self.instances.append(self)

    def wait_event(self, event: Event) -> None:
        self.tasks.append((event, lambda: None))

    def record_event(self) -> Event:
        event = Event()
        self.tasks.append((None, lambda: setattr(event, "done", True)))
        return event

    def wait_stream(self, other: Stream) -> None:
        self.wait_event(other.record_event())

    def do(self, task: Callable[[], None]) -> None:
        self.tasks.append((None, task))


class Device:
    """A fake device: tasks are queued, and run by `finish` in random order."""

    def __init__(self) -> None:
        Stream.instances.clear()
        self.current = Stream()
        self.recorded: list[Any] = []

    @contextlib.contextmanager
    def stream(self, stream: Stream) -> Iterator[None]:
        previous, self.current = self.current, stream
        yield
        self.current = previous

    def finish(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        while any(stream.tasks for stream in Stream.instances):
            ready = [
                stream
                for stream in Stream.instances
                if stream.tasks and ((event := stream.tasks[0][0]) is None or event.done)
            ]
            assert ready, "deadlock"
            ready[rng.integers(len(ready))].tasks.popleft()[1]()


@pytest.fixture
def device(monkeypatch: pytest.MonkeyPatch) -> Device:
    device = Device()

    class Renderer:
        """Colours every picture by its place and heading."""

        def __init__(self, scene: int) -> None:
            self.scene = scene

        def into(self, out: Any, poses: Any, *_: Any) -> None:
            shade = torch.from_numpy(((poses @ (7, 13)) + self.scene) % 251).to(torch.uint8)
            device.current.do(lambda: out.rgb.copy_(shade[:, None, None, None].expand(out.rgb.shape)))

    monkeypatch.setattr(gpu_slices, "Renderer", Renderer)
    monkeypatch.setattr(torch.cuda, "Stream", Stream)
    monkeypatch.setattr(torch.cuda, "stream", device.stream)
    monkeypatch.setattr(torch.cuda, "current_stream", lambda _: device.current)
    monkeypatch.setattr(torch.cuda, "device", lambda _: contextlib.nullcontext())
    monkeypatch.setattr(torch.Tensor, "record_stream", lambda tensor, stream: device.recorded.append((tensor, stream)))
    return device


def fake_pictures(scene: int) -> RenderedPictures:
    pictures = RenderedPictures.__new__(RenderedPictures)
    city: Any = SimpleNamespace(scene=scene, poses=lambda places, looks: np.column_stack([places, looks]))
    pictures.city = city
    pictures.light, pictures.samples, pictures.shadows = None, 1, True  # type: ignore[assignment]
    return pictures


def random_chunks(rng: np.random.Generator, counts: list[int]) -> list[list[Any]]:
    """Return chunks of panoramas of two worlds."""
    chunks = []
    for count in counts:
        runs = [(world, rng.integers(99, size=n)) for world, n in (("a", count // 2), ("b", count - count // 2))]
        chunks.append([(world, p, 0 * p, rng.integers(99, size=(len(p), 8))) for world, p in runs if len(p)])
    return chunks


def expected_colours(chunks: list[list[Any]]) -> Any:
    """Return the expected colour of every slice of every panorama."""
    colours = [
        (7 * places[:, None] + 13 * looks + ord(world)) % 251 for chunk in chunks for world, places, _, looks in chunk
    ]
    return torch.from_numpy(np.concatenate(colours))


@pytest.mark.parametrize("seed", range(12))
def test_buffers_are_encoded_before_they_are_reused(device: Device, seed: int) -> None:
    """Two batches are submitted before any task runs; tasks run in an order that depends on the seed."""
    pipeline = SlicePipeline(
        {"a": fake_pictures(ord("a")), "b": fake_pictures(ord("b"))}, SMALL_SLICING.lens, 3 * 8, torch.device("cpu")
    )
    rng, main_stream = np.random.default_rng(seed), device.current

    def read(out: Any, rgb: Any, begin: int, end: int) -> None:
        device.current.do(lambda: out[begin:end].copy_(rgb[:, 0, 0, 0].view(end - begin, 8)))

    batches = [random_chunks(rng, [3, 2, 3, 1]), random_chunks(rng, [1, 3])]
    pending = [
        pipeline.submit(lambda n=n: torch.zeros(n, 8, dtype=torch.int64), batch, read)  # type: ignore[misc]
        for n, batch in zip((9, 4), batches, strict=True)
    ]
    correct: list[Any] = []
    for maps, batch in zip(pending, batches, strict=True):
        output = pipeline.wait(maps)
        main_stream.do(
            lambda output=output, batch=batch: correct.append(  # type: ignore[misc]
                torch.equal(output, expected_colours(batch))
            )
        )
        assert device.recorded[-1] == (output, main_stream)
    device.finish(seed)
    assert correct == [True, True]


@pytest.mark.usefixtures("device")
def test_number_of_pending_calls_is_limited() -> None:
    """The third call waits for the first one."""
    pipeline = SlicePipeline({"a": fake_pictures(0)}, SMALL_SLICING.lens, 8, torch.device("cpu"))
    events = [pipeline.submit(lambda: torch.zeros(1), [], lambda *_: None)[1] for _ in range(4)]
    assert [event.waits for event in events] == [1, 1, 0, 0]


class ImmediatePipeline:
    """A pipeline that does everything at once, and counts its calls."""

    def __init__(self, features: ComputedFeatures) -> None:
        self.features, self.submitted = features, 0

    def submit(self, allocate: Any, chunks: Any, encode: Any) -> Any:
        self.submitted += 1
        output, begin = allocate(), 0
        for groups in chunks:
            rgb = np.concatenate([self.features._group_slices(*group) for group in groups])
            encode(output, torch.from_numpy(rgb), begin, begin + len(rgb) // 8)
            begin += len(rgb) // 8
        return output, None

    def wait(self, pending: Any) -> Any:
        return pending[0]


@pytest.fixture
def computed() -> tuple[ComputedFeatures, ComputedFeatures, ImmediatePipeline]:
    """Features by the CPU, and the same by a pipeline; panoramas of two worlds."""
    panoramas = [Panorama(world, open_city(world).graph.ids[k], 20.0 * k) for k in range(4) for world in WORLDS]
    plain, pipelined = (ComputedFeatures(panoramas, Means(), SMALL_SLICING) for _ in range(2))
    pipeline = ImmediatePipeline(pipelined)
    pipelined._pipeline, pipelined.chunk_size = pipeline, 3  # type: ignore[assignment]
    return plain, pipelined, pipeline


def test_prefetched_features_equal_requested_ones(
    computed: tuple[ComputedFeatures, ComputedFeatures, ImmediatePipeline],
) -> None:
    plain, pipelined, pipeline = computed
    first, other = torch.tensor([5, 0, 3, 6, 5]), torch.tensor([1, 2])
    pipelined.prefetch(first)
    indices = first.clone()
    first += 1  # the caller's indices may change
    assert torch.equal(pipelined(indices), plain(indices)) and pipeline.submitted == 1
    assert torch.equal(pipelined(indices), plain(indices)) and pipeline.submitted == 2  # returned once
    pipelined.prefetch(indices)
    assert torch.equal(pipelined(other), plain(other)) and pipeline.submitted == 4  # other indices than prefetched
    assert torch.equal(pipelined(indices), plain(indices)) and pipelined(indices).is_contiguous(
        memory_format=torch.channels_last
    )
    torch.nn.Conv2d(3, 1, 1)(pipelined(indices)).sum().backward()
    plain.prefetch(indices)  # does nothing on a CPU


def test_example_table_prefetches_the_next_batch(
    computed: tuple[ComputedFeatures, ComputedFeatures, ImmediatePipeline],
) -> None:
    _, pipelined, pipeline = computed
    none, sizes = torch.zeros(4, 2, dtype=torch.int64), torch.tensor([1, 2, 2, 1])
    table = ExampleTable(pipelined, torch.tensor([4, 4, 7, 1]), none, sizes, sizes, none.float(), torch.float32)
    table.prefetch(torch.tensor([], dtype=torch.int64))
    assert pipeline.submitted == 0
    rows = torch.tensor([2, 0])
    table.prefetch(rows)
    batch = table.batch(rows, rows)
    assert pipeline.submitted == 1 and torch.equal(batch.features, pipelined(torch.tensor([7, 4])))


@pytest.mark.parametrize(
    ("count", "max_size", "expected"),
    [(10, 5, [5, 5]), (32, 5, [4, 4, 4, 5, 5, 5, 5]), (1, 5, [1]), (6, 5, [3, 3]), (0, 5, [])],
)
def test_chunks_are_even(count: int, max_size: int, expected: list[int]) -> None:
    chunks = even_chunks(count, max_size)
    assert sorted(end - begin for begin, end in chunks) == expected
    assert [k for begin, end in chunks for k in range(begin, end)] == list(range(count))
