"""Objects that a reader could take for a named one: of an alike class, and of a colour that looks alike.

A follower that knows the scene tells a desk from a table and teal from green; a reader of a picture may not.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import numpy.typing as npt

from bearleft.language.lexicon.attributes import adjective_mask
from bearleft.language.lexicon.lexicon import MAX_VARIANTS, colour_words
from bearleft.language.phrases import NARROWING_ADJECTIVES, Feature, Flags, Phrase, match
from bearleft.language.scene_index import VisibleObjects
from bearleft.world.city import palette
from bearleft.world.city.catalog import CLASSES, class_index

MIN_RIVAL_SHARE = 2.5e-4  # of the sphere; smaller objects are not looked at
MIN_RELATIVE_SHARE = 1 / 8  # of the named object's; much smaller objects do not come into question
MIN_LEGIBLE_SHARE = 4e-3  # of the sphere; what is written on smaller objects does not tell them apart
MAX_COLOUR_DISTANCE = 16.0  # of colours that look alike, in CIELAB with less weight on lightness
LIGHTNESS_WEIGHT = 0.6  # light and shade change the lightness of a colour
# Classes that look alike or share a general name. A class may be in several sets.
ALIKE: tuple[frozenset[str], ...] = tuple(
    map(
        frozenset,
        (
            # Rooms.
            ("coffee table", "dining table", "side table", "tablecloth table", "display table", "desk", "nightstand"),
            ("reception desk", "bar counter", "checkout counter", "desk", "display case"),
            ("dresser", "cabinet", "nightstand", "tv stand", "wardrobe"),
            ("bookshelf", "wall shelf", "store shelf", "shoe rack", "wine rack", "cabinet", "display case"),
            ("magazine rack", "brochure stand", "store shelf"),
            ("coat rack", "hat stand", "clothes rack"),
            ("sofa", "armchair", "booth seat", "ottoman"),
            ("chair", "armchair", "office chair", "high chair"),
            ("stool", "bar stool", "ottoman", "chair"),
            ("bed", "bunk bed"),
            ("ceiling lamp", "chandelier", "pendant lamp", "spotlight", "ceiling fan"),
            ("floor lamp", "table lamp", "wall lamp", "pendant lamp"),
            ("television", "display screen", "computer monitor", "laptop"),
            ("painting", "poster", "mirror", "exhibit panel", "mural"),
            ("chalkboard", "whiteboard", "poster", "display screen", "exhibit panel"),
            ("vase", "bottle", "teapot"),
            ("bowl", "fruit bowl", "plate"),
            ("cup", "wine glass"),
            ("cardboard box", "toy box", "fruit crate", "basket", "shopping basket", "suitcase"),
            ("refrigerator", "freezer", "vending machine"),
            ("oven", "microwave", "coffee machine"),
            ("column", "pedestal"),
            ("sculpture", "statue", "landmark", "robot"),
            ("curtain", "fitting room"),
            ("room door", "fitting room"),
            ("light switch", "electrical outlet"),
            ("exit sign", "price sign"),
            ("air vent", "radiator", "loudspeaker"),
            ("banner stand", "poster", "exhibit panel"),
            ("pillow", "blanket"),
            ("hanging plant", "potted plant"),
            # Streets.
            ("lettered sign", "blank sign", "banner", "billboard", "marquee"),
            ("street sign", "one way sign", "no parking sign", "speed limit sign", "blank sign", "bus stop"),
            ("road work sign", "warning sign", "yield sign"),
            ("sandwich board", "blank sign", "lettered sign"),
            ("bush", "hedge", "planter", "potted plant", "flower bed", "window box"),
            ("tree", "bush"),
            ("car", "taxi", "police car", "van", "pickup"),
            ("van", "truck", "garbage truck", "ambulance", "food truck", "pickup", "bus", "food cart"),
            ("bus", "school bus"),
            ("bicycle", "bike rack", "cyclist", "motorcycle"),
            ("mailbox", "newspaper box", "utility box", "fire alarm box", "trash can", "dumpster"),
            ("trash can", "barrel"),
            ("barrel", "traffic cone", "bollard"),
            ("pole", "lamp post", "bollard"),
            ("traffic light", "pedestrian signal"),
            ("lamp post", "wall lamp"),
            ("door", "portico", "gate", "garage entrance"),
            ("awning", "canopy", "marquee"),
            ("fence", "construction fence", "barrier", "gate", "hedge"),
            ("scaffolding", "construction fence"),
            ("balcony", "fire escape", "bay window"),
            ("cafe table", "picnic table", "bench"),
            ("food cart", "fruit stand", "newsstand", "food truck"),
            ("phone booth", "bus stop", "newsstand", "portable toilet"),
            ("parking meter", "atm"),
            ("flag", "banner"),
            ("mural", "graffiti"),
            ("fountain", "drinking fountain"),
            ("statue", "landmark"),
            ("park", "median", "court"),
            ("person", "seated person", "cyclist", "mannequin"),
        ),
    )
)
# Classes whose variants readers do not tell apart by a noun, such as sedans from hatchbacks.
_ONE_LOOK = frozenset(
    (
        *(
            "building",
            "car",
            "taxi",
            "van",
            "truck",
            "pickup",
            "person",
            "seated person",
            "cyclist",
            "tree",
            "bush",
            "door",
        ),
        *("sofa", "chair", "armchair", "office chair", "coffee table", "dining table", "side table", "desk", "dresser"),
        *("cabinet", "wardrobe", "nightstand", "painting", "lamp post", "storefront", "planter", "room window"),
        *("room door", "table lamp", "floor lamp", "ceiling lamp", "pendant lamp", "display case", "vase", "bottle"),
    )
)
# Nouns that set off some variants of such a class all the same.
_TELLING_WORDS = frozenset(("glass", "brick", "brownstone", "bare", "palm", "leafless", "revolving"))
# Nouns that fit much of what a picture shows, or that few readers would use for the object: never said of anchors.
VAGUE_NOUNS = frozenset(
    (
        *("structure", "edifice", "brick structure", "glass structure", "construction", "construction zone", "object"),
        *("construction site", "framework", "metal framework", "enclosure", "staging", "separator", "divider"),
        *("brick wall", "brick facade", "art object", "artpiece", "artifact", "model", "furniture", "seating", "unit"),
        *("rack unit", "metal box", "box", "post", "board", "rack", "partition", "debris", "flats building", "loft"),
        *("signage", "placard", "fixture", "stand", "dish", "machine", "island", "grass", "mesh", "netting", "tub"),
        *("signpost", "stub post", "shed", "wooden wall", "construction wall", "temporary wall", "display wall"),
    )
)


@cache
def _alike(kind: int) -> Flags:
    """Return the classes and variants that look like objects of a class, apart from the class itself."""
    names = frozenset[str]().union(*(names for names in ALIKE if CLASSES[kind].name in names))
    table = np.zeros((len(CLASSES), MAX_VARIANTS), bool)
    table[[class_index(name) for name in names - {CLASSES[kind].name}]] = True
    return table


def _taken_table(phrase: Phrase, kind: int) -> Flags:
    """Return the classes and variants that a reader may take for an object of a class that a phrase names."""
    assert phrase.table is not None
    words = phrase.head.split()
    alike = _alike(kind)
    if CLASSES[kind].name in _ONE_LOOK and not _TELLING_WORDS & set(words):
        alike = alike.copy()
        alike[kind] = True
    for word in words:
        mask = adjective_mask(word) if word in NARROWING_ADJECTIVES else None
        alike = alike if mask is None else alike & mask
    return phrase.table | alike


def could_be_taken(phrase: Phrase, visible: VisibleObjects, row: int) -> Flags:
    """Return which objects, of any size, a reader could take for the one that a phrase names; also that one."""
    own = int(visible.colour[row])
    colours = None if phrase.colours is None else phrase.colours | alike_colours(own)
    features = tuple(
        Feature(part, said.union(*(_near_colours(colour) for colour in said))) for part, said in phrase.features
    )
    table = _taken_table(phrase, int(visible.kind[row]))
    letterings = phrase.letterings if visible.share[row] >= MIN_LEGIBLE_SHARE else None
    phrase = replace(phrase, table=table, letterings=letterings)
    taken = match(replace(phrase, colours=colours, features=features), visible)
    if colours is not None:  # objects of several colours show this one too
        shown = match(replace(phrase, colours=None, features=(*features, Feature("", colours))), visible)
        taken |= shown & (visible.colour < 0)
    taken[row] = True
    return taken


def find_rivals(phrase: Phrase, visible: VisibleObjects, row: int) -> Flags:
    """Return which other objects a reader could take for the one that a phrase names in the whole view."""
    noticed = visible.share >= max(MIN_RIVAL_SHARE, MIN_RELATIVE_SHARE * float(visible.share[row]))
    rivals = could_be_taken(phrase, visible, row) & noticed
    rivals[row] = False
    return rivals


@cache
def alike_colours(colour: int) -> frozenset[int]:
    """Return the colours (palette indices) that share a word with a colour or look like it; none for -1."""
    if colour < 0:
        return frozenset()
    words = set(colour_words(palette.COLOUR_NAMES[colour]))
    sharing = {k for k, name in enumerate(palette.COLOUR_NAMES) if words & set(colour_words(name))}
    return _near_colours(colour) | sharing


@cache
def _near_colours(colour: int) -> frozenset[int]:
    """Return the colours that look like a colour; also that one."""
    distances = np.linalg.norm(_lab() - _lab()[colour], axis=1)
    return frozenset(np.flatnonzero(distances <= MAX_COLOUR_DISTANCE).tolist())


@cache
def _lab() -> npt.NDArray[np.float64]:
    """Return the colours of the palette in CIELAB (D65), with the weighted lightness."""
    rgb = palette.RGB_TABLE / 255.0
    linear = np.where(rgb > 0.04045, ((rgb + 0.055) / 1.055) ** 2.4, rgb / 12.92)
    to_xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
    xyz = linear @ to_xyz.T / (0.9505, 1.0, 1.089)
    x, y, z = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116).T
    return np.column_stack([LIGHTNESS_WEIGHT * (116 * y - 16), 500 * (x - y), 200 * (y - z)])
