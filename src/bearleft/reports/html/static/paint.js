// The ground of a world on a canvas. A view is {x, y, scale}: the metres in the middle, and pixels per metre; north is up.

import { cssValue } from './dom.js';

const SMALLEST = 0.8; // pixels: what is smaller is left out
const preparedGrounds = new WeakMap();

/** A canvas made as large as it is shown, in the screen's own pixels; {context, width, height} in CSS pixels. */
export function easel(canvas) {
  const ratio = Math.min(window.devicePixelRatio || 1, 2.5);
  const width = canvas.clientWidth || canvas.width;
  const height = canvas.clientHeight || canvas.height;
  const wide = Math.max(Math.round(width * ratio), 1);
  const high = Math.max(Math.round(height * ratio), 1);
  // Setting a size empties the canvas and takes its memory anew, so only where it changed.
  if (canvas.width !== wide || canvas.height !== high) Object.assign(canvas, { width: wide, height: high });
  const context = canvas.getContext('2d');
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return { context, width, height, ratio };
}

/** Whether the page is dark now. */
export function isDark() {
  const said = document.documentElement.dataset.theme;
  return said ? said === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
}

/** A picture of something all around, from `left` on again and again without a seam. */
export function paintAround({ context, width }, image, left, top, wide, high) {
  const pattern = context.createPattern(image, 'repeat-x');
  const [across, down] = [image.naturalWidth || image.width, image.naturalHeight || image.height];
  pattern.setTransform(new DOMMatrix([wide / across, 0, 0, high / down, left, top]));
  context.imageSmoothingQuality = 'high';
  context.fillStyle = pattern;
  context.fillRect(0, top, width, high);
}

/** Where metres lie on a canvas. */
export function toPixels(view, size, x, y) {
  return [size.width / 2 + (x - view.x) * view.scale, size.height / 2 - (y - view.y) * view.scale];
}

/** And back. */
export function toMetres(view, size, x, y) {
  return [view.x + (x - size.width / 2) / view.scale, view.y - (y - size.height / 2) / view.scale];
}

/** The view that shows a box [west, south, east, north] with a margin of pixels around. */
export function fitted(box, size, margin) {
  const scale = Math.min(
    Math.max(size.width - 2 * margin, 20) / Math.max(box[2] - box[0], 1e-6),
    Math.max(size.height - 2 * margin, 20) / Math.max(box[3] - box[1], 1e-6),
  );
  return { x: (box[0] + box[2]) / 2, y: (box[1] + box[3]) / 2, scale };
}

function rings(mark) {
  if (mark[0] === 'shape') return mark[5];
  return mark[0] === 'stroke' ? [mark[3]] : [];
}

// Boxes of all marks in one array: thousands are passed over in a fraction of a millisecond.
function prepareGround(marks) {
  const boxes = new Float32Array(marks.length * 4);
  marks.forEach((mark, i) => boxes.set(boxOf(mark), i * 4));
  return { boxes, paths: new Array(marks.length) };
}

function boxOf(mark) {
  if (mark[0] === 'disc') return [mark[5] - mark[7], mark[6] - mark[7], mark[5] + mark[7], mark[6] + mark[7]];
  if (mark[0] === 'words') return [mark[3] - 60, mark[4] - 60, mark[3] + 60, mark[4] + 60];
  const box = [Infinity, Infinity, -Infinity, -Infinity];
  for (const ring of rings(mark)) {
    for (let i = 0; i < ring.length; i += 2) {
      box[0] = Math.min(box[0], ring[i]);
      box[1] = Math.min(box[1], ring[i + 1]);
      box[2] = Math.max(box[2], ring[i]);
      box[3] = Math.max(box[3], ring[i + 1]);
    }
  }
  return box;
}

function pathOf(mark) {
  const path = new Path2D();
  if (mark[0] === 'disc') path.arc(mark[5], mark[6], mark[7], 0, 2 * Math.PI);
  for (const ring of rings(mark)) {
    for (let i = 0; i < ring.length; i += 2) {
      if (i) path.lineTo(ring[i], ring[i + 1]);
      else path.moveTo(ring[i], ring[i + 1]);
    }
    if (mark[0] === 'shape') path.closePath();
  }
  return path;
}

/** Paints marks in order, those that are in view. In the dark they are dimmed, so that the ways stand out. */
export function paintGround(surface, marks, view) {
  const { context, width, height, ratio } = surface;
  if (!preparedGrounds.has(marks)) preparedGrounds.set(marks, prepareGround(marks));
  const { boxes, paths } = preparedGrounds.get(marks);
  const [west, north] = toMetres(view, surface, 0, 0);
  const [east, south] = toMetres(view, surface, width, height);
  const least = SMALLEST / view.scale;
  context.fillStyle = cssValue('--mapground') || '#f1efe9';
  context.fillRect(0, 0, width, height);
  const metric = [ratio * view.scale, 0, 0, -ratio * view.scale,
    ratio * (width / 2 - view.x * view.scale), ratio * (height / 2 + view.y * view.scale)];
  context.setTransform(...metric);
  context.lineCap = 'round';
  context.lineJoin = 'round';
  const words = [];
  for (let i = 0, b = 0; i < marks.length; i += 1, b += 4) {
    if (boxes[b] > east || boxes[b + 2] < west || boxes[b + 1] > north || boxes[b + 3] < south) continue;
    if (boxes[b + 2] - boxes[b] < least && boxes[b + 3] - boxes[b + 1] < least) continue;
    if (marks[i][0] === 'words') words.push(marks[i]);
    else paintMark(context, marks[i], (paths[i] ??= pathOf(marks[i])), least);
  }
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.globalAlpha = 1;
  for (const word of words) paintWord(surface, word, view);
  if (isDark()) {
    context.fillStyle = 'rgba(10, 14, 22, 0.62)';
    context.fillRect(0, 0, width, height);
  }
}

function paintMark(context, mark, path, least) {
  const stroke = mark[0] === 'stroke';
  context.globalAlpha = stroke ? 1 : mark[4];
  if (!stroke && mark[1]) {
    context.fillStyle = mark[1];
    context.fill(path, 'evenodd');
  }
  const edge = stroke ? mark[1] : mark[2];
  if (!edge) return;
  context.strokeStyle = edge;
  context.lineWidth = Math.max(stroke ? mark[2] : mark[3], least);
  context.stroke(path);
}

function paintWord({ context, width, height }, [, colour, size, x, y, angle, text], view) {
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
