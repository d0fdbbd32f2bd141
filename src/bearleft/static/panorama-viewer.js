// The 360-degree viewer: drag, touch, arrow keys, + and -. It has no inertia, and a key that is released stops it, so that a click is where the picture was seen.

import { cssValue, el, formatNumber, onKeyDown, onThemeChange } from './dom.js';
import { angleBetween, compassPoint, project, turnBetween, unproject, verticalFov } from './geometry.js';
import { createPanoramaRenderer } from './panorama-renderer.js';
import { onGestures, oncePerFrame, onResize } from './gestures.js';
import { prepareCanvas } from './canvas.js';
import { paintPanoramaMarks } from './panorama-marks.js';

const FOV_LIMITS = [25, 120]; // horizontal field of view in degrees
const DEFAULT_FOV = 90;
const MAX_DEFAULT_VERTICAL_FOV = 80; // a tall viewer, as on a phone, starts with a smaller field of view
const COMPASS_HEIGHT = 26; // pixels
const GROUND_MARGIN = 40; // pixels between overlays on the ground and the edges
const GLIDE = 1; // fields of view per second that a held key turns
const FINE_GLIDE = 0.2; // with Shift
const MAX_FRAME = 100; // milliseconds that one frame of a glide counts at most
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }; // right, up
const LATE = 500; // milliseconds after which one is told that a picture is still loading
const LONG = 8000; // milliseconds after which one is told that it takes longer than usual
const LOADING = 'loading the panorama …';
const LOADING_LONG = 'still loading the panorama: it takes longer than usual, and comes by itself';
const [BUTTONS_WIDTH, BUTTONS_HEIGHT] = [80, 175]; // pixels of the viewer's own buttons, with a margin

/**
 * Return a 360-degree viewer. Without WebGL, plain code renders the same views at a lower resolution.
 *
 * options:
 *   loadPicture(id, preview)  returns a promise of an image; it may call preview(image) with a smaller one first
 *   compass, readout          show the band with compass points, and the direction in words (default true)
 *   pageKeys                  hear keys also while nothing on the page has the focus (default false)
 */
