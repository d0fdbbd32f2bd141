"""The renderer's peer: moderngl on Mesa's software rasteriser, drawing a scene's mesh without shadows.

Run by file in the peers' own environment, so nothing of bearleft is imported here. What makes it fast: sunlight is
worked out once per vertex; chunks of the mesh are culled by the view and the draw distance and drawn from front to
back with one call; walls with windows, the great occluders, come first and alone are textured; the backs of solids are
culled; nothing is drawn for the sky.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np

CHUNK = 25.0  # metres
NEAR = 0.1
FACE = 512  # pixels of a cube's face, for panoramas
SUN = np.array([0.45, 0.35, 0.82]) / np.linalg.norm([0.45, 0.35, 0.82])
Arrays = dict[str, Any]
Picture = tuple[Any, Any, Any]  # RGB, instance + 1 (0: sky), metres
Work = tuple[Callable[[], list[Picture]], Callable[[list[Picture]], Any]]

VERTEX = """#version 330
in vec3 place; in vec3 colour; in vec2 wall; in uint instance;
uniform mat4 view;
out vec3 paint; out vec2 at; flat out uint which;
void main() {
    gl_Position = view * vec4(place, 1);
    paint = colour; at = wall; which = instance;
}"""
FRAGMENT = """#version 330
in vec3 paint; in vec2 at; flat in uint which;
uniform sampler2D windows;
layout(location = 0) out vec4 rgb; layout(location = 1) out uint instance; layout(location = 2) out float depth;
void main() {
    depth = 1 / gl_FragCoord.w;
    rgb = vec4(mix(paintSHADED, vec3(0.6, 0.75, 0.95), min(depth * 0.0008, 0.6)), 1);
    instance = which;
}"""


def _context() -> Any:
    """Mesa's software rasteriser without a thread of its own, which takes a tenth less than with one."""
    import moderngl

    os.environ.update(LIBGL_ALWAYS_SOFTWARE="1", LP_NUM_THREADS="0")
    return moderngl.create_context(standalone=True, backend="egl")


class Rasteriser:
    """A mesh on its way to pictures of `size` x `size` pixels with a field of view of 90 degrees."""

    def __init__(self, given: Arrays, size: int) -> None:
        import moderngl

        self.size, self.far = size, float(given["far"])
        self.context = _context()
        self.context.enable(moderngl.DEPTH_TEST | moderngl.CULL_FACE)
        window = self.context.texture((64, 64), 3, _window().tobytes())
        window.build_mipmaps()
        window.filter = (moderngl.LINEAR_MIPMAP_NEAREST, moderngl.LINEAR)
        window.use(0)
        vertices = self.context.buffer(_vertices(given).tobytes())
        self.layers = []
        for textured in (True, False):
            shaded = " * texture(windows, at).rgb" if textured else ""
            program = self.context.program(VERTEX, FRAGMENT.replace("SHADED", shaded))
            triangles, chunks = _chunks(given, textured)
            if not len(triangles):
                continue
            index = self.context.buffer(triangles.astype(np.uint32).tobytes())
            names = ["place", "colour", *(["wall"] if textured else []), "instance"]
            layout = "3f4 3f1 1x 2f4 1u4" if textured else "3f4 3f1 9x 1u4"
            drawn = self.context.vertex_array(program, [(vertices, layout, *names)], index)
            self.layers.append((program, drawn, chunks, self.context.buffer(reserve=20 * max(len(chunks["first"]), 1))))
        targets = [self.context.texture((size, size), 4), self.context.texture((size, size), 1, dtype="u4")]
        targets.append(self.context.texture((size, size), 1, dtype="f4"))
        across = (np.arange(size, dtype=np.float32) + 0.5) * (2 / size) - 1
        self.longer = np.sqrt(1 + across**2 + across[:, None] ** 2)  # a ray, per metre ahead
        self.frame = self.context.framebuffer(targets, self.context.depth_renderbuffer((size, size)))

    def draw(self, eye: Any, axes: Any) -> Picture:
        """The picture from `eye`; `axes` are the rows right, up and forward."""
        self.frame.use()
        self.frame.clear()  # to zeros: the sky stays black
        right, up, ahead = axes
        turned = np.array([right, up, -ahead])
        flatten = np.diag([1.0, 1.0, -(self.far + NEAR) / (self.far - NEAR), 0.0])
        flatten[2, 3], flatten[3, 2] = -2 * self.far * NEAR / (self.far - NEAR), -1.0
        moved = np.eye(4)
        moved[:3, :3], moved[:3, 3] = turned, -turned @ eye
        matrix = (flatten @ moved).T.astype(np.float32).tobytes()
        for program, drawn, chunks, commands in self.layers:
            seen = self._seen(chunks, eye, axes)
            if not len(seen):
                continue
            orders = np.zeros((len(seen), 5), np.uint32)
            orders[:, 0], orders[:, 1], orders[:, 2] = chunks["count"][seen], 1, chunks["first"][seen]
            commands.write(orders.tobytes())
            program["view"].write(matrix)
            drawn.render_indirect(commands, count=len(seen))
        return self._read()

    def _seen(self, chunks: Arrays, eye: Any, axes: Any) -> Any:
        """Chunks not wholly outside the view, nearest first."""
        middle, half = chunks["middle"] - eye, chunks["half"]
        right, up, ahead = axes
        kept = np.ones(len(middle), bool)
        for plane in (ahead + right, ahead - right, ahead + up, ahead - up):
            kept &= middle @ plane + half @ np.abs(plane) > 0
        away = np.linalg.norm(np.maximum(np.abs(middle) - half, 0), axis=1)
        kept &= away < self.far
        found = np.flatnonzero(kept)
        return found[np.argsort(away[found], kind="stable")]

    def _read(self) -> Picture:
        size = self.size
        rgb = np.empty((size, size, 3), np.uint8)
        instance = np.empty((size, size), np.uint32)
        depth = np.empty((size, size), np.float32)
        self.frame.read_into(rgb, components=3, attachment=0, alignment=1)
        self.frame.read_into(instance, components=1, attachment=1, dtype="u4")
        self.frame.read_into(depth, components=1, attachment=2, dtype="f4")
        depth *= self.longer
        return rgb[::-1], instance[::-1], depth[::-1]


