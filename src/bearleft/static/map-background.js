// The background of maps: streets, buildings, trees and names, given as marks in metres.

import { cssValue } from './dom.js';
import { isDark, toMetres, toPixels } from './canvas.js';

const MIN_PIXELS = 0.8; // smaller marks are left out
const preparedMaps = new WeakMap();

function markRings(mark) {
  if (mark[0] === 'shape') return mark[5];
  return mark[0] === 'stroke' ? [mark[3]] : [];
}

// The bounds of all marks in one typed array make skipping thousands of marks fast.
function prepareMap(marks) {
  const boxes = new Float32Array(marks.length * 4);
  marks.forEach((mark, i) => boxes.set(markBounds(mark), i * 4));
  return { boxes, paths: new Array(marks.length) };
}

/** Return the bounds of a mark in metres: west, south, east, north. */
export function markBounds(mark) {
  if (mark[0] === 'disc') return [mark[5] - mark[7], mark[6] - mark[7], mark[5] + mark[7], mark[6] + mark[7]];
  if (mark[0] === 'words') return [mark[3] - 60, mark[4] - 60, mark[3] + 60, mark[4] + 60];
  const bounds = [Infinity, Infinity, -Infinity, -Infinity];
  for (const ring of markRings(mark)) {
    for (let i = 0; i < ring.length; i += 2) {
      bounds[0] = Math.min(bounds[0], ring[i]);
      bounds[1] = Math.min(bounds[1], ring[i + 1]);
      bounds[2] = Math.max(bounds[2], ring[i]);
      bounds[3] = Math.max(bounds[3], ring[i + 1]);
    }
  }
  return bounds;
}

function markPath(mark) {
  const path = new Path2D();
  if (mark[0] === 'disc') path.arc(mark[5], mark[6], mark[7], 0, 2 * Math.PI);
  for (const ring of markRings(mark)) {
    for (let i = 0; i < ring.length; i += 2) {
      if (i) path.lineTo(ring[i], ring[i + 1]);
      else path.moveTo(ring[i], ring[i + 1]);
    }
    if (mark[0] === 'shape') path.closePath();
  }
  return path;
}

/** Paint the marks in view, in order. In the dark theme they are dimmed, so that paths stand out. */
export function paintMap(surface, marks, view) {
  const { context, width, height, ratio } = surface;
  if (!preparedMaps.has(marks)) preparedMaps.set(marks, prepareMap(marks));
  const { boxes, paths } = preparedMaps.get(marks);
  const [west, north] = toMetres(view, surface, 0, 0);
  const [east, south] = toMetres(view, surface, width, height);
  const minMetres = MIN_PIXELS / view.scale;
  context.fillStyle = cssValue('--mapground') || '#f1efe9';
  context.fillRect(0, 0, width, height);
  const transform = [ratio * view.scale, 0, 0, -ratio * view.scale,
    ratio * (width / 2 - view.x * view.scale), ratio * (height / 2 + view.y * view.scale)];
  context.setTransform(...transform);
  context.lineCap = 'round';
  context.lineJoin = 'round';
  const texts = [];
  for (let i = 0, b = 0; i < marks.length; i += 1, b += 4) {
    if (boxes[b] > east || boxes[b + 2] < west || boxes[b + 1] > north || boxes[b + 3] < south) continue;
    if (boxes[b + 2] - boxes[b] < minMetres && boxes[b + 3] - boxes[b + 1] < minMetres) continue;
    if (marks[i][0] === 'words') texts.push(marks[i]);
    else paintMark(context, marks[i], (paths[i] ??= markPath(marks[i])), minMetres);
  }
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.globalAlpha = 1;
  for (const text of texts) paintText(surface, text, view);
  if (isDark()) {
    context.fillStyle = 'rgba(10, 14, 22, 0.62)';
    context.fillRect(0, 0, width, height);
  }
}

function paintMark(context, mark, path, minMetres) {
  const stroke = mark[0] === 'stroke';
  context.globalAlpha = stroke ? 1 : mark[4];
  if (!stroke && mark[1]) {
    context.fillStyle = mark[1];
    context.fill(path, 'evenodd');
  }
  const edge = stroke ? mark[1] : mark[2];
  if (!edge) return;
  context.strokeStyle = edge;
  context.lineWidth = Math.max(stroke ? mark[2] : mark[3], minMetres);
  context.stroke(path);
}

function paintText({ context, width, height }, [, colour, size, x, y, angle, text], view) {
  const pixels = size * view.scale;
  if (pixels < 7) return;
  const [px, py] = toPixels(view, { width, height }, x, y);
  context.save();
  context.translate(px, py);
  context.rotate((-angle * Math.PI) / 180);
  context.font = `${Math.min(pixels, 22)}px system-ui, sans-serif`;
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  context.fillStyle = colour;
  context.fillText(text, 0, 0);
  context.restore();
}
