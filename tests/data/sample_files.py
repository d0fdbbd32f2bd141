"""Sample data folder with an invented file of every format, for tests without real data."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

SIDE = 4  # the streets are a grid of SIDE x SIDE panoramas
YAWS = {f"p{k}": 10 * k + 5 for k in range(SIDE * SIDE)}
SPLIT = "made"
NAMES = {
    "touchdown": f"touchdown/{SPLIT}",
    "touchdown-complete": f"touchdown-complete/{SPLIT}",
    "sdr": f"sdr/{SPLIT}",
    "map2seq": f"map2seq/{SPLIT}",
    "refer360": f"refer360/{SPLIT}",
    "arramon": f"arramon/{SPLIT}",
    "r2r": f"r2r/{SPLIT}",
    "r4r": f"r4r/{SPLIT}",
}


def streets() -> tuple[str, str]:
    """Return nodes.txt and links.txt of the grid; heading 0 leads to the next row."""
    nodes = [
        f"{name},{yaw},{40 + k // SIDE * 1e-4:.6f},{-73 + k % SIDE * 1e-4:.6f}"
        for k, (name, yaw) in enumerate(YAWS.items())
    ]
    links = []
    for k in range(SIDE * SIDE):
        row, column = divmod(k, SIDE)
        for heading, down, right in ((0, 1, 0), (90, 0, 1), (180, -1, 0), (270, 0, -1)):
            if 0 <= row + down < SIDE and 0 <= column + right < SIDE:
                links.append(f"p{k},{heading},p{(row + down) * SIDE + column + right}")
    return "\n".join(nodes) + "\n", "\n".join(links) + "\n"


def click(x: float, y: float) -> str:
    return json.dumps({"x": x, "y": y}, separators=(",", ":"))


def touchdown_line(route_id: int, route: list[str], **changes: Any) -> dict[str, Any]:
    row: dict[str, Any] = {"city": "made", "route_id": route_id}
    for view, place in (("pre", route[-2]), ("post", "p15"), ("main", route[-1])):
        row[f"{view}_pano"] = place
        row[f"{view}_heading"] = "121.5"
        row[f"{view}_pitch"] = "-0.25"
        row[f"{view}_center"] = click(0.4, 0.5)
        row[f"{view}_original_width"] = "1010"
        row[f"{view}_original_height"] = "310"
    row |= {
        "main_static_center": click(0.525, 0.53),
        "pre_static_center": click(0.125, 0.51),
        "post_static_center": click(0.99, 0.4),
        "navigation_text": "Go past the café and turn left. Stop at the corner. ",
        "td_location_text": "The bear sits on the blue mailbox.",
        "full_text": "Go past the café and turn left. Stop at the corner. The bear sits on the blue mailbox.",
        "elapsed": '{"minute":2,"second":54}',
        "failure_stats": 0,
        "num_finished": 1,
        "route_panoids": route,
        "start_heading": 0.0,
        "end_heading": 111.5,
        "follower_stats": [
            {"follower_elapsed": '{"minute":0,"second":41}', "num_attempts": "1", "follower_success": "yes"}
        ],
    }
    return row | changes


def touchdown_lines() -> list[dict[str, Any]]:
    return [
        touchdown_line(7, ["p0", "p1", "p5"]),
        touchdown_line(8, ["p4", "p5", "p6", "p10"], pre_static_center=click(-1, -1), main_heading="-30.5"),
        touchdown_line(9, ["p3", "p2"], pre_heading="", pre_pitch="", start_heading=270.0),
        touchdown_line(11, ["p8", "p9"], main_static_center=click(-1, -1), post_pano="unknown", post_pitch="3e-05"),
    ]


def map2seq_lines() -> list[dict[str, Any]]:
    return [
        {
            "id": 100 + k,
            "instructions_id": 200 + k,
            "route_panoids": route,
            "navigation_text": f"Walk past {k} lights, then stop.",
            "start_heading": heading,
        }
        for k, (route, heading) in enumerate(((["p0", "p1", "p2"], 90), (["p12", "p8"], 180)))
    ]


def follower(views: list[list[list[float]]], longitude: float, latitude: float) -> dict[str, Any]:
    return {
        "pred_xlng_rad": 0.5,
        "pred_xlng_deg": longitude,
        "pred_ylat_deg": latitude,
        "act_deg_list": views,
        "actionid": 1,
        "ann_clr": "C",
    }


def refer360_items() -> list[dict[str, Any]]:
    complete_follower = follower([[[10.0, 95.5], [20.0, 30.0]], [[-170.5, -4.25]]], -169.0, -5.0)
    short_follower = follower([[[10.0, 80.0]]], 12.0, 3.0)
    words = [["find", "the", "red", "door."], ["the", "bear", "is", "left", "of", "it."]]
    rows = []
    for k, actions in enumerate(
        ([complete_follower], [], [short_follower, complete_follower], [complete_follower, short_follower])
    ):
        rows.append(
            {
                "refexp": words if k < 3 else [["look", "up  now"], ["", "stop."]],
                "annotationid": 40 + k,
                "actions": actions,
                "ann_cat": "R",
                "xlng_deg": [-157.5, 180.0, -180.0, 33.25][k],
                "xlng_rad": 3.5,
                "ylat_deg": [-18.5, 44.0, 0.0, -45.5][k],
                "ylat_rad": -0.4,
                "img_src": f"pictures/{k}.jpg",
                "img_cat": "street",
                "img_loc": "outdoor",
                "img_idx": f"picture{k // 2}",
            }
        )
    return rows


def walk(start: tuple[float, float], heading: float, letters: str) -> tuple[list[list[float]], float]:
    """Return the path of action letters in Unity's x, y, z, to six digits as in the files, and the final heading."""
    x, z = start
    path = [[round(x, 6), 0.525, round(z, 6)]]
    for letter in letters:
        if letter == "f":
            x, z = x + math.sin(math.radians(heading)), z + math.cos(math.radians(heading))
            path.append([round(x, 6), 0.525, round(z, 6)])
        else:
            heading += 30 if letter == "r" else -30
    return path, heading


