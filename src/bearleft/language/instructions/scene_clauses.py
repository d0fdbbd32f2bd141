"""Clauses of navigation instructions for orientation and observations, by frame.

Words in capitals are macros (`templates.MACROS`). A clause that begins with ~ needs another clause after it, and one
with + depends on the clause before it.
"""

from __future__ import annotations

STARTS: dict[str, tuple[str, ...]] = {
    "side": (
        "PLEASE ORIENT SO {thing} {be} ONSIDE",
        "PLEASE ORIENT SO {thing} {be} ONSIDE",
        "PLEASE ORIENT SO {thing} {be} ONSIDE and GO STRAIGHT",
        "PLEASE ORIENT SO you have {thing} ONSIDE",
        "PLEASE ORIENT SO there {be} {thing} ONSIDE",
        "PLEASE <i:[turn|rotate|spin]> <t:until> {thing} {is} ONSIDE",
        "PLEASE ORIENT so that your <e:{side}> [side|hand|shoulder] is [next to|facing|closest to] {thing}",
        "PLEASE <i:put> {thing} ONSIDE and GO STRAIGHT",
        "PLEASE <i:put> {thing} ONSIDE",
        "with {thing} ONSIDE COMMA GO STRAIGHT",
        "with {thing} ONSIDE COMMA GO DOWN",
        "with {thing} ONSIDE COMMA <i:[begin|start]> [walking|moving] [forward|straight|down the street]",
        "<i:[start|begin|start off|start out]> with {thing} ONSIDE",
        (
            "<i:[turn and head|turn and go|head|go|walk|move]> in the direction [that puts|that places|which "
            "puts|that keeps] {thing} ONSIDE"
        ),
        "<i:[turn and head|head|go|face]> in the direction where {thing} {is} ONSIDE",
        (
            "[you want|you'll want|you're going to want|you need] {thing} to be ONSIDE [as you start|when "
            "you start|to start|before you move|]"
        ),
        "<v:[make sure|be sure]> [that|] {thing} {is} ONSIDE [before you start|to start with|before you begin|]",
        "GO STRAIGHT with {thing} ONSIDE",
        "GO <d:in the direction> that has {thing} ONSIDE",
        "[you're going to|you will|you'll] start with {thing} ONSIDE",
        (
            "<t:[if you are facing the right way|if you're facing the correct way|when you are facing the "
            "correct direction]> COMMA {thing} will be ONSIDE"
        ),
        "<i:face> [the direction|the way] [with|that has] {thing} ONSIDE",
        "<i:face> down the street so you have {thing} ONSIDE",
        (
            "<i:[look for|find]> {thing} [near you|close to you|around you|nearby] and <i:[turn|position "
            "yourself|stand]> SO <c:it> is ONSIDE"
        ),
    ),
    "two sides": (
        "PLEASE ORIENT SO {thing} {be} ONSIDE and {other_thing} {be} ONSIDES",
        "PLEASE ORIENT SO {thing} {be} ONSIDE and {other_thing} ONSIDES",
        "PLEASE ORIENT SO {thing} {be} ONSIDE and {other_thing} ONSIDES",
        "PLEASE ORIENT SO {thing} {be} ONSIDE with {other_thing} ONSIDES",
        "PLEASE ORIENT SO you have {thing} ONSIDE and {other_thing} ONSIDES",
        (
            "PLEASE <i:[orient yourself|align yourself|position yourself|stand|line yourself up]> with "
            "{thing} ONSIDE and {other_thing} ONSIDES"
        ),
        "with {thing} ONSIDE and {other_thing} ONSIDES COMMA GO STRAIGHT",
        "PLEASE <i:put> {thing} ONSIDE and {other_thing} ONSIDES",
        "<i:[start|begin|start off]> with {thing} ONSIDE and {other_thing} ONSIDES",
        "<i:[go|head|walk]> in the direction with {thing} ONSIDE and {other_thing} ONSIDES",
        "<v:[make sure|be sure]> [that|] {thing} {is} ONSIDE and {other_thing} ONSIDES",
        "<i:face> so that {thing} {is} ONSIDE and {other_thing} {is} ONSIDES",
    ),
    "ahead": (
        (
            "PLEASE ORIENT SO {thing} {be} <e:[in front of you|ahead of you|straight ahead|directly ahead of "
            "you|up ahead]>"
        ),
        "PLEASE ORIENT SO you are [facing|looking at|looking towards] {thing}",
        "PLEASE <i:[face|turn to face|turn and face|turn towards|rotate to face|look towards]> {thing}",
        "<i:[go|head|walk|move|start walking]> [towards|toward|in the direction of] {thing}",
        (
            "[you will see|you should see|you can see] {thing} <e:[near you|ahead|in front of you|]> [;|.]"
            " <i:[head|go|walk|turn]> [towards|toward] <c:it>"
        ),
        "<i:[find|look for]> {thing} and <i:[head|go|walk]> [towards|toward] <c:it>",
    ),
    "behind": (
        "PLEASE ORIENT SO {thing} {be} <e:[behind you|at your back|directly behind you]>",
        "PLEASE <i:[face|turn|go|head|walk]> away from {thing}",
        "with {thing} <e:behind you> COMMA GO STRAIGHT",
        "PLEASE <i:put> {thing} <e:behind you>",
        "PLEASE ORIENT SO your back is to {thing}",
        "PLEASE ORIENT with your back to {thing}",
    ),
    "flow": (
        (
            "PLEASE ORIENT SO you are [moving|going|facing|heading|walking|traveling] [with|in the direction "
            "of] the flow of traffic"
        ),
        "PLEASE ORIENT SO [you're|you are] [moving|going|heading|walking] with [traffic|the traffic]",
        "PLEASE ORIENT with the [flow of traffic|traffic|flow of the traffic|traffic flow]",
        "PLEASE ORIENT in the [same direction as|direction of] [the|] traffic",
        (
            "PLEASE ORIENT SO you are facing the [same direction|same way] as [the cars|traffic|the traffic|"
            "the flow of traffic]"
        ),
        "PLEASE <i:[go|walk|head|move|travel|start]> FORWARD with the [flow of traffic|traffic|flow of the traffic]",
        "PLEASE <i:[go|walk|head|move]> with [traffic|traffic flow]",
        "<i:[follow|go with]> TRAFFIC",
        "<i:[follow|go with]> TRAFFIC [down the street|down this street|down the road|forward]",
        "PLEASE <i:face> [in|] the [same direction|same way] as [the flow of traffic|traffic|the traffic|the cars]",
        "PLEASE <i:face> [in|] the direction of TRAFFIC",
        "<i:[go|head|walk|move]> in the [same direction as|direction of] [TRAFFIC|the cars]",
        (
            "[you want to be|you should be|you'll be|you will be|you're going to be] [going|moving|headed|"
            "facing|heading] with TRAFFIC"
        ),
        "[make sure|be sure] [that you're|you are|you're] [going|moving|facing|heading] with TRAFFIC",
        "going with TRAFFIC COMMA GO STRAIGHT",
        "PLEASE ORIENT SO you are going the same way [as traffic|as the cars|that the cars are going]",
        "PLEASE <i:face> the way [traffic|the traffic] [is moving|flows|is going|moves]",
        "<i:[turn and follow|turn and go with]> TRAFFIC",
    ),
    "against": (
        "PLEASE ORIENT SO you are [moving|going|facing|heading] against TRAFFIC",
        "<i:[go|walk|head|move]> against TRAFFIC",
        "going against [traffic|the flow of traffic] COMMA GO STRAIGHT",
        "PLEASE <i:face> oncoming traffic",
    ),
    "facing crossing": (
        (
            "PLEASE ORIENT SO [the|the nearest|the closest|the near] {crossing} {be} <e:[in front of you|"
            "ahead of you|just ahead of you|ahead]>"
        ),
        "PLEASE ORIENT SO you are facing the [nearest|closest|close|nearby] {crossing}",
        "PLEASE <i:[face|turn towards|turn to face|rotate to face]> the [nearest|closest|nearby] {crossing}",
        "<i:[head|go|walk|start]> [toward|towards] the [nearest|closest|nearby] {crossing}",
    ),
    "leaving crossing": (
        (
            "PLEASE ORIENT SO [the|the nearest|the closest|the close] {crossing} {be} <e:[behind you|"
            "directly behind you|at your back]>"
        ),
        "PLEASE <i:[face|turn|go|head|walk]> away from the [nearest|closest|nearby|near] {crossing}",
        "with the [nearest|closest|near|close] {crossing} <e:behind you> COMMA GO STRAIGHT",
        "putting the [close|nearest|closest] {crossing} <e:behind you> COMMA GO STRAIGHT",
        "PLEASE ORIENT SO your back is to the [nearest|closest|near] {crossing}",
    ),
}

