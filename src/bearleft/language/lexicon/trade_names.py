"""Names by lettering: a storefront that says ROSSI PIZZA is a pizza place, a billboard that says BEER a beer ad."""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt

from bearleft.language.lexicon.lexicon import denotation
from bearleft.language.lexicon.names import Name, names
from bearleft.world.city.catalog import class_index
from bearleft.world.city.names import ADVERTS, BANNERS, BOARDS, HOUSES, MENUS, PORTICO_TEXTS, SHOPS, SHOWS

Ints = npt.NDArray[np.int64]
LETTERINGS: tuple[str, ...] = tuple(
    dict.fromkeys((*SHOPS, *PORTICO_TEXTS, *SHOWS, *HOUSES, *BOARDS, *BANNERS, *ADVERTS, *MENUS))
)
_INDICES = {lettering: index for index, lettering in enumerate(LETTERINGS)}


# Classes, each with its variants or alone for all of them.
_Kinds = tuple[str | tuple[str, tuple[int, ...]], ...]
_LETTERED_AWNINGS: _Kinds = (("awning", (0, 2)),)
_LETTERED_SIGNS: _Kinds = ("lettered sign", "storefront", *_LETTERED_AWNINGS)


def _trade(spoken: str, *letterings: str, kinds: _Kinds = ("storefront",), weight: float = 1.0) -> list[Name]:
    """Return names of objects of these classes that show one of some texts."""
    return [name._replace(letterings=letterings) for name in names(spoken, *kinds, weight=weight)]


def _goods(spoken: str, *letterings: str) -> list[Name]:
    """Return names of awnings and signs by what a shop sells: "pizza awning", "pizza sign"."""
    return [
        name
        for word in spoken.split(", ")
        for name in (
            *_trade(f"{word} awning", *letterings, kinds=_LETTERED_AWNINGS),
            *_trade(f"{word} sign", *letterings, kinds=_LETTERED_SIGNS, weight=0.3),
        )
    ]


def _advert(words: str, lettering: str) -> list[Name]:
    """Return names of billboards by what they advertise."""
    return _trade(
        ", ".join(f"{word} {end}" for end in ("ad", "billboard") for word in words.split(", ")),
        lettering,
        kinds=("billboard",),
    )


def _meals(word: str, lettering: str) -> list[Name]:
    """Return names of food trucks and carts by what they sell."""
    return [
        *_trade(f"{word} truck", lettering, kinds=("food truck", ("food cart", (1,)))),
        *_trade(f"{word} cart, {word} stand", lettering, kinds=(("food cart", (0,)),)),
    ]


