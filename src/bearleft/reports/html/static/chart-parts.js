// Parts of charts. Horizontal positions are percentages, so that charts need no redrawing when they are resized.

import { agentColour, svg } from './dom.js';

const MARKER_SHAPES = [
  () => svg('circle', { r: 4.6 }),
  () => svg('rect', { x: -4.1, y: -4.1, width: 8.2, height: 8.2, rx: 1 }),
  () => svg('path', { d: 'M0 -5.8 L5.8 0 L0 5.8 L-5.8 0 Z' }),
  () => svg('path', { d: 'M0 -5.4 L5.2 4.2 L-5.2 4.2 Z' }),
  () => svg('path', { d: 'M0 5.4 L5.2 -4.2 L-5.2 -4.2 Z' }),
  () => svg('path', { d: 'M-5 -1.7 H-1.7 V-5 H1.7 V-1.7 H5 V1.7 H1.7 V5 H-1.7 V1.7 H-5 Z' }),
  () => svg('path', { d: 'M-5.2 0 L-2.6 -4.6 H2.6 L5.2 0 L2.6 4.6 H-2.6 Z' }),
  () => svg('path', { d: 'M-5 -5 L5 -5 L0 0 L5 5 L-5 5 L0 0 Z' }),
];

/** Return an agent's marker: each agent has its own shape, so that colour is not needed to tell agents apart. */
export function marker(agent, x, y, { hollow = false } = {}) {
  const shape = MARKER_SHAPES[agent % MARKER_SHAPES.length]();
  const style = { fill: hollow ? 'var(--paper)' : agentColour(agent), stroke: agentColour(agent), 'stroke-width': hollow ? '1.8' : '0' };
  for (const [key, value] of Object.entries(style)) shape.style.setProperty(key, value);
  return svg('svg', { x, y, overflow: 'visible', width: 1, height: 1 }, shape);
}

/** Return an agent's marker as an icon, for legends. */
export function markerIcon(agent) {
  return svg('svg', { viewBox: '-7 -7 14 14', 'aria-hidden': 'true', width: 14, height: 14 }, marker(agent, 0, 0));
}

/** Return a function that maps values to "42%" of the width. */
export function percentScale(low, high) {
  const span = high - low || 1;
  return (x) => `${Math.min(100, Math.max(0, (100 * (x - low)) / span)).toFixed(2)}%`;
}

/** Return about five round numbers from low to high. */
export function tickValues(low, high) {
  const rough = (high - low) / 4 || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((s) => s * power).find((s) => s >= rough * 0.999);
  const values = [];
  for (let x = Math.ceil(low / step - 1e-9) * step; x <= high + step * 1e-6; x += step) values.push(Math.abs(x) < step * 1e-6 ? 0 : x);
  return values;
}

/** Return the count of decimals that writes every tick exactly: 2 for 0.25, 0 for whole numbers. */
export function tickDecimals(ticks) {
  const exact = (digits) => ticks.every((tick) => Math.abs(tick - Number(tick.toFixed(digits))) < 1e-9 * Math.max(1, Math.abs(tick)));
  return [0, 1, 2, 3, 4, 5].find(exact) ?? 6;
}

/** Return a vertical line over the full height. */
export function verticalLine(x, className) {
  return svg('line', { x1: x, x2: x, y1: 0, y2: '100%', class: className });
}

/** Return the line of an interval. */
export function whisker(agent, from, to, y) {
  return svg('line', { x1: from, x2: to, y1: y, y2: y, class: 'whisker', style: { stroke: agentColour(agent) } });
}
