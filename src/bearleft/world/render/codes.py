"""Codes that scenes and kernels share: shapes of solids, outlines, materials and ground classes."""

from __future__ import annotations

from enum import IntEnum


class SolidShape(IntEnum):
    """Shape of a solid, the field `kind` of its row: shapes inside [-1, 1]^3, placed by an affine map."""

    BOX = 0
    CYLINDER = 1  # upright, with caps
    ELLIPSOID = 2
    CONE = 3  # radius 1 below, shape[0] above, with caps
    TAPER = 4  # a box whose sides lean inwards: x by shape[0], +y by shape[1], -y by shape[2]
    PLATE = 5  # flat in y = 0, seen from both sides, with an Outline


class Outline(IntEnum):
    """Outlines of a plate; the code is shape[0]."""

    RECTANGLE = 0
    DISC = 1
    RING = 2  # shape[1]: inner radius
    OCTAGON = 3
    TRIANGLE = 4  # point up
    YIELD = 5  # point down
    DIAMOND = 6
    BARS = 7  # shape[1] upright bars, shape[2] share of the width that is bar
    LATTICE = 8  # shape[1] bars across the width, shape[2] up the height, shape[3] share that is bar
    ARCH = 9  # a rectangle whose upper end is round


class Material(IntEnum):
    """How a surface is painted from its colour, its second colour and up to four numbers (pattern)."""

    PLAIN = 0
    FACADE = 1  # rows of windows: pattern = bay width m, floor height m, height of the ground floor m, window style
    BRICK = 2  # courses of brick; pattern[1] = how many times as large as usual (0: once)
    STONE = 3  # large blocks, pattern[0] = height of a course m
    GLASS = 4  # reflects the sky; second = frame; pattern = pane width m, pane height m (0: one pane)
    FOLIAGE = 5  # leaves
    TEXT = 6  # letters in the second colour; pattern[0] = share of the height that letters fill (0: 0.7)
    STRIPES = 7  # upright stripes of both colours; pattern[0] = width m
    BANDS = 8  # level stripes of both colours; pattern[0] = height m
    DIAGONAL = 9  # slanted stripes of both colours; pattern[0] = width m
    CHECKS = 10  # a chequerboard of both colours; pattern[0] = side m
    WOOD = 11  # boards along x; pattern[0] = width of a board m
    GLOW = 12  # shines by itself, at night too; pattern[0] = how much by day (0: as bright as its colour)
    LAMP = 13  # shines at night only
    SHUTTER = 14  # narrow level slats
    MURAL = 15  # large patches of colour, by the thing's number
    PANELS = 16  # joints in a square grid; pattern[0] = side m
    CLOTH = 17  # plain with soft folds
    SHOP = 18  # a shop window with goods behind glass; second = frame; pattern[0] = pane width m
    DOTS = 19  # whole dots of the second colour in rows; pattern = about how far apart m, radius m
    RIBBONS = 20  # whole stripes of the second colour, as many as fit; pattern = about how far apart m, width m
    TILES = 21  # square tiles with joints of the second colour; pattern = side m, width of a joint m


class Ground(IntEnum):
    """Classes of ground; the classes of objects begin after them."""

    SKY = 0
    ROAD = 1
    SIDEWALK = 2
    KERB = 3
    CROSSWALK = 4
    MARKING = 5
    GRASS = 6
    PLAZA = 7
    YARD = 8
    WINDOW = 9  # of a facade: the instance is the building
