from __future__ import annotations

import numpy as np

from bearleft.geometry import turn
from bearleft.world.city.city import open_city
from bearleft.world.city.traffic_flow import drivable_links


def test_camera_headings_follow_traffic() -> None:
    city = open_city("city/3/4x5")
    graph, is_drivable = city.graph, drivable_links(city.plan)
    deviation = np.abs(turn(graph.yaw[graph.source], graph.heading))
    is_along_view = deviation < 0.5
    # Each camera faces along a link, a drivable one if the place has one.
    assert (np.bincount(graph.source, is_along_view, len(graph)) >= 1).all()
    has_exit = np.bincount(graph.source, is_drivable, len(graph)) > 0
    assert (np.bincount(graph.source, is_along_view & is_drivable, len(graph)) >= 1)[has_exit].all()
    assert has_exit.mean() > 0.9
    # Along a street neighbouring cameras face the same way, except at its ends.
    degree = np.diff(graph.neighbours[0])
    straight = [
        len(h) == 2 and abs(turn(h[0], h[1])) > 135 for h in (graph.heading[graph.links(k)] for k in range(len(graph)))
    ]
    both = np.array(straight)[graph.source] & np.array(straight)[graph.target]
    difference = np.abs(turn(graph.yaw[graph.source], graph.yaw[graph.target]))[both]
    assert degree.max() > 2 and (difference < 60).mean() > 0.95
