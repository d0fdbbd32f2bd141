"""The agent of a language model: it puts observations into words or pictures, asks, and reads the answers."""

from __future__ import annotations

import asyncio
import base64
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from bearleft.agents.llm.answers import POINTING_KINDS, Pointing, ReadAction, UnreadableError, read_answer
from bearleft.agents.llm.budget import Budget, Limits, Prices
from bearleft.agents.llm.landmarks import Detector, Landmark, SceneLandmarks, load_detector, no_landmarks
from bearleft.agents.llm.pictures import draw_marks, picture_of, picture_pixels
from bearleft.agents.llm.prompts import Prompts
from bearleft.agents.llm.requests import ChatAnswer, ChatRequest, Model
from bearleft.agents.llm.responses import ResponseFile
from bearleft.agents.llm.words import Numbers, describe
from bearleft.agents.pipe import encode_picture
from bearleft.agents.user_file import agent_file_hash
from bearleft.conversation import Message, ModelCall
from bearleft.envs.game import Action
from bearleft.errors import InputError
from bearleft.records import REFUSED, Direction, Episode
from bearleft.types import DataFolder, Observation

PREFIX = "llm:"
TEXT_LANDMARKS, NO_LANDMARKS = "text", "none"
SAMPLING: Mapping[str, Any] = {"temperature": 0, "max_tokens": 512}
MAX_REPEATED_CHARACTERS = 2000  # of an answer that is sent again as part of the conversation
NO_ANSWER = "(no answer)"  # stands for an empty answer in a conversation; servers reject empty messages


@dataclass(frozen=True)
class LanguageModelOptions:
    """How a model is asked.

    Attributes:
        observe: "words", "pictures" or "both"; pictures are those of `bearleft eval --see`.
        landmarks: "text" for objects that the text names, from the ground truth; "none"; or the Python file of a
            detector.
        shots: The number of solved examples before the first observation.
        prompts: A folder with prompt files of your own.
        history: The number of earlier observations that are sent again; None for all of the leg.
        sampling: Settings that are sent with each request.
        ask_again: How often an unreadable answer is asked for again before its step is given up.
        give_up: After so many steps in a row without a readable answer, the leg is given up.
        concurrency: Episodes that are played at once.
        city: Seed of the city on streets without buildings, for landmarks and traffic.
        fov: The field of view of pictures of kind "view", in degrees.
    """

    observe: Literal["words", "pictures", "both"] = "words"
    landmarks: str = TEXT_LANDMARKS
    shots: int = 0
    prompts: str | None = None
    history: int | None = None
    sampling: Mapping[str, Any] = field(default_factory=lambda: SAMPLING)
    ask_again: int = 1
    give_up: int = 3
    concurrency: int = 8
    city: int | None = None
    fov: float = 90.0

    def __post_init__(self) -> None:
        for name, low in (("shots", 0), ("ask_again", 0), ("give_up", 1), ("concurrency", 1)):
            if getattr(self, name) < low:
                raise InputError(f"{low} or more", str(getattr(self, name)), name)
        if self.history is not None and self.history < 0:
            raise InputError("0 or more", str(self.history), "history")


