"""Every agent is described in a line."""

from __future__ import annotations

import pytest

from bearleft.agents.descriptions import DESCRIPTIONS, describe_agent
from bearleft.agents.registry import AGENTS


def test_every_built_in_agent_has_a_line_of_its_own() -> None:
    assert list(DESCRIPTIONS) == list(AGENTS)
    assert all(line.endswith(".") and len(line) <= 140 for line in DESCRIPTIONS.values())
    assert len(set(DESCRIPTIONS.values())) == len(AGENTS)


def test_the_followers_line_says_what_it_knows() -> None:
    assert "every word" in DESCRIPTIONS["follower"] and "true scene" in DESCRIPTIONS["follower"]


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("follower (horizon 20)", DESCRIPTIONS["follower"]),
        ("average:city/sdr/train", "Does not read: points at the mean of the targets of city/sdr/train."),
        ("walker.py[6a9d6568]", "Your own agent, in walker.py."),
        ("agents/walker.py:Walker", "Your own agent, in agents/walker.py."),
        ("runs/ours/best.pt", "A trained network, from runs/ours/best.pt."),
        ("pipe:./walker --fast", "A program that answers over a pipe: ./walker --fast"),
        ("submission", ""),
        ("stopper", ""),
    ],
)
def test_other_names_say_where_the_agent_comes_from(name: str, line: str) -> None:
    assert describe_agent(name) == line
