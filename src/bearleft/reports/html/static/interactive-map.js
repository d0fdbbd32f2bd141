// The interactive map of an example: drag, touch, wheel, pinch, buttons and keys move and zoom it. The background and the
// paths have a canvas each, so that a new step repaints the paths only.

import { cssValue, el, onThemeChange } from './dom.js';
import { loadMap } from './report-data.js';
import { prepareCanvas, fitView, toPixels } from './canvas.js';
import { paintMap } from './map-background.js';
import { exampleBounds, hasPosition, describeMap, paintAgent, paintPaths, itemAt } from './map-paths.js';
import { onGestures, oncePerFrame, onResize } from './gestures.js';

const SCALE_LIMITS = [0.02, 40]; // pixels per metre
const TAP_RADIUS = 20; // pixels around a place in which a tap selects it
const MARKER_MARGIN = 40; // pixels between the agent's marker and the edge

// If an agent pointed from another place, a wider margin leaves room for the rays, as far as the map's size allows.
function mapMargin(example, legIndex, { width, height }) {
  const pointedElsewhere = example.traces.some((trace) => Number.isInteger(trace.legs[legIndex]?.pointed_from));
  return pointedElsewhere ? Math.min(132, 0.28 * Math.min(width, height)) : 48;
}

/** Return the map of an example: {node, update({agents, legIndex, marker, visited, followed}), dispose}. `ontap(place)` is called when one of the `visited` places is tapped. */
export function createInteractiveMap(report, index, { ontap }) {
  const backgroundCanvas = el('canvas', { class: 'ground', 'aria-hidden': 'true' });
  const pathCanvas = el('canvas', { class: 'over', 'aria-hidden': 'true' });
  const node = el('div', { class: 'atlas', tabindex: '0', role: 'group' }, backgroundCanvas, pathCanvas, buttons());
  const places = report.places[report.examples[index].world];
  const state = { view: null, marks: [], agents: null, legIndex: null, marker: null, visited: [], moved: false, followed: 0 };
  const tooltip = el('div', { class: 'maptip', hidden: true, 'aria-hidden': 'true' });
  if (report.examples[index].items) {
    node.append(tooltip);
    for (const kind of ['pointermove', 'pointerdown', 'pointerleave']) node.addEventListener(kind, showItemName);
  }

  function buttons() {
    const button = (name, label, onclick) => el('button', { type: 'button', title: name, 'aria-label': name, onclick }, label);
    const centre = () => [node.clientWidth / 2, node.clientHeight / 2];
    return el('div', { class: 'onpicture' },
      button('Zoom in (+)', '+', () => zoom(1.5, ...centre())), button('Zoom out (-)', '−', () => zoom(1 / 1.5, ...centre())),
      button('Show the whole way (0)', '⟲', resetView));
  }

  const size = () => ({ width: node.clientWidth, height: node.clientHeight });
  const paintPathLayer = oncePerFrame(() => {
    if (!node.isConnected || !state.view || !node.clientWidth) return;
    const surface = prepareCanvas(pathCanvas);
    paintPaths(surface, report, index, state.view, { agents: state.agents, legIndex: state.legIndex, followed: state.followed });
    if (state.marker) paintAgent(surface, report, index, state.view, state.marker);
    paintScaleBar(surface, state.view);
  });
  const paint = oncePerFrame(() => {
    if (!node.isConnected || !node.clientWidth) return;
    if (!state.view || !state.moved) state.view = fitView(exampleBounds(report, index, state.legIndex), size(), mapMargin(report.examples[index], state.legIndex, size()));
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
  // The target item already has a ring on the map; its tooltip says so in words.
  function showItemName(event) {
    const box = node.getBoundingClientRect();
    const pointer = [event.clientX - box.left, event.clientY - box.top];
    const item = event.type === 'pointerleave' || !state.view ? null : itemAt(report, index, state.legIndex, state.followed, state.view, size(), pointer, TAP_RADIUS);
    tooltip.hidden = !item;
    if (!item) return;
    tooltip.textContent = item.isTarget ? `${item.name}, asked for` : item.name;
    tooltip.style.left = `${Math.min(Math.max(item.pixel[0], 80), box.width - 80)}px`;
    tooltip.style.top = `${Math.max(item.pixel[1], 46)}px`;
  }
  // Select the nearest visited place.
  function tap(px, py) {
    let [best, nearest] = [TAP_RADIUS, -1];
    for (const place of state.visited.filter((visitedPlace) => hasPosition(places, visitedPlace))) {
      const [x, y] = toPixels(state.view, size(), places.x[place], places.y[place]);
      const distance = Math.hypot(x - px, y - py);
      if (distance < best) [best, nearest] = [distance, place];
    }
    if (nearest >= 0) ontap(nearest);
  }
  function keepAgentInView() {
    if (!state.view || !state.moved || !hasPosition(places, state.marker?.place)) return;
    const [x, y] = toPixels(state.view, size(), places.x[state.marker.place], places.y[state.marker.place]);
    const overflow = (value, extent) => Math.max(MARKER_MARGIN - value, 0) + Math.min(extent - MARKER_MARGIN - value, 0);
    const [dx, dy] = [overflow(x, node.clientWidth), overflow(y, node.clientHeight)];
    if (dx || dy) drag(dx, dy);
  }

  onGestures(node, { drag, zoom, tap, home: resetView });
  const disposers = [onResize(node, paint), onThemeChange(paint)];
  loadMap(report.examples[index].world).then(({ marks }) => { state.marks = marks; paint(); });
  return {
    node,
    update(changes) {
      Object.assign(state, changes);
      node.setAttribute('aria-label', `Map, north up: ${describeMap(report, index, state.legIndex)}. Arrow keys move it, + and - zoom, 0 shows all.`);
      keepAgentInView();
      paintPathLayer();
    },
    dispose: () => disposers.forEach((dispose) => dispose()),
  };
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
