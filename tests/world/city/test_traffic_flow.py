from __future__ import annotations

import numpy as np

from bearleft.geometry import turn
from bearleft.world.city.city import open_city
from bearleft.world.city.traffic_flow import drivable_links


def test_pictures_look_the_way_that_traffic_drives() -> None:
    city = open_city("city/3/4x5")
    graph, allowed = city.graph, drivable_links(city.plan)
    off = np.abs(turn(graph.yaw[graph.source], graph.heading))
    along = off < 0.5
    # Each picture looks along a link, and along one that may be driven wherever any that leaves the place may.
    assert (np.bincount(graph.source, along, len(graph)) >= 1).all()
    leaves = np.bincount(graph.source, allowed, len(graph)) > 0
    assert (np.bincount(graph.source, along & allowed, len(graph)) >= 1)[leaves].all()
    assert leaves.mean() > 0.9
    # Along a street neighbours look the same way; not at its ends, where a car comes out of it.
    degree = np.diff(graph.neighbours[0])
    straight = [
        len(h) == 2 and abs(turn(h[0], h[1])) > 135 for h in (graph.heading[graph.links(k)] for k in range(len(graph)))
    ]
    both = np.array(straight)[graph.source] & np.array(straight)[graph.target]
    apart = np.abs(turn(graph.yaw[graph.source], graph.yaw[graph.target]))[both]
    assert degree.max() > 2 and (apart < 60).mean() > 0.95
