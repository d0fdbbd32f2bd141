// Directions and pixels, as in bearleft.geometry: degrees, heading 0 is north and grows clockwise, pitch grows upwards.
// A view is {heading, pitch, fov, width, height}: a perspective picture with a horizontal field of view of `fov` degrees.

const RADIANS = Math.PI / 180;

/** Return the signed turn from one heading to another in [-180, 180); positive is clockwise. */
export function turnBetween(from, to) {
  return ((((to - from + 180) % 360) + 360) % 360) - 180;
}

/** Return the unit vector (east, north, up) of a direction. */
export function unitVector(heading, pitch) {
  const [a, b] = [heading * RADIANS, pitch * RADIANS];
  return [Math.sin(a) * Math.cos(b), Math.cos(a) * Math.cos(b), Math.sin(b)];
}

/** Return the camera's axes: right, down and forward. */
export function cameraAxes(view) {
  const ahead = unitVector(view.heading, view.pitch);
  const right = unitVector(view.heading + 90, 0);
  const down = [
    ahead[1] * right[2] - ahead[2] * right[1],
    ahead[2] * right[0] - ahead[0] * right[2],
    ahead[0] * right[1] - ahead[1] * right[0],
  ];
  return [right, down, ahead];
}

/** Return the focal length in pixels. */
export function focalLength(view) {
  return view.width / 2 / Math.tan((view.fov / 2) * RADIANS);
}

/** Return the vertical field of view in degrees. */
export function verticalFov(view) {
  return (2 * Math.atan((Math.tan((view.fov / 2) * RADIANS) * view.height) / view.width)) / RADIANS;
}

/** Return the pixel [x, y] of a direction in a view; null behind the camera. */
export function project(heading, pitch, view) {
  const v = unitVector(heading, pitch);
  const [right, down, ahead] = cameraAxes(view).map((axis) => axis[0] * v[0] + axis[1] * v[1] + axis[2] * v[2]);
  if (ahead <= 1e-12) return null;
  const scale = focalLength(view) / ahead;
  return [view.width / 2 + right * scale, view.height / 2 + down * scale];
}

/** Return the direction [heading, pitch] of a pixel of a view. */
export function unproject(x, y, view) {
  const ray = [x - view.width / 2, y - view.height / 2, focalLength(view)];
  const axes = cameraAxes(view);
  const [east, north, up] = [0, 1, 2].map((i) => ray[0] * axes[0][i] + ray[1] * axes[1][i] + ray[2] * axes[2][i]);
  const heading = Math.atan2(east, north) / RADIANS;
  return [(heading + 360) % 360, Math.atan2(up, Math.hypot(east, north)) / RADIANS];
}

/** Return the pixel of a direction in an equirectangular picture with `yaw` in the middle. */
export function toFlat(heading, pitch, width, height, yaw = 0) {
  return [(turnBetween(yaw, heading) / 360 + 0.5) * width, ((90 - pitch) / 180) * height];
}

/** Return the direction [heading, pitch] of a pixel of an equirectangular picture. */
export function fromFlat(x, y, width, height, yaw = 0) {
  return [(((yaw + 360 * (x / width - 0.5)) % 360) + 360) % 360, 90 - (180 * y) / height];
}

/** Return the angle in degrees between two directions [heading, pitch]. */
export function angleBetween(first, second) {
  const headingTerm = Math.sin(((first[0] - second[0]) * RADIANS) / 2) ** 2;
  const h = Math.sin(((first[1] - second[1]) * RADIANS) / 2) ** 2 + Math.cos(first[1] * RADIANS) * Math.cos(second[1] * RADIANS) * headingTerm;
  return (2 * Math.asin(Math.sqrt(Math.min(Math.max(h, 0), 1)))) / RADIANS;
}

/** Return the compass point of a heading: N, NE, ... */
export function compassPoint(heading) {
  return ['N', 'NE', 'E', 'SE', 'S', 'SW', 'W', 'NW'][Math.round((((heading % 360) + 360) % 360) / 45) % 8];
}
