"""Refer360's tables that need no picture: scenes (2), language (4), splits (5), followers (7); 9 and 10 as published.

Every split of the data folder is used. Tokens are those of the files themselves, as in the paper. The other tables:
3 and 6 in `objects.py`, 7 in the generated rooms in `ablation.py`, 8 in `experiments/phenomena.py`, 7 and 9 of trained
models in `results.py`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain

from bearleft.data import follower_traces, load, open_dataset
from bearleft.data.stats import EPISODES
from bearleft.errors import InputError
from bearleft.experiments.rows import Row, three_way_rows
from bearleft.experiments.texts import available_datasets
from bearleft.language.analysis.tokens import tokens
from bearleft.metrics.pointing import acc_11deg, degrees, dist_degrees
from bearleft.records import Direction, Episode, Point
from bearleft.types import DataFolder

Splits = Mapping[str, Sequence[Episode]]
SPLITS = ("train", "validation.seen", "validation.unseen", "test.seen", "test.unseen")
SDR = "sdr/unseen_dev"
TABLE_2 = {
    "restaurant": 500,
    "shop": 250,
    "expo_showroom": 250,
    "living_room": 250,
    "bedroom": 250,
    "street": 250,
    "plaza_courtyard": 250,
}
ALL_SPLITS = "Refer360, all splits"
COLUMNS_4 = ("Avg. Text Length", "Vocab. Size", "Size")
TABLE_4 = {
    ALL_SPLITS: (43.80, 11220, 17137),
    "Touchdown-SDR": (26.97, 5705, 9325),
    "Guess What?!": (24.99, 27713, 160745),
    "Google-Ref": (8.46, 12108, 142210),
    "Refer-UNC": (3.51, 21305, 414138),
}
PER_SCENE = "instruction sequences per scene"
TABLE_7 = {
    "Last Sentence": {"Acc@11deg": 37.0, "Dist-deg": 73.01},
    "Last 2 Sentences": {"Acc@11deg": 63.0, "Dist-deg": 42.32},
    "All Sentences": {"Acc@11deg": 88.0, "Dist-deg": 11.35},
}
TABLE_9 = {
    "Touchdown-SDR (reported)": {"Accuracy (%)": 26.1, "Distance": 708},
    "Touchdown-SDR (replication)": {"Accuracy (%)": 23.5, "Distance": 715},
    "Refer360": {"Accuracy (%)": 13.0, "Distance": 1235},
}
ANNOTATORS, COLLECTED, VERIFIED = "# of Annotators", "# of Collected Instructions", "# of Verified Instructions"
TABLE_10: dict[str, dict[str, float]] = {
    "Stage I: Hiring": {ANNOTATORS: 256, COLLECTED: 854},
    "Stage II: Collection & Verification": {ANNOTATORS: 86, COLLECTED: 20630, VERIFIED: 14062},
    "Stage III: Verification": {ANNOTATORS: 86, VERIFIED: 3073},
}
REMARKS = [
    "`bearleft paper objects` prints Tables 3 and 6, `bearleft paper texts` Table 8; Table 1 has no figures.",
    "Table 4: tokens and vocabulary are those of Refer360's own files, which are split at spaces.",
    "Table 7 was measured with 1,000 instructions of the whole dataset; ours are the recorded followers of each split.",
    "Table 7's distance is called Euclidean; ours is in degrees along the great circle.",
    "Table 9: section 5.4 uses the accuracy and the distance of section 5.2, within 11 degrees and Euclidean. No unit"
    " is printed; a distance of 1235 exceeds every angle, so it is of pixels.",
    "Table 9 sets Touchdown's accuracy at 40 px (26.1) beside Refer360's 13.0; 11 degrees are about 113 px across, so"
    " 13.0 is not to be read beside the humans' 88.",
    "Table 10's verified instructions add up to 17,135, the splits of Table 5 to the 17,137 of the text.",
    "Misprint: Table 8's examples of allocentric and egocentric mentions are swapped.",
]


def tables(data: DataFolder = None) -> list[Row]:
    """Return all rows; where we have no figure of our own, `ours` is None."""
    splits = open_splits(data)
    return [
        *scene_table(splits),
        *language_table(splits, data),
        *split_table(splits),
        *follower_table(splits, data),
        *published_rows("9", TABLE_9, "of trained systems: papers/refer360.md has ours, on our own scenes"),
        *published_rows("10", TABLE_10, "of the collection: nothing to compute"),
    ]


def open_splits(data: DataFolder = None) -> dict[str, list[Episode]]:
    """Load every available split of Refer360; raise InputError where there is none."""
    available = available_datasets([f"refer360/{split}" for split in SPLITS], data)
    if not available:
        hint = f"Name the folder that holds refer360/SPLIT.json with --data DIR; SPLIT is one of {', '.join(SPLITS)}."
        raise InputError("files of Refer360", f"none in {data or 'BEARLEFT_DATA'}", hint=hint)
    return {name.removeprefix("refer360/"): load(name, data) for name in available}


def paper_rows(
    table: str, row: str, paper: Mapping[str, float], ours: Mapping[str, float], remark: str = ""
) -> list[Row]:
    """Return one row for each metric that either side has."""
    rows = three_way_rows(table, row, paper, {}, ours, remark)
    return [{key: value for key, value in row.items() if key != "real"} for row in rows]


def published_rows(table: str, rows: Mapping[str, Mapping[str, float]], remark: str) -> list[Row]:
    """Return the rows of a table as the paper prints them, without any of ours."""
    return [row for name, numbers in rows.items() for row in paper_rows(table, name, numbers, {}, remark)]


def scene_table(splits: Splits) -> list[Row]:
    """Return Table 2: the share of pictures of each category, in each split."""
    rows = []
    paper = {kind: 100 * count / sum(TABLE_2.values()) for kind, count in TABLE_2.items()}
    for split, episodes in splits.items():
        pictures = {episode.start.place: episode.extra.get("img_cat") for episode in episodes}
        counts = Counter(str(kind) for kind in pictures.values())
        shares = {kind: 100 * counts[kind] / len(pictures) for kind in TABLE_2}
        rows += paper_rows("2", f"refer360/{split}", paper, shares, "percent of the pictures")
    return rows


def file_tokens(episode: Episode) -> list[str]:
    """Return the tokens of a sequence as its file has them."""
    stored = episode.extra.get("refexp")  # kept where joining and splitting would not restore them
    return list(chain.from_iterable(stored or [sentence.split(" ") for sentence in episode.legs[0].sentences]))


def language_table(splits: Splits, data: DataFolder = None) -> list[Row]:
    """Return Table 4, and the sequences per scene of section 4.2."""
    ours = {f"refer360/{split}": [file_tokens(episode) for episode in episodes] for split, episodes in splits.items()}
    ours = {ALL_SPLITS: list(chain.from_iterable(ours.values()))} | ours
    if available_datasets((SDR,), data):
        ours["Touchdown-SDR"] = [tokens(text) for text in _sdr_texts(data)]
    rows = []
    for row in dict.fromkeys([*TABLE_4, *ours]):
        paper = dict(zip(COLUMNS_4, TABLE_4.get(row, ()), strict=False))
        measured = dict(zip(COLUMNS_4, _language_statistics(ours[row]), strict=True)) if row in ours else {}
        rows += paper_rows("4", row, paper, measured, _language_remark(row, splits))
    for split, episodes in splits.items():
        scenes = len({episode.start.place for episode in episodes})
        mean = {PER_SCENE: len(episodes) / scenes}
        rows += paper_rows("section 4.2", f"refer360/{split}", {PER_SCENE: 8.57}, mean, "the paper's is of all splits")
    return rows


def _language_statistics(texts: Sequence[Sequence[str]]) -> tuple[float, int, int]:
    words = set(chain.from_iterable(texts))
    return sum(map(len, texts)) / len(texts), len(words), len(texts)


def _language_remark(row: str, splits: Splits) -> str:
    if row == ALL_SPLITS:
        return f"ours: {', '.join(splits)}"
    return f"ours, where its file is there: {SDR}, by our tokeniser" if row == "Touchdown-SDR" else ""


def _sdr_texts(data: DataFolder) -> list[str]:
    return list(dict.fromkeys(episode.legs[0].text for episode in load(SDR, data)))


def split_table(splits: Splits) -> list[Row]:
    """Return Table 5: the number of sequences of each split."""
    rows = []
    for split in SPLITS:
        ours = {"# of Instances": len(splits[split])} if split in splits else {}
        remark = "" if ours else "not in the data folder"
        rows += paper_rows("5", f"refer360/{split}", {"# of Instances": EPISODES[f"refer360/{split}"]}, ours, remark)
    return rows


def follower_table(splits: Splits, data: DataFolder = None) -> list[Row]:
    """Return Table 7: accuracy of people who read all sentences; its other two rows as published."""
    rows = []
    for row in ("Last Sentence", "Last 2 Sentences"):
        rows += paper_rows("7", row, TABLE_7[row], {}, "`bearleft paper refer360-city` has ours, read by rules")
    for split, episodes in splits.items():
        goals = {episode.id: goal for episode in episodes if isinstance(goal := episode.legs[0].goal, Point)}
        dataset = open_dataset(f"refer360/{split}", data)
        answers = {trace.episode: trace.legs[0].answer for trace in follower_traces(dataset)}
        directions = {name: answer for name, answer in answers.items() if isinstance(answer, Direction)}
        angles = degrees(list(directions.values()), [goals[name] for name in directions])
        ours = (
            {"Acc@11deg": acc_11deg.mean(acc_11deg(angles)), "Dist-deg": dist_degrees.mean(angles)}
            if directions
            else {}
        )
        unfollowed = len(goals) - len(directions)
        remark = f"{len(directions)} followers; {unfollowed} sequences that nobody followed are not scored"
        rows += paper_rows("7", f"All Sentences, followers of {split}", TABLE_7["All Sentences"], ours, remark)
    return rows


def text_lengths(data: DataFolder = None) -> dict[str, list[int]]:
    """Return Figure 3: the tokens of each text; Touchdown-SDR's only where its file is available."""
    lengths = {
        f"Refer360 ({split})": [len(file_tokens(episode)) for episode in episodes]
        for split, episodes in open_splits(data).items()
    }
    if available_datasets((SDR,), data):
        lengths["Touchdown-SDR"] = [len(tokens(text)) for text in _sdr_texts(data)]
    return lengths
