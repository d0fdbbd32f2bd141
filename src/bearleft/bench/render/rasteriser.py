"""The renderer's peer: moderngl on Mesa's software rasteriser, drawing a scene's mesh without shadows.

It runs by file in the peers' environment, so nothing of bearleft is imported. It is fast because sunlight is computed
once per vertex; chunks of the mesh are culled by the view and the draw distance and drawn from front to back with one
call; walls with windows, the largest occluders, are drawn first and are the only textured ones; back faces are culled;
and nothing is drawn for the sky.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np

CHUNK_METRES = 25.0  # metres
NEAR_PLANE = 0.1
FACE_SIZE = 512  # pixels of a cube's face, for panoramas
SUN = np.array([0.45, 0.35, 0.82]) / np.linalg.norm([0.45, 0.35, 0.82])
Arrays = dict[str, Any]
Picture = tuple[Any, Any, Any]  # RGB, instance + 1 (0: sky), metres
Workload = tuple[Callable[[], list[Picture]], Callable[[list[Picture]], Any]]

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
    """Return Mesa's software rasteriser without its own thread, which is a tenth faster."""
    import moderngl

    os.environ.update(LIBGL_ALWAYS_SOFTWARE="1", LP_NUM_THREADS="0")
    return moderngl.create_context(standalone=True, backend="egl")


class Rasteriser:
    """Renderer of a mesh, in pictures of `size` x `size` pixels with a field of view of 90 degrees."""

    def __init__(self, inputs: Arrays, size: int) -> None:
        import moderngl

        self.size, self.far = size, float(inputs["far"])
        self.context = _context()
        self.context.enable(moderngl.DEPTH_TEST | moderngl.CULL_FACE)
        window = self.context.texture((64, 64), 3, _window_texture().tobytes())
        window.build_mipmaps()
        window.filter = (moderngl.LINEAR_MIPMAP_NEAREST, moderngl.LINEAR)
        window.use(0)
        vertices = self.context.buffer(_vertices(inputs).tobytes())
        self.layers = []
        for textured in (True, False):
            shaded = " * texture(windows, at).rgb" if textured else ""
            program = self.context.program(VERTEX, FRAGMENT.replace("SHADED", shaded))
            triangles, chunks = _chunks(inputs, textured)
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
        """Draw the picture from `eye`; `axes` are the rows right, up and forward."""
        self.frame.use()
        self.frame.clear()  # to zeros: the sky stays black
        right, up, ahead = axes
        rotation = np.array([right, up, -ahead])
        projection = np.diag([1.0, 1.0, -(self.far + NEAR_PLANE) / (self.far - NEAR_PLANE), 0.0])
        projection[2, 3], projection[3, 2] = -2 * self.far * NEAR_PLANE / (self.far - NEAR_PLANE), -1.0
        camera = np.eye(4)
        camera[:3, :3], camera[:3, 3] = rotation, -rotation @ eye
        matrix = (projection @ camera).T.astype(np.float32).tobytes()
        for program, drawn, chunks, commands in self.layers:
            visible = self._visible_chunks(chunks, eye, axes)
            if not len(visible):
                continue
            calls = np.zeros((len(visible), 5), np.uint32)
            calls[:, 0], calls[:, 1], calls[:, 2] = chunks["count"][visible], 1, chunks["first"][visible]
            commands.write(calls.tobytes())
            program["view"].write(matrix)
            drawn.render_indirect(commands, count=len(visible))
        return self._read()

    def _visible_chunks(self, chunks: Arrays, eye: Any, axes: Any) -> Any:
        """Return the chunks that are not wholly outside the view, nearest first."""
        middle, half = chunks["middle"] - eye, chunks["half"]
        right, up, ahead = axes
        inside = np.ones(len(middle), bool)
        for plane in (ahead + right, ahead - right, ahead + up, ahead - up):
            inside &= middle @ plane + half @ np.abs(plane) > 0
        distance = np.linalg.norm(np.maximum(np.abs(middle) - half, 0), axis=1)
        inside &= distance < self.far
        indices = np.flatnonzero(inside)
        return indices[np.argsort(distance[indices], kind="stable")]

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


def view(inputs: Arrays) -> Workload:
    """Render views of 224 x 224 pixels and 90 degrees, one for each pose."""
    rasteriser = Rasteriser(inputs, 224)
    poses = [(pose[:3].astype(float), _axes(pose)) for pose in inputs["poses"]]
    return lambda: [rasteriser.draw(eye, axes) for eye, axes in poses], summary


