// The 360-degree viewer, one for the page, since browsers limit WebGL contexts: drag, touch, arrow keys, + and -.
// Without WebGL the flat panorama is panned instead.

import { cssValue, el, formatNumber, onThemeChange } from './dom.js';
import { pictureUrl } from './report-data.js';
import { angleBetween, compassPoint, fromFlat, project, toFlat, turnBetween, unproject } from './geometry.js';
import { createPanoramaRenderer } from './panorama-renderer.js';
import { onGestures, oncePerFrame, onResize } from './gestures.js';
import { prepareCanvas, paintWrapped } from './canvas.js';
import { paintPanoramaMarks } from './panorama-marks.js';

const FOV_LIMITS = [25, 120]; // horizontal field of view in degrees
const DEFAULT_FOV = 90;
const COMPASS_HEIGHT = 26; // pixels
let sharedViewer = null;

/** Return the page's viewer. */
export function getViewer() {
  sharedViewer ??= createViewer();
  return sharedViewer;
}

/** Load a picture as an image. */
export async function loadPicture(id) {
  const image = new Image();
  image.src = await pictureUrl(id);
  await image.decode();
  return image;
}

function createViewer() {
  const state = { heading: 0, pitch: 0, fov: DEFAULT_FOV, home: [0, 0], picture: null, marks: [], heatmap: null, pointer: null };
  const panoramaCanvas = el('canvas', { class: 'globe', 'aria-hidden': 'true' });
  const markCanvas = el('canvas', { class: 'over', 'aria-hidden': 'true' });
  const readout = el('p', { class: 'readout' });
  const message = el('p', { class: 'viewer-wait', hidden: true }, '');
  const node = el('div', { class: 'viewer', tabindex: '0', role: 'group' }, panoramaCanvas, markCanvas, readout, message, buttons());
  const renderer = createPanoramaRenderer(panoramaCanvas);
  let flatImage = null; // only without WebGL
  let requestedPicture = null;

  function currentView() {
    return { heading: state.heading, pitch: state.pitch, fov: state.fov, width: node.clientWidth || 600, height: node.clientHeight || 400 };
  }

  // Without WebGL all degrees are as wide as in the middle.
  const flatSize = () => ({ width: (currentView().width * 360) / state.fov, height: (currentView().width * 180) / state.fov });
  function pixelOf(heading, pitch) {
    const view = currentView();
    if (renderer) return project(heading, pitch, view);
    const { width, height } = flatSize();
    const [x] = toFlat(heading, pitch, width, height, state.heading);
    return [x - width / 2 + view.width / 2, view.height / 2 - ((pitch - state.pitch) / 180) * height];
  }
  function directionOf(x, y) {
    const view = currentView();
    if (renderer) return unproject(x, y, view);
    const { width, height } = flatSize();
    const [heading] = fromFlat(x - view.width / 2 + width / 2, 0, width, height, state.heading);
    return [heading, state.pitch - ((y - view.height / 2) / height) * 180];
  }

  function buttons() {
    const button = (name, label, onclick) => el('button', { type: 'button', title: name, 'aria-label': name, onclick }, label);
    const targetButton = button('Look at the target', '◎', () => {
      const target = state.marks.find((mark) => mark.kind === 'target');
      if (target) look(target.direction);
    });
    state.targetButton = targetButton;
    return el('div', { class: 'onpicture' }, targetButton,
      button('Zoom in (+)', '+', () => zoom(1.3)), button('Zoom out (-)', '−', () => zoom(1 / 1.3)),
      button('Back to the first look (0)', '⟲', () => look(state.home)));
  }

  const paint = oncePerFrame(() => {
    if (!node.isConnected || !node.clientWidth) return;
    const view = currentView();
    if (renderer) renderer.paint(view, Math.min(window.devicePixelRatio || 1, 2), state.heatmap);
    else paintFlat(prepareCanvas(panoramaCanvas));
    const surface = prepareCanvas(markCanvas);
    paintPanoramaMarks(surface, state.marks, pixelOf);
    paintCompass(surface, view, state.marks);
    updateReadout();
  });

  function paintFlat(surface) {
    if (!flatImage) return;
    const { width, height } = flatSize();
    const top = surface.height / 2 - ((90 - state.pitch) / 180) * height;
    const left = surface.width / 2 - (0.5 + turnBetween(0, state.heading) / 360) * width;
    paintWrapped(surface, flatImage, left, top, width, height);
    if (!state.heatmap) return;
    surface.context.globalAlpha = state.heatmap.opacity;
    paintWrapped(surface, state.heatmap.canvas, left + (state.heatmap.yaw / 360) * width, top, width, height);
    surface.context.globalAlpha = 1;
  }

  function updateReadout() {
    const [heading, pitch] = state.pointer ?? [state.heading, state.pitch];
    const target = state.marks.find((mark) => mark.kind === 'target');
    const distance = state.pointer && target ? `, ${formatNumber(angleBetween(state.pointer, target.direction), 1)}° from the target` : '';
    readout.textContent = `${state.pointer ? 'under the pointer' : 'looking'}: heading ${formatNumber(heading, 1)}° ${compassPoint(heading)}, pitch ${formatNumber(pitch, 1)}°${distance}`;
  }

  function look([heading, pitch], fov = state.fov) {
    state.heading = ((heading % 360) + 360) % 360;
    state.pitch = Math.min(Math.max(pitch, -90), 90);
    state.fov = Math.min(Math.max(fov, FOV_LIMITS[0]), FOV_LIMITS[1]);
    state.pointer = null;
    paint();
  }
  function zoom(factor) {
    look([state.heading, state.pitch], state.fov / factor);
  }

  onGestures(node, {
    drag(dx, dy) {
      const degrees = renderer ? (2 * Math.tan((state.fov * Math.PI) / 360) * 180) / Math.PI : state.fov;
      // Circles of constant pitch are smaller near the poles: divide, so that the picture nearly follows the pointer.
      const shrink = renderer ? Math.max(Math.cos((state.pitch * Math.PI) / 180), 0.25) : 1;
      look([state.heading - (dx * degrees) / currentView().width / shrink, state.pitch + (dy * degrees) / currentView().width]);
    },
    zoom,
    hover(x, y) {
      state.pointer = x === null ? null : directionOf(x, y);
      paint();
    },
    home: () => look(state.home, DEFAULT_FOV),
  });
  onResize(node, paint);
  onThemeChange(paint);

  return {
    node, look, place: pixelOf, direction: directionOf, state: () => ({ ...currentView(), picture: state.picture, webgl: Boolean(renderer) }),
    /** Show a picture by its id, and look in a direction; the last request wins. */
    async show(id, direction, label) {
      state.home = direction;
      look(direction);
      node.classList.remove('elsewhere');
      message.hidden = state.picture !== null;
      node.setAttribute('aria-label', label);
      if (requestedPicture === id) return;
      requestedPicture = id;
      message.textContent = 'loading the panorama …';
      message.hidden = state.picture !== null;
      try {
        const image = await loadPicture(id);
        if (requestedPicture !== id) return;
        if (renderer) renderer.setPicture(image);
        else flatImage = image;
        state.picture = id;
        node.dataset.picture = String(id);
      } catch {
        if (requestedPicture === id) readout.textContent = 'This panorama could not be shown.';
        requestedPicture = null;
      }
      message.hidden = true;
      paint();
    },
    /** Show that the current place has no picture. */
    showMissing() {
      node.classList.add('elsewhere');
      node.setAttribute('aria-label', 'There is no panorama at this place.');
      message.textContent = 'no panorama at this place';
      message.hidden = false;
    },
    /** Set the marks, see panoramaMarks. */
    setMarks(marks) {
      state.marks = marks;
      state.targetButton.hidden = !marks.some((mark) => mark.kind === 'target');
      paint();
    },
    /** Set the heat map: {canvas, yaw, opacity}, or null. */
    setHeatmap(heatmap) {
      if (renderer && heatmap?.canvas !== state.heatmap?.canvas) renderer.setHeatmap(heatmap?.canvas ?? null);
      state.heatmap = heatmap;
      paint();
    },
    /** Remove the viewer from the page and free the memory of its pictures. */
    release() {
      node.remove();
      renderer?.release();
      Object.assign(state, { marks: [], heatmap: null, picture: null, pointer: null, fov: DEFAULT_FOV });
      delete node.dataset.picture;
      [flatImage, requestedPicture] = [null, null];
    },
  };
}

