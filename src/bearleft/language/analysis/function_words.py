"""Lists of function words and verbs: the words of a sentence that remain when things and attributes are blanked.

A word that is in none of them is taken for a thing or an attribute. The lists are the same for all texts.
"""

from __future__ import annotations


def word_set(words: str) -> frozenset[str]:
    """Return the words of a text as a set."""
    return frozenset(words.split())


# Imperative verbs.
COMMAND_VERBS = word_set(
    """
    adjust align approach bear begin circle click come continue count cross curve drop end enter
    exit face find follow get go hang head ignore jog keep leave look make merge move note notice
    orient orientate pass pick place point position proceed put reorient remember repeat return rotate
     see skip slow spin stand start stay step stop take travel try turn use veer wait walk watch
    """
)
# Verbs of the follower's movement, in the forms people use.
MOTION_VERBS = word_set(
    """
    go goes going gone went walk walks walking walked move moves moving moved proceed proceeding head heads
    heading headed continue continues continuing travel traveling follow follows following followed pass
    passes passing passed turn turns turning turned veer veering merge merging curve curves curving keep
    keeps keeping stay stays staying bear take takes taking took make makes making made hang jog cross
    crosses crossing enter entering rotate rotating spin spinning face facing step steps stepping swing
    reach reaching come comes coming came get gets getting run pull back
    """
)
STOP_VERBS = word_set("stop stops stopping stopped stand standing end ending finish wait pause park")
SEE_VERBS = word_set("see sees seeing seen have notice find spot encounter pass reach come hit look know recognize")
BE_VERBS = word_set("is are was were be been being 's it's that's there's here's")
# Verbs and participles that locate one thing at another.
POSITION_VERBS = word_set(
    """
    sit sits sitting sat stand stands standing stood hide hides hiding hidden located placed place situated
    hang hangs hanging lean leaning leans attached mounted affixed painted resting rest rests lies lying
    laying perched parked stuck balanced balancing centered positioned posted growing planted tied chained
    written drawn floating touching waiting inside built set
    """
)
ARTICLES = word_set("a an the some another any")
DETERMINERS = word_set("this that these those its their his her each every your both all no")
MODALS = word_set("will would should shall can could may might must 'll")
PERSONAL_PRONOUNS = word_set("you you're you'll you've you'd we we're we'll i i'm i'll")

_OTHER_WORDS = word_set(
    """
    it its it's itself they them their themselves he him his she her hers i my me we us our you your yours
    yourself this that these those there here there's there'll that's that'll it'll here's theres what
    what's who whose how why one ones other others all both each every either neither none no not don't
    doesn't didn't won't can't isn't aren't shouldn't do does did done doing am been being would've let
    let's get gets getting got gotten and or but so then than if when whenever once as until till while
    whilst where wherever which because before after since again also too just only even still yet already
    now soon eventually immediately shortly almost nearly about very really quite pretty slightly somewhat
    bit little fairly rather more most less least of to in on at by for from with without within into onto
    upon out off up down over under underneath beneath below above between among amongst behind beside
    besides near nearby next past across against along alongside around through thru throughout toward
    towards ahead away back inside outside opposite beyond forward forwards backward backwards straight
    directly atop like such same close closer far further farther way ways front side sides hand direction
    directions flow order kind sort arrive arrives arriving exit exits exiting starting started starts
    beginning begins began ended ends ending oriented orienting aligned aligning positioning reorienting
    face faces faced looking looks looked want wants wanting need needs needed needing please sure able
    trying tries know knows remember known approaching approached ignoring skipping skip return returning
    bring brings bringing puts putting turned hold holds holding held means appears appear appearing seem
    seems called says say saying reads read stick touch yes okay ok well however instead though although
    maybe perhaps actually basically otherwise except plus etc actual currently finally lastly enough
    together upward upwards downward downwards thereafter leading leads lead lets allows allow give gives
    given gave going gonna overhead show shows shown shaped using use used wrapped surrounded surrounding
    covered covering
    """
)
FUNCTION_WORDS = (
    _OTHER_WORDS
    | COMMAND_VERBS
    | MOTION_VERBS
    | STOP_VERBS
    | SEE_VERBS
    | BE_VERBS
    | (POSITION_VERBS - {"inside"})
    | ARTICLES
    | DETERMINERS
    | MODALS
    | PERSONAL_PRONOUNS
    | {"has", "had", "having", "have", "been", "inside"}
) - {"circle", "point", "park", "count", "note", "run", "swing", "painted", "parked", "written", "planted"}

COLOURS = word_set(
    """
    red white green blue black yellow orange brown gray grey silver pink purple tan beige gold golden teal
    maroon burgundy dark bright light-blue reddish brownish greenish bluish purplish cream olive lime
    turquoise navy violet colored colorful multicolored multi-colored off-white rust copper bronze pale
    """
)
ORDINALS = word_set("first second third fourth fifth sixth seventh eighth next last final 1st 2nd 3rd 4th 5th")
NUMBERS = word_set("two three four five six seven eight nine ten twelve dozen 2 3 4 5 6 7 8 9 10")
SIDES = word_set("left right")
