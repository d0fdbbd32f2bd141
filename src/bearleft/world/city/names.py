"""Texts in the city: names of streets, shops, hotels and theatres."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import sqrt

import numpy as np
import numpy.typing as npt

from bearleft.world.city.plan import Draft, Rows
from bearleft.world.city.randomness import Integers, Stage, hashes, integers

SHOPS = (
    "PIZZA", "DELI", "BANK", "BOOKS", "FLOWERS", "PHARMACY", "CAFE", "BAKERY", "BAGELS", "NAILS",
    "HAIR SALON", "BARBER", "LIQUOR", "WINES", "CLEANERS", "LAUNDRY", "GROCERY", "MARKET", "HARDWARE",
    "SHOES", "JEWELRY", "OPTICAL", "BURGERS", "SUSHI", "NOODLES", "TACOS", "DINER", "BAR", "GRILL", "COFFEE",
    "TEA HOUSE", "ICE CREAM", "GYM", "YOGA", "PETS", "TOYS", "GIFTS", "ART", "FRAMES", "MUSIC", "RECORDS",
    "BIKES", "PHONES", "CAMERAS", "TAILOR", "FABRICS", "LIGHTING", "FURNITURE", "CARPETS", "ANTIQUES", "KEYS",
    "PRINTING", "DENTIST", "REALTY", "TRAVEL", "FISH", "MEATS", "CHEESE", "CANDY", "VINTAGE",
)  # fmt: skip
FAMILIES = (
    "ROSSI", "CHEN", "COHEN", "GARCIA", "MURPHY", "NOVAK", "KIM", "PATEL", "SILVA", "HOFFMAN", "LEE",
    "RIVERA", "GOLD", "BAKER", "ROMANO", "PARK", "SINGH", "DUBOIS", "WONG", "LOPEZ", "KELLY", "STERN",
    "MARINO", "TANAKA", "ADLER", "OKAFOR", "JOE'S", "MAX", "ANNA'S", "TONY'S", "ROSA'S", "SAM'S", "LUCKY",
    "GOLDEN", "CORNER", "UNION", "CITY", "STAR", "ROYAL", "SUNNY",
)  # fmt: skip
HOUSES = (
    "HOTEL",
    "PARKING",
    "OFFICES",
    "SCHOOL",
    "LIBRARY",
    "LOFTS",
    "STUDIOS",
    "MUSEUM",
    "CLINIC",
    "GARAGE",
    "STORAGE",
)
SHOWS = (
    "THEATER",
    "CINEMA",
    "JAZZ CLUB",
    "COMEDY",
    "OPERA",
    "BALLET",
    "MUSICAL",
    "PLAYHOUSE",
)
BOARDS = (
    "SALE",
    "OPEN",
    "LUNCH",
    "COFFEE",
    "SOUP",
    "HAPPY HOUR",
    "BRUNCH",
    "50% OFF",
    "NEW",
    "WELCOME",
    "TODAY",
    "ICE TEA",
)
BANNERS = (
    "FESTIVAL",
    "MARKET",
    "ART WEEK",
    "MUSIC",
    "PARADE",
    "DOWNTOWN",
    "HARBOR",
    "GALLERY",
    "WINTER FAIR",
    "MARATHON",
)
ADVERTS = (
    "SODA",
    "PHONE",
    "JEANS",
    "RADIO",
    "AIRWAYS",
    "WATCHES",
    "PAINT",
    "TIRES",
    "SHOES",
    "NEWS",
    "BEER",
    "PERFUME",
)
MENUS = ("TACOS", "HALAL", "KEBAB", "WAFFLES", "PIZZA", "BURGERS", "DUMPLINGS", "ICE CREAM", "FALAFEL", "LOBSTER")
TAGS = ("ZAP", "KOOL", "NOVA", "RIZE", "BOOM", "WAVE", "ECHO", "JAZZ", "OZONE", "PULSE", "FLY", "RUST")
PORTICO_TEXTS = (
    "LIBRARY",
    "MUSEUM",
    "POST OFFICE",
    "CITY HALL",
    "COURT HOUSE",
    "BANK",
    "ACADEMY",
    "EXCHANGE",
    "UNION CLUB",
)
INSCRIPTIONS = ("UNION", "LIBERTY", "HARMONY", "VICTORY", "HARBOR", "PIONEERS", "1898", "1911", "JUSTICE", "SCIENCE")
STREETS = (
    "MERCER", "GREENE", "WOOSTER", "SPRING", "PRINCE", "BROOME", "GRAND", "HESTER", "CANAL", "WALKER",
    "WHITE", "FRANKLIN", "LEONARD", "WORTH", "DUANE", "READE", "CHAMBERS", "WARREN", "MURRAY", "VESEY",
    "FULTON", "JOHN", "PINE", "CEDAR", "WATER", "PEARL", "STONE", "BRIDGE", "DOCK", "FRONT", "SOUTH",
    "CHERRY", "MAPLE", "OAK", "ELM", "CHURCH", "HUDSON", "VARICK", "LAIGHT", "BEACH", "HUBERT", "VESTRY",
    "DESMOND", "CARMEL", "BEDFORD", "GROVE", "BARROW", "MORTON", "LEROY", "CLARK", "CHARLES", "PERRY", "BANK",
    "JANE", "HORATIO", "WEST", "THOMPSON", "SULLIVAN", "CROSBY", "LAFAYETTE", "MULBERRY", "MOTT", "ELIZABETH",
    "RIVER", "ORCHARD", "LUDLOW", "ESSEX", "NORFOLK", "SUFFOLK", "CLINTON", "RIDGE", "PITT", "COLUMBIA",
    "LEWIS", "MILL", "MARKET", "STATION", "COLLEGE", "GARDEN", "HARBOR",
)  # fmt: skip
AVENUES = (
    "PARK",
    "MADISON",
    "LEXINGTON",
    "AMSTERDAM",
    "COLUMBUS",
    "CENTRAL",
    "VANDERBILT",
    "LENOX",
    "MONROE",
    "LINCOLN",
)
STREET_SUFFIXES = (
    "ST",
    "PL",
    "LANE",
    "ALLEY",
    "ROW",
)
MIN_NUMBERED_LENGTH = 350_000  # a street of at least this length has a number where the grid counts its streets


def street_names(draft: Draft) -> Integers:
    """Return the text index of each street's name.

    The longest street defines the grid: long streets across it are numbered from south to north, those along it from
    east to west; the others have names.
    """
    roads = draft.roads
    count = int(roads["street"].max(initial=-1)) + 1
    if not count:
        return np.zeros(0, np.int64)
    dx, dy, x, y, length = _street_geometry(roads, count)
    main = int(np.argmax(length))
    ax, ay = (int(dx[main]), int(dy[main])) if (dy[main], dx[main]) > (0, 0) else (-int(dx[main]), -int(dy[main]))
    norm = max(sqrt(ax * ax + ay * ay), 1.0)
    ax, ay = round(ax / norm * 1000), round(ay / norm * 1000)
    avenue = np.abs(dx * ax + dy * ay) > np.abs(dx * ay - dy * ax)
    along, across = x * ax + y * ay, x * ay - y * ax
    middle = int(np.median(across[avenue])) if avenue.any() else 0
    names = [""] * count
    for street, number in _numbered_streets(along, ~avenue & (length >= MIN_NUMBERED_LENGTH), 45_000):
        names[street] = f"{'E' if across[street] > middle else 'W'} {number} ST"
    for street, number in _numbered_streets(-across, avenue & (length >= MIN_NUMBERED_LENGTH), 70_000):
        names[street] = f"{number} AV" if number % 3 else f"{AVENUES[(number // 3 - 1) % len(AVENUES)]} AV"
    if avenue.sum() > 3:
        names[main] = "BROADWAY"
    order = np.argsort(hashes(draft.seed, Stage.TEXTS, np.arange(count), salt=1), kind="stable")
    shuffled = np.argsort(hashes(draft.seed, Stage.TEXTS, np.arange(len(STREETS)), salt=2), kind="stable")
    used = 0
    for street in order:
        if not names[street]:
            cycle, name_index = divmod(used, len(STREETS))
            repeat, kind = divmod(cycle, len(STREET_SUFFIXES))
            names[street] = f"{STREETS[shuffled[name_index]]} {STREET_SUFFIXES[kind]}" + (
                f" {repeat + 1}" if repeat else ""
            )
            used += 1
    return np.array([draft.text(name) for name in names], np.int64)


def _numbered_streets(
    position: Integers, is_numbered: npt.NDArray[np.bool_], max_gap: int
) -> Iterator[tuple[int, int]]:
    """Yield streets with their numbers from 1 on, in order; those closer than `max_gap` share a number."""
    number, begin = 0, -(2**62)
    for street in np.argsort(position, kind="stable"):
        if is_numbered[street]:
            if position[street] - begin > max_gap:
                number, begin = number + 1, int(position[street])
            yield int(street), number


def _street_geometry(roads: Rows, count: int) -> tuple[Integers, Integers, Integers, Integers, Integers]:
    """Return each street's vector and centre in metres, and its length in millimetres."""
    dx, dy = roads["x1"].astype(np.int64) - roads["x0"], roads["y1"].astype(np.int64) - roads["y0"]
    lengths = np.rint(np.sqrt((dx * dx + dy * dy).astype(float))).astype(np.int64)
    pieces = np.maximum(np.bincount(roads["street"], minlength=count), 1)

    def total(values: Integers) -> Integers:
        sums = np.zeros(count, np.int64)
        np.add.at(sums, roads["street"], values)
        return sums

    return (
        total(dx) // 1000,
        total(dy) // 1000,
        total(roads["x0"].astype(np.int64)) // pieces // 1000,
        total(roads["y0"].astype(np.int64)) // pieces // 1000,
        total(lengths),
    )


