"""Peers of the views benchmark: py360convert, and OpenCV's remap with precomputed maps.

The file runs in the peers' environment, so nothing of bearleft is imported.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

WIDTH, HEIGHT, FOV = 640, 480, 90.0  # as in `views`
BLOCK = 16  # pixels a side that are averaged before views are compared
STEP = 0.013  # degrees between the poses of two calls, where poses are new
Workload = tuple[Callable[[], Any], Callable[[Any], Any]]


def thumbnails(views: Any) -> Any:
    """Return means of blocks of pixels: py360convert's outermost pixels lie on the edges, half a pixel from ours."""
    blocks = np.stack(views).reshape(len(views), HEIGHT // BLOCK, BLOCK, WIDTH // BLOCK, BLOCK, 3)
    return blocks.mean(axis=(2, 4))


def single_threaded_cv2() -> Any:
    """Return OpenCV, limited to one thread."""
    import cv2

    cv2.setNumThreads(1)
    return cv2


def py360convert(inputs: dict[str, Any]) -> Workload:
    """Cut views with `py360convert.e2p`, with OpenCV installed, which makes it faster."""
    from py360convert import e2p

    single_threaded_cv2()
    poses, picture = inputs["poses"].tolist(), inputs["panorama"]
    across = FOV, float(np.degrees(2 * np.arctan(np.tan(np.radians(FOV / 2)) * HEIGHT / WIDTH)))
    return lambda: [e2p(picture, across, h, p, (HEIGHT, WIDTH)) for h, p in poses], thumbnails


def py360convert_new_poses(inputs: dict[str, Any]) -> Workload:
    """Cut views with poses that are new in every call."""
    from py360convert import e2p

    single_threaded_cv2()
    poses, picture, calls = inputs["poses"], inputs["panorama"], [0]
    across = FOV, float(np.degrees(2 * np.arctan(np.tan(np.radians(FOV / 2)) * HEIGHT / WIDTH)))

    def work() -> Any:
        shifted = (poses + STEP * calls[0]).tolist()
        calls[0] += 1
        return [e2p(picture, across, h, p, (HEIGHT, WIDTH)) for h, p in shifted]

    return work, thumbnails


def _maps(inputs: dict[str, Any]) -> tuple[Any, list[Any]]:
    wide = np.concatenate([inputs["panorama"], inputs["panorama"][:, :1]], axis=1)
    return np.ascontiguousarray(wide), list(zip(inputs["columns"], inputs["rows"], strict=True))


def remap(inputs: dict[str, Any]) -> Workload:
    """Cut views with `cv2.remap` alone, with maps of single precision."""
    cv2 = single_threaded_cv2()
    picture, maps = _maps(inputs)
    return lambda: [cv2.remap(picture, x, y, cv2.INTER_LINEAR) for x, y in maps], thumbnails


def remap_fixed(inputs: dict[str, Any]) -> Workload:
    """Cut views with `cv2.remap` alone, with fixed-point maps of `cv2.convertMaps`, its fastest form."""
    cv2 = single_threaded_cv2()
    picture, maps = _maps(inputs)
    fixed = [cv2.convertMaps(x, y, cv2.CV_16SC2) for x, y in maps]
    return lambda: [cv2.remap(picture, x, y, cv2.INTER_LINEAR) for x, y in fixed], thumbnails