def panorama(inputs: Arrays) -> Workload:
    """Render panoramas of 1024 x 512 pixels from the six faces of a cube."""
    rasteriser = Rasteriser(inputs, FACE_SIZE)
    table = _panorama_table(1024, 512, FACE_SIZE)
    poses = [(pose[:3].astype(float), _axes(pose)) for pose in inputs["poses"]]

    def draw(eye: Any, axes: Any) -> Picture:
        faces = [rasteriser.draw(eye, face @ axes) for face in CUBE_AXES]
        rgb, instance, depth = (np.stack(layer) for layer in zip(*faces, strict=True))
        return rgb.reshape(-1, 3)[table], instance.reshape(-1)[table], depth.reshape(-1)[table]

    return lambda: [draw(eye, axes) for eye, axes in poses], summary


def summary(pictures: list[Picture]) -> Any:
    """Return, for every picture, the share that is not sky and the mean nearness: what both must agree on."""
    masks = [(instance > 0, np.where(instance > 0, 1 / (1 + depth), 0)) for _, instance, depth in pictures]
    return np.array([(solid.mean(), near.mean()) for solid, near in masks])


# The faces of a cube: right, up and forward in a camera's own right, up and forward.
CUBE_AXES = np.array(
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
    """Return right, up and forward of (east, north, up, heading, pitch, roll)."""
    heading, pitch = np.radians(pose[3:5].astype(float))
    ahead = np.array([np.sin(heading) * np.cos(pitch), np.cos(heading) * np.cos(pitch), np.sin(pitch)])
    right = np.array([np.cos(heading), -np.sin(heading), 0.0])
    return np.array([right, np.cross(right, ahead), ahead])


def _panorama_table(width: int, height: int, size: int) -> Any:
    """Return, for every pixel of a panorama, the index of a pixel of the six faces."""
    heading = ((np.arange(width) + 0.5) / width - 0.5) * 2 * np.pi
    pitch = (0.5 - (np.arange(height) + 0.5) / height) * np.pi
    heading, pitch = np.meshgrid(heading, pitch)
    rays = np.stack([np.sin(heading) * np.cos(pitch), np.sin(pitch), np.cos(heading) * np.cos(pitch)], axis=-1)
    face = np.argmax([rays @ axes[2] for axes in CUBE_AXES], axis=0)
    local = np.einsum("hwij,hwj->hwi", CUBE_AXES[face], rays)
    x = ((local[..., 0] / local[..., 2] + 1) / 2 * size).astype(int).clip(0, size - 1)
    y = ((1 - local[..., 1] / local[..., 2]) / 2 * size).astype(int).clip(0, size - 1)
    return (face * size + y) * size + x


def _vertices(inputs: Arrays) -> Any:
    """Return position, lit colour, position on a wall in bays and floors, and instance + 1 of every vertex."""
    rows = np.zeros(
        len(inputs["vertices"]), [("place", "f4", 3), ("colour", "u1", 4), ("wall", "f4", 2), ("which", "u4")]
    )
    normals, places = inputs["normals"].astype(float), inputs["vertices"].astype(float)
    triangle = np.zeros(len(rows), int)  # one that the vertex belongs to: all of them are of the same solid
    triangle[inputs["triangles"].ravel()] = np.repeat(np.arange(len(inputs["triangles"])), 3)
    light = 0.55 + 0.1 * normals[:, 2] + 0.35 * np.maximum(normals @ SUN, 0)
    rows["place"] = places
    rows["colour"][:, :3] = np.clip(inputs["colour"][triangle] * light[:, None], 0, 255)
    rows["colour"][:, 3] = 255
    rows["which"] = inputs["instance"][triangle] + 1
    bay, floor = inputs["window"][triangle].T
    along = places[:, 1] * normals[:, 0] - places[:, 0] * normals[:, 1]
    level = np.abs(normals[:, 2]) > 0.5
    rows["wall"][:, 0] = np.where(level | (bay == 0), 0, along / np.maximum(bay, 0.1))
    rows["wall"][:, 1] = np.where(level | (bay == 0), 0, places[:, 2] / np.maximum(floor, 0.1))
    return rows


def _chunks(inputs: Arrays, textured: bool) -> tuple[Any, Arrays]:
    """Return triangles sorted into square chunks, and each chunk's first index, count of indices and box."""
    chosen = (inputs["window"][:, 0] > 0) == textured
    triangles, flat = inputs["triangles"][chosen], inputs["flat"][chosen]
    triangles = np.concatenate([triangles, triangles[flat][:, ::-1]])  # plates are seen from both sides
    if not len(triangles):
        return triangles, {}
    corners = inputs["vertices"][triangles]
    cell = np.floor(corners.mean(axis=1)[:, :2] / CHUNK_METRES).astype(int)
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


def _window_texture() -> Any:
    """Return the texture of a facade's bay: a dark window in a light wall."""
    texture = np.full((64, 64, 3), 255, np.uint8)
    texture[14:52, 16:48] = (60, 70, 85)
    texture[32:34, 16:48] = 230
    return texture


if __name__ == "__main__":
    print(_context().info["GL_RENDERER"])
