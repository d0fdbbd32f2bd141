"""Touchdown's navigation tables on a city: Tables 5, 7 and 8 and section 8 for trained walking agents.

Which module does what:

- `runs`: the systems of the tables, and the settings that all of them share.
- `train`: trains them and saves their walks; `walk_files` and `view_files` keep what calls share, `evaluation` has the
  splits and texts that are walked.
- `saved_walks`: small files of walks; `baselines` walks for STOP, FREQUENT and RANDOM.
- `scoring`, `results`, `markdown`: metrics with bootstrap intervals, rows, and pages of them.
- `figures`, `path_maps`: pictures of saved walks, and charts of TC.
- `complete`: the complete task, from files of traces.
"""