def view(given: Arrays) -> Work:
    """Views of 224 x 224 pixels and 90 degrees, one for each of `poses`."""
    made = Rasteriser(given, 224)
    poses = [(pose[:3].astype(float), _axes(pose)) for pose in given["poses"]]
    return lambda: [made.draw(eye, axes) for eye, axes in poses], summary


def panorama(given: Arrays) -> Work:
    """Panoramas of 1024 x 512 pixels, looked up in the six faces of a cube."""
    made = Rasteriser(given, FACE)
    table = _panorama_table(1024, 512, FACE)
    poses = [(pose[:3].astype(float), _axes(pose)) for pose in given["poses"]]

    def one(eye: Any, axes: Any) -> Picture:
        faces = [made.draw(eye, face @ axes) for face in CUBE]
        rgb, instance, depth = (np.stack(layer) for layer in zip(*faces, strict=True))
        return rgb.reshape(-1, 3)[table], instance.reshape(-1)[table], depth.reshape(-1)[table]

    return lambda: [one(eye, axes) for eye, axes in poses], summary


def summary(pictures: list[Picture]) -> Any:
    """For every picture the share that is not sky, and how near things are: what both contenders must agree on."""
    found = [(instance > 0, np.where(instance > 0, 1 / (1 + depth), 0)) for _, instance, depth in pictures]
    return np.array([(solid.mean(), near.mean()) for solid, near in found])


