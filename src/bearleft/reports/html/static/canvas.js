// Canvas helpers, and the background of maps. A view of a map is {x, y, scale}: its centre in metres, and pixels per
// metre; north is up.

import { cssValue } from './dom.js';

const MIN_PIXELS = 0.8; // smaller marks are left out
const preparedMaps = new WeakMap();

/** Resize a canvas to its displayed size in device pixels, and clear it; returns {context, width, height, ratio} in CSS pixels. */
export function prepareCanvas(canvas) {
  const ratio = Math.min(window.devicePixelRatio || 1, 2.5);
  const width = canvas.clientWidth || canvas.width;
  const height = canvas.clientHeight || canvas.height;
  const pixelWidth = Math.max(Math.round(width * ratio), 1);
  const pixelHeight = Math.max(Math.round(height * ratio), 1);
  // Setting the size reallocates the canvas, so do it only if it changed.
  if (canvas.width !== pixelWidth || canvas.height !== pixelHeight) Object.assign(canvas, { width: pixelWidth, height: pixelHeight });
  const context = canvas.getContext('2d');
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return { context, width, height, ratio };
}

/** Return whether the dark theme is used. */
export function isDark() {
  const theme = document.documentElement.dataset.theme;
  return theme ? theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
}

/** Paint a 360-degree picture that wraps around horizontally, starting at `left`. */
export function paintWrapped({ context, width }, image, left, top, imageWidth, imageHeight) {
  const pattern = context.createPattern(image, 'repeat-x');
  const [naturalWidth, naturalHeight] = [image.naturalWidth || image.width, image.naturalHeight || image.height];
  pattern.setTransform(new DOMMatrix([imageWidth / naturalWidth, 0, 0, imageHeight / naturalHeight, left, top]));
  context.imageSmoothingQuality = 'high';
  context.fillStyle = pattern;
  context.fillRect(0, top, width, imageHeight);
}

/** Convert metres to pixels. */
export function toPixels(view, size, x, y) {
  return [size.width / 2 + (x - view.x) * view.scale, size.height / 2 - (y - view.y) * view.scale];
}

/** Convert pixels to metres. */
export function toMetres(view, size, x, y) {
  return [view.x + (x - size.width / 2) / view.scale, view.y - (y - size.height / 2) / view.scale];
}

/** Return the view that shows bounds [west, south, east, north] with a margin in pixels. */
export function fitView(bounds, size, margin) {
  const scale = Math.min(
    Math.max(size.width - 2 * margin, 20) / Math.max(bounds[2] - bounds[0], 1e-6),
    Math.max(size.height - 2 * margin, 20) / Math.max(bounds[3] - bounds[1], 1e-6),
  );
  return { x: (bounds[0] + bounds[2]) / 2, y: (bounds[1] + bounds[3]) / 2, scale };
}

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

function markBounds(mark) {
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
