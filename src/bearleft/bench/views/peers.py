"""The peers of `views`: py360convert, and OpenCV's remap with maps that are made beforehand.

Run by file in the peers' own environment, so nothing of bearleft is imported here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

WIDTH, HEIGHT, FOV = 640, 480, 90.0  # as in `views`
BLOCK = 16  # pixels a side that are averaged before views are compared
STEP = 0.013  # degrees by which every call's poses differ from the last one's, where they shall be new
Work = tuple[Callable[[], Any], Callable[[Any], Any]]


def thumbnails(views: Any) -> Any:
    """Means of blocks of pixels: py360convert's outermost pixels lie on the edges, half a pixel from ours."""
    blocks = np.stack(views).reshape(len(views), HEIGHT // BLOCK, BLOCK, WIDTH // BLOCK, BLOCK, 3)
    return blocks.mean(axis=(2, 4))


def one_thread() -> Any:
    """OpenCV, which else would use all cores."""
    import cv2

    cv2.setNumThreads(1)
    return cv2


def py360convert(given: dict[str, Any]) -> Work:
    """`py360convert.e2p` with OpenCV installed, which makes it faster."""
    from py360convert import e2p

    one_thread()
    poses, picture = given["poses"].tolist(), given["panorama"]
    across = FOV, float(np.degrees(2 * np.arctan(np.tan(np.radians(FOV / 2)) * HEIGHT / WIDTH)))
    return lambda: [e2p(picture, across, h, p, (HEIGHT, WIDTH)) for h, p in poses], thumbnails


def py360convert_anew(given: dict[str, Any]) -> Work:
    """The same with poses that were never asked for before."""
    from py360convert import e2p

    one_thread()
    poses, picture, calls = given["poses"], given["panorama"], [0]
    across = FOV, float(np.degrees(2 * np.arctan(np.tan(np.radians(FOV / 2)) * HEIGHT / WIDTH)))

    def work() -> Any:
        shifted = (poses + STEP * calls[0]).tolist()
        calls[0] += 1
        return [e2p(picture, across, h, p, (HEIGHT, WIDTH)) for h, p in shifted]

    return work, thumbnails


def _maps(given: dict[str, Any]) -> tuple[Any, list[Any]]:
    wide = np.concatenate([given["panorama"], given["panorama"][:, :1]], axis=1)
    return np.ascontiguousarray(wide), list(zip(given["columns"], given["rows"], strict=True))


def remap(given: dict[str, Any]) -> Work:
    """`cv2.remap` and nothing else, with maps of single precision."""
    cv2 = one_thread()
    picture, maps = _maps(given)
    return lambda: [cv2.remap(picture, x, y, cv2.INTER_LINEAR) for x, y in maps], thumbnails


def remap_fixed(given: dict[str, Any]) -> Work:
    """`cv2.remap` and nothing else, with maps that `cv2.convertMaps` made whole numbers of, its fastest form."""
    cv2 = one_thread()
    picture, maps = _maps(given)
    fixed = [cv2.convertMaps(x, y, cv2.CV_16SC2) for x, y in maps]
    return lambda: [cv2.remap(picture, x, y, cv2.INTER_LINEAR) for x, y in fixed], thumbnails