_ON_AWNINGS = [
    *_goods("pizza", "PIZZA"), *_goods("deli", "DELI"), *_goods("book", "BOOKS"), *_goods("flower", "FLOWERS"),
    *_goods("pharmacy", "PHARMACY"), *_goods("cafe", "CAFE"), *_goods("bakery", "BAKERY"), *_goods("bagel", "BAGELS"),
    *_goods("nail salon", "NAILS"), *_goods("hair salon", "HAIR SALON"), *_goods("barber", "BARBER"),
    *_goods("liquor", "LIQUOR"), *_goods("wine", "WINES"), *_goods("dry cleaner", "CLEANERS"),
    *_goods("laundry", "LAUNDRY"), *_goods("grocery", "GROCERY"), *_goods("market", "MARKET"),
    *_goods("hardware", "HARDWARE"), *_goods("shoe", "SHOES"), *_goods("jewelry", "JEWELRY"),
    *_goods("optical", "OPTICAL"), *_goods("burger", "BURGERS"), *_goods("sushi", "SUSHI"),
    *_goods("noodle", "NOODLES"), *_goods("taco", "TACOS"), *_goods("grill", "GRILL"), *_goods("coffee", "COFFEE"),
    *_goods("tea", "TEA HOUSE"), *_goods("ice cream", "ICE CREAM"), *_goods("gym", "GYM"), *_goods("yoga", "YOGA"),
    *_goods("pet", "PETS"), *_goods("toy", "TOYS"), *_goods("gift", "GIFTS"), *_goods("music", "MUSIC"),
    *_goods("camera", "CAMERAS"), *_goods("tailor", "TAILOR"), *_goods("fabric store", "FABRICS"),
    *_goods("lighting", "LIGHTING"), *_goods("furniture", "FURNITURE"), *_goods("carpet", "CARPETS"),
    *_goods("antique", "ANTIQUES"), *_goods("printing", "PRINTING"), *_goods("dentist", "DENTIST"),
    *_goods("realty", "REALTY"), *_goods("travel", "TRAVEL"), *_goods("fish", "FISH"), *_goods("meat", "MEATS"),
    *_goods("cheese", "CHEESE"), *_goods("candy", "CANDY"), *_goods("vintage store", "VINTAGE"),
]  # fmt: skip
_ADVERTISED = [
    *_advert("soda, pop", "SODA"), *_advert("cell phone, phone", "PHONE"), *_advert("jeans, denim", "JEANS"),
    *_advert("radio, radio station", "RADIO"), *_advert("airline, airways", "AIRWAYS"), *_advert("watch", "WATCHES"),
    *_advert("paint", "PAINT"), *_advert("tire", "TIRES"), *_advert("shoe", "SHOES"), *_advert("news", "NEWS"),
    *_advert("beer", "BEER"), *_advert("perfume, cologne", "PERFUME"),
    *_trade("festival banner", "FESTIVAL", kinds=("banner",)), *_trade("market banner", "MARKET", kinds=("banner",)),
    *_trade("art banner", "ART WEEK", kinds=("banner",)), *_trade("music banner", "MUSIC", kinds=("banner",)),
    *_trade("parade banner", "PARADE", kinds=("banner",)), *_trade("harbor banner", "HARBOR", kinds=("banner",)),
    *_trade("gallery banner", "GALLERY", kinds=("banner",)), *_trade("fair banner", "WINTER FAIR", kinds=("banner",)),
    *_trade("marathon banner, race banner", "MARATHON", kinds=("banner",)),
    *_trade("sale board", "SALE", kinds=("sandwich board",)),
    *_trade("lunch board, lunch menu sign", "LUNCH", kinds=("sandwich board",)),
    *_trade("coffee board", "COFFEE", kinds=("sandwich board",)),
    *_trade("soup board, soup menu sign", "SOUP", kinds=("sandwich board",)),
    *_trade("happy hour board, happy hour sign", "HAPPY HOUR", kinds=("sandwich board",)),
    *_trade("brunch board, brunch sign", "BRUNCH", kinds=("sandwich board",)),
    *_trade("welcome board, welcome sign", "WELCOME", kinds=("sandwich board",)),
    *_meals("taco", "TACOS"), *_meals("halal food", "HALAL"), *_meals("kebab", "KEBAB"), *_meals("waffle", "WAFFLES"),
    *_meals("pizza", "PIZZA"), *_meals("burger", "BURGERS"), *_meals("dumpling", "DUMPLINGS"),
    *_meals("ice cream", "ICE CREAM"), *_meals("falafel", "FALAFEL"), *_meals("lobster", "LOBSTER"),
]  # fmt: skip

