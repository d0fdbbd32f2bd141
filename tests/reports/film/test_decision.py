"""Films of ArraMon show what the agent's network computed: probabilities of actions, attention over view and words."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from PIL import Image

from bearleft.agents.oracles import Gold
from bearleft.envs.game import Action, Decision, Observation
from bearleft.evaluation.play import play
from bearleft.policy import Policy, PolicyStep
from bearleft.records import Trace
from bearleft.reports.arramon_replay import replay
from bearleft.reports.film import decision as drawn
from bearleft.reports.film.arramon import TaskLayout, task_shots
from bearleft.reports.film.shots import Pace
from tests.envs.arramon.example_tasks import task

NAMES = ("forward", "left", "right", "pick")


class Deciding(Gold):
    """The reference as decisions, the probability of an action falling with each step."""

    label = "deciding"

    def act(self, observation: Observation) -> Action:
        """Return the next action with what it computed."""
        action = super().act(observation)
        assert isinstance(action, str)
        share = 0.9 - 0.01 * observation["step"]
        return Decision(action, (share, 1 - share, 0.0, 0.0), (1.0, 4.0), ((0, 2), (3, 6)), np.arange(24.0))


def made(probabilities: tuple[float, ...] = (0.1, 0.6, 0.2, 0.1), **weights: Any) -> drawn.Decision:
    """Return the decision of one step."""
    step = PolicyStep.quantize(probabilities, **weights)
    return drawn.Decision.at(Policy((step,), ((0, 2), (3, 6)) if step.words else ()), NAMES, ("left",), 0)


def pixels(sheet: Image.Image, colour: tuple[int, int, int]) -> int:
    """Return how many pixels have a colour."""
    return int((np.asarray(sheet) == colour).all(axis=2).sum())


def test_the_bar_of_an_action_is_as_long_as_its_probability() -> None:
    areas = []
    for share in (0.0, 0.5, 1.0):
        sheet = Image.new("RGB", (300, 120))
        drawn.draw_actions(sheet, made((1 - share, share, 0.0, 0.0)), 5, 5, 12)
        areas.append(pixels(sheet, drawn.CHOSEN) - pixels(sheet, drawn.OTHER))
    assert areas[0] < areas[1] < areas[2]


def test_attention_over_the_view_stands_below_where_it_looks() -> None:
    weights = np.zeros(24)
    weights[2] = 1.0  # 30 degrees to the right; the view shows 45 to each side
    sheet = Image.new("RGB", (200, 100))
    drawn.draw_view_attention(sheet, made(views=weights), (0, 0, 200, 100), 90.0, 6)
    columns = np.flatnonzero((np.asarray(sheet)[97] == drawn.CHOSEN).all(axis=1))
    assert 100 + 100 * np.tan(np.radians(22.5)) - 2 < columns.min() and columns.max() < 102 + 100 * np.tan(
        np.radians(37.5)
    )
    assert not np.asarray(sheet)[:90].any()
    blank = Image.new("RGB", (200, 100))
    drawn.draw_view_attention(blank, made(), (0, 0, 200, 100), 90.0, 6)
    assert not np.asarray(blank).any()  # it does not see


def test_a_word_has_the_largest_weight_of_its_tokens() -> None:
    decision = made(words=[1.0, 4.0])
    assert decision.word_weight(3, 8) == 1.0 and decision.word_weight(0, 2) == 64 / 255
    assert decision.word_weight(0, 4) == 1.0 and decision.word_weight(7, 9) == 0.0


def test_every_shot_of_a_task_shows_the_decision_for_its_action() -> None:
    episode = task("1")
    legs = play(Deciding(), episode)
    trace = Trace("1", "mine", "deciding", legs)
    replayed = {leg.leg: leg for leg in replay(episode, trace)}
    layout = TaskLayout(episode, legs, "deciding", 320, replayed, None)  # type: ignore[arg-type]
    shots = task_shots(episode, trace, Pace(2, 0.5))
    for shot in shots:
        decision, actions = layout.decision(shot), legs[shot.leg].actions
        assert decision is not None
        assert decision.names[decision.chosen] == actions[shot.action]
        assert decision.step.probabilities[0] == round(0.9 - 0.01 * shot.action, 3)
        assert decision.names[3] == ("place" if shot.leg % 2 else "pick")
    for k, leg in enumerate(legs):
        assert {shot.action for shot in shots if shot.leg == k} == set(range(len(leg.actions)))
    blind = tuple(replace(leg, policy=None) for leg in legs)
    without = TaskLayout(episode, blind, "gold", 320, replayed, None)  # type: ignore[arg-type]
    assert all(without.decision(shot) is None for shot in shots)
    assert drawn.CHOSEN in layout.colours and drawn.CHOSEN not in without.colours


def test_words_are_underlined_by_their_weight() -> None:
    episode = task("1")
    legs = play(Deciding(), episode)
    trace = Trace("1", "mine", "deciding", legs)
    replayed = {leg.leg: leg for leg in replay(episode, trace)}
    shot = task_shots(episode, trace, Pace(2, 0.5))[1]
    sheets = []
    for shown in (legs, tuple(replace(leg, policy=None) for leg in legs)):
        layout = TaskLayout(episode, shown, "", 320, replayed, None)  # type: ignore[arg-type]
        sheet = Image.new("RGB", (layout.width, layout.height))
        layout._draw_text(sheet, shot)
        sheets.append(pixels(sheet, drawn.CHOSEN))
    assert sheets[0] > 0 == sheets[1]