class LanguageModelAgent:
    """Play any leg by a language model.

    `evaluate` plays `concurrency` episodes at once, each in a `Session`.

    Args:
        name: The name of the model.
        model: Answers requests: `OpenAIModel`, or `in_process(function)`.
        options: How it is asked.
        url: The address of its endpoint; empty for a model in this process.
        responses: The file of answers; None to keep none.
        limits: The budget.
        prices: Prices of tokens.
        data: Folder of the datasets.
    """

    def __init__(
        self,
        name: str,
        model: Model | None,
        options: LanguageModelOptions | None = None,
        url: str = "",
        responses: ResponseFile | None = None,
        limits: Limits | None = None,
        prices: Prices | None = None,
        data: DataFolder = None,
    ) -> None:
        self.name, self.model, self.url, self.responses = name, model, url, responses
        self.options = options or LanguageModelOptions()
        self.label, self.concurrency, self.data = f"{PREFIX}{name}", self.options.concurrency, data
        self.prompts = Prompts.read(self.options.prompts)
        self.prices = prices or Prices()
        paid = responses.answers.values() if responses is not None and not responses.replay else ()
        self.budget = Budget(limits or Limits(), self.prices, paid)
        self.detector = self._open_detector()
        self._asked: dict[str, asyncio.Future[ChatAnswer]] = {}
        self._stopped: InputError | None = None

    def _open_detector(self) -> Detector:
        landmarks = self.options.landmarks
        if landmarks == TEXT_LANDMARKS:
            return SceneLandmarks(self.options.city, self.data)
        return no_landmarks if landmarks == NO_LANDMARKS else load_detector(landmarks)

    @property
    def label_options(self) -> list[str]:
        """The options that differ from the defaults, as they are part of the agent's name in traces."""
        defaults, parts = LanguageModelOptions(), []
        for name in ("observe", "landmarks", "shots", "history", "ask_again", "give_up"):
            value = getattr(self.options, name)
            if value != getattr(defaults, name):
                is_file = name == "landmarks" and value != NO_LANDMARKS
                parts.append(f"{name}={value}{f':{agent_file_hash(value)}' if is_file else ''}")
        if dict(self.options.sampling) != dict(SAMPLING):
            parts += [f"{name}={value}" for name, value in sorted(self.options.sampling.items())]
        if self.prompts.own:
            parts.append(f"prompts={self.prompts.hash}")
        return parts

    @property
    def _file(self) -> str:
        """The name of the run in errors."""
        return self.label if self.responses is None else str(self.responses.path)

    def session(self, episode: Episode, rng: np.random.Generator) -> Session:
        """Return a new session for an episode."""
        return Session(self, episode)

    async def ask(self, request: ChatRequest) -> ChatAnswer:
        """Return the answer to a request: a stored one, or else the model's, which is stored first.

        Raises:
            InputError: The budget is spent, the model does not answer, or another request of this run failed.
        """
        if self.responses is not None and (stored := self.responses.get(request)) is not None:
            return stored
        key = request.key
        if key not in self._asked:
            self._asked[key] = asyncio.ensure_future(self._pay(request))
        try:
            return await asyncio.shield(self._asked[key])
        finally:
            if self.responses is not None and self._asked.get(key) is not None and self._asked[key].done():
                del self._asked[key]

    async def _pay(self, request: ChatRequest) -> ChatAnswer:
        """Send a request, and store its answer."""
        if self._stopped is not None:
            raise self._stopped
        assert self.model is not None
        if (exhausted := self.budget.exhausted()) is not None:
            self._stopped = exhausted.at(file=self._file)
            raise self._stopped
        self.budget.under_way += 1
        try:
            answer = await self.model(request)
        except InputError as error:
            self._stopped = error.at(file=self._file)
            raise self._stopped from error
        finally:
            self.budget.under_way -= 1
        self.budget.spend(answer)
        if self.responses is not None:
            self.responses.add(request, answer)
        return answer

    async def aclose(self) -> None:
        """Wait for the answers under way, which are paid, and close connections."""
        if pending := [asked for asked in self._asked.values() if not asked.done()]:
            _, late = await asyncio.wait(pending, timeout=getattr(self.model, "timeout", None))
            for asked in late:
                asked.cancel()
        for asked in self._asked.values():
            if asked.done() and not asked.cancelled():
                asked.exception()  # has been raised where the answer was awaited
        self._asked.clear()
        await getattr(self.model, "close", _nothing)()

    def close(self) -> None:
        """Close the file of answers."""
        if self.responses is not None:
            self.responses.close()


async def _nothing() -> None:
    pass


@dataclass(frozen=True)
class _Turn:
    """An observation as it was sent, and the answer."""

    text: str
    answer: str