TRADE_NAMES: tuple[Name, ...] = (
    *_ON_AWNINGS,
    *_ADVERTISED,
    *_trade("pizza place, pizza shop, pizzeria, pizza parlor, pizza joint", "PIZZA"),
    *_trade("deli, delicatessen, sandwich shop", "DELI"),
    *_trade("bank, bank branch", "BANK", kinds=("storefront", "portico")),
    *_trade("bookstore, book store, bookshop", "BOOKS"),
    *_trade("flower shop, florist, flower store", "FLOWERS"),
    *_trade("pharmacy, drugstore, drug store, chemist", "PHARMACY"),
    *_trade("cafe, coffee shop, coffeehouse", "CAFE", "COFFEE", "TEA HOUSE"),
    *_trade("bakery, bake shop", "BAKERY", "BAGELS"),
    *_trade("bagel shop, bagel place", "BAGELS"),
    *_trade("nail salon, nail place, manicure salon", "NAILS"),
    *_trade("hair salon, salon, hairdresser, beauty salon", "HAIR SALON"),
    *_trade("barber shop, barbershop, barber", "BARBER"),
    *_trade("liquor store, wine store, wine shop", "LIQUOR", "WINES"),
    *_trade("dry cleaner, cleaners, laundromat, laundry, laundry place", "CLEANERS", "LAUNDRY"),
    *_trade("grocery store, grocery, market, supermarket, bodega", "GROCERY", "MARKET"),
    *_trade("hardware store", "HARDWARE"),
    *_trade("shoe store, shoe shop", "SHOES"),
    *_trade("jewelry store, jeweler", "JEWELRY"),
    *_trade("eyeglass store, optician, optical shop", "OPTICAL"),
    *_trade("restaurant, eatery, food place", "PIZZA", "BURGERS", "SUSHI", "NOODLES", "TACOS", "DINER", "GRILL"),
    *_trade("burger place, burger joint, burger restaurant", "BURGERS", weight=0.5),
    *_trade("sushi place, sushi restaurant, japanese restaurant", "SUSHI", weight=0.5),
    *_trade("noodle shop, noodle restaurant, ramen shop", "NOODLES", weight=0.5),
    *_trade("taco place, taco shop, mexican restaurant, taqueria", "TACOS", weight=0.5),
    *_trade("diner, luncheonette", "DINER"),
    *_trade("bar, pub, tavern", "BAR"),
    *_trade("grill, steakhouse", "GRILL", weight=0.5),
    *_trade("ice cream shop, ice cream parlor, ice cream place", "ICE CREAM"),
    *_trade("gym, fitness center, health club", "GYM"),
    *_trade("yoga studio", "YOGA"),
    *_trade("pet store, pet shop", "PETS"),
    *_trade("toy store, toy shop", "TOYS"),
    *_trade("gift shop, gift store, souvenir shop", "GIFTS"),
    *_trade("art store, art gallery, art shop", "ART"),
    *_trade("frame shop, framing store", "FRAMES"),
    *_trade("music store, record store, record shop", "MUSIC", "RECORDS"),
    *_trade("bike shop, bicycle shop, bike store", "BIKES"),
    *_trade("phone store, cell phone store, phone shop", "PHONES"),
    *_trade("camera store, camera shop", "CAMERAS"),
    *_trade("tailor, tailor shop, alterations shop", "TAILOR"),
    *_trade("fabric store, fabric shop", "FABRICS"),
    *_trade("lighting store, lamp store", "LIGHTING"),
    *_trade("furniture store, furniture shop", "FURNITURE"),
    *_trade("carpet store, rug store", "CARPETS"),
    *_trade("antique store, antique shop", "ANTIQUES"),
    *_trade("locksmith, key shop", "KEYS"),
    *_trade("print shop, copy shop, printing shop", "PRINTING"),
    *_trade("dentist, dental office, dentist office", "DENTIST"),
    *_trade("real estate office, realtor", "REALTY"),
    *_trade("travel agency, travel agent", "TRAVEL"),
    *_trade("fish market, seafood store, fish store", "FISH"),
    *_trade("butcher, butcher shop, meat market", "MEATS"),
    *_trade("cheese shop, cheese store", "CHEESE"),
    *_trade("candy store, candy shop, sweet shop", "CANDY"),
    *_trade("vintage store, thrift store, secondhand store", "VINTAGE"),
    *_trade("library, public library", "LIBRARY", kinds=("portico",)),
    *_trade("museum", "MUSEUM", kinds=("portico",)),
    *_trade("post office", "POST OFFICE", kinds=("portico",)),
    *_trade("city hall, town hall", "CITY HALL", kinds=("portico",)),
    *_trade("courthouse, court house", "COURT HOUSE", kinds=("portico",)),
    *_trade("academy", "ACADEMY", kinds=("portico",)),
    *_trade("stock exchange", "EXCHANGE", kinds=("portico",)),
    *_trade("jazz club, nightclub", "JAZZ CLUB", kinds=("marquee",)),
    *_trade("comedy club", "COMEDY", kinds=("marquee",)),
    *_trade("opera house, opera", "OPERA", kinds=("marquee",)),
    *_trade("hotel entrance, hotel canopy", "HOTEL", kinds=("canopy",)),
    *_trade("school entrance, school canopy", "SCHOOL", kinds=("canopy",)),
    *_trade("clinic entrance, clinic canopy", "CLINIC", kinds=("canopy",)),
    *_trade("museum canopy, museum entrance", "MUSEUM", kinds=("canopy",)),
    *_trade("library canopy, library entrance", "LIBRARY", kinds=("canopy",)),
    *_trade("parking canopy", "PARKING", "GARAGE", kinds=("canopy",)),
    *_trade("studio entrance", "STUDIOS", "LOFTS", kinds=("canopy",)),
)


@cache
def lettering_indices(letterings: tuple[str, ...]) -> frozenset[int]:
    """Return the indices of texts in LETTERINGS."""
    return frozenset(_INDICES[lettering] for lettering in letterings)


def letterings_of(texts: tuple[str, ...]) -> Ints:
    """Return for each text of a plan, and for no text at the end, the index of its lettering, -1 for none.

    The owner's name before the goods is ignored.
    """
    found = [_INDICES.get(text, _INDICES.get(text.partition(" ")[2], -1)) for text in texts]
    return np.array([*found, -1], np.int64)


@cache
def _names_with(lettering: int) -> tuple[Name, ...]:
    """Return the names of all objects with a lettering."""
    return tuple(name for name in TRADE_NAMES if lettering in lettering_indices(name.letterings))


@cache
def trade_names(kind: str, lettering: int, variant: int = 0) -> tuple[Name, ...]:
    """Return the names of an object of a class and variant by its lettering.

    A storefront or awning is never called a sign, although its lettering is one.
    """
    row = class_index(kind)
    return tuple(
        name
        for name in _names_with(lettering)
        if denotation(name)[row, variant] and not (kind in ("storefront", "awning") and name.singular.endswith(" sign"))
    )
