// Colours of heat maps. Lightness and hue increase together, so that the order is readable with colour blindness.

import { el } from './dom.js';
import { decodeBase64 } from './report-data.js';

const COLOUR_STOPS = [[0, 32, 12, 74], [0.25, 106, 23, 110], [0.5, 188, 55, 84], [0.75, 243, 120, 25], [1, 252, 246, 158]];
const heatmapCanvases = new WeakMap();

/** Return the colour [r, g, b, a], 0 to 255, of a value from 0 to 1; values near 0 are transparent. */
export function heatmapColour(value) {
  const v = Math.min(Math.max(value, 0), 1);
  const k = Math.max(COLOUR_STOPS.findIndex(([until]) => until >= v), 1);
  const share = (v - COLOUR_STOPS[k - 1][0]) / (COLOUR_STOPS[k][0] - COLOUR_STOPS[k - 1][0]);
  const rgb = [1, 2, 3].map((i) => Math.round(COLOUR_STOPS[k - 1][i] + share * (COLOUR_STOPS[k][i] - COLOUR_STOPS[k - 1][i])));
  return [...rgb, Math.round(255 * Math.min(v * 2.5, 1))];
}

/** Return a small canvas of a heat map with the leg's yaw in the middle column. The maximum has the lightest colour. */
export function heatmapCanvas(heatmap) {
  return colourMapCanvas(heatmap, heatmapColour, heatmapCanvases);
}

/** Return a canvas of a heat map in the colours of `colour(value)`, values divided by their maximum; canvases are stored in `cache`. */
export function colourMapCanvas(heatmap, colour, cache) {
  if (cache.has(heatmap)) return cache.get(heatmap);
  const values = decodeBase64(heatmap.values);
  const maximum = Math.max(1, values.reduce((a, b) => Math.max(a, b), 0));
  const canvas = el('canvas', { width: heatmap.width, height: heatmap.height });
  const context = canvas.getContext('2d');
  const pixels = context.createImageData(heatmap.width, heatmap.height);
  const palette = Array.from({ length: maximum + 1 }, (_, v) => colour(v / maximum));
  for (let i = 0; i < heatmap.width * heatmap.height; i += 1) pixels.data.set(palette[values[i] ?? 0], i * 4);
  context.putImageData(pixels, 0, 0);
  cache.set(heatmap, canvas);
  return canvas;
}

/** Return the legend of the colours. */
export function heatmapLegend() {
  const bar = el('span', { class: 'heatbar', 'aria-hidden': 'true' });
  const stops = [0, 0.1, 0.25, 0.5, 0.75, 1].map((v) => {
    const [r, g, b, a] = heatmapColour(v);
    return `rgba(${r}, ${g}, ${b}, ${a / 255}) ${v * 100}%`;
  });
  bar.style.backgroundImage = `linear-gradient(90deg, ${stops.join(', ')})`;
  return el('span', { class: 'heatlegend' }, 'unlikely', bar, 'likely');
}