OBSERVATIONS: dict[str, tuple[str, ...]] = {
    "verify": (
        "SEE {thing} ONSIDE",
        "SEE {thing} ONSIDE",
        "SEE {thing} ONSIDE",
        "SEE {thing} ONSIDE [as you go|as you walk|as you move along|along the way|now|at this point|as you proceed]",
        "<v:{thing} {be} ONSIDE>",
        "<v:{thing} will be ONSIDE> [as you go|as you walk|at this point|now|as you move]",
        (
            "<v:ONSIDE> [will be|should be|is|there will be|there is|there should be|you will see|you'll see|"
            "you should see|you'll have] {thing}"
        ),
        (
            "<v:[you'll know|you will know]> [you're|you are] [going the right way|on the right street|on "
            "the right track|headed the right way] [if|when] you see {thing} ONSIDE"
        ),
        (
            "<v:[you're on the right track|you're on the correct street|you are going the right way] if> "
            "[you see|there {is}] {thing} ONSIDE"
        ),
        "<v:make sure> [there {is}|there {is}|you see|you have] {thing} ONSIDE",
        "<i:[look for|watch for|notice|keep an eye out for]> {thing} ONSIDE",
        "<v:you should [be walking|be moving|now be going] with> {thing} ONSIDE",
        "[at this point|here|from here|on this street] COMMA SEE {thing} ONSIDE",
        "+with {thing} ONSIDE",
        "+keeping {thing} ONSIDE",
        "SEE {thing} ONSIDE and {other_thing} ONSIDES",
        "SEE {thing} ONSIDE [,|with] {other_thing} ONSIDES",
        (
            "<v:ONSIDE> [will be|is|should be|you'll see] {thing} and ONSIDES [will be|is|there is|you'll "
            "see] {other_thing}"
        ),
        "<v:{thing} will be ONSIDE and {other_thing} ONSIDES>",
    ),
    "verify turned": (
        (
            "<t:[after you turn|after turning|once you turn|when you turn|after the turn|once you've "
            "turned]> COMMA SEE {thing} ONSIDE"
        ),
        (
            "<t:[if you turned correctly|if you turned the right way|if you made the right turn|if you did "
            "it right|if you did this right]> COMMA SEE {thing} ONSIDE"
        ),
        (
            "<t:[after you turn|after turning|once you turn|when you turn]> COMMA SEE {thing} ONSIDE and "
            "{other_thing} ONSIDES"
        ),
        "<v:{thing} will be ONSIDE> <t:[after you turn|when you turn|when you do|once you turn]>",
        "SEE {thing} ONSIDE <t:[after you turn|when you turn|when you do|once you turn|as you turn|once you do]>",
        "<v:now> you [should have|have|will have] {thing} ONSIDE",
        "<v:this should put> {thing} ONSIDE",
        "SEE {thing} ONSIDE on this [street|road|block]",
        "SEE {thing} ONSIDE",
        "+so {thing} {is} ONSIDE",
        "+with {thing} ONSIDE",
    ),
    "verify corner": (
        "SEE {thing} <a:[at|on|near] [the|this|that] corner>",
        "SEE {thing} <a:[at|near|by] [the|this|that] {crossing}>",
        "<v:{thing} {be} <a:[on|at|near] the corner>>",
        "<v:there> [is|will be|should be] {thing} <a:[on|at|near] [the|this] corner>",
        "<v:[the|this|that] {crossing} has> {thing} [on the corner|on one corner|nearby|]",
        "<v:[the|this|that] corner [has|should have|will have]> {thing} [on it|]",
    ),
    "chat": (
        "<t:[if you reach|if you get to|if you come to|if you hit]> NTH COMMA [you've|you have] gone too far",
        (
            "<t:[if you reach|if you get to|if you come to|if you pass|if you see]> {thing} ONSIDE COMMA "
            "[you've|you have] gone [too far|a bit too far]"
        ),
        "[you'll be|you will be|you should be] [almost at|near|close to|just short of|not far from] NTH",
        "<t:[this is|it will be]> [just|right|a little|shortly] before NTH",
        "do not [go|continue] [to|into] NTH",
    ),
}
