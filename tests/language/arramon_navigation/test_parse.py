from __future__ import annotations

from dataclasses import replace
from random import Random

import numpy as np
import pytest

from bearleft.language.arramon_navigation.follow import follow_instruction
from bearleft.language.arramon_navigation.object_names import SYNONYMS, with_usual_names
from bearleft.language.arramon_navigation.parse import BASE_FRAMES, TURN_FRAMES, parse_frames
from bearleft.language.arramon_navigation.scene import SectionScene
from bearleft.language.arramon_navigation.semantics import LEFT, RIGHT, ClauseFrame, ItemPhrase, follow_frames
from bearleft.language.arramon_navigation.templates import CLAUSES, CROSSING_NOUNS, PICK_VERBS
from bearleft.language.lexicon.lexicon import OUTDOOR_NAMES
from bearleft.world.arramon.moves import AGENT_Z, GRID_HEADING, PICK, is_in_reach, replay
from bearleft.world.arramon.task_setup import CityItem
from bearleft.world.arramon.walkable import UNOBSTRUCTED
from bearleft.world.city import palette
from bearleft.world.city.catalog import class_index

WALL = (0.0, 10.0, 0.0, 1.0, 3.0, 1.0)  # from west to east, ten metres north


def make_scene(*objects: tuple[str, str, float, float], walls: tuple[tuple[float, ...], ...] = ()) -> SectionScene:
    """Return a scene of objects with class, colour and position, and a crossing 20 metres north."""
    kinds, colours, east, north = zip(*objects, strict=True) if objects else ((), (), (), ())
    paints = np.array([palette.colour_index(colour) for colour in colours], np.int64)
    return SectionScene(
        np.arange(1, len(objects) + 1),
        np.array([class_index(kind) for kind in kinds], np.int64),
        np.zeros(len(objects), np.int64),
        paints,
        paints,
        paints,
        np.array(east, float),
        np.array(north, float),
        np.array([4.0 * (kind == "building") for kind in kinds]),
        np.array([(0.0, 20.0)]),
        np.array(walls, float).reshape(-1, 6),
    )


@pytest.mark.parametrize("name", CLAUSES)
def test_every_rendered_clause_is_parsed_back(name: str) -> None:
    random = Random(name)
    slots = {
        "thing": "the blue mailbox",
        "other_thing": "a bench",
        "item_thing": "the striped red mug",
        "nth": "second",
    }
    for clause in CLAUSES[name]:
        for _ in range(6):
            values = slots | {"side": "left", "crossing": random.choice(CROSSING_NOUNS)}
            clause_text = clause.template.render(random, **values).string
            frames = parse_frames(clause_text)
            assert len(frames) == 1, clause_text
            frame = frames[0]
            kind, turn = TURN_FRAMES.get(name, (BASE_FRAMES.get(name, name), ""))
            if name.split()[0] in PICK_VERBS:
                kind, _, relation = name.partition(" ")
                assert frame.relation == relation, clause_text
                assert frame.item is not None, clause_text
                kind = "pick"
            assert (frame.name, frame.turn) == (kind, turn), clause_text
            assert (frame.thing is not None) == ("thing" in clause.slots), clause_text
            assert (frame.other is not None) == ("other_thing" in clause.slots), clause_text
            assert frame.side == (LEFT if "side" in clause.slots else 0), clause_text
            assert frame.nth == (2 if "nth" in clause.slots else 0), clause_text


def test_text_is_parsed_into_frames() -> None:
    frames = parse_frames(
        "Turn right to face the closest hydrant, then walk past two barrels. Grab a white spotted TV by it."
    )
    assert [frame.name for frame in frames] == ["turn", "pass", "pick"]
    assert frames[0].thing is not None
    assert frames[0].thing.ordinal == 1
    assert frames[1].thing is not None
    assert frames[1].thing.number == 2
    assert frames[2].item == ItemPhrase("a white spotted tv", "dotted", "white", "tv")
    assert parse_frames("Lovely weather today.") == []
    assert parse_frames("") == []


