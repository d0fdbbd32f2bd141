"""Running and scoring, two steps on one file of traces: `run(agent, dataset)`, then `score(traces)`."""