// Paint a band with compass points, and with marks even if they are out of view.
function paintCompass({ context, width }, view, marks) {
  const pixelOf = (heading) => width / 2 + (turnBetween(view.heading, heading) / Math.max(view.fov * 1.5, 120)) * width;
  context.fillStyle = 'rgba(16, 18, 24, 0.66)';
  context.fillRect(0, 0, width, COMPASS_HEIGHT);
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  for (let heading = 0; heading < 360; heading += 15) {
    const x = pixelOf(heading);
    context.fillStyle = '#fff';
    context.font = `${heading % 90 ? 500 : 700} 12px system-ui, sans-serif`;
    if (heading % 45 === 0) context.fillText(compassPoint(heading), x, COMPASS_HEIGHT / 2);
    else context.fillRect(x - 0.5, COMPASS_HEIGHT - 8, 1, 5);
  }
  for (const mark of marks) if (mark.kind === 'target' || mark.kind === 'answer') paintCompassMark(context, pixelOf(mark.direction[0]), mark);
  context.fillStyle = '#fff';
  context.beginPath();
  context.moveTo(width / 2, COMPASS_HEIGHT - 1);
  context.lineTo(width / 2 - 5, COMPASS_HEIGHT + 6);
  context.lineTo(width / 2 + 5, COMPASS_HEIGHT + 6);
  context.fill();
}

function paintCompassMark(context, x, mark) {
  context.beginPath();
  context.arc(x, COMPASS_HEIGHT - 4, mark.kind === 'target' ? 5 : 4, 0, 2 * Math.PI);
  context.fillStyle = cssValue(mark.colour) || '#ce1e36';
  context.fill();
  context.lineWidth = 1.2;
  context.strokeStyle = '#fff';
  context.stroke();
}

// For tests and for the browser's console.
window.bearleftReport = Object.freeze({ project, unproject, toFlat, fromFlat, angleBetween, turnBetween, viewer: getViewer });
