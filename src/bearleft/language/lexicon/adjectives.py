"""Adjectives of shape, pattern, material and size, and poses of people, with the objects that they fit.

Like names, they are complete in both directions: an adjective that narrows is said only of objects that it fits, and
fits every object for which people would use it.
"""

from __future__ import annotations

from typing import NamedTuple

from bearleft.language.lexicon.names import Denotation

Kind = str | tuple[str, tuple[int, ...]]


class Adjective(NamedTuple):
    """An adjective: what it is said of, what else it fits, its relative frequency, and whether it narrows a phrase."""

    word: str
    said: Denotation
    fits: Denotation = ()
    weight: float = 1.0
    narrows: bool = True


def _denotation(*kinds: Kind) -> Denotation:
    return tuple((kind, None) if isinstance(kind, str) else kind for kind in kinds)


def _adjectives(
    words: str, *kinds: Kind, fits: tuple[Kind, ...] = (), weight: float = 1.0, narrows: bool = True
) -> list[Adjective]:
    """Return adjectives that are said of the same objects; each is less frequent than the one before."""
    return [
        Adjective(word, _denotation(*kinds), _denotation(*fits), weight / (1 + k), narrows)
        for k, word in enumerate(words.split(", "))
    ]


_WOODEN_FURNITURE: tuple[Kind, ...] = (
    *("dresser", "wardrobe", "nightstand", "bookshelf", "cabinet", "desk", "dining table", "coffee table", "chair"),
    *("side table", "stool", "bar stool", "crib", "bunk bed", "bed", "wall shelf", "tv stand", "coat rack", "piano"),
    *("guitar", "bar counter", "room door", "checkout counter", "reception desk", "sofa", "booth seat", "toy box"),
    *("magazine rack", "shoe rack", "wine rack", "display table"),
)

_SHAPES = [
    *_adjectives(
        "round, circular", ("lettered sign", (2,)), ("bus stop", (1,)), "clock", ("flower bed", (1,)),
        ("dining table", (1,)), ("coffee table", (2,)), ("mirror", (1,)), ("rug", (1,)), ("wall clock", (0,)),
        ("tablecloth table", (0,)), ("side table", (0,)), ("ottoman", (1,)), ("stool", (0,)), "manhole cover",
        ("clothes rack", (1,)), ("column", (0,)),
        fits=(
            "trash can", ("planter", (0,)), "cafe table", ("fountain", (0, 1)), ("bar stool", (0, 1)), "barrel",
            ("awning", (2,)), ("landmark", (4, 5, 9, 12)), "chandelier", ("ceiling lamp", (0, 1, 3)), "plate", "bowl",
            ("table lamp", (2,)), ("bollard", (0, 1)), ("no parking sign", (0,)), "steam stack", "ceiling fan",
        ),
        weight=5,
    ),
    *_adjectives(
        "square", ("planter", (1,)), ("wall clock", (1,)), ("column", (1, 2)), ("tablecloth table", (1,)),
        ("stool", (1,)), ("side table", (1,)),
        fits=(
            "blank sign", ("lettered sign", (0,)), "speed limit sign", "no parking sign", "utility box", "mailbox",
            "newspaper box", "potted plant", ("mirror", (0,)), "painting", "poster", ("side table", (2,)),
            ("ottoman", (0,)), ("dining table", (0, 2, 3)), ("coffee table", (0, 1)), "air vent", "cardboard box",
            ("tablecloth table", (2,)), "light switch", "electrical outlet", "sandwich board", ("ceiling lamp", (2,)),
            "air conditioner", ("rug", (0, 2, 3)), "loudspeaker", "display screen", "exhibit panel", "billboard",
            ("landmark", (8,)), "pedestal", "pillow",
        ),
        weight=3,
    ),
    *_adjectives(
        "rectangular, rectangle", "speed limit sign", "one way sign", "street sign", ("blank sign", (0, 1)),
        ("lettered sign", (0, 3, 4)), ("no parking sign", (0, 1)), ("mirror", (0,)), ("dining table", (0, 2, 3)),
        ("coffee table", (0, 1)), ("planter", (2,)), "whiteboard", ("ceiling lamp", (2,)),
        fits=(
            "billboard", "banner", "lettered sign", "painting", "poster", "utility box", "rug", "ottoman", "air vent",
            "exhibit panel", "display screen", "chalkboard", "television", "exit sign", "mural", "planter", "desk",
            "side table", "tablecloth table", "road work sign", "sandwich board", "light switch",
            "electrical outlet", "air conditioner", "dining table", "coffee table", ("bus stop", (1,)), "price sign",
        ),
        weight=2,
    ),
    *_adjectives(
        "diamond-shaped, diamond", ("warning sign", (0, 1, 2)), ("road work sign", (0,)), fits=(), weight=1.75
    ),
    *_adjectives("octagonal, octagon", "stop sign", weight=0.75),
    *_adjectives("triangular, triangle", "yield sign", weight=1.5),
    *_adjectives("arched", ("door", (3,)), ("mirror", (2,)), fits=(("landmark", (3,)), "gate"), weight=2),
    *_adjectives("rounded, curved", ("awning", (2,)), fits=(("lamp post", (2,)),), weight=2.5),
    *_adjectives("striped", ("awning", (1,)), "steam stack", ("barrier", (0,)), "barber pole", ("rug", (2,)),
                 ("blanket", (0,)), ("pillow", (2,)), fits=(
                     "traffic cone", "barrel", ("food cart", (0,)), ("cafe table", (1,)), "fruit stand",
                     ("landmark", (12, 13)), ("flag", (0,)), "garage entrance", ("bar counter", (2,)),
                     ("road work sign", (1,)), ("banner", (0,)), ("bench", (2,)), ("trash can", (0, 1, 2)), "crane",
                 ), weight=7.5),
    *_adjectives("checkered, checked, plaid", ("rug", (3,)), ("tablecloth table", (2,)),
                 fits=("basket", ("taxi", (1,)), "manhole cover"), weight=5),
]  # fmt: skip

