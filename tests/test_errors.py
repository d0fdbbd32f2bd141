from __future__ import annotations

import pickle

from bearleft.errors import InputError, format_value, suggest_name, unknown_name


def test_a_message_says_where_what_was_wanted_and_what_came() -> None:
    error = InputError("a number", '"x"', "yaw", hint="Type: bearleft doctor").at(file="nodes.txt", line=3, item=2)
    assert str(error) == 'nodes.txt:3 (item 2), field yaw: expected a number, got "x". Type: bearleft doctor'


def test_places_are_filled_in_from_the_inside_out() -> None:
    error = InputError("a number", field="look").at(field="start", file="a").at(file="b", line=1)
    assert (error.field, error.file, error.line) == ("start.look", "a", 1)
    assert InputError("a link", field="[3]").at(field="route").field == "route[3]"


def test_it_crosses_processes() -> None:
    error = pickle.loads(pickle.dumps(InputError(expected="a number", line=3)))
    assert (error.expected, error.line) == ("a number", 3)


def test_values_are_shown_short_and_on_one_line() -> None:
    assert format_value("a\nb") == '"a b"'
    assert len(format_value("x" * 1000)) < 100
    assert format_value(10**5000) == "<int>"
    assert format_value("\ud800").isascii()


def test_the_nearest_name_is_offered() -> None:
    assert "Did you mean nDTW?" in suggest_name("ndwt", ["SR", "nDTW"])
    assert "Did you mean" not in suggest_name("zzzz", ["SR", "nDTW"])
    assert str(unknown_name("metric", "ndtv", ["nDTW"])) == (
        'expected the name of a metric, got "ndtv". Did you mean nDTW? Known: nDTW.'
    )
