"""Independent readers of all formats: a row as the JSON of episodes, without checks.

They are written from the descriptions of the formats and share no code with the package.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

Row = dict[str, Any]


def episode(name: str, world: str, start: Row, *legs: Row) -> Row:
    return {"id": name, "world": world, "start": start, "legs": list(legs)}


def reach_leg(row: Row) -> tuple[Row, Row]:
    start = {"look": [row["start_heading"], 0], "place": row["route_panoids"][0]}
    return start, {"text": row["navigation_text"], "goal": {"reach": row["route_panoids"]}}


def point_leg(row: Row, view: str, yaws: dict[str, float]) -> Row | None:
    click = row[f"{view}_static_center"]
    click = json.loads(click) if isinstance(click, str) else click
    if click["x"] == -1 and click["y"] == -1:
        return None
    place = row[f"{view}_pano"]
    yaw = yaws.get(place, 0)
    towards = [yaw + 360 * click["x"] - 180, 90 - 180 * click["y"]]
    return {"text": row["td_location_text"], "goal": {"point": towards, "yaw": yaw, "place": place}}


def touchdown(row: Row) -> list[Row]:
    return [episode(str(row["route_id"]), "touchdown", *reach_leg(row))]


def sdr(row: Row, yaws: dict[str, float]) -> list[Row]:
    episodes = []
    for view in ("pre", "main", "post"):
        leg = point_leg(row, view, yaws)
        if leg is not None:
            look = [leg["goal"]["yaw"], 0]
            start = {"look": look, "place": row[f"{view}_pano"]}
            episodes.append(episode(f"{row['route_id']}/{view}", "touchdown", start, leg))
    return episodes


def complete(row: Row, yaws: dict[str, float]) -> list[Row]:
    start, first = reach_leg(row)
    legs: list[Row] = []
    for view in ("main", "pre", "post"):
        if view != "main" and (f"{view}_pano" not in row or f"{view}_static_center" not in row):
            continue
        leg = point_leg(row, view, yaws)
        places = [other["goal"]["place"] for other in legs]
        if leg is not None and leg["goal"]["place"] in yaws and leg["goal"]["place"] not in places:
            legs.append(leg)
    if not legs:
        return [episode(str(row["route_id"]), "touchdown", start, first)]
    others = [leg["goal"] for leg in legs[1:]]
    legs[0]["goal"] |= {"propagated": others} if others else {}
    return [episode(str(row["route_id"]), "touchdown", start, first, legs[0])]


def map2seq(row: Row) -> list[Row]:
    return [episode(str(row["instructions_id"]), "touchdown", *reach_leg(row))]


def refer360(row: Row) -> list[Row]:
    sentences = [" ".join(words) for words in row["refexp"]]
    goal: Row = {"point": [row["xlng_deg"], row["ylat_deg"]], "yaw": 0, "place": row["img_idx"]}
    views = row["actions"][0]["act_deg_list"] if row["actions"] else []
    if len(views) == len(sentences) and all(len(view) > 0 for view in views):
        goal["views"] = [[view[-1][0], max(-90, min(90, view[-1][1]))] for view in views]
    leg = {"text": " ".join(sentences), "sentences": sentences, "goal": goal}
    start = {"look": [0, 90], "place": row["img_idx"]}
    return [episode(str(row["annotationid"]), "refer360", start, leg)]


def arramon(row: Row) -> list[Row]:
    words = {"f": "forward", "l": "left", "r": "right"}
    legs = []
    headings: list[float | None] = []
    turns = []
    for k in (0, 1):
        path = [[x, z, y] for x, y, z in row["gt_paths"]["navi_path_gt"][k]]
        letters = row["gt_actions"]["navi_action_gt"][k][:-2]
        x, y, z = row["gt_objects_pos"]["navi_obj_pos_gt"][k]
        collect = {
            "collect": row["gt_objects"][k],
            "at": [x, z, y],
            "path": path,
            "actions": [*(words[letter] for letter in letters), "pick"],
        }
        room = row["gt_paths"]["assem_path_gt"][k]
        cells = [[2 + round((x - room[0][0]) / 1.5), 1, round((z - room[0][2]) / 1.5)] for x, _, z in room]
        assemble = {
            "assemble": row["gt_objects_pos"]["assem_obj_pos_gt"][k],
            "path": cells,
            "actions": [*(words[letter] for letter in row["gt_actions"]["assem_action_gt"][k][:-2]), "place"],
        }
        legs.append({"text": row["instructions"]["navi_inst_gt"][k], "goal": collect})
        legs.append({"text": row["instructions"]["assem_inst_gt"][k], "goal": assemble})
        turns.append(30 * (letters.count("r") - letters.count("l")))
        headings.append(None)
        if "f" in letters and len(path) > 1:
            before = letters[: letters.index("f")]
            direction = math.atan2(path[1][0] - path[0][0], path[1][1] - path[0][1])
            headings[k] = math.degrees(direction) - 30 * (before.count("r") - before.count("l"))
    first, second = headings
    if first is None:
        first = 28.79325 if second is None else second - turns[0]
    start = {"look": [first, 0], "position": legs[0]["goal"]["path"][0]}
    return [episode(str(row["mapId"]), f"arramon/{row['mapId']}", start, *legs)]


def r2r(row: Row, name: str = "") -> list[Row]:
    start = {"look": [row["heading"] * 180 / math.pi, 0], "place": row["path"][0]}
    return [
        episode(
            f"{name or row['path_id']}_{k}",
            f"matterport/{row['scan']}",
            start,
            {"text": text, "goal": {"reach": row["path"]}},
        )
        for k, text in enumerate(row["instructions"])
    ]


def r4r(row: Row) -> list[Row]:
    return r2r(row, f"{row['first_path_id']}+{row['second_path_id']}")


def jsonl(row: Row) -> list[Row]:
    return [{name: row[name] for name in ("id", "world", "start", "legs")}]


def read(kind: str, row: Row, yaws: dict[str, float]) -> list[Row]:
    """Return the episodes of a row of one of the formats."""
    if kind == "sdr":
        return sdr(row, yaws)
    if kind == "touchdown-complete":
        return complete(row, yaws)
    readers = {"touchdown": touchdown, "map2seq": map2seq, "refer360": refer360, "arramon": arramon}
    return (readers | {"r2r": r2r, "r4r": r4r, "jsonl": jsonl})[kind](row)


def read_yaws(data: Path) -> dict[str, float]:
    """Return the yaw of every panorama of the streets."""
    rows = [line.split(",") for line in (data / "touchdown" / "nodes.txt").read_text().splitlines()]
    return {place: float(yaw) for place, yaw, _, _ in rows}


def are_equal(first: Any, second: Any, key: str = "") -> bool:
    """Compare two values: numbers to a billionth, headings modulo 360; an empty list may be missing."""
    if isinstance(first, dict) and isinstance(second, dict):
        return all(are_equal(first.get(k, []), second.get(k, []), k) for k in first.keys() | second.keys())
    if isinstance(first, list) and isinstance(second, list):
        if len(first) == len(second) == 2 and key in ("look", "point", "views[]"):
            # ArraMon's headings are inferred to a tenth of a degree and then rounded to the grid.
            difference = abs((first[0] % 360 - second[0] % 360 + 180) % 360 - 180)
            return bool(difference < (0.11 if key == "look" else 1e-6) and abs(first[1] - second[1]) < 1e-6)
        inner = f"{key}[]" if key == "views" else ""
        return len(first) == len(second) and all(are_equal(a, b, inner) for a, b in zip(first, second, strict=True))
    if isinstance(first, bool) or isinstance(second, bool):
        return first is second
    if isinstance(first, int | float) and isinstance(second, int | float):
        return abs(first - second) <= 1e-9 * max(1, abs(first), abs(second))
    return type(first) is type(second) and bool(first == second)


def contains(whole: Any, part: Any) -> bool:
    """Return whether all values of `part` are in `whole`, which may have more fields."""
    if isinstance(part, dict) and isinstance(whole, dict):
        return all(name in whole and contains(whole[name], value) for name, value in part.items())
    if isinstance(part, list) and isinstance(whole, list):
        return len(part) == len(whole) and all(contains(a, b) for a, b in zip(whole, part, strict=True))
    if isinstance(part, bool) or isinstance(whole, bool):
        return part is whole
    return bool(part == whole)
