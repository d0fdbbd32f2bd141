"""The peers of walks with pictures: plain loops over environments, with a call of the same network for each step.

Environments and pictures come from the host as numpy arrays, and actions go back to it. Pictures are rendered on the
network's device.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from bearleft.bench.reinforce.pictures import NETWORK, REWARD, PictureInputs
from bearleft.bench.reinforce.timing import LOOP, Call, Contender
from bearleft.envs.rewards import REWARDS
from bearleft.envs.rewards.tracking import VectorWalkTracker
from bearleft.envs.vector import VectorReach
from bearleft.models.draw import draw
from bearleft.models.walking.examples import StepReader
from bearleft.models.walking.network import NO_ACTION, RGB
from bearleft.models.walking.views import RGB_FOV, RGB_SIDE
from bearleft.types import Progress
from bearleft.world.city.city import open_city
from bearleft.world.pictures import RenderedPictures

GYMNASIUM = "gymnasium"
SIZE = RGB_SIDE, RGB_SIDE


class HostPictures:
    """Views that an environment rendered, copied to the network's device."""

    kind: str = RGB
    shape: tuple[int, ...] = (3, RGB_SIDE, RGB_SIDE)

    def __init__(self, device: torch.device) -> None:
        self.device, self.pictures = device, np.zeros((0, *SIZE, 3), np.uint8)

    def prepare(
        self, places: npt.NDArray[np.int64], headings: npt.NDArray[np.float64], progress: Progress | None = None
    ) -> None:
        """Do nothing."""

    def __call__(self, places: Tensor, headings: Tensor) -> Tensor:
        """Return the present pictures of all walkers."""
        return torch.from_numpy(self.pictures).to(self.device).permute(0, 3, 1, 2)[:, None].float() / 255.0


class StepPolicy:
    """RCONCAT, called for each step of all walkers."""

    def __init__(self, inputs: PictureInputs) -> None:
        self.inputs, self.views = inputs, HostPictures(inputs.device)
        self.reader = StepReader.make(inputs.network, inputs.table.places, self.views, inputs.device)

    @torch.no_grad()
    def begin(self, texts: list[str]) -> None:
        """Read the texts of walks that begin now."""
        words, lengths = self.inputs.tokenizer.encode_batch(texts)
        device = self.inputs.device
        with torch.autocast(device.type, torch.bfloat16, enabled=self.inputs.half):
            self.text = self.inputs.network.encode(
                torch.from_numpy(words).to(device), torch.from_numpy(lengths).to(device)
            )
        self.step, self.state = 0, None
        self.before: Tensor | None = None
        self.previous = torch.full((len(texts), 1), NO_ACTION, device=device)

    @torch.no_grad()
    def act(self, places: Any, headings: Any, pictures: npt.NDArray[np.uint8]) -> npt.NDArray[np.int64]:
        """Return the action of each walker."""
        device, self.views.pictures = self.inputs.device, pictures
        place = torch.from_numpy(np.asarray(places, np.int64)).to(device)[:, None]
        heading = torch.from_numpy(np.asarray(headings, np.float32)).to(device)[:, None]
        steps = self.reader(place, heading, heading if self.before is None else self.before, self.previous, self.step)
        with torch.autocast(device.type, torch.bfloat16, enabled=self.inputs.half):
            policy = self.inputs.network(self.text, steps, self.state)
        self.state, self.before, self.step = policy.state, heading, self.step + 1
        self.previous = draw(policy.log_probs[:, 0].float())[:, None]
        actions: npt.NDArray[np.int64] = self.previous[:, 0].cpu().numpy()
        return actions


class VectorReachLoop:
    """Walkers of `VectorReach`, their rewards, and pictures of the renderer."""

    def __init__(self, inputs: PictureInputs, walkers: int) -> None:
        self.inputs, self.policy = inputs, StepPolicy(inputs)
        self.walkers = VectorReach(inputs.episodes, inputs.graph, walkers, inputs.sizes.horizon)
        self.tracker = VectorWalkTracker(REWARDS[REWARD], self.walkers)
        self.pictures = RenderedPictures(open_city(inputs.sizes.city), inputs.device.type)
        self.numbers = inputs.indices(walkers).cpu().numpy()

    def __call__(self) -> int:
        """Let all walkers walk, and return the number of their steps."""
        self.walkers.reset(self.numbers)
        self.tracker.begin(np.ones(len(self.numbers), np.bool_))
        self.policy.begin([self.inputs.episodes[k].legs[0].text for k in self.numbers])
        steps = 0
        while not self.walkers.ended.all():
            steps += int((~self.walkers.ended).sum())
            seen = self.walkers.observe()
            pictures = self.pictures.views(seen.place, seen.heading, 0.0, SIZE, RGB_FOV)
            self.tracker.step(*self.walkers.step(self.policy.act(seen.place, seen.heading, pictures)))
        return steps


class GymnasiumLoop:
    """Walkers of a Gymnasium vector environment: bearleft's own, or single environments in sequence."""

    def __init__(self, inputs: PictureInputs, walkers: int, single: bool) -> None:
        import gymnasium
        from gymnasium.vector import SyncVectorEnv

        import bearleft.envs.gym  # noqa: F401  (registers the environments)

        self.inputs, self.policy = inputs, StepPolicy(inputs)
        options: dict[str, Any] = {
            "dataset": inputs.episodes,
            "horizon": inputs.sizes.horizon,
            "reward": REWARD,
            "see": "view",
            "size": RGB_SIDE,
            "fov": RGB_FOV,
            "device": inputs.device.type,
        }
        name = "bearleft/Reach-v0"
        if single:
            self.env: Any = SyncVectorEnv([lambda: gymnasium.make(name, **options) for _ in range(walkers)])
        else:
            self.env = gymnasium.make_vec(name, walkers, "vector_entry_point", **options)

    def __call__(self) -> int:
        """Let all walkers walk, and return the number of their steps."""
        seen, _ = self.env.reset(seed=0)
        self.policy.begin(list(seen["text"]))
        running, steps = np.ones(len(seen["text"]), np.bool_), 0
        while running.any():
            steps += int(running.sum())
            actions = self.policy.act(seen["place"], seen["heading"][:, 0], seen["view"])
            seen, _, terminated, truncated, _ = self.env.step(actions)
            running &= ~(terminated | truncated)
        return steps


def loop_contenders(inputs: PictureInputs) -> tuple[list[Contender], list[str]]:
    """Return the loops that this machine can run, and remarks on those that it cannot."""
    walkers, singles = inputs.sizes.picture_loop_walkers, inputs.sizes.single_walkers

    def contender(form: str, count: int, make: Any) -> Contender:
        return Contender(NETWORK, inputs.sizes.city, f"{LOOP}: {form}", count, make, inputs.precision)

    def vector_reach() -> Call:
        return VectorReachLoop(inputs, walkers)

    contenders = [contender("VectorReach, pictures rendered at each step", walkers, vector_reach)]
    vector, sync = "gymnasium.make_vec of Reach", "SyncVectorEnv of single Reach"
    if find_spec(GYMNASIUM) is None:
        return contenders, [f"Gymnasium is not installed, so these loops are left out: {vector}, {sync}."]
    return [
        *contenders,
        contender(vector, walkers, lambda: GymnasiumLoop(inputs, walkers, single=False)),
        contender(sync, singles, lambda: GymnasiumLoop(inputs, singles, single=True)),
    ], []
