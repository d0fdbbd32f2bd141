"""Tables 2, 3, 5 and 6 of trained agents: runs, their saved plays, and results.

`runs`: systems and settings; `train`: trains them and saves their plays; `saved_plays`: files of plays; `results`: the
tables' rows, theirs and ours.
"""