def test_objects_are_found_ahead_and_counted() -> None:
    scene = make_scene(
        ("barrel", "red", 1, 5), ("barrel", "blue", -1, 9), ("barrel", "red", 0, -6), ("mailbox", "blue", 8, 9)
    )
    city_items = [CityItem("Dotted Red Mug", (0.0, 30.0, 0.0))]

    def positions(text: str, heading: float = 0.0) -> list[tuple[float, ...]]:
        return [stop[:2] for stop in follow_frames(parse_frames(text), scene, (0.0, 0.0), heading, city_items)[0]]

    assert positions("Walk past the barrel.") == [(1, 5)]
    assert positions("Walk past the second barrel.") == [(-1, 9)]
    assert positions("Walk past the blue barrel.") == [(-1, 9)]
    assert positions("Walk past the barrel on your left.") == [(-1, 9)]
    assert positions("Walk past the barrel.", 180.0) == [(0, -6)]
    assert positions("Turn around. Walk past the barrel.") == [(0, -6)]
    assert positions("Turn right to face the mailbox. Walk past it.") == [(8, 9)]
    assert positions("Walk past the phone booth.") == []
    assert positions("Walk to the intersection.") == [(0, 20)]


def test_relation_and_path_decide_among_equal_items() -> None:
    scene = make_scene(("barrel", "red", 0, 8), ("bench", "brown", 12, 0))
    mugs = [
        CityItem("Dotted Red Mug", (x, y, 0.0))
        for x, y in ((0.0, 10.0), (0.0, 6.0), (2.0, 8.0), (-2.0, 8.0), (14.0, 0.0))
    ]

    def chosen_item(text: str) -> int:
        return follow_frames(parse_frames(text), scene, (0.0, 0.0), 0.0, mugs)[1]

    for relation, expected in (("behind", 0), ("in front of", 1), ("to the right of", 2), ("to the left of", 3)):
        assert chosen_item(f"Pick up the dotted red mug {relation} the barrel.") == expected
        assert chosen_item(f"You will see a red mug {relation} the red barrel. Take it.") == expected
    assert chosen_item("Turn right and walk past the bench. Pick up the dotted red mug.") == 4
    assert follow_frames(parse_frames("Pick up the dotted red mug."), scene, (0.0, 0.0), 0.0, []) == ([], -1)


def test_buildings_hide_objects_behind_them() -> None:
    scene = make_scene(("barrel", "red", 0, 14), ("barrel", "red", 9, 12), walls=(WALL,))
    assert scene.sees((0.0, 0.0), [0.0, 9.0, 5.0], [14.0, 12.0, 0.0]).tolist() == [False, True, True]
    assert follow_frames(parse_frames("Go past the barrel."), scene, (0.0, 0.0), 0.0, [])[0][0][:2] == (9, 12)


def test_buildings_are_passed_at_their_walls() -> None:
    scene = make_scene(("building", "red", 9, 10), ("barrel", "red", 3, 20))
    (house, barrel), _ = follow_frames(
        parse_frames("Go past the red building. Pass the barrel."), scene, (3.0, 0.0), 0.0, []
    )
    assert house[:2] == (9, 10)
    assert barrel[:2] == (3, 20)
    assert house[2] > barrel[2] >= 3


def test_follower_passes_landmarks_and_picks_the_item() -> None:
    scene = make_scene(("barrel", "red", 10, 0), ("mailbox", "blue", 10, 10))
    city_items = [CityItem("Striped Blue Book", (0.0, 12.0, 0.0)), CityItem("Dotted Red Mug", (0.0, 14.5, 0.0))]
    text = "Turn right and walk to the barrel. Turn left and go past the mailbox. Pick up the striped blue book."
    actions = follow_instruction(text, scene, UNOBSTRUCTED, (0.0, 0.0, AGENT_Z), GRID_HEADING, city_items)
    path, heading = replay((0.0, 0.0, AGENT_Z), GRID_HEADING, actions)
    assert actions[-1] == PICK
    assert actions.count(PICK) == 1
    for x, y in ((10.0, 0.0), (10.0, 10.0)):
        assert min(np.hypot(x - p[0], y - p[1]) for p in path) <= 5.0
    assert is_in_reach(path[-1], heading, city_items[0].at)
    straight = follow_instruction(
        "Pick up the dotted red mug.", scene, UNOBSTRUCTED, (0.0, 0.0, AGENT_Z), GRID_HEADING, city_items
    )
    assert straight.count("forward") < actions.count("forward")
    assert follow_instruction("", scene, UNOBSTRUCTED, (0.0, 0.0, AGENT_Z), GRID_HEADING, []) == [PICK]


