// The interactive map: drag, touch, wheel, pinch, buttons and keys move and zoom it. The background and what changes on it have
// a canvas each, so that a new step repaints the latter only. Positions are [x, y] in metres east and north.

import { cssValue, el, onThemeChange } from './dom.js';
import { prepareCanvas, fitView, toMetres, toPixels } from './canvas.js';
import { markBounds, paintMap } from './map-background.js';
import { paintGoal, paintRoute, paintStart, paintWalkedPath, paintWalker } from './map-marks.js';
import { onGestures, oncePerFrame, onResize } from './gestures.js';

const SCALE_LIMITS = [0.02, 40]; // pixels per metre
const DEFAULT_MARGIN = 48; // pixels around what is shown
const MIN_METRES = 50; // shown at least, from side to side
const MARKER_MARGIN = 40; // pixels between the marker and the edge

/**
 * Return a map.
 *
 * options:
 *   label                    its name for screen readers
 *   bounds(), margin(size)   what it shows at first: [west, south, east, north], and pixels around it (default: all that is painted on it)
 *   paint(surface, view)     paints more on it, after route and paths and before the position
 *   ontap([x, y], pixel)     is called after a click or tap
 */
export function createMapView({ label = 'Map, north up', bounds = null, margin = () => DEFAULT_MARGIN, paint: paintMore = null, ontap = null } = {}) {
  const backgroundCanvas = el('canvas', { class: 'ground', 'aria-hidden': 'true' });
  const pathCanvas = el('canvas', { class: 'over', 'aria-hidden': 'true' });
  const centre = () => [node.clientWidth / 2, node.clientHeight / 2];
  const node = el('div', { class: 'atlas', tabindex: '0', role: 'group' }, backgroundCanvas, pathCanvas, el('div', { class: 'onpicture' },
    button('Zoom in (+)', '+', () => zoom(1.5, ...centre())), button('Zoom out (-)', '−', () => zoom(1 / 1.5, ...centre())),
    button('Show the whole way (0)', '⟲', resetView)));
  const state = { view: null, moved: false, marks: [], route: [], paths: [], start: null, end: null, position: null };

  function button(name, text, onclick) {
    return el('button', { type: 'button', title: name, 'aria-label': name, onclick }, text);
  }

  const size = () => ({ width: node.clientWidth, height: node.clientHeight });
  const paintPathLayer = oncePerFrame(() => {
    if (!node.isConnected || !state.view || !node.clientWidth) return;
    const surface = prepareCanvas(pathCanvas);
    const { context } = surface;
    const pixelOf = ([x, y]) => toPixels(state.view, surface, x, y);
    if (state.route.length) paintRoute(context, state.route.map(pixelOf));
    for (const { points, colour } of state.paths) paintWalkedPath(context, points.map(pixelOf), cssValue(colour) || colour);
    if (state.start) paintStart(context, pixelOf(state.start));
    if (state.end) paintGoal(context, pixelOf(state.end));
    paintMore?.(surface, state.view);
    if (state.position) paintWalker(context, pixelOf(state.position.at), state.position.heading, cssValue(state.position.colour ?? '--accent'));
    paintScaleBar(surface, state.view);
  });
  const paint = oncePerFrame(() => {
    if (!node.isConnected || !node.clientWidth) return;
    if (!state.view || !state.moved) state.view = fitView(bounds ? bounds() : boundsOf(state), size(), margin(size()));
    paintMap(prepareCanvas(backgroundCanvas), state.marks, state.view);
    node.dataset.view = [state.view.x, state.view.y, state.view.scale].map((v) => v.toFixed(3)).join(' ');
    paintPathLayer();
  });

  function drag(dx, dy) {
    if (!state.view) return;
    const { x, y, scale } = state.view;
    state.view = { x: x - dx / scale, y: y + dy / scale, scale };
    state.moved = true;
    paint();
  }
  // Zoom around the pointer.
  function zoom(factor, px, py) {
    if (!state.view) return;
    const scale = Math.min(Math.max(state.view.scale * factor, SCALE_LIMITS[0]), SCALE_LIMITS[1]);
    const [dx, dy] = [px - node.clientWidth / 2, py - node.clientHeight / 2];
    const shift = 1 / state.view.scale - 1 / scale;
    state.view = { x: state.view.x + dx * shift, y: state.view.y - dy * shift, scale };
    state.moved = true;
    paint();
  }
  function resetView() {
    state.moved = false;
    paint();
  }
  function setLabel(text) {
    node.setAttribute('aria-label', `${text}. Arrow keys move it, + and - zoom, 0 shows all.`);
  }
  // A map that was moved follows a position as far as it must; another one shows all again.
  function keepInView([x, y]) {
    if (!state.view) return;
    const pixel = toPixels(state.view, size(), x, y);
    const overflow = (value, extent) => Math.max(MARKER_MARGIN - value, 0) + Math.min(extent - MARKER_MARGIN - value, 0);
    const [dx, dy] = [overflow(pixel[0], node.clientWidth), overflow(pixel[1], node.clientHeight)];
    if (!dx && !dy) return;
    if (state.moved) drag(dx, dy);
    else paint();
  }

  const tap = (px, py) => state.view && ontap?.(toMetres(state.view, size(), px, py), [px, py]);
  onGestures(node, { drag, zoom, tap, home: resetView });
  const disposers = [onResize(node, paint), onThemeChange(paint)];
  setLabel(label);
  return {
    node, setLabel, keepInView, resetView, size,
    /** Paint again what is not the background. */
    repaint: paintPathLayer,
    view: () => state.view,
    /** Return the pixel of a position, or null before the first paint. */
    place: (x, y) => (state.view ? toPixels(state.view, size(), x, y) : null),
    /**
     * Change what is shown: marks (rows of a map), route and start and end (positions), paths ([{points, colour}], with a CSS variable or a colour),
     * position ({at, heading, colour}).
     */
    update(changes = {}) {
      Object.assign(state, changes);
      if (changes.position) keepInView(changes.position.at);
      // A new position alone leaves the background as it is.
      if (Object.keys(changes).some((name) => name !== 'position')) paint();
      else paintPathLayer();
    },
    dispose: () => disposers.forEach((dispose) => dispose()),
  };
}

