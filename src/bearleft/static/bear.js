// The bear: a marker that people place in panoramas. It is the drawing of bear.svg, the icon of the web application.

import { el, svg } from './dom.js';

/** Return the bear as an SVG element. */
export function bearIcon(label = '') {
  const disc = (cx, cy, r, fill) => svg('circle', { cx, cy, r, fill });
  const named = label ? { role: 'img', 'aria-label': label } : { 'aria-hidden': 'true' };
  return svg('svg', { viewBox: '0 0 64 64', class: 'bear', ...named },
    disc(15, 17, 10, '#7a4a21'), disc(49, 17, 10, '#7a4a21'), disc(15, 17, 5, '#e2b98a'), disc(49, 17, 5, '#e2b98a'), disc(32, 35, 25, '#8f5a2b'),
    svg('ellipse', { cx: 32, cy: 44, rx: 13, ry: 10, fill: '#e2b98a' }), disc(23, 30, 3.4, '#1d140c'), disc(41, 30, 3.4, '#1d140c'),
    svg('path', { d: 'M27 39h10l-5 5z', fill: '#1d140c' }),
    svg('path', { d: 'M32 44v4m-6 0q6 5 12 0', fill: 'none', stroke: '#1d140c', 'stroke-width': 2, 'stroke-linecap': 'round' }));
}

/** Return the bear as an overlay of the viewer; clicks go through it. */
export function bearMarker(label = 'Your bear') {
  return el('div', { class: 'bear-marker', role: 'img', 'aria-label': label }, bearIcon());
}