def test_turns_are_relative_to_the_heading() -> None:
    scene = make_scene(("barrel", "red", 10, 0), ("barrel", "blue", -10, 0))
    for heading, side, expected in ((0.0, RIGHT, 10), (0.0, LEFT, -10), (180.0, RIGHT, -10)):
        word = "right" if side == RIGHT else "left"
        (stop,), _ = follow_frames(parse_frames(f"Turn {word}. Walk to the barrel."), scene, (0.0, 0.0), heading, [])
        assert stop[0] == expected
    assert follow_frames([ClauseFrame("turn", side=RIGHT, turn="turn")], scene, (0.0, 0.0), 0.0, []) == ([], -1)


def test_short_building_is_a_low_one() -> None:
    scene = replace(make_scene(("building", "red", 9, 10), ("building", "white", -9, 14)), low=frozenset((1,)))

    def stop(text: str) -> tuple[float, ...]:
        return follow_frames(parse_frames(text), scene, (0.0, 0.0), 0.0, [])[0][0][:2]

    assert stop("Go past the building.") == (9, 10)
    assert stop("Go past the short building.") == (-9, 14)
    assert stop("Go past the short white building.") == (-9, 14)
    assert follow_frames(parse_frames("Go past the short red building."), scene, (0.0, 0.0), 0.0, [])[0] == []


def test_them_refers_to_the_pair_that_is_faced() -> None:
    scene = make_scene(("barrel", "red", 8, 2), ("bench", "brown", 8, -2), ("mailbox", "blue", 0, 8))
    face = "Turn right to face the barrel and bench."
    (middle,), _ = follow_frames(parse_frames(f"{face} Go between them."), scene, (0.0, 0.0), 0.0, [])
    assert middle[:2] == pytest.approx((8.0, 0.0))
    stops, _ = follow_frames(parse_frames(f"{face} Walk past them."), scene, (0.0, 0.0), 0.0, [])
    assert sorted(stop[:2] for stop in stops) == [(8, -2), (8, 2)]


def test_turn_around_a_building_is_a_turn_at_its_corner() -> None:
    for text in ("Go left around the building.", "Turn left around the wall.", "Turn left at the end of the building."):
        (frame,) = parse_frames(text)
        assert (frame.name, frame.side) == ("turn at corner", LEFT)


def test_nearby_item_is_read() -> None:
    (frame,) = parse_frames("Pick up the nearby dotted red mug.")
    assert frame.item is not None
    assert (frame.item.pattern, frame.item.colour, frame.item.type) == ("dotted", "red", "mug")


def test_pronoun_refers_to_the_object_named_before() -> None:
    scene = make_scene(("barrel", "red", 0, 10), ("bench", "brown", 12, 12))
    mugs = [CityItem("Dotted Red Mug", (x, y, 0.0)) for x, y in ((12.0, 14.0), (0.0, 12.0), (0.0, 8.0))]

    def chosen_item(text: str) -> int:
        return follow_frames(parse_frames(text), scene, (0.0, 0.0), 0.0, mugs)[1]

    assert chosen_item("Go toward the barrel and pick up the dotted red mug behind it.") == 1
    assert chosen_item("Go toward the barrel and pick up the dotted red mug in front of it.") == 2
    assert chosen_item("Go toward the barrel. Look behind it to find a dotted red mug. Take it.") == 1


def test_item_named_again_is_the_same() -> None:
    scene = make_scene(("barrel", "red", 0, 10))
    items = [CityItem("Striped Blue Mug", (0.0, 3.0, 0.0)), CityItem("Dotted Red Mug", (0.0, 12.0, 0.0))]
    for text in ("Behind the barrel is a dotted red mug. Pick up the mug.", "Go to the dotted red mug. Take the mug."):
        assert follow_frames(parse_frames(text), scene, (0.0, 0.0), 0.0, items)[1] == 1
    text = "Go to the dotted red mug. Take the striped blue mug."
    assert follow_frames(parse_frames(text), scene, (0.0, 0.0), 0.0, items)[1] == 0


