"""Names of shops and public buildings by their lettering: a storefront that says ROSSI PIZZA is a pizza place."""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt

from bearleft.language.lexicon.names import Name, names
from bearleft.world.city.names import HOUSES, PORTICO_TEXTS, SHOPS, SHOWS

Ints = npt.NDArray[np.int64]
LETTERINGS: tuple[str, ...] = tuple(dict.fromkeys((*SHOPS, *PORTICO_TEXTS, *SHOWS, *HOUSES)))
_INDICES = {lettering: index for index, lettering in enumerate(LETTERINGS)}


def _trade(spoken: str, *letterings: str, kinds: tuple[str, ...] = ("storefront",), weight: float = 1.0) -> list[Name]:
    """Return names of objects of these classes that show one of some texts."""
    return [name._replace(letterings=letterings) for name in names(spoken, *kinds, weight=weight)]


TRADE_NAMES: tuple[Name, ...] = (
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
def trade_names(kind: str, lettering: int) -> tuple[Name, ...]:
    """Return the names of an object of a class by its lettering."""
    return tuple(
        name
        for name in TRADE_NAMES
        if lettering in lettering_indices(name.letterings) and kind in {kind for kind, _ in name.denotes}
    )
