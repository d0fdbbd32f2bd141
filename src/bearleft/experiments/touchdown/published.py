"""Published numbers of the Touchdown paper: Tables 1, 2, 4, 5, 7 and 8, and the figures of sections 5 and 8.

Tables 3 and 6 are in `experiments/phenomena.py`. Rows hold what the paper means; `MISPRINTS` lists where it prints
something else.
"""

from __future__ import annotations

from bearleft.data.worker_validation import LAST_ATTEMPT, ONE_ATTEMPT, ONE_WORKER, TWO_WORKERS
from bearleft.language.analysis.statistics import OVERLAP

Published = dict[str, dict[str, tuple[float, ...]]]  # by split and system
DEV, TEST, TRAIN = "dev", "test", "train"
TABLE_1 = {"Instruction Writing": 224, "Target Propagation": 218, "Validation": 291, "Instruction Segmentation": 46}
COLUMNS_2 = ("examples", "vocabulary", "tokens per text, mean")
TABLE_2 = {
    "TOUCHDOWN": (9326, 5625, 108.0),
    "Navigation": (9326, 4999, 89.6),
    "SDR": (25575, 3419, 29.7),
    "R2R": (21567, 3156, 29.3),
    "SAIL": (706, 563, 36.7),
    "LANI": (5487, 2292, 61.9),
}
# Section 5: examples of each split, and figures of all.
SIZES = {
    "Navigation": {TRAIN: 6526, DEV: 1391, TEST: 1409},
    "SDR": {TRAIN: 17880, DEV: 3836, TEST: 3859},
}
PANORAMAS, SDR_LENGTH = "panoramas per route, mean", "SDR: tokens per text, mean"
SECTION_5 = {PANORAMAS: 35.2, OVERLAP: 11.4, SDR_LENGTH: 29.8}
VALIDATION = {ONE_WORKER: 89.9, TWO_WORKERS: 10.1, ONE_ATTEMPT: 64.0, LAST_ATTEMPT: 1.4}
COLUMNS_4 = ("A@40px", "C@40px", "A@80px", "C@80px", "A@120px", "C@120px", "Dist")
TABLE_4: Published = {
    DEV: {
        "RANDOM": (0.18, 0.00, 0.59, 0.00, 1.28, 0.00, 1185),
        "CENTER": (0.55, 0.07, 1.62, 0.07, 3.26, 0.36, 777),
        "AVERAGE": (1.88, 0.07, 4.22, 0.29, 7.14, 0.79, 762),
        "UNET": (10.86, 2.69, 13.94, 3.31, 16.69, 3.91, 957),
        "CONCAT": (13.70, 3.22, 17.85, 4.46, 21.16, 5.47, 917),
        "CONCATCONV": (13.56, 3.24, 18.00, 4.58, 21.42, 5.71, 918),
        "TEXT2CONV": (24.03, 7.60, 29.36, 10.02, 32.60, 11.42, 783),
        "LINGUNET": (24.81, 7.73, 32.83, 13.00, 36.44, 15.01, 729),
    },
    TEST: {
        "RANDOM": (0.21, 0.00, 0.78, 0.00, 1.89, 0.00, 1179),
        "CENTER": (0.31, 0.00, 1.61, 0.21, 3.93, 0.57, 759),
        "AVERAGE": (2.43, 0.07, 5.21, 0.57, 7.96, 1.06, 744),
        "TEXT2CONV": (24.82, 8.21, 30.40, 11.73, 34.13, 13.32, 747),
        "LINGUNET": (26.11, 8.80, 34.59, 14.57, 37.81, 16.11, 708),
    },
}
COLUMNS_5 = ("TC", "SPD", "SED")
TABLE_5: Published = {
    DEV: {
        "STOP": (0.0, 26.7, 0.0),
        "FREQUENT": (0.1, 52.3, 0.001),
        "RANDOM": (0.2, 26.8, 0.001),
        "GA": (7.9, 21.5, 0.077),
        "RCONCAT": (9.8, 19.1, 0.094),
    },
    TEST: {
        "STOP": (0.0, 27.0, 0.0),
        "FREQUENT": (0.0, 53.1, 0.0),
        "RANDOM": (0.2, 26.9, 0.001),
        "GA": (5.5, 21.3, 0.054),
        "RCONCAT": (10.7, 19.5, 0.104),
    },
}
TABLE_7: Published = {
    DEV: {"RCONCAT": (6.8, 23.4, 0.066), "GA": (6.5, 24.0, 0.064)},
    TEST: {"RCONCAT": (9.0, 22.6, 0.086), "GA": (7.9, 23.4, 0.076)},
}
TABLE_8: Published = {
    DEV: {
        "RCONCAT NO-TEXT": (7.26, 24.48, 0.07),
        "RCONCAT NO-IMAGE": (0.22, 35.68, 0.001),
        "GA NO-TEXT": (6.8, 25.7, 0.07),
        "GA NO-IMAGE": (0.1, 50.1, 0.0),
    }
}
# TC (dev, test) of ORAR without images, trained on real texts (Schumann and Riezler 2022), on their own splits.
ORAR_NO_IMAGE = {"touchdown": (15.4, 13.1), "map2seq": (42.3, 39.3)}
COMPLETE, PEOPLE = 4.5, 92.0  # section 8: accuracy at 80 px of a pipeline, and of workers
MISPRINTS = [
    "Table 8's TC and SPD columns are swapped; here they stand as meant.",
    "The introduction's 27,575 SDR examples should be 25,575, as in Table 2 and the sum of section 5's splits.",
    "The mean length of SDR texts is 29.7 tokens in Table 2 and 29.8 in section 5.",
    "Appendix C names CONCAT twice among the four models of Figures 9 to 14; one of them should be TEXT2CONV.",
    "Appendix E.1 calls the image networks of RCONCAT and GA three-layer; it gives two convolutions, and then one "
    "fully-connected layer.",
    "Table 7 calls GA 'GA + SUP' in its test results.",
]
