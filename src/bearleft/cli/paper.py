"""`bearleft paper`."""

from __future__ import annotations

from pathlib import Path

import click

from bearleft.cli.common import WHOLE, Verbs, as_json, data_option, progress, say
from bearleft.report.table import print_rows


@click.group(cls=Verbs)
def paper() -> None:
    """A paper's tables, theirs and ours side by side."""


figures_option = click.option("--figures", metavar="DIR", help="Draw the paper's figures into this folder too.")


@paper.command("ndtw")
@data_option
@click.option("--walks", default=1_000_000, show_default=True, help="Random walks for each row.")
@click.option("--seed", default=0, show_default=True, type=WHOLE, help="Seed of the walks.")
@figures_option
@as_json
def paper_ndtw(data: str | None, walks: int, seed: int, figures: str | None, as_json: bool) -> None:
    """Table 2 on R2R and R4R validation unseen, ours for the random agent; Figures 1 and 3."""
    from bearleft.experiments.ndtw.tables import REMARKS, table_2
    from bearleft.experiments.text_figures import ndtw_figures, write_figures

    with progress("walking") as bar:
        rows = table_2(data, walks, seed, bar)
    print_rows(rows, as_json, "General Evaluation for Instruction Conditioned Navigation, Table 2 (percent)")
    say(REMARKS)
    if figures:
        say(write_figures(ndtw_figures(), figures))


@paper.command("ndtw-study")
@click.option("-o", "--output", metavar="DIR", help="Write both questionnaires: pictures and sets.jsonl.")
@click.option("--rankings", metavar="FILE", help="Lines of people's rankings, to be analysed as Table 1.")
@click.option("--seed", default=0, show_default=True, type=WHOLE, help="Seed of environments and paths.")
@as_json
def paper_ndtw_study(output: str | None, rankings: str | None, seed: int, as_json: bool) -> None:
    """The human study: its questionnaires, its analysis, and Table 1's own p-values."""
    from bearleft.experiments.ndtw.study import SETS, compare, path_sets, published, read_rankings
    from bearleft.experiments.ndtw.study_figures import write_study

    if output:
        with progress("drawing") as bar:
            write_study(output, seed, bar)
        say([f"{output}/README.txt says how to ask people."])
    if rankings:
        given = read_rankings(rankings)
        rows = compare((asked for study in SETS for asked in path_sets(study, seed)), given)
        print_rows(rows, as_json, "Table 1 from your rankings (two-sided sign test, ties discarded)")
    else:
        print_rows(published(), as_json, "Table 1: the printed p-values, and those of its own counts")


@paper.command("touchdown")
@data_option
@figures_option
@click.option("--results", metavar="PATH", help="Table 4 of trained systems: a folder of answers, or rows.json.")
@as_json
def paper_touchdown(data: str | None, figures: str | None, results: str | None, as_json: bool) -> None:
    """All tables as published, with ours where they need no picture; Figure 5.

    It measures on every split that the data folder has. With --results, Table 4 of trained systems.
    """
    if results:
        _trained(results, data, as_json)
        return
    from bearleft.experiments.text_figures import touchdown_figures, write_figures
    from bearleft.experiments.touchdown.tables import TITLES, remarks, tables

    with progress("Touchdown") as bar:
        rows = tables(data, bar)
    if as_json:
        print_rows(rows, as_json)
    for table, title in TITLES.items() if not as_json else ():
        of_it = [row for row in rows if row["table"] == table]
        print_rows([{name: row[name] for name in row if name != "table"} for row in of_it], as_json, title)
    say(remarks())
    if figures:
        say(write_figures(touchdown_figures(data), figures))


def _trained(path: str, data: str | None, as_json: bool) -> None:
    """What systems that point answered, as Table 4 and what follows from it, in Markdown."""
    from bearleft.experiments.touchdown.answers import read_folder
    from bearleft.experiments.touchdown.markdown import markdown, read_rows
    from bearleft.experiments.touchdown.pointing import results

    rows = results(read_folder(path), data) if Path(path).is_dir() else read_rows(path)
    if as_json:
        print_rows(rows, as_json, "")
    else:
        click.echo(markdown(rows))


@paper.command("refer360")
@data_option
@figures_option
@as_json
def paper_refer360(data: str | None, figures: str | None, as_json: bool) -> None:
    """Tables 2, 4, 5 and 7 of every split that is there, 9 and 10 as published; Figure 3."""
    from bearleft.experiments.refer360.tables import REMARKS, tables
    from bearleft.experiments.text_figures import refer360_figures, write_figures

    print_rows(tables(data), as_json, "Refer360")
    say(REMARKS)
    if figures:
        say(write_figures(refer360_figures(data), figures))


