"""Texts on things in rooms, by class of thing or else by room category."""

from __future__ import annotations

SIGN_TEXTS: dict[str, tuple[str, ...]] = {
    "chalkboard": ("SPECIALS", "SOUP 5", "PASTA 12", "PIZZA 9", "TODAY PIE", "TACOS 3", "HAPPY HOUR", "LUNCH 10"),
    "menu": ("MENU",),
    "price sign": ("$5", "$9", "$12", "$20", "$35", "$3", "$49", "2 FOR 1", "SALE"),
    "exit sign": ("EXIT",),
    "cash register": ("OPEN",),
    "whiteboard": ("TALK AT 3", "WELCOME", "HALL A", "TEAM DAY", "PLAN B"),
    "living_room": ("HOME", "LOVE", "DREAM"),
    "bedroom": ("DREAM", "HOME", "LOVE"),
    "restaurant": ("BELLA", "LUNA", "ROMA", "EL SOL", "BISTRO", "GRILL", "SUSHI", "CAFE"),
    "shop": ("SALE", "NEW", "50% OFF", "HOT DEAL", "LAST ONES", "SPRING", "SUMMER", "TODAY ONLY"),
    "expo_showroom": (
        "NOVA",
        "ORBIT",
        "ZENIT",
        "ALTA",
        "KIWI",
        "LUMEN",
        "PIXEL",
        "ATLAS",
        "SOLAR",
        "TERRA",
        "DELTA",
        "QUANTA",
        "BOREAL",
        "CORAL",
        "VERTEX",
        "OMEGA",
    ),
}