export function createPanoramaViewer({ loadPicture, compass = true, readout: hasReadout = true, pageKeys = false }) {
  const state = { heading: 0, pitch: 0, fov: null, home: [0, 0], picture: null, marks: [], heatmap: null, pointer: null };
  const listeners = []; // the latest first
  const overlays = new Map(); // lists by group
  const renderer = createPanoramaRenderer(() => paint());
  const markCanvas = el('canvas', { class: 'over', 'aria-hidden': 'true' });
  const overlayLayer = el('div', { class: 'overlays' });
  const crosshair = el('div', { class: 'crosshair', 'aria-hidden': 'true', hidden: true });
  const readout = el('p', { class: 'readout', hidden: !hasReadout });
  const words = el('span', {});
  const retryButton = el('button', { type: 'button', class: 'button', hidden: true, onclick: retry }, 'Try again');
  const message = el('div', { class: 'viewer-wait', hidden: true }, words, retryButton);
  const targetButton = button('Look at the target', '◎', () => {
    const target = state.marks.find((mark) => mark.kind === 'target');
    if (target) look(target.direction);
  });
  targetButton.hidden = true;
  const node = el('div', { class: hasReadout ? 'viewer unseen' : 'viewer bare unseen', tabindex: '0', role: 'group' }, renderer.canvas, markCanvas, crosshair, overlayLayer, readout,
    el('div', { role: 'status' }, message),
    el('div', { class: 'onpicture' }, targetButton,
      button('Zoom in (+)', '+', () => zoom(1.3)), button('Zoom out (-)', '−', () => zoom(1 / 1.3)), button('Back to the first look (0)', '⟲', goHome)));
  let requestedPicture = null;
  let failedPicture = null;
  let shown = Promise.resolve(false); // whether the requested picture is shown in the end
  let paintedView = null;

  function takeFocusBack(event) {
    const pressed = event.detail > 0 && event.target instanceof Element ? event.target.closest('button, summary') : null;
    if (pressed && document.activeElement === pressed) node.focus({ preventScroll: true });
  }

  function button(name, label, onclick) {
    return el('button', { type: 'button', title: name, 'aria-label': name, onclick }, label);
  }

  function currentView() {
    const [width, height] = [node.clientWidth || 600, node.clientHeight || 400];
    return { heading: state.heading, pitch: state.pitch, fov: state.fov ?? defaultFov(width, height), width, height };
  }
  function defaultFov(width, height) {
    const radians = Math.PI / 180;
    return Math.min(DEFAULT_FOV, (2 * Math.atan((Math.tan((MAX_DEFAULT_VERTICAL_FOV / 2) * radians) * width) / height)) / radians);
  }
  // What is stored with a click: enough to repeat its geometry.
  function describeView(view) {
    return { heading: view.heading, pitch: view.pitch, vfov: verticalFov(view), width: view.width, height: view.height };
  }

  const paint = oncePerFrame(paintNow);
  function paintNow() {
    if (!node.isConnected || !node.clientWidth) return;
    const view = currentView();
    // A node may be a fraction of a pixel wider than its pictures, which are as large as the view says.
    for (const canvas of [renderer.canvas, markCanvas]) Object.assign(canvas.style, { width: `${view.width}px`, height: `${view.height}px` });
    renderer.paint(view, Math.min(window.devicePixelRatio || 1, 2), state.heatmap);
    const surface = prepareCanvas(markCanvas);
    paintPanoramaMarks(surface, state.marks, (heading, pitch) => project(heading, pitch, view));
    if (compass) paintCompass(surface, view, state.marks);
    for (const items of overlays.values()) for (const item of items) placeOverlay(item, view);
    if (hasReadout) updateReadout();
    paintedView = view;
    for (const listener of listeners) listener.onview?.(describeView(view));
  }

  function updateReadout() {
    const [heading, pitch] = state.pointer ?? [state.heading, state.pitch];
    const target = state.marks.find((mark) => mark.kind === 'target');
    const distance = state.pointer && target ? `, ${formatNumber(angleBetween(state.pointer, target.direction), 1)}° from the target` : '';
    readout.textContent = `${state.pointer ? 'under the pointer' : 'looking'}: heading ${formatNumber(heading, 1)}° ${compassPoint(heading)}, pitch ${formatNumber(pitch, 1)}°${distance}`;
  }

  function setDirection(heading, pitch) {
    state.heading = ((heading % 360) + 360) % 360;
    state.pitch = Math.min(Math.max(pitch, -90), 90);
  }
  function look([heading, pitch], fov = state.fov) {
    setDirection(heading, pitch);
    state.fov = fov === null ? null : Math.min(Math.max(fov, FOV_LIMITS[0]), FOV_LIMITS[1]);
    state.pointer = null;
    paint();
  }
  function zoom(factor) {
    look([state.heading, state.pitch], currentView().fov / factor);
  }
  function goHome() {
    look(state.home, null);
  }
  function point(x, y, view) {
    const [heading, pitch] = unproject(x, y, view);
    for (const listener of listeners) listener.onpoint?.({ heading, pitch, view: describeView(view), x, y });
  }

  // Keys that are held turn the view smoothly, however often the keyboard repeats them.
  const held = new Map(); // [right, up] in fields of view per second, by the code of the key
  let glidedAt = 0;

  function glide(event, [right, up]) {
    const speed = event.shiftKey ? FINE_GLIDE : GLIDE;
    if (!held.size) {
      document.addEventListener('keyup', endGlide);
      window.addEventListener('blur', endGlide);
      glidedAt = performance.now();
      requestAnimationFrame(glideOn);
    }
    held.set(event.code, [right * speed, up * speed]);
  }
  // The direction changes in the frame that paints it, so that one points at what one sees.
  function glideOn(now) {
    if (!held.size) return;
    const degrees = (currentView().fov * Math.min(Math.max(now - glidedAt, 0), MAX_FRAME)) / 1000;
    glidedAt = Math.max(now, glidedAt);
    let [heading, pitch] = [state.heading, state.pitch];
    for (const [right, up] of held.values()) [heading, pitch] = [heading + right * degrees, pitch + up * degrees];
    setDirection(heading, pitch);
    state.pointer = null;
    paintNow();
    requestAnimationFrame(glideOn);
  }
  function endGlide(event) {
    if (event?.type === 'keyup') held.delete(event.code);
    else held.clear();
    if (held.size) return;
    document.removeEventListener('keyup', endGlide);
    window.removeEventListener('blur', endGlide);
  }
  function glideByArrow(event) {
    if (!event.repeat || !(event.key in ARROWS)) return false;
    glide(event, ARROWS[event.key]);
    return true;
  }

  const gestures = onGestures(node, {
    drag(dx, dy) {
      const { fov, width } = currentView();
      const degrees = (2 * Math.tan((fov * Math.PI) / 360) * 180) / Math.PI;
      // Circles of constant pitch are smaller near the poles: divide, so that the picture nearly follows the pointer.
      const shrink = Math.max(Math.cos((state.pitch * Math.PI) / 180), 0.25);
      look([state.heading - (dx * degrees) / width / shrink, state.pitch + (dy * degrees) / width]);
    },
    zoom,
    hover(x, y) {
      state.pointer = x === null ? null : unproject(x, y, currentView());
      paint();
    },
    // A click means the picture that was seen.
    tap: (x, y) => point(x, y, paintedView ?? currentView()),
    home: goHome,
    key: (event) => listeners.some((listener) => listener.onkey?.(event)) || glideByArrow(event),
  });
  if (pageKeys) {
    onKeyDown(node, (event) => event.target === document.body && gestures.key(event));
    // Who presses a button of the page by mouse or touch goes on with the keys of the picture.
    document.addEventListener('click', takeFocusBack);
  }
  onResize(node, paint);
  onThemeChange(paint);

  return {
    node, look, zoom, goHome, repaint: paint,
    place: (heading, pitch) => project(heading, pitch, currentView()),
    direction: (x, y) => unproject(x, y, currentView()),
    state: () => ({ ...currentView(), picture: state.picture, webgl: renderer.webgl }),
    view: () => describeView(currentView()),
    /** Turn by degrees. */
    lookBy: (heading, pitch = 0) => look([state.heading + heading, state.pitch + pitch]),
    /** Turn by degrees as a key is pressed, and smoothly in the same direction while it is held. */
    lookByKey(event, heading, pitch = 0) {
      if (event.repeat) glide(event, [Math.sign(heading), Math.sign(pitch)]);
      else look([state.heading + heading, state.pitch + pitch]);
    },
    /** Point at the middle of the view, as a click there does. */
    pointAtMiddle() {
      const view = currentView();
      point(view.width / 2, view.height / 2, view);
    },
    /**
     * Listen to onpoint({heading, pitch, view: {heading, pitch, vfov, width, height}, x, y}) after a click or tap, onview(view) after each
     * painted frame, onkey(event), which returns whether it took the key, and onretry(), which returns whether it shows a picture again that could not
     * be loaded; the latest listener is asked first. Returns a function that ends it.
     */
    listen(listener) {
      listeners.unshift(listener);
      return () => listeners.splice(listeners.indexOf(listener), 1);
    },
    /**
     * Show elements at directions: [{node, heading, pitch, ground}]. Elements on the ground are always in view, at an edge if need be, and find the
     * screen's direction of their heading in --turn. Another element that is out of view can still be focused, which turns the view to it.
     */
    setOverlays(group, items) {
      const before = overlays.get(group) ?? [];
      const hadFocus = before.some((item) => item.node.contains(document.activeElement));
      for (const item of before) if (!items.some((other) => other.node === item.node)) item.node.remove();
      overlays.set(group, items);
      for (const item of items) {
        item.node.classList.add('overlay');
        item.node.onfocus = () => item.node.classList.contains('out-of-view') && look([item.heading, state.pitch]);
        if (item.node.parentNode !== overlayLayer) overlayLayer.append(item.node);
      }
      if (hadFocus && !overlayLayer.contains(document.activeElement)) node.focus({ preventScroll: true });
      paint();
    },
    /** Show a crosshair in the middle. */
    setCrosshair(shown) {
      crosshair.hidden = !shown;
    },
    /** Show a picture by its id, and look in a direction (null: as before); the last request wins. Resolves to whether the picture is shown. */
    show(id, direction, label) {
      if (direction) {
        state.home = direction;
        look(direction);
      }
      node.classList.remove('elsewhere');
      message.hidden = state.picture !== null;
      node.setAttribute('aria-label', label);
      if (requestedPicture !== id) shown = loadAndShow(id);
      return shown;
    },
    /** Show that the current place has no picture. */
    showMissing() {
      node.classList.add('elsewhere');
      node.setAttribute('aria-label', 'There is no panorama at this place.');
      say('no panorama at this place');
    },
    /** Set the marks, see panorama-marks.js. */
    setMarks(marks) {
      state.marks = marks;
      targetButton.hidden = !marks.some((mark) => mark.kind === 'target');
      paint();
    },
    /** Set the heat map: {canvas, yaw, opacity}, or null. */
    setHeatmap(heatmap) {
      if (heatmap?.canvas !== state.heatmap?.canvas) renderer.setHeatmap(heatmap?.canvas ?? null);
      state.heatmap = heatmap;
      paint();
    },
    /** Remove the viewer from the page and free the memory of its pictures. */
    release() {
      document.removeEventListener('click', takeFocusBack);
      endGlide();
      node.remove();
      renderer.release();
      Object.assign(state, { marks: [], heatmap: null, picture: null, pointer: null, fov: null });
      delete node.dataset.picture;
      node.classList.add('unseen');
      requestedPicture = null;
    },
  };

  function say(text, { loading = false, failed = false } = {}) {
    words.textContent = text;
    message.classList.toggle('loading', loading);
    retryButton.hidden = !failed;
    message.hidden = false;
  }
  function retry() {
    node.focus({ preventScroll: true }); // the button goes
    if (!listeners.some((listener) => listener.onretry?.())) shown = loadAndShow(failedPicture);
  }
  async function loadAndShow(id) {
    requestedPicture = id;
    const isCurrent = () => requestedPicture === id;
    const sayLoading = (text) => isCurrent() && state.picture !== id && say(text, { loading: true });
    // The picture before stays for a moment; then one should know that it is not of this place.
    if (state.picture === null) sayLoading(LOADING);
    else if (state.picture === id) message.hidden = true; // in small
    const late = [setTimeout(sayLoading, LATE, LOADING), setTimeout(sayLoading, LONG, LOADING_LONG)];
    try {
      const image = await loadPicture(id, (smaller) => isCurrent() && state.picture !== id && setPicture(smaller, id));
      if (isCurrent()) setPicture(image, id);
    } catch {
      if (isCurrent()) showError();
      return false;
    } finally {
      late.forEach((timer) => clearTimeout(timer));
    }
    return isCurrent();
  }
  function setPicture(image, id) {
    renderer.setPicture(image);
    state.picture = id;
    node.dataset.picture = String(id);
    node.classList.remove('unseen');
    message.hidden = true;
    paint();
  }
  function showError() {
    const inSmall = state.picture === requestedPicture;
    failedPicture = requestedPicture;
    requestedPicture = null;
    say(inSmall ? 'This panorama is blurred: only a small picture could be loaded.' : 'This panorama could not be shown.', { failed: true });
    paint();
  }
}

