"""The nDTW paper's Table 2 with trained agents, on R2R and R4R.

Which module does what:

- `runs`: the agents of the table, and the settings that all of them share.
- `train`: trains them by `bearleft.training.reinforcement`, and saves their walks and learning curves.
- `saved_walks`: small files of walks.
- `results`, `markdown`: metrics with intervals, differences between rewards, and pages of them.
- `figures`: learning curves; `examples`: traces of episodes in which one agent takes a short cut, for reports.
"""
