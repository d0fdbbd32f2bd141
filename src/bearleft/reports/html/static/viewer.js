// The 360 viewer: one for the whole page, since browsers lend few WebGL contexts. Drag, touch, arrow keys, + and -.
// Where WebGL is missing the flat panorama is panned instead.

import { cssValue, el, number, onTheme } from './dom.js';
import { picture } from './store.js';
import { angleBetween, compassPoint, fromFlat, project, toFlat, turnBetween, unproject } from './sphere.js';
import { makeGlobe } from './globe.js';
import { handled, inFrame, onResize } from './gesture.js';
import { easel, paintAround } from './paint.js';
import { paintPointers } from './pointers.js';

const FOV = [25, 120]; // degrees across
const USUAL = 90;
const BAR = 26; // pixels of the compass
let only = null;

/** The page's viewer. */
export function theViewer() {
  only ??= makeViewer();
  return only;
}

/** A picture as an image that can be drawn. */
export async function imageOf(id) {
  const image = new Image();
  image.src = await picture(id);
  await image.decode();
  return image;
}

function makeViewer() {
  const state = { heading: 0, pitch: 0, fov: USUAL, home: [0, 0], shown: null, marks: [], heat: null, under: null };
  const glass = el('canvas', { class: 'globe', 'aria-hidden': 'true' });
  const over = el('canvas', { class: 'over', 'aria-hidden': 'true' });
  const said = el('p', { class: 'readout' });
  const wait = el('p', { class: 'viewer-wait', hidden: true }, '');
  const node = el('div', { class: 'viewer', tabindex: '0', role: 'group' }, glass, over, said, wait, buttons());
  const globe = makeGlobe(glass);
  let flat = null; // the image, where there is no WebGL
  let asked = null;

  function size() {
    return { heading: state.heading, pitch: state.pitch, fov: state.fov, width: node.clientWidth || 600, height: node.clientHeight || 400 };
  }

  // Without WebGL a degree is everywhere as wide as in the middle.
  const flatSize = () => ({ width: (size().width * 360) / state.fov, height: (size().width * 180) / state.fov });
  function place(heading, pitch) {
    const view = size();
    if (globe) return project(heading, pitch, view);
    const { width, height } = flatSize();
    const [x] = toFlat(heading, pitch, width, height, state.heading);
    return [x - width / 2 + view.width / 2, view.height / 2 - ((pitch - state.pitch) / 180) * height];
  }
  function direction(x, y) {
    const view = size();
    if (globe) return unproject(x, y, view);
    const { width, height } = flatSize();
    const [heading] = fromFlat(x - view.width / 2 + width / 2, 0, width, height, state.heading);
    return [heading, state.pitch - ((y - view.height / 2) / height) * 180];
  }

  function buttons() {
    const one = (name, label, f) => el('button', { type: 'button', title: name, 'aria-label': name, onclick: f }, label);
    const aim = one('Look at the target', '◎', () => {
      const target = state.marks.find((mark) => mark.kind === 'target');
      if (target) look(target.direction);
    });
    state.aim = aim;
    return el('div', { class: 'onpicture' }, aim,
      one('Zoom in (+)', '+', () => zoom(1.3)), one('Zoom out (-)', '−', () => zoom(1 / 1.3)),
      one('Back to the first look (0)', '⟲', () => look(state.home)));
  }

  const paint = inFrame(() => {
    if (!node.isConnected || !node.clientWidth) return;
    const view = size();
    if (globe) globe.paint(view, Math.min(window.devicePixelRatio || 1, 2), state.heat);
    else paintFlat(easel(glass));
    const surface = easel(over);
    paintPointers(surface, state.marks, place);
    paintCompass(surface, view, state.marks);
    tellLook();
  });

  function paintFlat(surface) {
    if (!flat) return;
    const { width, height } = flatSize();
    const top = surface.height / 2 - ((90 - state.pitch) / 180) * height;
    const left = surface.width / 2 - (0.5 + turnBetween(0, state.heading) / 360) * width;
    paintAround(surface, flat, left, top, width, height);
    if (!state.heat) return;
    surface.context.globalAlpha = state.heat.opacity;
    paintAround(surface, state.heat.canvas, left + (state.heat.yaw / 360) * width, top, width, height);
    surface.context.globalAlpha = 1;
  }

  function tellLook() {
    const [heading, pitch] = state.under ?? [state.heading, state.pitch];
    const target = state.marks.find((mark) => mark.kind === 'target');
    const far = state.under && target ? `, ${number(angleBetween(state.under, target.direction), 1)}° from the target` : '';
    said.textContent = `${state.under ? 'under the pointer' : 'looking'}: heading ${number(heading, 1)}° ${compassPoint(heading)}, pitch ${number(pitch, 1)}°${far}`;
  }

  function look([heading, pitch], fov = state.fov) {
    state.heading = ((heading % 360) + 360) % 360;
    state.pitch = Math.min(Math.max(pitch, -90), 90);
    state.fov = Math.min(Math.max(fov, FOV[0]), FOV[1]);
    state.under = null;
    paint();
  }
  function zoom(factor) {
    look([state.heading, state.pitch], state.fov / factor);
  }

  handled(node, {
    drag(dx, dy) {
      const degrees = globe ? (2 * Math.tan((state.fov * Math.PI) / 360) * 180) / Math.PI : state.fov;
      // Further up and down a circle around one is smaller: what is under the pointer stays there nearly everywhere.
      const round = globe ? Math.max(Math.cos((state.pitch * Math.PI) / 180), 0.25) : 1;
      look([state.heading - (dx * degrees) / size().width / round, state.pitch + (dy * degrees) / size().width]);
    },
    zoom,
    hover(x, y) {
      state.under = x === null ? null : direction(x, y);
      paint();
    },
    home: () => look(state.home, USUAL),
  });
  onResize(node, paint);
  onTheme(paint);

  return {
    node, look, place, direction, state: () => ({ ...size(), picture: state.shown, webgl: Boolean(globe) }),
    /** Shows a picture by its id, and looks in a direction; the last one asked for wins. */
    async show(id, toward, label) {
      state.home = toward;
      look(toward);
      node.classList.remove('elsewhere');
      wait.hidden = state.shown !== null;
      node.setAttribute('aria-label', label);
      if (asked === id) return;
      asked = id;
      wait.textContent = 'loading the panorama …';
      wait.hidden = state.shown !== null;
      try {
        const image = await imageOf(id);
        if (asked !== id) return;
        if (globe) globe.setPicture(image);
        else flat = image;
        state.shown = id;
        node.dataset.picture = String(id);
      } catch {
        if (asked === id) said.textContent = 'This panorama could not be shown.';
        asked = null;
      }
      wait.hidden = true;
      paint();
    },
    /** There is no picture where one is now. */
    away() {
      node.classList.add('elsewhere');
      node.setAttribute('aria-label', 'There is no panorama at this place.');
      wait.textContent = 'no panorama at this place';
      wait.hidden = false;
    },
    /** The marks on top, see pointersOf. */
    mark(marks) {
      state.marks = marks;
      state.aim.hidden = !marks.some((mark) => mark.kind === 'target');
      paint();
    },
    /** A heat map: {canvas, yaw, opacity} or null. */
    warm(heat) {
      if (globe && heat?.canvas !== state.heat?.canvas) globe.setHeat(heat?.canvas ?? null);
      state.heat = heat;
      paint();
    },
    /** Gives the pictures' memory back when one leaves. */
    release() {
      node.remove();
      globe?.release();
      Object.assign(state, { marks: [], heat: null, shown: null, under: null, fov: USUAL });
      delete node.dataset.picture;
      [flat, asked] = [null, null];
    },
  };
}

