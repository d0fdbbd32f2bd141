// An agent's heat map: how likely it held each direction to be. The colours grow lighter and warmer together, so that
// those who see few colours read the same order.

import { el } from './dom.js';
import { bytes } from './store.js';

const STOPS = [[0, 32, 12, 74], [0.25, 106, 23, 110], [0.5, 188, 55, 84], [0.75, 243, 120, 25], [1, 252, 246, 158]];
const drawn = new WeakMap();

/** The colour [r, g, b, a], each to 255, of a value from 0 to 1; what is nearly nothing is clear. */
export function heatColour(value) {
  const v = Math.min(Math.max(value, 0), 1);
  const k = Math.max(STOPS.findIndex(([until]) => until >= v), 1);
  const share = (v - STOPS[k - 1][0]) / (STOPS[k][0] - STOPS[k - 1][0]);
  const mixed = [1, 2, 3].map((i) => Math.round(STOPS[k - 1][i] + share * (STOPS[k][i] - STOPS[k - 1][i])));
  return [...mixed, Math.round(255 * Math.min(v * 2.5, 1))];
}

/** A small canvas with a heat map's colours, the leg's yaw in its middle column. The highest value is the lightest. */
export function heatCanvas(heat) {
  return colouredCanvas(heat, heatColour, drawn);
}

/** The same in other colours, of values from 0 to 1, the highest being 1; what was drawn before is in `kept`. */
export function colouredCanvas(heat, colour, kept) {
  if (kept.has(heat)) return kept.get(heat);
  const values = bytes(heat.values);
  const top = Math.max(1, values.reduce((a, b) => Math.max(a, b), 0));
  const canvas = el('canvas', { width: heat.width, height: heat.height });
  const context = canvas.getContext('2d');
  const pixels = context.createImageData(heat.width, heat.height);
  const table = Array.from({ length: top + 1 }, (_, v) => colour(v / top));
  for (let i = 0; i < heat.width * heat.height; i += 1) pixels.data.set(table[values[i] ?? 0], i * 4);
  context.putImageData(pixels, 0, 0);
  kept.set(heat, canvas);
  return canvas;
}

/** The colours from less to more. */
export function heatLegend() {
  const bar = el('span', { class: 'heatbar', 'aria-hidden': 'true' });
  const stops = [0, 0.1, 0.25, 0.5, 0.75, 1].map((v) => {
    const [r, g, b, a] = heatColour(v);
    return `rgba(${r}, ${g}, ${b}, ${a / 255}) ${v * 100}%`;
  });
  bar.style.backgroundImage = `linear-gradient(90deg, ${stops.join(', ')})`;
  return el('span', { class: 'heatlegend' }, 'unlikely', bar, 'likely');
}
