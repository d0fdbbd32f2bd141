"""What tables of trained systems share, whichever paper they are of.

Which module does what:

- `train`: runs in calls of some minutes, in one process or several; `walk_files` keeps the walks that they learn from.
- `saved_results`, `saved_walks`: small files of what a run did on a split.
- `scoring`: metrics of saved walks; `bootstrap`: intervals over episodes, with resamples that all systems share.
- `table`: means over seeds, and the rows of tables; `markdown`: pages and files of rows.
"""
