"""Refer360's data collection: describe a spot of a panorama, find it by somebody else's text, in three stages."""

from bearleft.web.tasks.refer360.ablation import AblationTask as AblationTask
from bearleft.web.tasks.refer360.check import check_units as check_units
from bearleft.web.tasks.refer360.description import DescriptionTask as DescriptionTask
from bearleft.web.tasks.refer360.description import HiringDescriptionTask as HiringDescriptionTask
from bearleft.web.tasks.refer360.description import draw_targets as draw_targets
from bearleft.web.tasks.refer360.finding import FindingTask as FindingTask
from bearleft.web.tasks.refer360.finding import HiringFindingTask as HiringFindingTask
from bearleft.web.tasks.refer360.sessions import Standing as Standing
from bearleft.web.tasks.refer360.sessions import ablation_units as ablation_units
from bearleft.web.tasks.refer360.sessions import allowed_kinds as allowed_kinds
from bearleft.web.tasks.refer360.sessions import create_units as create_units
from bearleft.web.tasks.refer360.sessions import review as review
from bearleft.web.tasks.refer360.sessions import standing as standing
from bearleft.web.tasks.refer360.sessions import to_review as to_review
