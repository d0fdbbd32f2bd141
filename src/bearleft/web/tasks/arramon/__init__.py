"""ArraMon's data collection: write texts along a guide line in 3-D, and follow those of others, after quizzes."""

from bearleft.web.tasks.arramon.check import CheckTask as CheckTask
from bearleft.web.tasks.arramon.check import check_units as check_units
from bearleft.web.tasks.arramon.following import FollowingTask as FollowingTask
from bearleft.web.tasks.arramon.placement import PlacementTestTask as PlacementTestTask
from bearleft.web.tasks.arramon.quizzes import FollowingQuizTask as FollowingQuizTask
from bearleft.web.tasks.arramon.quizzes import WritingQuizTask as WritingQuizTask
from bearleft.web.tasks.arramon.review import review as review
from bearleft.web.tasks.arramon.review import to_review as to_review
from bearleft.web.tasks.arramon.sessions import BEFORE as BEFORE
from bearleft.web.tasks.arramon.sessions import allowed_kinds as allowed_kinds
from bearleft.web.tasks.arramon.sessions import create_units as create_units
from bearleft.web.tasks.arramon.sessions import standing_message as standing_message
from bearleft.web.tasks.arramon.writing import WritingTask as WritingTask
