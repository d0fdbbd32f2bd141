// The map one moves: drag, touch, wheel, pinch, buttons, keys. The ground is painted on one canvas, the ways on another,
// so that a step forward paints the ways alone.

import { cssValue, el, onTheme } from './dom.js';
import { ground } from './store.js';
import { easel, fitted, paintGround, toPixels } from './paint.js';
import { boxOfExample, isSomewhere, mapInWords, paintMarker, paintWays, thingNear } from './map.js';
import { handled, inFrame, onResize } from './gesture.js';

const SCALES = [0.02, 40]; // pixels per metre
const NEAR = 20; // pixels within which a tap means a place
const BORDER = 40; // pixels that the marker keeps from the edge

// Where some pointed from elsewhere there is room for the directions at the edges, as far as the map is large.
function marginOf(example, leg, { width, height }) {
  const strayed = example.traces.some((one) => Number.isInteger(one.legs[leg]?.from));
  return strayed ? Math.min(132, 0.28 * Math.min(width, height)) : 48;
}

/** The map of an example: {node, update({agents, leg, marker, near}), end}. ontap(place) tells which of the places `near` was tapped. */
export function makeAtlas(rows, index, { ontap }) {
  const below = el('canvas', { class: 'ground', 'aria-hidden': 'true' });
  const above = el('canvas', { class: 'over', 'aria-hidden': 'true' });
  const node = el('div', { class: 'atlas', tabindex: '0', role: 'group' }, below, above, buttons());
  const places = rows.places[rows.examples[index].world];
  const state = { view: null, marks: [], agents: null, leg: null, marker: null, near: [], moved: false, followed: 0 };
  const told = el('div', { class: 'maptip', hidden: true, 'aria-hidden': 'true' });
  if (rows.examples[index].things) {
    node.append(told);
    for (const kind of ['pointermove', 'pointerdown', 'pointerleave']) node.addEventListener(kind, tellThing);
  }

  function buttons() {
    const one = (name, label, f) => el('button', { type: 'button', title: name, 'aria-label': name, onclick: f }, label);
    const middle = () => [node.clientWidth / 2, node.clientHeight / 2];
    return el('div', { class: 'onpicture' },
      one('Zoom in (+)', '+', () => zoom(1.5, ...middle())), one('Zoom out (-)', '−', () => zoom(1 / 1.5, ...middle())),
      one('Show the whole way (0)', '⟲', home));
  }

  const size = () => ({ width: node.clientWidth, height: node.clientHeight });
  const paintAbove = inFrame(() => {
    if (!node.isConnected || !state.view || !node.clientWidth) return;
    const surface = easel(above);
    paintWays(surface, rows, index, state.view, { agents: state.agents, leg: state.leg, followed: state.followed });
    if (state.marker) paintMarker(surface, rows, index, state.view, state.marker);
    paintScale(surface, state.view);
  });
  const paint = inFrame(() => {
    if (!node.isConnected || !node.clientWidth) return;
    if (!state.view || !state.moved) state.view = fitted(boxOfExample(rows, index, state.leg), size(), marginOf(rows.examples[index], state.leg, size()));
    paintGround(easel(below), state.marks, state.view);
    node.dataset.view = [state.view.x, state.view.y, state.view.scale].map((v) => v.toFixed(3)).join(' ');
    paintAbove();
  });

  function drag(dx, dy) {
    if (!state.view) return;
    const { x, y, scale } = state.view;
    state.view = { x: x - dx / scale, y: y + dy / scale, scale };
    state.moved = true;
    paint();
  }
  // What is under the pointer stays there.
  function zoom(factor, px, py) {
    if (!state.view) return;
    const scale = Math.min(Math.max(state.view.scale * factor, SCALES[0]), SCALES[1]);
    const [dx, dy] = [px - node.clientWidth / 2, py - node.clientHeight / 2];
    const by = 1 / state.view.scale - 1 / scale;
    state.view = { x: state.view.x + dx * by, y: state.view.y - dy * by, scale };
    state.moved = true;
    paint();
  }
  function home() {
    state.moved = false;
    paint();
  }
  // What is asked for has a ring, so only its name is told.
  function tellThing(event) {
    const box = node.getBoundingClientRect();
    const at = [event.clientX - box.left, event.clientY - box.top];
    const thing = event.type === 'pointerleave' || !state.view ? null : thingNear(rows, index, state.leg, state.followed, state.view, size(), at, NEAR);
    told.hidden = !thing;
    if (!thing) return;
    told.textContent = thing.asked ? `${thing.name}, asked for` : thing.name;
    told.style.left = `${Math.min(Math.max(thing.at[0], 80), box.width - 80)}px`;
    told.style.top = `${Math.max(thing.at[1], 46)}px`;
  }
  // The nearest of the places that were passed.
  function tap(px, py) {
    let [best, found] = [NEAR, -1];
    for (const place of state.near.filter((one) => isSomewhere(places, one))) {
      const [x, y] = toPixels(state.view, size(), places.x[place], places.y[place]);
      const far = Math.hypot(x - px, y - py);
      if (far < best) [best, found] = [far, place];
    }
    if (found >= 0) ontap(found);
  }
  function follow() {
    if (!state.view || !state.moved || !isSomewhere(places, state.marker?.place)) return;
    const [x, y] = toPixels(state.view, size(), places.x[state.marker.place], places.y[state.marker.place]);
    const over = (value, most) => Math.max(BORDER - value, 0) + Math.min(most - BORDER - value, 0);
    const [dx, dy] = [over(x, node.clientWidth), over(y, node.clientHeight)];
    if (dx || dy) drag(dx, dy);
  }

  handled(node, { drag, zoom, tap, home });
  const ends = [onResize(node, paint), onTheme(paint)];
  ground(rows.examples[index].world).then(({ marks }) => { state.marks = marks; paint(); });
  return {
    node,
    update(change) {
      Object.assign(state, change);
      node.setAttribute('aria-label', `Map, north up: ${mapInWords(rows, index, state.leg)}. Arrow keys move it, + and - zoom, 0 shows all.`);
      follow();
      paintAbove();
    },
    end: () => ends.forEach((f) => f()),
  };
}

// A bar of a round number of metres.
function paintScale({ context, height }, view) {
  const most = 110 / view.scale;
  const ten = 10 ** Math.floor(Math.log10(most));
  const metres = [5, 2, 1].map((n) => n * ten).find((n) => n <= most);
  const wide = metres * view.scale;
  const text = metres >= 1000 ? `${metres / 1000} km` : `${metres} m`;
  context.fillStyle = cssValue('--paper') || '#fff';
  context.globalAlpha = 0.85;
  context.beginPath();
  context.roundRect(8, height - 34, wide + 16, 26, 6);
  context.fill();
  context.globalAlpha = 1;
  context.fillStyle = cssValue('--ink') || '#111';
  context.fillRect(16, height - 15, wide, 2);
  context.fillRect(16, height - 19, 1.5, 6);
  context.fillRect(16 + wide - 1.5, height - 19, 1.5, 6);
  context.font = '600 11px system-ui, sans-serif';
  context.textAlign = 'left';
  context.textBaseline = 'alphabetic';
  context.fillText(text, 18, height - 21);
}
