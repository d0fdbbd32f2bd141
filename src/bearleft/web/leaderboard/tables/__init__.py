"""Tables of a leaderboard: rows with intervals, paired tests, history; CSV, Markdown and LaTeX."""

from bearleft.web.leaderboard.tables.comparison import Comparison, compare
from bearleft.web.leaderboard.tables.history import HistoryPoint, history
from bearleft.web.leaderboard.tables.model import Cell, Column, Row, Table
from bearleft.web.leaderboard.tables.rows import OwnRow, conventions_of, own_rows, track_table

__all__ = [
    "Cell",
    "Column",
    "Comparison",
    "HistoryPoint",
    "OwnRow",
    "Row",
    "Table",
    "compare",
    "conventions_of",
    "history",
    "own_rows",
    "track_table",
]