// Return the bounds of what is painted on a map; of the map itself, if there is nothing.
function boundsOf({ marks, route, paths, start, end, position }) {
  const points = [...route, ...paths.flatMap((path) => path.points), start, end, position?.at].filter(Boolean);
  const boxes = points.length ? points.map(([x, y]) => [x, y, x, y]) : marks.map(markBounds);
  const found = [Infinity, Infinity, -Infinity, -Infinity];
  for (const box of boxes.length ? boxes : [[0, 0, 0, 0]]) {
    for (const i of [0, 1]) {
      found[i] = Math.min(found[i], box[i]);
      found[i + 2] = Math.max(found[i + 2], box[i + 2]);
    }
  }
  for (const i of [0, 1]) {
    const padding = Math.max(MIN_METRES - (found[i + 2] - found[i]), 0) / 2;
    found[i] -= padding;
    found[i + 2] += padding;
  }
  return found;
}

// Paint a scale bar of a round number of metres.
function paintScaleBar({ context, height }, view) {
  const maxMetres = 110 / view.scale;
  const power = 10 ** Math.floor(Math.log10(maxMetres));
  const metres = [5, 2, 1].map((n) => n * power).find((n) => n <= maxMetres);
  const barWidth = metres * view.scale;
  const text = metres >= 1000 ? `${metres / 1000} km` : `${metres} m`;
  context.fillStyle = cssValue('--paper') || '#fff';
  context.globalAlpha = 0.85;
  context.beginPath();
  context.roundRect(8, height - 34, barWidth + 16, 26, 6);
  context.fill();
  context.globalAlpha = 1;
  context.fillStyle = cssValue('--ink') || '#111';
  context.fillRect(16, height - 15, barWidth, 2);
  context.fillRect(16, height - 19, 1.5, 6);
  context.fillRect(16 + barWidth - 1.5, height - 19, 1.5, 6);
  context.font = '600 11px system-ui, sans-serif';
  context.textAlign = 'left';
  context.textBaseline = 'alphabetic';
  context.fillText(text, 18, height - 21);
}