_MATERIALS = [
    *_adjectives(
        "metal", ("bench", (2,)), ("fence", (0, 2)), "gate", "mailbox", "dumpster", ("barrier", (4,)), "utility box",
        "bike rack", ("pole", (1,)), ("construction fence", (1,)), "newspaper box", "fire escape", "steam stack",
        ("storefront", (3,)), ("door", (4,)), "ladder", "drinking fountain", "shopping cart", "refrigerator", "sink",
        ("cabinet", (2,)), "freezer", "basketball hoop", ("trash can", (0, 1)), "bollard",
        fits=(
            "lamp post", "traffic light", "pedestrian signal", "fire hydrant", "parking meter", "phone booth", "pole",
            "bus stop", "scaffolding", "balcony", "food cart", "fire alarm box", "playground", "atm", "bridge",
            "portable toilet", "stop sign", "yield sign", "one way sign", "street sign", "speed limit sign", "clock",
            "no parking sign", "warning sign", "road work sign", "blank sign", "lettered sign", "manhole cover",
            "newsstand", "garage entrance", "trash can", "statue", "crane", "excavator", "fence", "air conditioner",
            "wall lamp", "clothes rack", "chandelier", "floor lamp", "table lamp", "oven", "fire extinguisher",
            "radiator", "store shelf", "magazine rack", "bar stool", "stool", "rope barrier", "spotlight", "air vent",
            "security camera", "wine rack", "coffee machine", "landmark", "bicycle", "motorcycle", "billboard",
            "office chair", "display case", "pendant lamp", "ceiling lamp", "cafe table", "subway entrance",
            "construction fence", "barrier", "robot", "sculpture", "robot", "bench", "microwave", "beer tap",
        ),
        weight=1.6,
    ),
    *_adjectives(
        "wooden, wood", ("bench", (0,)), "picnic table", ("fence", (1,)), ("pole", (0,)), ("barrier", (1,)),
        ("planter", (2,)), ("door", (3,)), ("construction fence", (0,)), ("chair", (0, 3)), ("booth seat", (1,)),
        ("bar stool", (1,)), ("sofa", (3,)), "crib", ("material pile", (3,)), ("stool", (0, 1)), "bookshelf",
        fits=(
            *_WOODEN_FURNITURE, "door", "bench", "fruit stand", "ladder", "storefront", "planter", "fruit crate",
            "newsstand", ("landmark", (6,)), "basket", ("television", (2,)), "painting", "mirror", "wall clock", "gate",
        ),
        weight=1.6,
    ),
    *_adjectives(
        "glass", ("door", (2,)), ("room door", (1, 3, 4)), ("coffee table", (1,)), ("dining table", (3,)),
        ("phone booth", (0,)), ("landmark", (7,)), "display case", fits=(
            ("building", (3,)), "storefront", ("bus stop", (0,)), "fish tank", "wine glass", "bottle", "room window",
            "vase", "mirror", ("tv stand", (1,)), ("refrigerator", (2,)), ("freezer", (0, 1)), ("cabinet", (1,)),
            ("door", (0, 1)), "bowl", "bay window",
        ),
        weight=1.0,
    ),
    *_adjectives(
        "brick", ("column", (2,)), ("landmark", (11,)), ("fireplace", (0,)), ("oven", (1,)), fits=(
            ("building", (0, 1, 5, 6, 8, 10, 11)), ("landmark", (0, 9)), ("material pile", (2,)), "gate", "wall",
        ),
        weight=1.0,
    ),
    *_adjectives(
        "stone", "fountain", "portico", ("landmark", (1, 2, 3)), fits=(
            ("building", (1, 2, 9)), "gate", "statue", "drinking fountain", ("bench", (1,)), "flower bed", "fireplace",
            ("landmark", (10,)), ("door", (1, 3)), "planter", "column", ("bridge", (0,)), "sculpture", "pedestal",
        ),
        weight=0.8,
    ),
    *_adjectives("concrete, cement", ("barrier", (2,)), ("bench", (1,)), fits=(
        ("building", (4,)), "planter", "fountain", "drinking fountain", "bollard", "column", "portico", "balcony",
        "statue", "gate", ("material pile", (4,)), "pedestal",
    ), weight=1.0),
    *_adjectives("plastic", ("barrier", (3,)), ("chair", (2,)), ("construction fence", (2,)), "portable toilet", fits=(
        "barrel", "traffic cone", "shopping basket", "trash can", "newspaper box", "toy box", "trash bags",
        "playground", "robot", "banner stand",
    ), weight=0.6),
    *_adjectives("iron, wrought iron", ("fence", (0,)), "gate", "fire escape", fits=(
        "balcony", "lamp post", "fire hydrant", "bollard", "bench", "subway entrance", "bridge", "manhole cover",
        ("fence", (2,)),
    ), weight=0.6),
]  # fmt: skip

