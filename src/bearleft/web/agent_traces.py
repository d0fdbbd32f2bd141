"""Traces of agents on the episodes that people play, made in the background and kept in the cache folder."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterable, Mapping
from pathlib import Path

from bearleft.data import open_dataset
from bearleft.errors import InputError
from bearleft.evaluation.evaluate import evaluate
from bearleft.records import Trace
from bearleft.runtime.store import cache_folder, file_lock
from bearleft.types import DataFolder
from bearleft.version import VERSION
from bearleft.web.scoring import score_traces

log = logging.getLogger(__name__)
AGENTS = {
    "play/walk": ("follower", "random"),
    "play/both": ("follower",),
    "play/point": ("follower", "center"),
    "play/look": ("follower", "center"),
}


class AgentTraces:
    """Traces of the agents that people are compared with.

    Args:
        data: Folder of datasets.
        folder: Where the traces are kept.
    """

    def __init__(self, data: DataFolder = None, folder: Path | None = None) -> None:
        self.data, self.folder = data, folder or cache_folder() / "agents"
        self._traces: dict[str, dict[str, dict[str, Trace]]] = {}  # dataset -> agent -> episode -> trace

    def file(self, agent: str, dataset: str) -> Path:
        """Return the file of an agent's traces on a dataset."""
        sha256 = open_dataset(dataset, self.data).sha256
        return self.folder / f"{agent}-{dataset.replace('/', '-')}-{sha256[:12]}-{VERSION}.jsonl"

    def compute(self, dataset: str, kind: str) -> None:
        """Let the agents play a dataset; what they have played before is read from files."""
        for agent in AGENTS.get(kind, ()):
            try:
                path = self.file(agent, dataset)
                path.parent.mkdir(parents=True, exist_ok=True)
                with file_lock(path):  # of several server processes one lets the agent play, and the others read
                    traces = evaluate(agent, dataset, path, data=self.data)
            except InputError as error:  # an agent that cannot play this dataset
                log.info("%s does not play %s: %s", agent, dataset, error)
                continue
            self._traces.setdefault(dataset, {})[agent] = {trace.episode: trace for trace in traces}

    def start(self, datasets: Iterable[tuple[str, str]]) -> threading.Thread:
        """Let the agents play datasets, given with the kinds of their tasks, in the background."""

        def work() -> None:
            for dataset, kind in datasets:
                self.compute(dataset, kind)
                self._prepare_scores(dataset)

        thread = threading.Thread(target=work, name="agents", daemon=True)
        thread.start()
        return thread

    def _prepare_scores(self, dataset: str) -> None:
        """Score a trace, so that the first person to finish need not wait while graphs are computed."""
        for traces in self._traces.get(dataset, {}).values():
            score_traces(list(traces.values())[:1], self.data)

    def of(self, dataset: str, episode: str) -> Mapping[str, Trace]:
        """Return the traces of agents in an episode, as far as they are there, by the agents' names."""
        agents = self._traces.get(dataset, {})
        return {agent: traces[episode] for agent, traces in agents.items() if episode in traces}
