"""The formats read again, slowly and trustingly: what a row says, as the JSON of episodes, with nothing checked.

Written from the formats' own descriptions and sharing no code with the package, to compare with what it loads.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

Row = dict[str, Any]


def episode(name: str, world: str, start: Row, *legs: Row) -> Row:
    return {"id": name, "world": world, "start": start, "legs": list(legs)}


def walk(row: Row) -> tuple[Row, Row]:
    start = {"look": [row["start_heading"], 0], "place": row["route_panoids"][0]}
    return start, {"text": row["navigation_text"], "goal": {"reach": row["route_panoids"]}}


def point(row: Row, view: str, yaws: dict[str, float]) -> Row | None:
    click = row[f"{view}_static_center"]
    click = json.loads(click) if isinstance(click, str) else click
    if click["x"] == -1 and click["y"] == -1:
        return None
    place = row[f"{view}_pano"]
    yaw = yaws.get(place, 0)
    towards = [yaw + 360 * click["x"] - 180, 90 - 180 * click["y"]]
    return {"text": row["td_location_text"], "goal": {"point": towards, "yaw": yaw, "place": place}}


def touchdown(row: Row) -> list[Row]:
    return [episode(str(row["route_id"]), "touchdown", *walk(row))]


def sdr(row: Row, yaws: dict[str, float]) -> list[Row]:
    found = []
    for view in ("pre", "main", "post"):
        leg = point(row, view, yaws)
        if leg is not None:
            look = [leg["goal"]["yaw"], 0]
            start = {"look": look, "place": row[f"{view}_pano"]}
            found.append(episode(f"{row['route_id']}/{view}", "touchdown", start, leg))
    return found


def complete(row: Row, yaws: dict[str, float]) -> list[Row]:
    start, first = walk(row)
    seen: list[Row] = []
    for view in ("main", "pre", "post"):
        if view != "main" and (f"{view}_pano" not in row or f"{view}_static_center" not in row):
            continue
        leg = point(row, view, yaws)
        known = [other["goal"]["place"] for other in seen]
        if leg is not None and leg["goal"]["place"] in yaws and leg["goal"]["place"] not in known:
            seen.append(leg)
    if not seen:
        return [episode(str(row["route_id"]), "touchdown", start, first)]
    others = [leg["goal"] for leg in seen[1:]]
    seen[0]["goal"] |= {"propagated": others} if others else {}
    return [episode(str(row["route_id"]), "touchdown", start, first, seen[0])]


def map2seq(row: Row) -> list[Row]:
    return [episode(str(row["instructions_id"]), "touchdown", *walk(row))]


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
        walked = [[x, z, y] for x, y, z in row["gt_paths"]["navi_path_gt"][k]]
        letters = row["gt_actions"]["navi_action_gt"][k][:-2]
        x, y, z = row["gt_objects_pos"]["navi_obj_pos_gt"][k]
        collect = {
            "collect": row["gt_objects"][k],
            "at": [x, z, y],
            "path": walked,
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
        if "f" in letters and len(walked) > 1:
            before = letters[: letters.index("f")]
            moved = math.atan2(walked[1][0] - walked[0][0], walked[1][1] - walked[0][1])
            headings[k] = math.degrees(moved) - 30 * (before.count("r") - before.count("l"))
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
    """The episodes of a row of one of the formats."""
    if kind == "sdr":
        return sdr(row, yaws)
    if kind == "touchdown-complete":
        return complete(row, yaws)
    rest = {"touchdown": touchdown, "map2seq": map2seq, "refer360": refer360, "arramon": arramon}
    return (rest | {"r2r": r2r, "r4r": r4r, "jsonl": jsonl})[kind](row)


def yaws_of(data: Path) -> dict[str, float]:
    """The yaw of every panorama of the streets."""
    rows = [line.split(",") for line in (data / "touchdown" / "nodes.txt").read_text().splitlines()]
    return {place: float(yaw) for place, yaw, _, _ in rows}


def alike(one: Any, other: Any, key: str = "") -> bool:
    """The same, with numbers to a billionth and headings wherever they are counted from; [] may be missing."""
    if isinstance(one, dict) and isinstance(other, dict):
        return all(alike(one.get(k, []), other.get(k, []), k) for k in one.keys() | other.keys())
    if isinstance(one, list) and isinstance(other, list):
        if len(one) == len(other) == 2 and key in ("look", "point", "views[]"):
            # ArraMon's headings are inferred to a tenth of a degree and then put on their grid.
            around = abs((one[0] % 360 - other[0] % 360 + 180) % 360 - 180)
            return bool(around < (0.11 if key == "look" else 1e-6) and abs(one[1] - other[1]) < 1e-6)
        inner = f"{key}[]" if key == "views" else ""
        return len(one) == len(other) and all(alike(a, b, inner) for a, b in zip(one, other, strict=True))
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, int | float) and isinstance(other, int | float):
        return abs(one - other) <= 1e-9 * max(1, abs(one), abs(other))
    return type(one) is type(other) and bool(one == other)


def holds(whole: Any, part: Any) -> bool:
    """Whether everything that `part` says is in `whole`, which may have more fields."""
    if isinstance(part, dict) and isinstance(whole, dict):
        return all(name in whole and holds(whole[name], value) for name, value in part.items())
    if isinstance(part, list) and isinstance(whole, list):
        return len(part) == len(whole) and all(holds(a, b) for a, b in zip(whole, part, strict=True))
    if isinstance(part, bool) or isinstance(whole, bool):
        return part is whole
    return bool(part == whole)