def arramon_item(name: int, first: str, second: str, heading: float = 28.79325) -> dict[str, Any]:
    first_path, end_heading = walk((-98.567, 102.525), heading, first)
    second_path, _ = walk((first_path[-1][0], first_path[-1][2]), end_heading, second)
    rooms = ["frrrflll", "ff"]
    door = [239.656616, -487.623871, -199.363037]
    numbers = {"f": 0, "l": 1, "r": 2}
    return {
        "gt_objects_pos": {
            "navi_obj_pos_gt": [[-96.5, 0.0625, 91.5], [-114.5, 0.07, 81.5]],
            "assem_obj_pos_gt": [[3, 1, 2], [2, 2, 3]],
        },
        "gt_paths": {
            "navi_path_gt": [first_path, second_path],
            "assem_path_gt": [
                [door, [239.656616, door[1], -197.863037], [241.156616, door[1], -197.863037]],
                [door, [239.656616, door[1], -197.863037], [239.656616, door[1], -196.363037]],
            ],
        },
        "gt_objects": ["Striped Red Bowl", "Dotted Blue Tv"],
        "mapId": name,
        "gt_actions": {
            "navi_action_gt": [[*first, "P", "0"], [*second, "P", "1"]],
            "assem_action_gt": [[*rooms[0], "P", "0"], [*rooms[1], "P", "1"]],
        },
        "gt_actionIDs": {
            "navi_actionIDs_gt": [[*(numbers[a] for a in letters), 3] for letters in (first, second)],
            "assem_actionIDs_gt": [[*(numbers[a] for a in letters), 3] for letters in rooms],
        },
        "instructions": {
            "assem_inst_gt": ["Put the bowl behind the mug.", "Put the set on the book."],
            "navi_inst_gt": ["Turn right and walk to the bench. Take the bowl.", "Walk on and take the set."],
        },
    }


def arramon_items() -> list[dict[str, Any]]:
    return [
        arramon_item(60, "rrffrfl", "lfff"),
        arramon_item(61, "rrl", "ffl", 28.79325 + 90),
        arramon_item(62, "lff", "rr", 28.79325 + 210),
        arramon_item(63, "r", "l"),
    ]


def r2r_items() -> list[dict[str, Any]]:
    instructions = ["Leave the room. ", "Go out and stop by the stairs. ", "Walk out."]
    paths = [(5, ["a", "b", "c"], 1.25), (6, ["c", "d"], 4.055), (9, ["d", "e", "f"], 0.0), (12, ["f", "e"], 6.1)]
    return [
        {
            "distance": 4.5,
            "scan": "house1",
            "path_id": k,
            "path": path,
            "heading": heading,
            "instructions": instructions[: 2 + k % 2],
        }
        for k, path, heading in paths
    ]


def connectivity() -> list[dict[str, Any]]:
    """Return six viewpoints in a line, two metres apart, and one that is not included."""
    places = "abcdefx"
    rows = []
    for k, name in enumerate(places):
        pose = [1, 0, 0, 2.0 * k, 0, 1, 0, 0.5 * (k % 2), 0, 0, 1, 1.5, 0, 0, 0, 1]
        clear = [abs(k - j) == 1 for j in range(len(places))]
        rows.append({"image_id": name, "pose": pose, "included": name != "x", "unobstructed": clear, "height": 1.5})
    return rows


def lines(rows: list[dict[str, Any]]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def make(folder: Path) -> Path:
    """Write the data folder and return it."""
    for name in ("touchdown", "map2seq", "refer360", "arramon", "r2r/connectivity"):
        (folder / name).mkdir(parents=True)
    nodes, links = streets()
    (folder / "touchdown" / "nodes.txt").write_text(nodes)
    (folder / "touchdown" / "links.txt").write_text(links)
    (folder / "touchdown" / f"{SPLIT}.jsonl").write_text(lines(touchdown_lines()))
    (folder / "map2seq" / f"{SPLIT}.jsonl").write_text(lines(map2seq_lines()))
    (folder / "refer360" / f"{SPLIT}.json").write_text(json.dumps(refer360_items()))
    (folder / "arramon" / f"{SPLIT}.json").write_text(json.dumps(arramon_items()))
    indented = json.dumps(r2r_items(), indent=2, separators=(", ", ": "))
    (folder / "r2r" / f"R2R_{SPLIT}.json").write_text(indented)
    (folder / "r2r" / "connectivity" / "house1_connectivity.json").write_text(json.dumps(connectivity()))
    return folder