@paper.command("refer360-city")
@click.argument("world", default="city/3/4x5")
@click.option("--count", default=300, show_default=True, type=click.IntRange(min=1), help="Sequences.")
@click.option("--seed", default=0, show_default=True, type=WHOLE, help="Seed of places, targets and words.")
@as_json
def paper_refer360_city(world: str, count: int, seed: int, as_json: bool) -> None:
    """Table 7 in a city: the last sentence, the last two, and all, read by rules."""
    from bearleft.experiments.refer360.ablation import ablation, city_sequences
    from bearleft.language.scene_index import open_scene_index

    scene = open_scene_index(world)
    print_rows(ablation(scene, city_sequences(scene, count, seed)), as_json, "Refer360, Table 7, in a city")


@paper.command("follower")
@click.argument("names", nargs=-1, metavar="[DATASET/SPLIT]...")
@click.option("--seed", default=0, show_default=True, type=WHOLE, help="Seed of the other texts.")
@data_option
@as_json
def paper_follower(names: tuple[str, ...], seed: int, data: str | None, as_json: bool) -> None:
    """How well rules follow the texts of a city, with an episode's own text and with another's."""
    from bearleft.experiments.follower_accuracy import following

    with progress("following") as bar:
        rows = following(names or ("city/touchdown/small", "city/sdr/small"), seed, data, bar)
    print_rows(rows, as_json, "The follower")


@paper.command("arramon")
@click.argument("names", nargs=-1, metavar="[DATASET/SPLIT]...")
@data_option
@figures_option
@as_json
def paper_arramon(names: tuple[str, ...], data: str | None, figures: str | None, as_json: bool) -> None:
    """Tables 1, 2, 3, 5 and 6 and Figures 5, 6 and 9 on any split of ArraMon's tasks, released or ours.

    Without names: arramon/val_unseen, where it is there, and city/arramon/small. The paper's own models stand in rows
    without a figure of ours.
    """
    from bearleft.experiments.arramon.tables import REMARKS, tables
    from bearleft.experiments.text_figures import arramon_figures, write_figures

    with progress("ArraMon") as bar:
        rows = tables(names, data, bar)
    print_rows(rows, as_json, "ArraMon")
    say(REMARKS)
    if figures:
        say(write_figures(arramon_figures(names, data), figures))


@paper.command("texts")
@click.argument("names", nargs=-1, metavar="[DATASET/SPLIT]...")
@data_option
@figures_option
@as_json
def paper_texts(names: tuple[str, ...], data: str | None, figures: str | None, as_json: bool) -> None:
    """Lengths, vocabulary, common nouns and phenomena of texts: the papers', real ones and ours."""
    from bearleft.experiments.analysis_figures import text_figures
    from bearleft.experiments.text_figures import write_figures
    from bearleft.experiments.texts import OURS, REMARKS, our_texts, real_texts, tables

    with progress("reading") as bar:
        real, ours = real_texts(data, bar), our_texts(names or OURS, data, bar)
    rows = tables(real, ours)
    print_rows(rows, as_json, "Texts: Touchdown, Refer360, ArraMon")
    say(REMARKS)
    if figures:
        say(write_figures(text_figures(real, ours, rows), figures))


@paper.command("objects")
@click.option("--world", default="city/3/4x5", show_default=True, help="The city whose streets are looked at.")
@click.option("--rooms", default="rooms/0/42", show_default=True, help="The rooms that are looked at.")
@click.option("--count", default=400, show_default=True, type=click.IntRange(min=4), help="Targets of each kind.")
@click.option("--seed", default=0, show_default=True, type=WHOLE, help="Seed of places, targets and words.")
@data_option
@figures_option
@as_json
def paper_objects(
    world: str, rooms: str, count: int, seed: int, data: str | None, figures: str | None, as_json: bool
) -> None:
    """Refer360's Tables 3 and 6, Figures 6 and 7: objects near chosen and random targets."""
    from bearleft.experiments.analysis_figures import object_figures
    from bearleft.experiments.refer360.objects import REMARKS, look, open_both, real_told, tables
    from bearleft.experiments.text_figures import write_figures

    real = real_told(data)
    with progress("looking") as bar:
        ours = look(*open_both(world, rooms), count, seed, bar)
    found = tables(ours, real)
    print_rows(found, as_json, "Refer360: objects and targets")
    say(REMARKS)
    if figures:
        say(write_figures(object_figures(ours, real, found), figures))