# Adjectives that narrow nothing: what they fit depends on the reader.
_SIZES = [
    *_adjectives(
        "large, big, huge", "building", "billboard", "mural", "awning", "scaffolding", "marquee", "portico", "statue",
        "fountain", ("tree", (0, 1)), "truck", "bus", "crane", "bridge", "banner", ("lettered sign", (1, 3, 4)),
        "garage entrance", "dumpster", "landmark", "bookshelf", "wardrobe", "sofa", "bed", "television", "painting",
        "display screen", "chandelier", "fireplace", "piano", "dining table", "refrigerator", "room window", "rug",
        "billboard", "excavator", "food truck", "store shelf", "exhibit panel", "curtain", "display case", "storefront",
        weight=2.2, narrows=False,
    ),
    *_adjectives("giant, massive, enormous", "billboard", "mural", "landmark", "crane", "bridge", "marquee",
                 "chandelier", "excavator", weight=0.25, narrows=False),
    *_adjectives(
        "small, little, tiny", "fire hydrant", "newspaper box", "blank sign", "no parking sign", "planter", "bush",
        "potted plant", "trash can", "utility box", "dog", "window box", ("tree", (4,)), "traffic cone", "flag",
        "wall lamp", "sandwich board", "parking meter", "stool", "side table", "table lamp", "vase", "candle",
        "ottoman", "pillow", "basket", "cup", "light switch", "electrical outlet", "security camera", "price sign",
        "nightstand", "wall clock", "fire extinguisher", "bollard", "atm", "air conditioner", "fire alarm box",
        weight=2.0, narrows=False,
    ),
    *_adjectives(
        "tall, high", "lamp post", "pole", "traffic light", ("tree", (1, 2, 5)), "steam stack", "crane", "building",
        ("landmark", (0, 2, 6, 11, 13)), ("lettered sign", (1,)), ("traffic cone", (1,)), "floor lamp", "bookshelf",
        "wardrobe", "column", ("dresser", (2,)), "banner stand", "ladder", "basketball hoop", "bar stool",
        weight=1.2, narrows=False,
    ),
    *_adjectives("long", "fence", "awning", "canopy", "construction fence", "hedge", "barrier", "bench", "scaffolding",
                 "bar counter", "dining table", "curtain", "wall shelf", "bus", "truck", "bike rack",
                 weight=0.8, narrows=False),
    *_adjectives("short, low", "bollard", "hedge", "fence", ("stool", (0, 1, 2)), "coffee table", "fire hydrant",
                 "ottoman", ("bookshelf", (2,)), weight=0.5, narrows=False),
    *_adjectives("narrow, thin, skinny", ("tree", (2,)), "pole", "lamp post", "parking meter", "floor lamp", "banner",
                 weight=0.25, narrows=False),
    *_adjectives("wide, broad", "awning", "garage entrance", "storefront", "sofa", "dresser", ("lettered sign", (3,)),
                 "bar counter", weight=0.25, narrows=False),
    *_adjectives(
        "colorful, bright, multicolored, multi-colored, colourful", "mural", ("graffiti", (1,)), "playground",
        "flower bed", "fruit stand", ("newspaper box", (1,)), ("landmark", (12,)), "balloons", "book stack",
        "clothes rack", "store shelf", "fruit bowl", ("painting", (2, 3)), "hat stand", "brochure stand",
        "magazine rack", weight=1.4, narrows=False,
    ),
    *_adjectives("ornate, fancy, decorative", ("lamp post", (1, 2)), "gate", ("landmark", (5, 9, 12)), "clock",
                 "chandelier", "portico", ("fire escape", (0,)), ("armchair", (1,)), "fireplace", ("mirror", (2,)),
                 "subway entrance", weight=0.5, narrows=False),
    *_adjectives("hanging, suspended", ("lettered sign", (0, 2)), "clock", ("lamp post", (2,)), "pendant lamp",
                 weight=0.3, narrows=False),
    *_adjectives("empty, vacant", "bench", ("cafe table", (0,)), "picnic table", ("coat rack", (1,)), "wine glass",
                 "booth seat", weight=0.3, narrows=False),
    *_adjectives("lit, lighted, illuminated", ("lettered sign", (4,)), "marquee", "exit sign", "pendant lamp",
                 weight=0.3, narrows=False),
    *_adjectives("wall-mounted, mounted", ("blank sign", (1,)), ("television", (1,)), "wall shelf",
                 weight=0.2, narrows=False),
    *_adjectives("folding, freestanding", "sandwich board", ("road work sign", (0,)), weight=0.2, narrows=False),
    *_adjectives("upholstered, padded, cushioned", "armchair", "sofa", ("bed", (3,)), "ottoman",
                 weight=0.3, narrows=False),
    *_adjectives("framed", "painting", "mirror", "whiteboard", weight=0.5, narrows=False),
    *_adjectives("parallel, diagonal", "bike rack", weight=0.05, narrows=False),
    *_adjectives("leafy, bushy, lush", ("tree", (0, 1)), "bush", "hedge", ("potted plant", (0,)), "hanging plant",
                 weight=0.5, narrows=False),
    *_adjectives("rusty, rusted, weathered, old", "dumpster", "fire escape", ("landmark", (6,)), "bridge",
                 weight=0.15, narrows=False),
    *_adjectives("old-fashioned, vintage, antique", ("lamp post", (1, 2)), ("landmark", (5,)), ("television", (2,)),
                 ("suitcase", (1,)), ("cash register", (1,)), ("phone booth", (0,)), weight=0.5, narrows=False),
    *_adjectives("modern, sleek", ("building", (3,)), ("sculpture", (0, 2)), ("phone booth", (2,)),
                 weight=0.3, narrows=False),
    *_adjectives(
        "sizable, oversized, good-sized, hefty, bulky, sizeable", "billboard", "awning", "mural", "dumpster",
        "truck", "lettered sign", "bookshelf", "wardrobe", "sofa", "painting", "television", "chandelier", "bed", "rug",
        "refrigerator", "dining table", "exhibit panel", "display screen", "curtain", weight=0.12, narrows=False,
    ),
    *_adjectives(
        "mini, miniature, petite, medium, compact-looking, smallish, teeny", "planter", "bush", "potted plant",
        "newspaper box", "blank sign", "trash can", "stool", "side table", "table lamp", "vase", "candle", "ottoman",
        "basket", "wall clock", "security camera", "nightstand", "window box", "flag", "cup", "bowl", "price sign",
        weight=0.1, narrows=False,
    ),
    *_adjectives("towering, imposing, tallish, lofty", ("building", (3, 9)), "crane", ("landmark", (0, 2, 11, 13)),
                 ("tree", (1, 5)), weight=0.15, narrows=False),
    *_adjectives(
        "plain, simple, basic, regular, standard, normal, ordinary, typical", "door", "blank sign", "bench", "chair",
        "storefront", "mailbox", ("trash can", (0, 1)), "dining table", "coffee table", "desk", "stool", "dresser",
        "nightstand", "wall shelf", "table lamp", "ceiling lamp", "bed", "cabinet", "fence", "utility box",
        weight=0.18, narrows=False,
    ),
    *_adjectives(
        "nice, pretty, lovely, beautiful, elegant, stylish, neat, attractive, classy", "flower bed", "fountain",
        "planter", "window box", "chandelier", "vase", "painting", "mirror", "armchair", "sofa", "rug", "piano",
        "hanging plant", "portico", "statue", "gate",
        weight=0.15, narrows=False,
    ),
    *_adjectives("comfy, cozy, comfortable, soft, plush, cushy, fluffy", "sofa", "armchair", "bed", "pillow",
                 "ottoman", "blanket", "booth seat", "teddy bear", weight=0.25, narrows=False),
    *_adjectives(
        "odd, strange, weird, funny, unusual, interesting, odd-looking, weird-looking, funny-looking, quirky, unique",
        "sculpture", "statue", "landmark", "robot", "mural", "graffiti", "steam stack", ("painting", (2, 3)), "crane",
        "phone booth", "exhibit panel", "pedestal", weight=0.2, narrows=False,
    ),
    *_adjectives("old, older, historic, classic, traditional, old-looking", ("building", (0, 1, 2, 8)), "portico",
                 ("landmark", (0, 1, 3)), ("door", (1, 3)), "fireplace", "piano", weight=0.15, narrows=False),
    *_adjectives("newer, new, contemporary, modern-looking, newish", ("building", (3,)), ("phone booth", (2,)),
                 "television", "computer monitor", "laptop", ("refrigerator", (0, 2)), weight=0.12, narrows=False),
    *_adjectives("shiny, gleaming, polished, glossy, reflective", "refrigerator", "sink", "car", "motorcycle",
                 "coffee machine", "beer tap", ("building", (3,)), "piano", "robot", "mirror", "wine glass",
                 weight=0.14, narrows=False),
    *_adjectives("sturdy, heavy, solid, thick, strong", "column", ("barrier", (2,)), "bollard", "dumpster", "gate",
                 ("bench", (1,)), "bookshelf", "dining table", "desk", ("door", (3, 4)), "dresser", "pedestal",
                 weight=0.14, narrows=False),
    *_adjectives("painted", "door", "bench", "mailbox", "pole", "bollard", ("fence", (0, 1)), ("barrier", (0, 1)),
                 "bike lane", "mural", "newspaper box", "fire hydrant", "storefront", weight=0.35, narrows=False),
    *_adjectives("slim, slender, lanky", "pole", "lamp post", "floor lamp", "vase", "bottle", "bar stool",
                 ("tree", (2, 4)), "parking meter", weight=0.1, narrows=False),
    *_adjectives("boxy, blocky, cubic", "utility box", "mailbox", "newspaper box", ("building", (4, 7)), "van",
                 ("truck", (0,)), "ottoman", "nightstand", "loudspeaker", "atm", weight=0.1, narrows=False),
    *_adjectives("prominent, noticeable, obvious, distinctive, eye-catching, conspicuous, visible", "billboard",
                 "mural", "landmark", "marquee", "banner", "lettered sign", "crane", weight=0.12, narrows=False),
    *_adjectives("thick, dense, bushy, overgrown, shady, green-leaved", ("tree", (0, 1)), "bush", "hedge",
                 "hanging plant", weight=0.15, narrows=False),
    *_adjectives("busy, cluttered, crowded, stocked, well-stocked, packed, filled", "store shelf", "fruit stand",
                 "bookshelf", "clothes rack", "newsstand", "magazine rack", "shoe rack", "wine rack",
                 weight=0.3, narrows=False),
    *_adjectives("patterned, decorated, detailed, fancy-looking, elaborate, intricate", ("rug", (2, 3)),
                 ("tablecloth table", (2,)), "gate", "chandelier", "portico", ("pillow", (2,)), ("fire escape", (0,)),
                 weight=0.2, narrows=False),
    *_adjectives("cute, cuddly, adorable, friendly", "teddy bear", "dog", "robot", weight=0.25, narrows=False),
    *_adjectives("lengthy, stretched", "fence", "hedge", "bar counter", "awning", "scaffolding", weight=0.08,
                 narrows=False),
    *_adjectives("temporary, makeshift, portable", "construction fence", "barrier", "road work sign", "traffic cone",
                 "sandwich board", "scaffolding", "barrel", weight=0.2, narrows=False),
    *_adjectives("neon, fluorescent", ("lettered sign", (4,)), weight=0.3, narrows=False),
    *_adjectives("fresh, ripe", "fruit stand", "fruit bowl", ("fruit crate", (0,)), weight=0.2, narrows=False),
    *_adjectives("overhead", "bridge", "ceiling lamp", "pendant lamp", "spotlight", "ceiling fan",
                 weight=0.2, narrows=False),
    *_adjectives("upright, vertical", ("lettered sign", (1,)), "banner", "banner stand", "floor lamp",
                 weight=0.2, narrows=False),
    *_adjectives("horizontal", ("lettered sign", (3, 4)), "wall shelf", weight=0.1, narrows=False),
    *_adjectives("young, older, middle-aged, smart-looking, well-dressed", ("person", (0, 2, 7)), "seated person",
                 weight=0.3, narrows=False),
    *_adjectives("fenced-in, fenced", "court", weight=2.0, narrows=False),
    *_adjectives("single, lone, solitary", "tree", "bench", "traffic cone", "bush", "bollard",
                 weight=0.2, narrows=False),
]  # fmt: skip

