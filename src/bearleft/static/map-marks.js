// What maps show in pixels: routes, walked paths, start, goal, and somebody who walks.

import { cssValue } from './dom.js';

/** Shift a path to its right-hand side, so that paths along the same street, and both directions of one path, lie side by side. */
export function offsetPath(path, offset) {
  if (!offset || path.length < 2) return path;
  return path.map(([x, y], i) => {
    const [ax, ay] = path[Math.max(i - 1, 0)];
    const [bx, by] = path[Math.min(i + 1, path.length - 1)];
    const length = Math.hypot(bx - ax, by - ay) || 1;
    return [x - ((by - ay) / length) * offset, y + ((bx - ax) / length) * offset];
  });
}

function addPath(context, path) {
  context.beginPath();
  path.forEach(([x, y], i) => (i ? context.lineTo(x, y) : context.moveTo(x, y)));
}

/** Stroke a path, with a halo of a colour or without. */
export function strokePath(context, path, colour, width, halo) {
  context.lineCap = 'round';
  context.lineJoin = 'round';
  addPath(context, path);
  if (halo) {
    context.strokeStyle = halo;
    context.lineWidth = width + 2.5;
    context.stroke();
  }
  context.strokeStyle = colour;
  context.lineWidth = width;
  context.stroke();
}

// Paint small arrowheads that show the direction of a path.
function paintArrowheads(context, path, colour) {
  context.fillStyle = colour;
  let distance = 30;
  for (let i = 1; i < path.length; i += 1) {
    const [ax, ay] = path[i - 1];
    const [bx, by] = path[i];
    distance += Math.hypot(bx - ax, by - ay);
    if (distance < 70) continue;
    distance = 0;
    context.save();
    context.translate((ax + bx) / 2, (ay + by) / 2);
    context.rotate(Math.atan2(by - ay, bx - ax));
    context.beginPath();
    context.moveTo(6, 0);
    context.lineTo(-4, -5.5);
    context.lineTo(-4, 5.5);
    context.fill();
    context.restore();
  }
}

/** Paint a disc, a ring, or both. */
export function paintDisc(context, [x, y], radius, fill, edge, width) {
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
  if (fill) {
    context.fillStyle = fill;
    context.fill();
  }
  if (edge) {
    context.strokeStyle = edge;
    context.lineWidth = width;
    context.stroke();
  }
}

// Agents stop at a square; a disc is the goal.
function paintStop(context, [x, y], colour, halo, big) {
  const half = big ? 6 : 3.5;
  context.beginPath();
  context.rect(x - half, y - half, 2 * half, 2 * half);
  context.fillStyle = colour;
  context.fill();
  context.strokeStyle = halo;
  context.lineWidth = big ? 2 : 1;
  context.stroke();
}

/** Paint a route that is to be walked. */
export function paintRoute(context, path, small = false) {
  context.globalAlpha = 0.75;
  strokePath(context, path, cssValue('--route') || '#1f5fbf', small ? 6 : 12, null);
  context.globalAlpha = 1;
}

/** Paint a path that was walked, with its end. */
export function paintWalkedPath(context, path, colour, small = false) {
  if (path.length < 2) return;
  const halo = cssValue('--halo') || '#fff';
  strokePath(context, path, colour, small ? 2 : 3.5, halo);
  if (!small) paintArrowheads(context, path, colour);
  paintStop(context, path.at(-1), colour, halo, !small);
}

/** Paint the start of a route. */
export function paintStart(context, pixel, small = false) {
  paintDisc(context, pixel, small ? 5 : 9, null, cssValue('--halo') || '#fff', small ? 4 : 6);
  paintDisc(context, pixel, small ? 5 : 9, null, cssValue('--route') || '#1f5fbf', small ? 2 : 3);
}

/** Paint the goal. */
export function paintGoal(context, pixel, small = false) {
  const colour = cssValue('--goal') || '#ce1e36';
  paintDisc(context, pixel, small ? 5.5 : 10, cssValue('--halo') || '#fff', colour, small ? 2 : 3);
  paintDisc(context, pixel, small ? 2 : 4.5, colour, null, 0);
}

/** Paint somebody: a disc, with a view cone of 60 degrees if the heading is known. */
export function paintWalker(context, [x, y], heading, colour) {
  if (Number.isFinite(heading)) paintViewCone(context, x, y, heading, colour);
  paintDisc(context, [x, y], 8, colour, '#fff', 2.5);
  paintDisc(context, [x, y], 10, null, '#111', 1);
}

function paintViewCone(context, x, y, heading, colour) {
  const middle = ((heading - 90) * Math.PI) / 180;
  const light = context.createRadialGradient(x, y, 6, x, y, 62);
  light.addColorStop(0, colour);
  light.addColorStop(1, 'rgba(255, 255, 255, 0)');
  context.globalAlpha = 0.7;
  context.fillStyle = light;
  context.beginPath();
  context.moveTo(x, y);
  context.arc(x, y, 62, middle - Math.PI / 6, middle + Math.PI / 6);
  context.fill();
  context.globalAlpha = 1;
}
