"""What each agent does, in a line: for reports and people who read a table of scores."""

from __future__ import annotations

# One line for each key of `AGENTS` in `registry.py`.
DESCRIPTIONS = {
    "stop": "Does not read: ends every leg at once.",
    "random": "Does not read: moves at random.",
    "frequent": "Does not read: repeats the most frequent action, forward, and stops.",
    "uniform": "Does not read: points at a random pixel.",
    "center": "Does not read: points at the middle of the picture.",
    "average": "Does not read: points at the mean of the other episodes' targets.",
    "gold": "Repeats the reference; it knows the answer, so its scores are the best possible.",
    "shortest": "Walks a shortest path to the goal and points at the target; it knows the answer.",
    "follower": "Rules that know every word the text generators use, and the true scene instead of pictures;"
    " texts by people are harder.",
    "colour-blind": "The follower without colour words: it shows what colours are needed for.",
}


def describe_agent(name: str) -> str:
    """Return one line on what an agent does, by its name in traces.

    Args:
        name: As `Trace.agent`: a built-in agent, perhaps with rules in parentheses or a dataset after a colon,
            FILE.py[HASH], CHECKPOINT.pt, pipe:COMMAND, or any name that another program gave.

    Returns:
        The line; for an unknown name, "".
    """
    if name.startswith("pipe:"):
        return f"A program that answers over a pipe: {name.removeprefix('pipe:')}"
    if name.startswith("llm:"):
        return f"A language model that is asked for each action: {name.removeprefix('llm:')}"
    base, _, dataset = name.partition(":")
    if base == "average" and dataset:
        return f"Does not read: points at the mean of the targets of {dataset}."
    for known, line in DESCRIPTIONS.items():
        if name == known or name.startswith((f"{known} ", f"{known}[", f"{known}(")):
            return line
    file = name.partition("[")[0].partition(":")[0]
    if file.endswith(".py"):
        return f"Your own agent, in {file}."
    return f"A trained network, from {file}." if ".pt" in name else ""