// A band on top: points of the compass, and where the marks are, also those out of sight.
function paintCompass({ context, width }, view, marks) {
  const at = (heading) => width / 2 + (turnBetween(view.heading, heading) / Math.max(view.fov * 1.5, 120)) * width;
  context.fillStyle = 'rgba(16, 18, 24, 0.66)';
  context.fillRect(0, 0, width, BAR);
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  for (let heading = 0; heading < 360; heading += 15) {
    const x = at(heading);
    context.fillStyle = '#fff';
    context.font = `${heading % 90 ? 500 : 700} 12px system-ui, sans-serif`;
    if (heading % 45 === 0) context.fillText(compassPoint(heading), x, BAR / 2);
    else context.fillRect(x - 0.5, BAR - 8, 1, 5);
  }
  for (const mark of marks) if (mark.kind === 'target' || mark.kind === 'answer') paintTick(context, at(mark.direction[0]), mark);
  context.fillStyle = '#fff';
  context.beginPath();
  context.moveTo(width / 2, BAR - 1);
  context.lineTo(width / 2 - 5, BAR + 6);
  context.lineTo(width / 2 + 5, BAR + 6);
  context.fill();
}

function paintTick(context, x, mark) {
  context.beginPath();
  context.arc(x, BAR - 4, mark.kind === 'target' ? 5 : 4, 0, 2 * Math.PI);
  context.fillStyle = cssValue(mark.colour) || '#ce1e36';
  context.fill();
  context.lineWidth = 1.2;
  context.strokeStyle = '#fff';
  context.stroke();
}

// For tests, and for the curious in the browser's console.
window.bearleftReport = Object.freeze({ project, unproject, toFlat, fromFlat, angleBetween, turnBetween, viewer: theViewer });