class Session:
    """One episode of a language model: a conversation for each leg."""

    def __init__(self, agent: LanguageModelAgent, episode: Episode) -> None:
        self.agent, self.options, self.episode = agent, agent.options, episode
        self.calls: list[ModelCall] = []
        self._numbers = Numbers()
        self._leg = -1
        self._turns: list[_Turn] = []
        self._unreadable = 0
        self._place: str | None = None
        self._came_from: str | None = None

    def take_calls(self) -> tuple[ModelCall, ...]:
        """Return the calls since the last time."""
        calls, self.calls = tuple(self.calls), []
        return calls

    async def act(self, observation: Observation) -> Action:
        """Return the next action; REFUSED for a step without a readable answer.

        Raises:
            InputError: The model cannot be asked.
        """
        if observation["leg"] != self._leg:
            self._leg, self._turns, self._unreadable = observation["leg"], [], 0
            self._place = self._came_from = None
        if (place := observation.get("place")) != self._place:
            self._place, self._came_from = place, self._place
        if self._unreadable >= self.options.give_up:
            return REFUSED
        text, picture, pointing = self._observe(observation)
        for _ in range(1 + self.options.ask_again):
            action = await self._ask(text, picture, observation, pointing)
            if isinstance(action, ReadAction):
                self._unreadable = 0
                return action.action
            text = self.agent.prompts.unreadable(action)
        self._unreadable += 1
        return REFUSED

    def _observe(self, observation: Observation) -> tuple[str, str | None, Pointing]:
        """Return an observation's words, its picture as a PNG file in base64, and what answers can point at."""
        kind, in_words = observation["kind"], self.options.observe != "pictures"
        landmarks = self._landmarks(observation)
        says_landmarks = in_words and self.options.landmarks != NO_LANDMARKS
        if in_words:
            words = describe(
                self.episode,
                observation,
                landmarks if says_landmarks else None,
                self.options.city,
                self.agent.data,
                self._came_from,
            )
        else:
            words = f"Step {observation.get('step', 0) + 1} of at most {observation.get('horizon', 1)}."
            if kind == "look":
                words += f" Sentence {observation['sentence'] + 1} of {observation['sentences']}."
            elif kind == "assemble":
                words += f" You carry the {observation['carried'].lower()}."
        marks = {number: Direction(at.heading, at.pitch) for number, at in landmarks} if kind in POINTING_KINDS else {}
        picture, pixel = None, None
        if self.options.observe != "words":
            picture, pixel, shown = self._picture(observation, marks)
            words += f"\nMarks in the picture: {', '.join(map(str, shown)) or 'none'}." if marks else ""
        return f"{self._instruction(observation)}{words}", picture, Pointing(marks, pixel)

    def _landmarks(self, observation: Observation) -> list[tuple[int, Landmark]]:
        kind = observation["kind"]
        if kind == "assemble" or (self.options.observe == "pictures" and kind not in POINTING_KINDS):
            return []
        return [(self._numbers.of(landmark), landmark) for landmark in self.agent.detector(self.episode, observation)]

    def _instruction(self, observation: Observation) -> str:
        """Return what the text says so far; of a text given at once, before the first observation only."""
        if observation["kind"] == "look":
            sentences = self.episode.legs[observation["leg"]].sentences or (observation["text"],)
            return f"Sentences so far: {' '.join(sentences[: observation['sentence'] + 1])}\n\n"
        return "" if self._turns and self.options.history is None else f"Instruction: {observation['text']}\n\n"

    def _picture(self, observation: Observation, marks: Mapping[int, Direction]) -> tuple[str, Any, list[int]]:
        shown, pixels = picture_of(observation), picture_pixels(observation, self.options.fov)
        if shown is None:
            hint = "Add --see view or --see panorama."
            raise InputError("observations with pictures", "none", "observe", hint=hint)
        picture, direction, points = shown[1], None, {}
        if pixels is not None:
            direction, pixel = pixels
            at = {number: pixel(look) for number, look in marks.items()}
            points = {number: spot for number, spot in at.items() if spot is not None}
        return encode_picture(draw_marks(picture, points) if points else picture), direction, sorted(points)

    async def _ask(
        self, text: str, picture: str | None, observation: Observation, pointing: Pointing
    ) -> ReadAction | str:
        """Ask for one action; return it, or the name of what makes the answer unreadable."""
        kind, agent = observation["kind"], self.agent
        begin: list[tuple[str, str]] = [("system", agent.prompts.system(kind))]
        for question, solution in agent.prompts.shots(kind, self.options.shots):
            begin += [("user", question), ("assistant", solution)]
        history = self.options.history
        earlier = self._turns if history is None else self._turns[len(self._turns) - history :] if history else []
        parts = [*begin]
        for turn in earlier:
            parts += [("user", turn.text), ("assistant", turn.answer)]
        messages: list[dict[str, Any]] = [{"role": role, "content": content} for role, content in parts]
        pictures: tuple[str, ...] = ()
        if picture is None:
            messages.append({"role": "user", "content": text})
        else:
            url = {"url": f"data:image/png;base64,{picture}"}
            content = [{"type": "text", "text": text}, {"type": "image_url", "image_url": url}]
            messages.append({"role": "user", "content": content})
            pictures = (hashlib.sha256(base64.b64decode(picture)).hexdigest(),)
        answer = await agent.ask(ChatRequest(agent.name, agent.url, messages, self.options.sampling))
        new = [*(begin if not self._turns else ()), ("user", text)]
        read: ReadAction | str
        try:
            read = read_answer(answer, observation, pointing)
        except UnreadableError as error:
            read = str(error)
        self.calls.append(
            ModelCall(
                observation.get("step", 0),
                tuple(Message(role, content, pictures if content is text else ()) for role, content in new),
                answer.text,
                read.words if isinstance(read, ReadAction) else "",
                read if isinstance(read, str) else "",
                answer.input_tokens,
                answer.output_tokens,
                agent.prices.cost(answer.input_tokens, answer.output_tokens),
                answer.seconds,
                answer.attempts,
            )
        )
        self._turns.append(_Turn(text, answer.text[:MAX_REPEATED_CHARACTERS].strip() or NO_ANSWER))
        return read
