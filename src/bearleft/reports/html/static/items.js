// ArraMon's collectibles as small signs: an outline for each type, its colour, stripes or dots. On canvases and in SVG.

import { el, svg } from './dom.js';

// In a box from -10 to 10.
const OUTLINES = {
  book: 'M-8 -9.5 H6 A2 2 0 0 1 8 -7.5 V7.5 A2 2 0 0 1 6 9.5 H-8 Z',
  hourglass: 'M-7.5 -9.5 H7.5 V-7.5 L1.6 0 L7.5 7.5 V9.5 H-7.5 V7.5 L-1.6 0 L-7.5 -7.5 Z',
  mug: 'M-9 -8 H4 V-5 H6 A4 4 0 0 1 10 -1 V1 A4 4 0 0 1 6 5 H4 V8 H-9 Z',
  bucket: 'M-9.5 -8 H9.5 L6.5 9 H-6.5 Z',
  ball: 'M9 0 A9 9 0 1 1 -9 0 A9 9 0 1 1 9 0 Z',
  tv: 'M-10 -8.5 H10 V4.5 H2 V7 H6 V9.5 H-6 V7 H-2 V4.5 H-10 Z',
  bowl: 'M-10 -4 H10 A10 11 0 0 1 3.5 6.5 V8 H-3.5 V6.5 A10 11 0 0 1 -10 -4 Z',
};
const UNKNOWN = 'M0 -9 L9 0 L0 9 L-9 0 Z';
const STRIPES = [-6.5, -2.2, 2.2, 6.5];
const DOTS = [[-4.5, -4.5], [4.5, -4.5], [0, 0], [-4.5, 4.5], [4.5, 4.5]];
const EDGE = '#10141c';

const outlineOf = ([, type]) => OUTLINES[type] ?? UNKNOWN;
const fillOf = ([, , colour]) => (/^#[0-9a-f]{6}$/.test(colour) ? colour : '#9aa3af');

// Stripes and dots are white on what is dark, else dark.
function inkOf(look) {
  const [r, g, b] = [1, 3, 5].map((k) => parseInt(fillOf(look).slice(k, k + 2), 16));
  return 0.3 * r + 0.59 * g + 0.11 * b < 95 ? '#ffffff' : EDGE;
}

/** An item on a canvas, `size` pixels from its middle to its edge. */
export function paintItem(context, [x, y], look, size, halo) {
  const path = new Path2D(outlineOf(look));
  context.save();
  context.translate(x, y);
  context.scale(size / 10, size / 10);
  context.lineJoin = 'round';
  context.strokeStyle = halo;
  context.lineWidth = 7;
  context.stroke(path);
  context.fillStyle = fillOf(look);
  context.fill(path);
  context.save();
  context.clip(path);
  context.fillStyle = inkOf(look);
  if (look[3] === 'striped') for (const at of STRIPES) context.fillRect(at - 0.9, -10, 1.8, 20);
  if (look[3] === 'dotted') {
    for (const [dx, dy] of DOTS) {
      context.beginPath();
      context.arc(dx, dy, 1.7, 0, 2 * Math.PI);
      context.fill();
    }
  }
  context.restore();
  context.strokeStyle = EDGE;
  context.lineWidth = 1.8;
  context.stroke(path);
  context.restore();
}

/** An item as SVG around (0, 0), in the same box. */
export function itemSign(look) {
  const ink = inkOf(look);
  const outline = outlineOf(look);
  const stripes = look[3] === 'striped' ? STRIPES.map((at) => svg('path', { d: cutStripe(look[1], at), stroke: ink, 'stroke-width': 1.8, fill: 'none' })) : [];
  const dots = look[3] === 'dotted' ? DOTS.filter(([dx, dy]) => fits(look[1], dx, dy)).map(([cx, cy]) => svg('circle', { cx, cy, r: 1.7, fill: ink })) : [];
  return svg('g', { class: 'sign' }, svg('path', { class: 'halo', d: outline }), svg('path', { d: outline, fill: fillOf(look) }), stripes, dots,
    svg('path', { d: outline, fill: 'none', stroke: EDGE, 'stroke-width': 1.8, 'stroke-linejoin': 'round' }));
}

// The part of a stripe that lies within an outline, found by looking: SVG clips by name, and names would have to be made up for each.
function cutStripe(type, at) {
  const inside = [];
  for (let y = -9; y <= 9; y += 0.5) if (fits(type, at, y)) inside.push(y);
  return inside.length ? `M${at} ${inside[0]} V${inside.at(-1)}` : '';
}

const probe = document.createElement('canvas').getContext('2d');
const paths = new Map();

function fits(type, x, y) {
  if (!paths.has(type)) paths.set(type, new Path2D(OUTLINES[type] ?? UNKNOWN));
  return probe.isPointInPath(paths.get(type), x, y);
}

/** An item's sign and name in a line of text. */
export function itemChip(look, ...more) {
  return el('span', { class: 'thing' }, svg('svg', { viewBox: '-12 -12 24 24', width: 22, height: 22, 'aria-hidden': 'true' }, itemSign(look)), el('span', {}, look[0], more));
}

/** The numbers of what still lies in the city when a leg of a trace begins. */
export function lyingFor(example, trace, leg) {
  const taken = (trace?.legs ?? []).slice(0, leg).map((one) => one.took);
  return (example.things ?? []).map((_, i) => i).filter((i) => !taken.includes(i));
}

/** The number of what a leg asks for, -1 where there is none. */
export function askedFor(example, leg) {
  const { item, target_at: at } = example.legs[leg] ?? {};
  return (example.things ?? []).findIndex((one) => one[0] === item && one[4] === at);
}
