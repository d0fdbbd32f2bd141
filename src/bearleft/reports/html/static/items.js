// Icons of ArraMon's items, on canvases and in SVG: an outline for each type, with colour, stripes or dots.

import { el, svg } from './dom.js';

// SVG paths in a box from -10 to 10.
const OUTLINES = {
  book: 'M-8 -9.5 H6 A2 2 0 0 1 8 -7.5 V7.5 A2 2 0 0 1 6 9.5 H-8 Z',
  hourglass: 'M-7.5 -9.5 H7.5 V-7.5 L1.6 0 L7.5 7.5 V9.5 H-7.5 V7.5 L-1.6 0 L-7.5 -7.5 Z',
  mug: 'M-9 -8 H4 V-5 H6 A4 4 0 0 1 10 -1 V1 A4 4 0 0 1 6 5 H4 V8 H-9 Z',
  bucket: 'M-9.5 -8 H9.5 L6.5 9 H-6.5 Z',
  ball: 'M9 0 A9 9 0 1 1 -9 0 A9 9 0 1 1 9 0 Z',
  tv: 'M-10 -8.5 H10 V4.5 H2 V7 H6 V9.5 H-6 V7 H-2 V4.5 H-10 Z',
  bowl: 'M-10 -4 H10 A10 11 0 0 1 3.5 6.5 V8 H-3.5 V6.5 A10 11 0 0 1 -10 -4 Z',
};
const UNKNOWN_OUTLINE = 'M0 -9 L9 0 L0 9 L-9 0 Z';
const STRIPE_POSITIONS = [-6.5, -2.2, 2.2, 6.5];
const DOT_POSITIONS = [[-4.5, -4.5], [4.5, -4.5], [0, 0], [-4.5, 4.5], [4.5, 4.5]];
const EDGE_COLOUR = '#10141c';

const itemOutline = ([, type]) => OUTLINES[type] ?? UNKNOWN_OUTLINE;
const itemFill = ([, , colour]) => (/^#[0-9a-f]{6}$/.test(colour) ? colour : '#9aa3af');

// Stripes and dots are white on dark colours, else dark.
function patternColour(look) {
  const [r, g, b] = [1, 3, 5].map((k) => parseInt(itemFill(look).slice(k, k + 2), 16));
  return 0.3 * r + 0.59 * g + 0.11 * b < 95 ? '#ffffff' : EDGE_COLOUR;
}

/** Paint an item on a canvas; `size` is half its width in pixels. */
export function paintItem(context, [x, y], look, size, halo) {
  const path = new Path2D(itemOutline(look));
  context.save();
  context.translate(x, y);
  context.scale(size / 10, size / 10);
  context.lineJoin = 'round';
  context.strokeStyle = halo;
  context.lineWidth = 7;
  context.stroke(path);
  context.fillStyle = itemFill(look);
  context.fill(path);
  context.save();
  context.clip(path);
  context.fillStyle = patternColour(look);
  if (look[3] === 'striped') for (const at of STRIPE_POSITIONS) context.fillRect(at - 0.9, -10, 1.8, 20);
  if (look[3] === 'dotted') {
    for (const [dx, dy] of DOT_POSITIONS) {
      context.beginPath();
      context.arc(dx, dy, 1.7, 0, 2 * Math.PI);
      context.fill();
    }
  }
  context.restore();
  context.strokeStyle = EDGE_COLOUR;
  context.lineWidth = 1.8;
  context.stroke(path);
  context.restore();
}

/** Return an item as SVG around (0, 0), in the same box. */
export function itemIcon(look) {
  const ink = patternColour(look);
  const outline = itemOutline(look);
  const stripes = look[3] === 'striped' ? STRIPE_POSITIONS.map((at) => svg('path', { d: clippedStripe(look[1], at), stroke: ink, 'stroke-width': 1.8, fill: 'none' })) : [];
  const dots = look[3] === 'dotted' ? DOT_POSITIONS.filter(([dx, dy]) => isInside(look[1], dx, dy)).map(([cx, cy]) => svg('circle', { cx, cy, r: 1.7, fill: ink })) : [];
  return svg('g', { class: 'sign' }, svg('path', { class: 'halo', d: outline }), svg('path', { d: outline, fill: itemFill(look) }), stripes, dots,
    svg('path', { d: outline, fill: 'none', stroke: EDGE_COLOUR, 'stroke-width': 1.8, 'stroke-linejoin': 'round' }));
}

// Return the part of a stripe within an outline, found by hit tests: an SVG clip path would need a unique id for each icon.
function clippedStripe(type, at) {
  const inside = [];
  for (let y = -9; y <= 9; y += 0.5) if (isInside(type, at, y)) inside.push(y);
  return inside.length ? `M${at} ${inside[0]} V${inside.at(-1)}` : '';
}

const hitTestContext = document.createElement('canvas').getContext('2d');
const outlinePaths = new Map();

function isInside(type, x, y) {
  if (!outlinePaths.has(type)) outlinePaths.set(type, new Path2D(OUTLINES[type] ?? UNKNOWN_OUTLINE));
  return hitTestContext.isPointInPath(outlinePaths.get(type), x, y);
}

/** Return an item's icon and name. */
export function itemLabel(look, ...more) {
  return el('span', { class: 'thing' }, svg('svg', { viewBox: '-12 -12 24 24', width: 22, height: 22, 'aria-hidden': 'true' }, itemIcon(look)), el('span', {}, look[0], more));
}

/** Return the indices of the items that are still in the city when a leg of a trace begins. */
export function remainingItems(example, trace, legIndex) {
  const picked = (trace?.legs ?? []).slice(0, legIndex).map((legTrace) => legTrace.picked);
  return (example.items ?? []).map((_, i) => i).filter((i) => !picked.includes(i));
}

/** Return the index of a leg's target item, or -1. */
export function targetItem(example, legIndex) {
  const { item, target_place: place } = example.legs[legIndex] ?? {};
  return (example.items ?? []).findIndex((placed) => placed[0] === item && placed[4] === place);
}
