// Directions and pixels, as bearleft's geometry has them: headings 0 = north, clockwise; pitch up; degrees.
// A view is {heading, pitch, fov, width, height}: a perspective picture, fov degrees across.

const RADIANS = Math.PI / 180;

/** The signed turn from one heading to another in [-180, 180); positive is clockwise. */
export function turnBetween(from, to) {
  return ((((to - from + 180) % 360) + 360) % 360) - 180;
}

/** The unit vector (east, north, up) of a direction. */
export function vectorOf(heading, pitch) {
  const [a, b] = [heading * RADIANS, pitch * RADIANS];
  return [Math.sin(a) * Math.cos(b), Math.cos(a) * Math.cos(b), Math.sin(b)];
}

/** The world's vectors to a view's right, downwards and ahead. */
export function axesOf(view) {
  const ahead = vectorOf(view.heading, view.pitch);
  const right = vectorOf(view.heading + 90, 0);
  const down = [
    ahead[1] * right[2] - ahead[2] * right[1],
    ahead[2] * right[0] - ahead[0] * right[2],
    ahead[0] * right[1] - ahead[1] * right[0],
  ];
  return [right, down, ahead];
}

/** Pixels per unit of tangent. */
export function focalOf(view) {
  return view.width / 2 / Math.tan((view.fov / 2) * RADIANS);
}

/** The pixel [x, y] of a direction in a view; null for what lies behind it. */
export function project(heading, pitch, view) {
  const v = vectorOf(heading, pitch);
  const [right, down, ahead] = axesOf(view).map((axis) => axis[0] * v[0] + axis[1] * v[1] + axis[2] * v[2]);
  if (ahead <= 1e-12) return null;
  const scale = focalOf(view) / ahead;
  return [view.width / 2 + right * scale, view.height / 2 + down * scale];
}

/** The direction [heading, pitch] of a pixel of a view. */
export function unproject(x, y, view) {
  const ray = [x - view.width / 2, y - view.height / 2, focalOf(view)];
  const axes = axesOf(view);
  const [east, north, up] = [0, 1, 2].map((i) => ray[0] * axes[0][i] + ray[1] * axes[1][i] + ray[2] * axes[2][i]);
  const heading = Math.atan2(east, north) / RADIANS;
  return [(heading + 360) % 360, Math.atan2(up, Math.hypot(east, north)) / RADIANS];
}

/** The pixel of a direction in an equirectangular picture with `yaw` in its middle. */
export function toFlat(heading, pitch, width, height, yaw = 0) {
  return [(turnBetween(yaw, heading) / 360 + 0.5) * width, ((90 - pitch) / 180) * height];
}

/** And back. */
export function fromFlat(x, y, width, height, yaw = 0) {
  return [(((yaw + 360 * (x / width - 0.5)) % 360) + 360) % 360, 90 - (180 * y) / height];
}

/** Degrees between two directions [heading, pitch] along the great circle. */
export function angleBetween(one, other) {
  const across = Math.sin(((one[0] - other[0]) * RADIANS) / 2) ** 2;
  const h = Math.sin(((one[1] - other[1]) * RADIANS) / 2) ** 2 + Math.cos(one[1] * RADIANS) * Math.cos(other[1] * RADIANS) * across;
  return (2 * Math.asin(Math.sqrt(Math.min(Math.max(h, 0), 1)))) / RADIANS;
}

/** A heading as a point of the compass: N, NE, ... */
export function compassPoint(heading) {
  return ['N', 'NE', 'E', 'SE', 'S', 'SW', 'W', 'NW'][Math.round((((heading % 360) + 360) % 360) / 45) % 8];
}
