"""Clauses of navigation instructions for actions, by frame.

Words in capitals are macros (`templates.MACROS`). A clause that begins with ~ needs another clause after it, and one
with + depends on the clause before it.
"""

from __future__ import annotations

MOVES: dict[str, tuple[str, ...]] = {
    "onward": (
        "GO [straight|forward|ahead|straight ahead|straight forward]",
        "GO FORWARD DOWN",
        "<i:[follow|stay on]> [this|the] [street|road] [for a while|for a bit|for a ways|]",
        "GO FORWARD for [a while|a bit|a ways|a little while|a little bit|some time]",
        "<i:[begin|start]> [walking|moving] [forward|straight|ahead|down the street|down this street|up the road]",
        "<i:just> keep [going|walking|moving] [straight|forward]",
        "GO FORWARD [down|up] [the|this] block",
        (
            "[you will be|you'll be|you're going to be] [going|walking|heading] [straight|forward|straight "
            "ahead] for [a while|a bit|a ways|a little while]"
        ),
    ),
    "to crossing": (
        "GO FORWARD to NTH",
        "GO FORWARD UNTIL you REACH NTH",
        "GO FORWARD DOWN [to|until you REACH|till you REACH] NTH",
        "<i:[follow|take]> [this|the] [street|road] [down|up|] [to|until you REACH] NTH",
        "<i:[follow|take]> <c:{road}> [down|up|] [to|until you REACH] NTH",
        "GO FORWARD to the <u:{crossing}> [ahead|up ahead|in front of you|coming up|]",
        "GO FORWARD UNTIL you REACH the <u:{crossing}>",
        "~<t:WHEN you REACH NTH>",
        "~<t:WHEN you REACH the <u:{crossing}>>",
        (
            "[you will|you'll|you should] [soon|then|eventually|shortly|] [come to|reach|arrive at|get to|"
            "come up to] NTH"
        ),
        "GO [all the way|the length of the block|a block|down the block|the rest of the way] to NTH",
        "<i:cross> over to NTH",
        "GO into NTH",
        "<i:[enter|step into|walk into]> NTH",
        "~<t:as you [approach|reach|come to|get to|near] NTH>",
        "GO [one block|to the end of the block|to the end of this block|to the end of the street]",
        "[you'll|you will|you want to|you need to] [go|walk|head|continue|keep going] FORWARD to NTH",
        "<i:[stop|pause]> [for a second|for a moment|briefly] at NTH",
    ),
    "through": (
        "GO FORWARD [through|past|across] NTH",
        "GO FORWARD [through|past|across] NTH",
        "GO FORWARD [through|past|across] the <u:{crossing}>",
        "GO FORWARD [through|past|across] [the first|the next|] <n:{count}> {crossings}",
        (
            "GO FORWARD [through|past] [the first|the next|] <n:{count}> {crossings} [you come to|you reach|"
            "that you come to|in front of you]"
        ),
        "<i:[pass|cross|ignore|skip|go through|walk through]> [the first|the next|] <n:{count}> {crossings}",
        (
            "<i:[pass|cross|ignore|skip|go through|walk through|pass through|go straight through|head "
            "through|cross over]> NTH"
        ),
        "<i:[pass|cross|go through|pass through|walk through]> the <u:{crossing}>",
        "GO straight at the <u:{crossing}>",
        "at the <u:{crossing}> COMMA GO [straight|straight through|forward|straight ahead|straight across]",
        "<t:WHEN you REACH the <u:{crossing}>> COMMA GO [straight|forward|straight across|through it]",
        "GO FORWARD [through|across] the <u:{crossing}> [ahead|in front of you|up ahead|coming up]",
        "[you will|you'll] [come to|reach|get to] the <u:{crossing}> [, but|but] [keep going straight|don't turn]",
        "at NTH COMMA GO [straight|straight through|forward|straight ahead|straight across]",
        (
            "<t:WHEN you REACH NTH> COMMA GO [straight|straight through|forward|right through|"
            "straight across|through it|straight through it]"
        ),
        "GO straight at NTH",
        "[you will|you'll] [go|pass|walk|head] [straight|] through NTH",
        "[you will|you'll] [go|pass|walk|head] [straight|] through <n:{count}> {crossings}",
        "<i:[do not turn|don't turn|stay straight|do not turn off]> at NTH",
        (
            "GO FORWARD [through|past] NTH [without turning|and keep going|and continue on|and continue "
            "straight|and keep on going]"
        ),
        (
            "NTH [is not yours|is not the one you want|is not where you turn|isn't it|isn't yours] COMMA so "
            "[keep going|go straight through|continue straight]"
        ),
        "<i:[go|walk|keep going|continue]> [straight|] [as you pass|while passing] through NTH",
        (
            "you [will|should] [come to|reach|get to] NTH [, but|but] [just|] [keep going straight|go "
            "straight through it|don't turn|do not turn|ignore it|continue straight through it]"
        ),
    ),
    "turn": (
        "TURN {again} at NTH",
        "TURN {again} at NTH",
        "TURN {again} at NTH",
        "TURN {again} at NTH [you come to|you reach|you get to|up ahead|ahead of you|that you come to]",
        "at NTH COMMA TURN {again}",
        "at NTH COMMA TURN {again}",
        "at NTH COMMA TURN {again}",
        "at NTH [you come to|you reach|ahead|that you get to] COMMA TURN {again}",
        "<t:WHEN you REACH NTH> COMMA TURN {again}",
        "<t:WHEN you REACH NTH> COMMA [now|then|] TURN {again}",
        "TURN {again} <t:WHEN you REACH NTH>",
        "GO FORWARD to NTH and TURN {again}",
        "GO FORWARD to NTH [, then|, and|and then] TURN {again}",
        "GO FORWARD UNTIL you REACH NTH and TURN {again}",
        "GO FORWARD DOWN to NTH and TURN {again}",
        "GO FORWARD DOWN until you REACH NTH [, then|, and|and] TURN {again}",
        "GO FORWARD and TURN {again} at NTH",
        "GO FORWARD and at NTH COMMA TURN {again}",
        (
            "[you'll|you will|you want to|you need to|you're going to] [go|walk|head|continue] FORWARD to "
            "NTH and TURN {again}"
        ),
        "<i:[follow|take]> [this|the] [street|road] [down|up|] to NTH and TURN {again}",
        "<i:[follow|take]> [this|the] [street|road] [down|up|] until you REACH NTH and TURN {again}",
        "<i:[follow|take]> <c:{road}> [down|up|] [to|until you REACH] NTH and TURN {again}",
        "your [turn|next turn] is at NTH COMMA where YOUTURN",
        "YOUTURN at NTH",
        "at NTH COMMA YOUTURN",
        "<t:WHEN you REACH NTH> COMMA YOUTURN",
        "NTH is where YOUTURN",
        "GO straight until NTH COMMA then TURN {again}",
        "GO FORWARD to the <u:{crossing}> [ahead|up ahead|] and TURN {again}",
        "TURN {again} at the <u:{crossing}> [ahead|up ahead|coming up|]",
        "<t:WHEN you REACH the <u:{crossing}>> COMMA TURN {again}",
        "at the <u:{crossing}> COMMA TURN {again}",
        "at the end of [the block|this block|the street] COMMA TURN {again}",
        "TURN {again} at the end of [the block|this block]",
        "GO to the end of [the block|this block] and TURN {again}",
        "TURN {again}",
        "<i:[make another|make one more|take another|take one more]> <d:{side}> {once} at NTH",
        (
            "TURN {again} [as soon as you can|when you can|at your first opportunity|at the first chance|at "
            "the first opportunity]"
        ),
    ),
    "turn here": (
        "TURN {again}",
        "TURN {again}",
        "TURN [here|there]",
        "TURN {again} [here|there]",
        "TURN [at <c:this {crossing}>|onto this street|onto that street|down this street]",
        "[now|then|next,] TURN {again}",
        "<i:[make another|take another]> <d:{side}> {once} [here|]",
        "YOUTURN",
        "YOUTURN [here|there]",
    ),
    "turn at": (
        "TURN at {thing}",
        "TURN at the <u:{crossing}> with {thing} <a:[on the corner|at the corner|on one corner|]>",
        "at the <u:{crossing}> with {thing} <a:[on the corner|at the corner|]> COMMA TURN {again}",
        "at {thing} <a:[on the corner|at the corner|]> COMMA TURN {again}",
        "<t:WHEN you REACH the <u:{crossing}> with {thing}> COMMA TURN {again}",
        "<t:WHEN you REACH {thing} <a:[at|on] the corner>> COMMA TURN {again}",
        (
            "GO FORWARD to the <u:{crossing}> [where there is|where there's|that has|with] {thing} <a:[on "
            "the corner|at the corner|]> and TURN"
        ),
        "GO FORWARD until you REACH the <u:{crossing}> [that has|with] {thing} and TURN {again}",
        "TURN <a:at the corner> [where there's|where there is|where you see|with] {thing}",
        "TURN {again} <t:WHEN you [see|get to|reach|come to] {thing} <a:[on|at] the corner>>",
    ),
    "turning": (
        "<i:take> [the|your] <s:{nth}> <d:{side}> [turn|that you come to|you can|you come to|available|]",
        "<i:make> [the|your] <s:{nth}> <d:{side}> [turn|that you come to|you can|]",
        "GO FORWARD and <i:take> [the|your] <s:{nth}> <d:{side}>",
        "<i:turn> down the <s:{nth}> street on [the|your] <d:{side}>",
    ),
    "slight": (
        "<i:[veer|bear|make a slight|take a slight|keep|angle]> <d:{side}> at NTH",
        "at NTH COMMA <i:[veer|bear|make a slight|take a slight]> <d:{side}>",
        "<t:WHEN you REACH NTH> COMMA <i:[veer|bear|take the slight]> <d:{side}>",
        "GO FORWARD to NTH and <i:[veer|bear]> <d:{side}>",
    ),
    "sharp": (
        "<i:[make a sharp|make a hard|take a sharp|take a hard|turn sharply]> <d:{side}> at NTH",
        "at NTH COMMA <i:[make a sharp|take a hard|take a sharp]> <d:{side}>",
        "GO FORWARD to NTH and <i:[make a sharp|take a sharp]> <d:{side}>",
    ),
    "pass": (
        "<i:[pass|go past|walk past|walk by|head past|move past|go by|continue past|keep going past]> {thing} ONSIDE",
        "<i:[pass|pass|go past|walk past]> {thing} ONSIDE",
        "GO FORWARD past {thing} ONSIDE",
        "GO FORWARD DOWN past {thing} ONSIDE",
        "[you will|you'll|you should] [pass|walk past|go past|go by|walk by] {thing} ONSIDE",
        "[you're going to|you are going to] [pass|walk past] {thing} ONSIDE",
        "+passing {thing} ONSIDE",
        "GO FORWARD COMMA passing {thing} ONSIDE",
        "GO FORWARD UNTIL you PASSED {thing} ONSIDE",
        (
            "<t:[as you go|as you walk|along the way|on the way|as you do|as you go along]> COMMA you [will|"
            "should] pass {thing} ONSIDE"
        ),
        "~<t:[when|once|after] you PASSED {thing} ONSIDE>",
        "~<t:after passing> {thing} ONSIDE",
        "GO FORWARD and [pass|go by|walk past] {thing} ONSIDE",
        (
            "<t:[when|once] you [see|notice|spot] {thing} ONSIDE> COMMA [keep going|keep on going|continue "
            "past it|keep walking|just keep going]"
        ),
        "{thing} will be ONSIDE as you [pass|go by]",
        "GO FORWARD UNTIL you see {thing} ONSIDE and keep [going|walking]",
    ),
    "under": (
        "<i:[go|walk|pass|head|continue|keep going]> [under|underneath|beneath|below] {thing}",
        "GO STRAIGHT [under|underneath|beneath] {thing}",
        "you [will|'ll|should] [go|pass|walk] [under|underneath|beneath] {thing}",
        "~<t:[once|when|after] you [pass|go|have passed|have gone|come out from] [under|underneath] {thing}>",
        "+going [under|underneath|beneath] {thing}",
        "+passing [under|underneath|beneath] {thing}",
    ),
    "pass it": (
        "<i:[go past|walk past|pass|keep going past|continue past|move past|head past]> <c:{thing}>",
        "~<t:[once|when|after] you [pass|have passed|get past|go past] <c:{thing}>>",
        "~<t:after passing> <c:{thing}>",
        "GO FORWARD past <c:{thing}>",
        "GO STRAIGHT and [pass|go past] <c:{thing}>",
        "<i:keep> [walking|going|moving] <t:until you [pass|are past|have passed] <c:{thing}>>",
    ),
}

