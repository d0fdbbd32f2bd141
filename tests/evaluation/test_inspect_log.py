"""Traces and scores as a log of Inspect, whose own reader takes these logs (checked with inspect_ai 0.3.285)."""

from __future__ import annotations

import json
from pathlib import Path

from click.testing import CliRunner

from bearleft.agents.llm import LanguageModelAgent, LanguageModelOptions, Prices, in_process
from bearleft.cli import cli
from bearleft.envs.legs import EnvOptions
from bearleft.errors import InputError
from bearleft.evaluation.evaluate import evaluate


def test_log_of_inspect(tmp_path: Path) -> None:
    options = LanguageModelOptions(landmarks="none")
    agent = LanguageModelAgent("bear-1", in_process(lambda _: "ACTION: forward"), options, prices=Prices(1, 1))
    file, log = tmp_path / "t.jsonl", tmp_path / "log.json"
    traces = evaluate(agent, "town/dev@3", file, options=EnvOptions(horizon=2))
    assert CliRunner().invoke(cli, ["score", str(file), "--inspect", str(log)]).exit_code == 0
    row = json.loads(log.read_text())
    # Fields that EvalLog, EvalSpec and EvalSample require.
    assert (row["version"], row["status"], row["eval"]["task"], row["eval"]["model"]) == (
        2,
        "success",
        "town/dev@3",
        "bear-1",
    )
    assert {"created", "dataset", "config"} <= set(row["eval"]) and row["results"]["total_samples"] == 3
    assert [sample["id"] for sample in row["samples"]] == [trace.episode for trace in traces]
    sample = row["samples"][0]
    assert {"id", "epoch", "input", "target"} <= set(sample)
    assert [message["role"] for message in sample["messages"]] == ["system", "user", "assistant", "user", "assistant"]
    assert sample["output"]["choices"][0]["message"]["content"] == "ACTION: forward"
    assert sample["scores"]["TC"]["value"] == 0 and sample["output"]["usage"]["total_cost"] == 0
    means = {score["name"]: score["metrics"]["mean"]["value"] for score in row["results"]["scores"]}
    assert means["TC"] == 0 and means["nDTW"] > 0
    for arguments, message in ((["--inspect", "log.eval"], ".json"), ([str(file), "--inspect", str(log)], "one file")):
        error = CliRunner().invoke(cli, ["score", str(file), *arguments]).exception
        assert isinstance(error, InputError) and message in str(error)
