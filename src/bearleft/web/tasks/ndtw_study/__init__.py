"""The nDTW paper's human study: rank five paths by how well they follow a reference path."""

from bearleft.web.tasks.ndtw_study.check import CheckTask as CheckTask
from bearleft.web.tasks.ndtw_study.check import check_units as check_units
from bearleft.web.tasks.ndtw_study.ranking import QUESTION as QUESTION
from bearleft.web.tasks.ndtw_study.ranking import RankingTask as RankingTask
from bearleft.web.tasks.ndtw_study.sessions import RankingSettings as RankingSettings
from bearleft.web.tasks.ndtw_study.sessions import Standing as Standing
from bearleft.web.tasks.ndtw_study.sessions import allowed_kinds as allowed_kinds
from bearleft.web.tasks.ndtw_study.sessions import create_units as create_units
from bearleft.web.tasks.ndtw_study.sessions import parse_settings as parse_settings
from bearleft.web.tasks.ndtw_study.sessions import standing as standing
from bearleft.web.tasks.ndtw_study.sets import RANKING as RANKING
from bearleft.web.tasks.ndtw_study.sets import path_set_of as path_set_of