// Move an overlay to its direction, or out of view.
function placeOverlay(item, view) {
  const { node } = item;
  const { x, y, turn, aside } = item.ground ? groundPosition(item, view) : pointPosition(item, view);
  const inView = x >= 0 && x <= view.width && y >= 0 && y <= view.height;
  node.classList.toggle('out-of-view', !inView);
  node.classList.toggle('aside', aside);
  if (!inView) return;
  node.style.translate = `${x}px ${y}px`;
  node.style.setProperty('--turn', `${turn}rad`);
}

function pointPosition({ heading, pitch }, view) {
  const [x, y] = project(heading, pitch, view) ?? [NaN, NaN];
  return { x, y, turn: 0, aside: false };
}

// What lies on the ground is above the lower edge and the buttons; what is beside or behind the view is at its left or right edge, the lower the further behind.
function groundPosition({ heading, pitch }, view) {
  const shownPitch = Math.min(Math.max(pitch, view.pitch - verticalFov(view) / 2 + 1), 89);
  const [lowest, highest] = [view.height - GROUND_MARGIN, COMPASS_HEIGHT + GROUND_MARGIN];
  const pixel = project(heading, shownPitch, view);
  if (pixel && pixel[0] >= 0 && pixel[0] <= view.width) {
    const further = project(heading, shownPitch + 1, view) ?? pixel;
    const room = pixel[0] > view.width - BUTTONS_WIDTH ? view.height - BUTTONS_HEIGHT : lowest;
    return { x: pixel[0], y: Math.max(Math.min(pixel[1], room), highest), turn: Math.atan2(further[0] - pixel[0], pixel[1] - further[1]), aside: false };
  }
  const behind = turnBetween(view.heading, heading);
  const room = behind < 0 ? lowest : view.height - BUTTONS_HEIGHT;
  const y = view.height * 0.3 + (Math.abs(behind) / 180) * Math.max(room - view.height * 0.3, 0);
  return { x: behind < 0 ? GROUND_MARGIN : view.width - GROUND_MARGIN, y: Math.max(Math.min(y, lowest), highest), turn: (behind * Math.PI) / 180, aside: true };
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
