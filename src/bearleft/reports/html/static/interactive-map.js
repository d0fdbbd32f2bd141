// The interactive map of an example: its paths, and the names of items.

import { el } from './dom.js';
import { loadMap } from './report-data.js';
import { createMapView } from './map-view.js';
import { exampleBounds, hasPosition, describeMap, paintAgent, paintPaths, itemAt } from './map-paths.js';

const TAP_RADIUS = 20; // pixels around a place in which a tap selects it

// If an agent pointed from another place, a wider margin leaves room for the rays, as far as the map's size allows.
function mapMargin(example, legIndex, { width, height }) {
  const pointedElsewhere = example.traces.some((trace) => Number.isInteger(trace.legs[legIndex]?.pointed_from));
  return pointedElsewhere ? Math.min(132, 0.28 * Math.min(width, height)) : 48;
}

/** Return the map of an example: {node, update({agents, legIndex, marker, visited, followed}), dispose}. `ontap(place)` is called when one of the `visited` places is tapped. */
export function createInteractiveMap(report, index, { ontap }) {
  const places = report.places[report.examples[index].world];
  const state = { agents: null, legIndex: null, marker: null, visited: [], followed: 0 };
  const map = createMapView({
    bounds: () => exampleBounds(report, index, state.legIndex),
    margin: (size) => mapMargin(report.examples[index], state.legIndex, size),
    paint(surface, view) {
      paintPaths(surface, report, index, view, { agents: state.agents, legIndex: state.legIndex, followed: state.followed });
      if (state.marker) paintAgent(surface, report, index, view, state.marker);
    },
    ontap: (_, pixel) => tapNearestPlace(pixel),
  });
  const tooltip = el('div', { class: 'maptip', hidden: true, 'aria-hidden': 'true' });
  if (report.examples[index].items) {
    map.node.append(tooltip);
    for (const kind of ['pointermove', 'pointerdown', 'pointerleave']) map.node.addEventListener(kind, showItemName);
  }

  // The target item already has a ring on the map; its tooltip says so in words.
  function showItemName(event) {
    const box = map.node.getBoundingClientRect();
    const pointer = [event.clientX - box.left, event.clientY - box.top];
    const item = event.type === 'pointerleave' || !map.view() ? null : itemAt(report, index, state.legIndex, state.followed, map.view(), map.size(), pointer, TAP_RADIUS);
    tooltip.hidden = !item;
    if (!item) return;
    tooltip.textContent = item.isTarget ? `${item.name}, asked for` : item.name;
    tooltip.style.left = `${Math.min(Math.max(item.pixel[0], 80), box.width - 80)}px`;
    tooltip.style.top = `${Math.max(item.pixel[1], 46)}px`;
  }
  function tapNearestPlace([px, py]) {
    let [best, nearest] = [TAP_RADIUS, -1];
    for (const place of state.visited.filter((visitedPlace) => hasPosition(places, visitedPlace))) {
      const [x, y] = map.place(places.x[place], places.y[place]);
      const distance = Math.hypot(x - px, y - py);
      if (distance < best) [best, nearest] = [distance, place];
    }
    if (nearest >= 0) ontap(nearest);
  }

  loadMap(report.examples[index].world).then(({ marks }) => map.update({ marks }));
  return {
    node: map.node,
    update(changes) {
      Object.assign(state, changes);
      map.setLabel(`Map, north up: ${describeMap(report, index, state.legIndex)}`);
      const place = state.marker?.place;
      if (hasPosition(places, place)) map.keepInView([places.x[place], places.y[place]]);
      map.repaint();
    },
    dispose: map.dispose,
  };
}