# The faces of a cube: right, up and forward in a camera's own right, up and forward.
CUBE = np.array(
    [
        [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
        [[0, 0, -1], [0, 1, 0], [1, 0, 0]],
        [[-1, 0, 0], [0, 1, 0], [0, 0, -1]],
        [[0, 0, 1], [0, 1, 0], [-1, 0, 0]],
        [[1, 0, 0], [0, 0, -1], [0, 1, 0]],
        [[1, 0, 0], [0, 0, 1], [0, -1, 0]],
    ],
    dtype=float,
)


def _axes(pose: Any) -> Any:
    """Right, up and forward of (east, north, up, heading, pitch, roll)."""
    heading, pitch = np.radians(pose[3:5].astype(float))
    ahead = np.array([np.sin(heading) * np.cos(pitch), np.cos(heading) * np.cos(pitch), np.sin(pitch)])
    right = np.array([np.cos(heading), -np.sin(heading), 0.0])
    return np.array([right, np.cross(right, ahead), ahead])


def _panorama_table(width: int, height: int, size: int) -> Any:
    """For every pixel of a panorama the number of a pixel among the six faces'."""
    heading = ((np.arange(width) + 0.5) / width - 0.5) * 2 * np.pi
    pitch = (0.5 - (np.arange(height) + 0.5) / height) * np.pi
    heading, pitch = np.meshgrid(heading, pitch)
    rays = np.stack([np.sin(heading) * np.cos(pitch), np.sin(pitch), np.cos(heading) * np.cos(pitch)], axis=-1)
    face = np.argmax([rays @ axes[2] for axes in CUBE], axis=0)
    local = np.einsum("hwij,hwj->hwi", CUBE[face], rays)
    x = ((local[..., 0] / local[..., 2] + 1) / 2 * size).astype(int).clip(0, size - 1)
    y = ((1 - local[..., 1] / local[..., 2]) / 2 * size).astype(int).clip(0, size - 1)
    return (face * size + y) * size + x


def _vertices(given: Arrays) -> Any:
    """Place, colour in the sun's light, place on a wall in bays and floors, and instance + 1 of every vertex."""
    rows = np.zeros(
        len(given["vertices"]), [("place", "f4", 3), ("colour", "u1", 4), ("wall", "f4", 2), ("which", "u4")]
    )
    normals, places = given["normals"].astype(float), given["vertices"].astype(float)
    triangle = np.zeros(len(rows), int)  # one that the vertex belongs to: all of them are of the same solid
    triangle[given["triangles"].ravel()] = np.repeat(np.arange(len(given["triangles"])), 3)
    light = 0.55 + 0.1 * normals[:, 2] + 0.35 * np.maximum(normals @ SUN, 0)
    rows["place"] = places
    rows["colour"][:, :3] = np.clip(given["colour"][triangle] * light[:, None], 0, 255)
    rows["colour"][:, 3] = 255
    rows["which"] = given["instance"][triangle] + 1
    bay, floor = given["window"][triangle].T
    along = places[:, 1] * normals[:, 0] - places[:, 0] * normals[:, 1]
    level = np.abs(normals[:, 2]) > 0.5
    rows["wall"][:, 0] = np.where(level | (bay == 0), 0, along / np.maximum(bay, 0.1))
    rows["wall"][:, 1] = np.where(level | (bay == 0), 0, places[:, 2] / np.maximum(floor, 0.1))
    return rows


def _chunks(given: Arrays, textured: bool) -> tuple[Any, Arrays]:
    """Triangles sorted into square chunks, and each chunk's first index, count of indices and box."""
    chosen = (given["window"][:, 0] > 0) == textured
    triangles, flat = given["triangles"][chosen], given["flat"][chosen]
    triangles = np.concatenate([triangles, triangles[flat][:, ::-1]])  # plates are seen from both sides
    if not len(triangles):
        return triangles, {}
    corners = given["vertices"][triangles]
    cell = np.floor(corners.mean(axis=1)[:, :2] / CHUNK).astype(int)
    cell[np.ptp(corners, axis=1).max(axis=1) > 500] = -(10**6)  # the ground, drawn on its own
    order = np.lexsort(cell.T)
    triangles, corners, cell = triangles[order], corners[order], cell[order]
    first = np.flatnonzero(np.append(True, (cell[1:] != cell[:-1]).any(axis=1)))
    low = np.minimum.reduceat(corners.min(axis=1), first, axis=0).astype(float)
    high = np.maximum.reduceat(corners.max(axis=1), first, axis=0).astype(float)
    chunks = {
        "first": first * 3,
        "count": np.diff(np.append(first, len(triangles))) * 3,
        "middle": (low + high) / 2,
        "half": (high - low) / 2,
    }
    return triangles, chunks


def _window() -> Any:
    """A bay of a facade: a dark window in a light wall."""
    made = np.full((64, 64, 3), 255, np.uint8)
    made[14:52, 16:48] = (60, 70, 85)
    made[32:34, 16:48] = 230
    return made


if __name__ == "__main__":
    print(_context().info["GL_RENDERER"])