STOPS: dict[str, tuple[str, ...]] = {
    "stop beside": (
        "STOP <t:WHEN [you are|you get|you're] BESIDE {thing} ONSIDE>",
        "STOP <t:WHEN you're BESIDE {thing} ONSIDE>",
        "STOP <t:WHEN you [reach|get to|come to|see|are in front of] {thing} ONSIDE>",
        "STOP <t:WHEN you [reach|get to|come to] {thing} ONSIDE>",
        "STOP <t:WHEN {thing} {is} ONSIDE>",
        "STOP <t:WHEN {thing} {is} [directly|immediately|right] ONSIDE>",
        "STOP <a:BESIDE {thing}> ONSIDE",
        "STOP <a:[at|by|in front of|near]> {thing} ONSIDE",
        (
            "GO FORWARD <t:UNTIL you [reach|get to|come to|are at|are in front of|come upon] {thing} ONSIDE> "
            "[, and|and|, then] STOP"
        ),
        "GO FORWARD <t:UNTIL you are BESIDE {thing} ONSIDE> and STOP",
        "GO FORWARD <t:UNTIL you [see|reach|are BESIDE|get to] {thing} ONSIDE>. STOP [there|here|]",
        "GO FORWARD <t:UNTIL {thing} {is} ONSIDE> and STOP",
        "GO FORWARD DOWN <t:UNTIL you REACH {thing} ONSIDE> and STOP",
        "GO FORWARD DOWN and STOP [by|at|next to|in front of|beside] {thing} ONSIDE",
        "GO FORWARD and STOP [by|at|next to|in front of|beside|when you get to|when you reach] {thing} ONSIDE",
        "<t:WHEN you [are BESIDE|get to|reach|come to|see] {thing} ONSIDE> COMMA STOP",
        "<t:WHEN {thing} {is} ONSIDE> COMMA STOP",
        (
            "<t:WHEN you're BESIDE {thing} ONSIDE> COMMA [you can stop|you have arrived|you should stop|you "
            "are done|you are there|you're there]"
        ),
        (
            "[you have arrived|you are there|you will be done|you can stop|you've arrived] <t:WHEN you [are "
            "BESIDE|reach|get to] {thing} ONSIDE>"
        ),
        (
            "your [destination|stopping point|final stop|goal|spot|stop] is <a:[BESIDE|by|at|in front of]> "
            "{thing} ONSIDE"
        ),
        (
            "[you want to|you will|you should|you need to|you'll] STOP [BESIDE|by|at|in front of|when you "
            "are BESIDE|when you get to] {thing} ONSIDE"
        ),
        (
            "<i:[look for|watch for]> {thing} ONSIDE and STOP [when you [reach|get to|are next to|come to] "
            "<c:it>|next to <c:it>|beside <c:it>|in front of <c:it>]"
        ),
        "<i:end> up [BESIDE|at|in front of] {thing} ONSIDE",
        (
            "GO FORWARD towards {thing} ONSIDE and STOP [when you [reach|get to|are next to] <c:it>|next to "
            "<c:it>|beside <c:it>]"
        ),
    ),
    "stop it": (
        "STOP <t:WHEN [you are BESIDE|you reach|you get to|you come to|you're BESIDE|you are even with] <c:{thing}>>",
        "STOP [BESIDE|in front of|at|by] <c:{thing}>",
        "<t:WHEN you [are BESIDE|reach|get to|come to] <c:{thing}>> COMMA STOP",
        "GO FORWARD <t:UNTIL you [are BESIDE|reach|get to] <c:{thing}>> and STOP",
        "you stop [right by|at|by] <c:{thing}>",
        "GO to <c:{thing}> and STOP",
    ),
    "stop before": (
        "STOP [just|right|shortly|a step|one step|a little] before {thing} ONSIDE",
        "STOP [just|right|a step|one step] <t:before you [reach|get to|pass|come to]> {thing} ONSIDE",
        "GO FORWARD and STOP [just|right|one step] [before|short of] {thing} ONSIDE",
        "[just|right|one step] before {thing} ONSIDE COMMA STOP",
        "[just|right|a step|one step] <t:before you [reach|get to|come to]> {thing} ONSIDE COMMA STOP",
    ),
    "stop after": (
        "STOP [just|right|shortly|a step|one step|a little|a bit] [past|after|beyond] {thing} ONSIDE",
        (
            "STOP <t:[just|right|a step|one step|shortly|immediately] after you [pass|have passed|go past|"
            "walk past] {thing} ONSIDE>"
        ),
        "GO FORWARD [just|one step|a step|a little] [past|beyond] {thing} ONSIDE and STOP",
        "<t:[just|right|one step|a step] after [you pass|passing|you go past] {thing} ONSIDE> COMMA STOP",
        "<t:once you have [just|] passed {thing} ONSIDE> COMMA STOP",
        "STOP <t:once you've [just|] [passed|gone past] {thing} ONSIDE>",
        "<i:pass> {thing} ONSIDE and STOP [right|just|immediately] after <c:it>",
        "GO FORWARD UNTIL you [pass|have passed|are just past] {thing} ONSIDE [, then|and] STOP",
    ),
    "stop at crossing": (
        "STOP [at|in|in the middle of|inside] NTH",
        "STOP <t:WHEN you REACH NTH>",
        "STOP <t:WHEN you [are in the middle of|reach the middle of|get to the middle of] NTH>",
        "GO FORWARD to NTH and STOP [there|in the middle of it|]",
        "GO FORWARD [into|to the middle of] NTH and STOP",
        "GO FORWARD until you REACH NTH and STOP [there|in the middle|]",
        "<t:WHEN you REACH NTH> COMMA STOP [there|in the middle of it|]",
        "at NTH COMMA STOP",
        "[you will|you'll|you want to] stop [at|in] NTH",
        "your [destination|goal|stopping point] is in the middle of NTH",
    ),
    "stop before crossing": (
        "STOP [just|right|shortly|a step|one step|a little] before NTH",
        "STOP [just|right|a step|one step] <t:before you [reach|get to|come to|enter]> NTH",
        "GO FORWARD and STOP [just|right|one step|a step] before NTH",
        "GO FORWARD until you are [almost at|just before|right before|one step from] NTH and STOP",
        "GO FORWARD DOWN UNTIL you are [almost at|just before|right before] NTH. STOP there",
        "GO almost to NTH and STOP [right|just] before [it|entering it|you enter it]",
        "[just|right|one step] before NTH COMMA STOP",
        "[just|right] <t:before you [reach|get to|enter|come to]> NTH COMMA STOP",
        "STOP <n:{count}> {steps} before NTH",
        "STOP <n:{count}> {steps} <t:before you [reach|get to]> NTH",
        "GO FORWARD and STOP <t:when you are> <n:{count}> {steps} from NTH",
    ),
    "stop after crossing": (
        "STOP [just|right|shortly|a step|one step|a little|immediately] [after|past|beyond] NTH",
        "STOP <t:[just|right|a step|one step|immediately] after you [pass|go through|pass through|cross|leave] NTH>",
        (
            "GO FORWARD through NTH and STOP [right after it|right after|just after|just past it|on the "
            "other side|immediately|just on the other side]"
        ),
        "<i:cross> NTH and STOP [right after it|right after|just past it|on the other side|just on the other side]",
        "GO [one step|just|a step] past NTH and STOP",
        "STOP <n:{count}> {steps} [past|after|beyond] NTH",
        "GO FORWARD <n:{count}> {steps} past NTH and STOP",
        "GO FORWARD through NTH [, go|, take|and go|, then take] <n:{count}> {steps} and STOP",
        "<t:WHEN you are <n:{count}> {steps} past NTH> COMMA STOP",
    ),
    "stop steps": (
        "GO FORWARD <n:{count}> {steps} and STOP",
        "<i:take> <n:{count}> {steps} [forward|down the street|down this road|] and STOP",
        "STOP after <n:{count}> {steps}",
        "GO FORWARD for [about|] <n:{count}> {steps} [, then|, and|and then] STOP",
        "STOP <t:WHEN you have [taken|gone] <n:{count}> {steps}>",
        "GO <n:{count}> {steps} DOWN and STOP",
        "<t:after> [about|] <n:{count}> {steps} COMMA STOP",
    ),
    "stop halfway": (
        "STOP [halfway|half way|about halfway] [down|up|through] the block",
        "GO [about|] [halfway|half way] [down|up] the [block|street] and STOP",
        "<t:WHEN you are [about|] halfway [down|up] the block> COMMA STOP",
        "STOP in the middle of the block",
    ),
    "stop": ("STOP [here|there|right here|]",),
}
