import { colourOf, svg } from './dom.js';

// Pieces of charts. Across, everything is in percent of the width, so that a chart needs no redrawing when it is resized.

const SHAPES = [
  () => svg('circle', { r: 4.6 }),
  () => svg('rect', { x: -4.1, y: -4.1, width: 8.2, height: 8.2, rx: 1 }),
  () => svg('path', { d: 'M0 -5.8 L5.8 0 L0 5.8 L-5.8 0 Z' }),
  () => svg('path', { d: 'M0 -5.4 L5.2 4.2 L-5.2 4.2 Z' }),
  () => svg('path', { d: 'M0 5.4 L5.2 -4.2 L-5.2 -4.2 Z' }),
  () => svg('path', { d: 'M-5 -1.7 H-1.7 V-5 H1.7 V-1.7 H5 V1.7 H1.7 V5 H-1.7 V1.7 H-5 Z' }),
  () => svg('path', { d: 'M-5.2 0 L-2.6 -4.6 H2.6 L5.2 0 L2.6 4.6 H-2.6 Z' }),
  () => svg('path', { d: 'M-5 -5 L5 -5 L0 0 L5 5 L-5 5 L0 0 Z' }),
];

/** An agent's own sign in its own colour, at a point of a drawing: agents are told apart without colour too. */
export function marker(agent, x, y, { hollow = false } = {}) {
  const shape = SHAPES[agent % SHAPES.length]();
  const style = { fill: hollow ? 'var(--paper)' : colourOf(agent), stroke: colourOf(agent), 'stroke-width': hollow ? '1.8' : '0' };
  for (const [key, value] of Object.entries(style)) shape.style.setProperty(key, value);
  return svg('svg', { x, y, overflow: 'visible', width: 1, height: 1 }, shape);
}

/** The sign alone, for legends. */
export function markerSign(agent) {
  return svg('svg', { viewBox: '-7 -7 14 14', 'aria-hidden': 'true', width: 14, height: 14 }, marker(agent, 0, 0));
}

/** A function from values to "42%" of the width. */
export function scale(low, high) {
  const span = high - low || 1;
  return (x) => `${Math.min(100, Math.max(0, (100 * (x - low)) / span)).toFixed(2)}%`;
}

/** About five round numbers from low to high. */
export function ticks(low, high) {
  const rough = (high - low) / 4 || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((s) => s * power).find((s) => s >= rough * 0.999);
  const found = [];
  for (let x = Math.ceil(low / step - 1e-9) * step; x <= high + step * 1e-6; x += step) found.push(Math.abs(x) < step * 1e-6 ? 0 : x);
  return found;
}

/** A line across the height. */
export function upright(x, name) {
  return svg('line', { x1: x, x2: x, y1: 0, y2: '100%', class: name });
}

/** An interval. */
export function whisker(agent, from, to, y) {
  return svg('line', { x1: from, x2: to, y1: y, y2: y, class: 'whisker', style: { stroke: colourOf(agent) } });
}
