"""Refer360's collection: its units, the sessions of four findings and four descriptions, and the review by hand.

Stage I is the hiring: four findings of prepared texts, then four descriptions, which a person reviews. Stage II is the
collection: sessions of four findings of other people's texts and four descriptions. Stage III gives texts that nobody
has found to one more person.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import cycle, islice
from typing import Any

from sqlalchemy import exists, func, select
from sqlalchemy.orm import Session

from bearleft.errors import InputError, format_value, unknown_name
from bearleft.records import Episode, Point
from bearleft.web.database.models import Answer, Project, Unit, Worker
from bearleft.web.decisions import COMMAND_LINE, decide, last_decisions
from bearleft.web.queue.availability import active_kind, is_available
from bearleft.web.queue.slots import NewUnit
from bearleft.web.scenes.worlds import SceneWorlds
from bearleft.web.studies import task_settings
from bearleft.web.tasks.refer360.ablation import ABLATION, ROWS
from bearleft.web.tasks.refer360.description import (
    DESCRIPTION,
    FINDING,
    HIRING_DESCRIPTION,
    HIRING_FINDING,
    draw_targets,
    random_start,
)
from bearleft.web.tasks.refer360.finding import DEFAULT_ROUNDS

PER_SESSION = 4  # findings, and descriptions
HIRING_UNITS = 8  # of both kinds; twice what a person does, since units can be given back
CHECK = "refer360/check"  # an attention check
COLLECTION, ABLATION_STUDY = STUDIES = ("collection", "ablation")


@dataclass(frozen=True)
class CollectionSettings:
    """Settings of a project.

    Attributes:
        dataset: Episodes whose texts are the prepared ones of stage I, or those of the ablation.
        study: "collection", or "ablation": the dataset's texts with their last sentences only.
        worlds: Worlds whose places are described; the places of the dataset's episodes by default.
        places: Ids of those places to describe; all by default.
        limit: Descriptions to collect, or texts of the ablation.
        seed: Seed of targets and first views.
        hiring: Whether workers begin with stage I and need a review.
        candidates: Workers who can take part in stage I.
        rounds: Workers who look for a target at most, until one finds it; 1 is without stage III.
    """

    dataset: str = "city/refer360/small"
    study: str = COLLECTION
    worlds: Sequence[str] = ()
    places: Sequence[str] = ()
    limit: int = 100
    seed: int = 0
    hiring: bool = True
    candidates: int = 100
    rounds: int = DEFAULT_ROUNDS

    def __post_init__(self) -> None:
        for name, low, high in (("limit", 1, 100_000), ("seed", 0, 2**31 - 1), ("candidates", 1, 1000)):
            _check_integer(name, getattr(self, name), low, high)
        _check_integer("rounds", self.rounds, 1, 20)
        for name in ("worlds", "places"):
            value = getattr(self, name)
            if isinstance(value, str) or not all(isinstance(item, str) for item in value):
                raise InputError(f"a list of {name}", format_value(value), name)
        if self.study not in STUDIES:
            raise unknown_name("study", str(self.study), STUDIES)
        if not isinstance(self.hiring, bool):
            raise InputError("true or false", format_value(self.hiring), "hiring")

    @property
    def has_review(self) -> bool:
        """Whether workers begin with stage I, after which a person reviews their texts."""
        return self.hiring and self.study == COLLECTION


def _check_integer(name: str, value: object, low: int, high: int) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        raise InputError(f"a whole number from {low} to {high:,}", format_value(value), name)


def parse_settings(settings: Mapping[str, Any]) -> CollectionSettings:
    """Return the settings of a project; raise InputError for one that is unknown or wrong."""
    known = [field.name for field in fields(CollectionSettings)]
    chosen = task_settings(settings)
    for name in chosen:
        if name not in known:
            raise unknown_name("setting of Refer360", name, known)
    return CollectionSettings(**chosen)


def create_units(worlds: SceneWorlds, settings: Mapping[str, Any]) -> list[NewUnit]:
    """Return the units of a project.

    Raises:
        InputError: A setting is wrong, or the dataset has no texts that can be looked for.
    """
    chosen = parse_settings(settings)
    episodes = [episode for episode in worlds.episodes(chosen.dataset).values() if _is_refer360(episode)]
    if not episodes:
        raise InputError("a dataset of Refer360, such as city/refer360/small", format_value(chosen.dataset), "dataset")
    if chosen.study == ABLATION_STUDY:
        return list(_ablation_units(episodes[: chosen.limit], chosen))
    scenes = _scenes(worlds, episodes, chosen)
    hiring = _hiring_units(episodes, scenes, chosen) if chosen.hiring else ()
    return [*hiring, *_description_units(DESCRIPTION, scenes, chosen.limit, chosen.seed)]


def _is_refer360(episode: Episode) -> bool:
    leg = episode.legs[0]
    return len(episode.legs) == 1 and isinstance(leg.goal, Point) and bool(leg.sentences) and bool(leg.goal.place)


def _scenes(worlds: SceneWorlds, episodes: Sequence[Episode], chosen: CollectionSettings) -> list[tuple[str, str]]:
    """Return the panoramas to describe as (world, place), the worlds in turn."""
    by_world: dict[str, list[str]] = {world: list(worlds.graph(world).ids) for world in chosen.worlds}
    if not by_world:
        for world, place in dict.fromkeys((episode.world, str(episode.start.place)) for episode in episodes):
            by_world.setdefault(world, []).append(place)
    if chosen.places:
        by_world = {world: [p for p in places if p in chosen.places] for world, places in by_world.items()}
    missing = set(chosen.places) - {place for places in by_world.values() for place in places}
    if missing:
        raise InputError(f"places of {', '.join(by_world)}", format_value(min(missing)), "places")
    longest = max(map(len, by_world.values()))
    return [(world, places[k]) for k in range(longest) for world, places in by_world.items() if k < len(places)]


def _description_units(
    kind: str, scenes: Sequence[tuple[str, str]], count: int, seed: int, slots: int = 1
) -> Iterator[NewUnit]:
    targets = draw_targets(seed, count)
    for k, ((world, place), target) in enumerate(zip(islice(cycle(scenes), count), targets, strict=True)):
        payload = {"world": world, "place": place, "target": target.to_json(), "start": random_start(seed, k)}
        yield NewUnit(kind, payload, slots)


def _hiring_units(
    episodes: Sequence[Episode], scenes: Sequence[tuple[str, str]], chosen: CollectionSettings
) -> Iterator[NewUnit]:
    by_scene: dict[tuple[str, str | None], Episode] = {}
    for episode in episodes:
        by_scene.setdefault((episode.world, episode.start.place), episode)
    if len(by_scene) < PER_SESSION:
        raise InputError(f"prepared texts of {PER_SESSION} scenes", f"{len(by_scene)} in {chosen.dataset}", "dataset")
    for k, episode in enumerate(islice(by_scene.values(), HIRING_UNITS)):
        payload = episode_payload(episode) | {"start": random_start(chosen.seed, 1, k)}
        yield NewUnit(HIRING_FINDING, payload, chosen.candidates)
    # From the other end, so that the texts of stage I are seldom of a scene that is just being described.
    yield from _description_units(HIRING_DESCRIPTION, scenes[::-1], HIRING_UNITS, chosen.seed + 1, chosen.candidates)


def _ablation_units(episodes: Sequence[Episode], chosen: CollectionSettings) -> Iterator[NewUnit]:
    for k, episode in enumerate(episodes):
        for last in (last for last in ROWS if last):
            if last < len(episode.legs[0].sentences):
                payload = episode_payload(episode) | {"start": random_start(chosen.seed, 2, k), "last": last}
                yield NewUnit(ABLATION, payload)


def episode_payload(episode: Episode) -> dict[str, Any]:
    """Return the payload of a finding of an episode, without the first view."""
    leg = episode.legs[0]
    assert isinstance(leg.goal, Point)
    return {
        "world": episode.world,
        "place": leg.goal.place,
        "target": leg.goal.direction.to_json(),
        "sentences": list(leg.sentences),
        "dataset": episode.dataset,
        "episode": episode.id,
    }


def ablation_units(session: Session, project: Project, limit: int, seed: int = 0) -> list[NewUnit]:
    """Return ablations of the project's own verified texts, to be added to it: the last sentence, the last two.

    Args:
        session: A session.
        project: A project of Refer360.
        limit: How many texts at most, the first verified ones.
        seed: Seed of the first views.
    """
    found = exists().where(Answer.unit_id == Unit.id, Answer.accepted)
    query = select(Unit).where(Unit.project_id == project.id, Unit.kind == FINDING, found).order_by(Unit.id)
    units = []
    for unit in session.scalars(query.limit(limit)):
        for last in (last for last in ROWS if last):
            if last < len(unit.payload["sentences"]):
                payload = unit.payload | {"start": random_start(seed, 3, unit.id, last), "last": last}
                units.append(NewUnit(ABLATION, payload, writer_id=unit.writer_id, parent_id=unit.id))
    return units


@dataclass(frozen=True)
class Standing:
    """How far a worker is in a project.

    Attributes:
        stage: "hiring", "review" (the texts are being read), "declined", "collection", or "ablation".
        findings: Findings submitted in this stage.
        descriptions: Descriptions submitted in this stage.
        reason: What the reviewer wrote.
    """

    stage: str
    findings: int
    descriptions: int
    reason: str = ""

    @property
    def message(self) -> str:
        """What the worker is told."""
        if self.stage == "review":
            return "Thank you! A person reads your texts now. You can go on when they are accepted."
        if self.stage == "declined":
            return f"Thank you for taking part. You were not chosen for the next stage. {self.reason}".strip()
        if self.stage == ABLATION_STUDY:
            return ""
        before = PER_SESSION * self.session
        found, written = (min(max(done - before, 0), PER_SESSION) for done in (self.findings, self.descriptions))
        progress = f"{found} of {PER_SESSION} texts followed, {written} of {PER_SESSION} written."
        if self.stage == "hiring":
            return f"First session: {progress} Then a person reads your texts, and you can go on if they are clear."
        return f"Session {self.session + 1}: {progress}"

    @property
    def session(self) -> int:
        """How many sessions are complete, by their descriptions."""
        return self.descriptions // PER_SESSION

    @property
    def owes_finding(self) -> bool:
        """Whether the next unit is a finding: four of them, then four descriptions, then the next session."""
        return self.findings < PER_SESSION * (self.session + 1)


def standing(session: Session, project: Project, worker_id: int) -> Standing:
    """Return how far a worker is in a project."""
    counts = _answers_by_kind(session, project, worker_id)
    findings, descriptions = counts.get(FINDING, 0), counts.get(DESCRIPTION, 0)
    chosen = parse_settings(project.settings)
    if not chosen.has_review:
        return Standing(chosen.study, findings, descriptions)
    first_findings, texts = counts.get(HIRING_FINDING, 0), _hiring_texts(session, project, worker_id)
    if min(first_findings, len(texts)) < PER_SESSION:
        return Standing("hiring", first_findings, len(texts))
    decisions = last_decisions(session, [text.id for text in texts])
    rejected = [decision for decision in decisions.values() if not decision.accepted]
    if rejected:
        return Standing("declined", findings, descriptions, max(rejected, key=lambda decision: decision.id).reason)
    if len(decisions) < len(texts):
        return Standing("review", first_findings, len(texts))
    return Standing("collection", findings, descriptions)


def allowed_kinds(session: Session, project: Project, worker_id: int) -> list[str]:
    """Return the kinds of units that a worker may do now.

    A session is four findings, then four descriptions. In stage II either takes the place of the other while there is
    none for this worker, and ablations come last. In stage I the order is fixed, and nothing is left after it until the
    texts are reviewed.
    """
    at = standing(session, project, worker_id)
    if at.stage == ABLATION_STUDY:
        return [ABLATION]
    if at.stage == "hiring":
        return [HIRING_FINDING if at.findings < PER_SESSION else HIRING_DESCRIPTION]
    if at.stage != "collection":
        return []
    active = active_kind(session, project, worker_id)
    if active is not None:
        return [active]
    order = [FINDING, DESCRIPTION] if at.owes_finding else [DESCRIPTION, FINDING]
    for kind in (*order, ABLATION):
        if is_available(session, project, worker_id, kind):
            return [kind]
    return order[:1]


def review(
    session: Session, project: Project, worker_id: int, accepted: bool, reason: str = "", who: str = COMMAND_LINE
) -> None:
    """Store a reviewer's decision on all texts of stage I of a worker; the last decision on each text counts.

    Who has a rejected text may not go on; who has accepted texts only may.

    Args:
        session: A session that writes.
        project: A project with hiring.
        worker_id: The worker.
        accepted: Whether the worker may go on with stage II.
        reason: What the worker is told if not.
        who: The reviewer's account.

    Raises:
        InputError: The project has no stage I, there is no such worker, the worker has not completed it, or a rejection
            has no reason.
    """
    if project.family != "refer360" or not parse_settings(project.settings).has_review:
        raise InputError("a project of Refer360 with hiring", format_value(project.name), "project")
    if session.get(Worker, worker_id) is None:
        raise InputError("a worker", str(worker_id), "worker")
    if standing(session, project, worker_id).stage == "hiring":
        raise InputError("a worker who has completed stage I", "one who has not", "worker")
    decide(session, _hiring_texts(session, project, worker_id), accepted, reason, who)


def _hiring_texts(session: Session, project: Project, worker_id: int) -> list[Answer]:
    query = (
        select(Answer)
        .join(Unit, Unit.id == Answer.unit_id)
        .where(Unit.project_id == project.id, Unit.kind == HIRING_DESCRIPTION, Answer.worker_id == worker_id)
    )
    return list(session.scalars(query.order_by(Answer.id)))


def to_review(session: Session, project: Project) -> list[dict[str, Any]]:
    """Return the workers who wait for a review, by pseudonym, with their texts and how well they found targets."""
    query = (
        select(Answer, Unit, Worker)
        .join(Unit, Unit.id == Answer.unit_id)
        .join(Worker, Worker.id == Answer.worker_id)
        .where(Unit.project_id == project.id, Unit.kind.in_((HIRING_FINDING, HIRING_DESCRIPTION)))
        .order_by(Answer.id)
    )
    rows: dict[int, dict[str, Any]] = {}
    for answer, unit, worker in session.execute(query):
        empty = {"worker": worker.id, "pseudonym": worker.pseudonym, "found": 0, "texts": []}
        row = rows.setdefault(worker.id, empty)
        if unit.kind == HIRING_FINDING:
            row["found"] += bool(answer.accepted)
        else:
            names = ("world", "place", "target")
            row["texts"].append({**{name: unit.payload[name] for name in names}, "text": answer.data["text"]})
    return [row for number, row in rows.items() if standing(session, project, number).stage == "review"]


def _answers_by_kind(session: Session, project: Project, worker_id: int) -> dict[str, int]:
    query = (
        select(Unit.kind, func.count(Answer.id))
        .join(Answer, Answer.unit_id == Unit.id)
        .where(Unit.project_id == project.id, Answer.worker_id == worker_id)
        .group_by(Unit.kind)
    )
    return dict(session.execute(query).all())