def _random_index(draft: Draft, texts: tuple[str, ...], index: Integers, salt: int) -> Integers:
    return integers(draft.seed, Stage.TEXTS, index, 0, len(texts) - 1, salt=salt)


def choose_texts(draft: Draft, texts: tuple[str, ...], index: Integers, salt: int) -> Integers:
    """Return the index of a random text for every index."""
    return _text_indices(draft, texts, _random_index(draft, texts, index, salt))


def shop_texts(draft: Draft, index: Integers) -> Integers:
    """Return text indices of shop names: half of them name the goods, half also the owner."""
    goods, owner = _random_index(draft, SHOPS, index, 11), _random_index(draft, FAMILIES, index, 12)
    is_named = integers(draft.seed, Stage.TEXTS, index, 0, 1, salt=13)
    table = [*SHOPS, *(f"{family} {shop}" for family in FAMILIES for shop in SHOPS)]
    return _text_indices(draft, table, np.where(is_named == 1, len(SHOPS) * (1 + owner) + goods, goods))


def _text_indices(draft: Draft, table: Sequence[str], choices: Integers) -> Integers:
    used, back = np.unique(choices, return_inverse=True)
    numbers = np.array([draft.text(table[text]) for text in used], np.int64)
    return np.asarray(numbers[back.reshape(-1)] if len(used) else choices, np.int64)
