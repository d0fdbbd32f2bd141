"""Templates of minimal pairs; {word} is the word that changes."""

from __future__ import annotations

from bearleft.language.templates import Template

_SEE = "[there is|there's|you'll see|you will see|you should see|look for|find|there will be]"
_SEES = "[there are|you'll see|you will see|you should see|there will be]"
_BEAR = "[Touchdown|Touchdown|the bear|touchdown|the teddy bear]"
_IS = "[is|is sitting|is|will be|is hiding|can be found|is placed]"
SIDES = (
    Template(f"{_SEE} {{thing}} [on|to] your {{word}}. {_BEAR} {_IS} {{at}} [that|this|the] {{noun}}."),
    Template(
        f"[on|to] your {{word}} [is|there is|you'll see|will be] {{thing}}. {_BEAR} {_IS} {{at}} [it|that {{noun}}]."
    ),
    Template(f"{_BEAR} {_IS} {{at}} the {{noun}} [on|to] your {{word}}."),
)
ONES = (
    Template(f"{_SEES} {{thing}}{{side}}. {_BEAR} {_IS} {{at}} the {{word}} one."),
    Template(f"{_SEES} {{thing}}{{side}}. {_BEAR} {_IS} {{at}} the one on the {{word}}."),
)
RANKS = (
    Template(f"{_SEES} {{thing}}{{side}}. {_BEAR} {_IS} {{at}} the {{word}} one from the {{end}}."),
    Template(f"{_SEES} {{thing}}{{side}}. {{at}} the {{word}} {{noun}} from the {{end}} is {_BEAR}."),
)
COLOURED = (
    Template(f"{_SEE} {{article}} {{word}} {{noun}}. {_BEAR} {_IS} {{at}} [that|the|this] {{noun}}."),
    Template(f"{_BEAR} {_IS} {{at}} the {{word}} {{noun}}."),
)
STACKED = (
    Template(
        f"{_SEE} {{thing}}. {_BEAR} {_IS} [in|on] the window [right|just|directly|] {{word}} {{it}} on {{other}}."
    ),
)
COUNTED = (
    Template(f"{_SEE} {{thing}} with {{word}} {{many}}. {_BEAR} {_IS} {{at}} the {{noun}} of [that|this] {{whole}}."),
    Template(f"{_BEAR} {_IS} {{at}} the {{noun}} of the {{whole}} with {{word}} {{many}}."),
)