ADJECTIVES: tuple[Adjective, ...] = tuple(_SHAPES + _MATERIALS + _SIZES)
POSES: tuple[Adjective, ...] = (
    *_adjectives("walking, strolling", ("person", (0, 2, 3, 4, 5, 6, 7)), weight=3.0),
    *_adjectives("standing", ("person", (1,)), fits=("mannequin",), weight=3.0),
    *_adjectives("riding a bike, riding a bicycle, biking", "cyclist", weight=3.0),
    *_adjectives("sitting, seated", "seated person", weight=3.0),
    *_adjectives("holding an umbrella, carrying an umbrella", ("person", (6,)), weight=2.0),
    *_adjectives("holding a balloon, carrying a balloon", ("person", (4,)), weight=2.0),
    *_adjectives("carrying a briefcase, holding a briefcase", ("person", (7,)), weight=1.5),
    *_adjectives("carrying a bag, carrying a purse, holding a bag", ("person", (2,)), weight=1.5),
    *_adjectives("wearing a backpack, carrying a backpack", ("person", (5,)), weight=1.5),
    *_adjectives("wearing a helmet", "cyclist", weight=1.0),
    *_adjectives("wearing a hat", ("person", (7,)), fits=(("person", (1,)),), weight=1.0),
    *_adjectives("wearing a cap", ("person", (1,)), weight=1.0),
)