def test_object_is_located_by_another() -> None:
    scene = make_scene(
        ("bench", "brown", 0, 5), ("bench", "brown", 0, 15), ("fire hydrant", "red", 2, 15), ("barrel", "red", 9, 9)
    )
    for text in ("Walk to the bench next to the hydrant.", "Walk to the bench near the red hydrant."):
        (stop,), _ = follow_frames(parse_frames(text), scene, (0.0, 0.0), 0.0, [])
        assert stop[:2] == (0, 15)
    assert follow_frames(parse_frames("Walk to the bench by the barrel."), scene, (0.0, 0.0), 0.0, [])[0] == []


def test_next_is_the_first_ahead_or_part_of_a_relation() -> None:
    frames = parse_frames(
        "Walk to the next bench and turn left at the next corner. Take the red mug next to the barrel."
    )
    assert [frame.name for frame in frames] == ["to", "turn at corner", "pick"]
    assert frames[0].thing is not None and frames[0].thing.ordinal == 1
    assert frames[2].relation == "near"


def test_past_one_object_to_another() -> None:
    scene = make_scene(("barrel", "red", 1, 5), ("bench", "brown", 0, 12), ("mailbox", "blue", 0, 30))

    def stops(text: str) -> list[tuple[float, ...]]:
        return [stop[:2] for stop in follow_frames(parse_frames(text), scene, (0.0, 0.0), 0.0, [])[0]]

    assert stops("Go past the barrel to the bench.") == [(1, 5), (0, 12)]
    assert stops("Go past the barrel towards the mailbox.") == [(1, 5)]
    assert stops("Go past the barrel to pick up the red mug.") == [(1, 5)]


@pytest.mark.parametrize(
    ("said", "usual"),
    [
        ("the stack of tires", "the tire stack"),
        ("the blue booth", "the blue phone booth"),
        ("a phone booth", "a phone booth"),
        ("two oil drums", "two barrels"),
        ("the green flag", "the green banner"),
        ("the pile of garbage bags", "the garbage bags"),
    ],
)
def test_other_words_for_objects_have_the_usual_meaning(said: str, usual: str) -> None:
    assert " ".join(with_usual_names(said.split())) == usual
    (frame,), (usual_frame,) = parse_frames(f"Go past {said}."), parse_frames(f"Go past {usual}.")
    assert frame.thing is not None and usual_frame.thing is not None
    assert np.array_equal(frame.thing.table, usual_frame.thing.table)  # type: ignore[arg-type]
    assert (frame.thing.colours, frame.thing.number) == (usual_frame.thing.colours, usual_frame.thing.number)


def test_every_other_word_means_a_name_of_the_sections() -> None:
    names = {name.singular for name in OUTDOOR_NAMES}
    assert set(SYNONYMS.values()) <= names


def test_corner_is_the_end_of_the_facade_on_that_side() -> None:
    # The streets of sections lie at GRID_HEADING: the walls are turned accordingly.
    u = np.array([np.sin(np.radians(GRID_HEADING)), np.cos(np.radians(GRID_HEADING))])
    right = np.array([u[1], -u[0]])
    left_wall, right_wall = (tuple(6.0 * side * right + ahead * u) for side, ahead in ((-1, 10.0), (1, 16.0)))
    scene = make_scene(walls=((*left_wall, *u, 3.0, 5.0), (*right_wall, *u, 3.0, 5.0)))
    for word, expected in (("left", 15.0), ("right", 21.0)):
        (stop,), _ = follow_frames(parse_frames(f"Turn {word} at the corner."), scene, (0.0, 0.0), GRID_HEADING, [])
        assert np.hypot(*(np.array(stop[:2]) - expected * u)) < 2.0
    assert follow_frames(parse_frames("Turn left at the corner."), make_scene(), (0.0, 0.0), 0.0, []) == ([], -1)
