// A replay of what a worker did: the recorded actions step by step, in the viewer and on the map.

import { el, formatNumber, setContent } from '../../shared/dom.js';
import { createMapView } from '../../shared/map-view.js';
import { createPanoramaViewer } from '../../shared/panorama-viewer.js';
import { getJson } from '../api.js';
import { createPictures, pictureId } from '../pictures.js';
import { openStage } from './stage-replay.js';

const LONGEST_WAIT = 3; // seconds of the recording until the next step, however long the worker thought
const SHORTEST_WAIT = 60; // milliseconds, so that every step is seen

const { world, scenes, steps, goal } = JSON.parse(document.getElementById('replay-data').textContent);
const node = (id) => document.getElementById(id);
const slider = node('step');
let current = 0;
let timer = null;
const show = await openView();

function openView() {
  if (scenes.length) return openStage(node('replay'), { scenes, steps, legs: goal.legs, isGoalShown: () => node('goal').checked });
  return world ? openScene() : () => {};
}

async function openScene() {
  const pictures = createPictures();
  const viewer = createPanoramaViewer({ loadPicture: pictures.loadPicture, readout: false });
  node('replay').append(viewer.node);
  const map = await openMap(node('replay'));
  return (step) => {
    if (step.place) {
      viewer.show(pictureId(world, step.place), null, 'What the worker saw. Arrow keys look around.');
      viewer.look([step.heading, step.pitch], fovOf(step.vfov, viewer.node));
      const next = steps.slice(current + 1).find((other) => other.place && other.place !== step.place);
      if (next) pictures.prefetch([pictureId(world, next.place)]);
    }
    viewer.setMarks(marksOf(step));
    map?.(step);
  };
}

// Views are stored with their vertical field of view; a viewer of another shape shows the same from top to bottom.
function fovOf(vfov, viewer) {
  if (!vfov || !viewer.clientHeight) return null;
  const ratio = viewer.clientWidth / viewer.clientHeight;
  return (2 * Math.atan(Math.tan((vfov * Math.PI) / 360) * ratio) * 180) / Math.PI;
}

// All clicks so far at the place of a step, the last one in another colour.
function marksOf(step) {
  const clicks = steps.slice(0, current + 1).filter((other) => other.click && other.place === step.place);
  const marks = clicks.map((other, k) => ({
    kind: 'answer', direction: other.click, colour: k === clicks.length - 1 ? '--agent-0' : '--agent-7', label: other.action,
  }));
  const targets = node('goal').checked ? goal.targets.filter((target) => target.place === step.place) : [];
  return [...targets.map((target) => ({ kind: 'target', direction: target.direction, colour: '--goal', label: 'target' })), ...marks];
}

async function openMap(scenes) {
  const places = new Set(steps.map((step) => step.place));
  if (places.size < 2 && !goal.route.length) return null;
  const address = world.split('/').map(encodeURIComponent).join('/');
  let content;
  try {
    content = await getJson(`/api/worlds/${address}/map`);
  } catch {
    return null; // a world without a map
  }
  const { ids, x, y } = content.places;
  const index = new Map(ids.map((place, k) => [place, k]));
  const pointOf = (place) => [x[index.get(place)], y[index.get(place)]];
  const known = (list) => list.filter((place) => index.has(place)).map(pointOf);
  const map = createMapView({ label: 'Map, north up: the way that the worker went' });
  scenes.append(map.node);
  const route = known(goal.route);
  const start = known([steps[0].place])[0] ?? null;
  map.update({ marks: content.marks, start });
  return (step) => {
    const path = known(steps.slice(0, current + 1).map((other) => other.place).filter((place, k, all) => place && place !== all[k - 1]));
    const shown = node('goal').checked ? route : [];
    map.update({
      route: shown, end: shown.at(-1) ?? null, paths: [{ points: path, colour: '--agent-0' }],
      position: index.has(step.place) ? { at: pointOf(step.place), heading: step.heading, colour: '--agent-0' } : null,
    });
  };
}

function go(number) {
  current = Math.min(Math.max(number, 0), steps.length - 1);
  const step = steps[current];
  slider.value = current;
  const told = `Step ${current} of ${steps.length - 1}: ${step.action}${step.result ? `, ${step.result}` : ''}`;
  slider.setAttribute('aria-valuetext', told);
  setContent(node('step-text'), el('strong', {}, told), ` after ${formatNumber(step.seconds, 1)} s. `, step.text);
  show(step, current);
  if (current === steps.length - 1) pause();
}

function play() {
  if (current === steps.length - 1) go(0);
  node('play').textContent = 'Pause';
  wait();
}
function wait() {
  const seconds = Math.min((steps[current + 1]?.seconds ?? 0) - steps[current].seconds, LONGEST_WAIT);
  timer = setTimeout(() => {
    timer = null;
    go(current + 1);
    if (node('play').textContent === 'Pause') wait();
  }, Math.max((seconds * 1000) / Number(node('speed').value), SHORTEST_WAIT));
}
function pause() {
  clearTimeout(timer);
  timer = null;
  node('play').textContent = 'Play';
}
const toggle = () => (node('play').textContent === 'Pause' ? pause() : play());
const stepBy = (count) => {
  pause();
  go(current + count);
};

node('play').addEventListener('click', toggle);
node('back').addEventListener('click', () => stepBy(-1));
node('ahead').addEventListener('click', () => stepBy(1));
slider.addEventListener('input', () => {
  pause();
  go(Number(slider.value));
});
node('goal').addEventListener('change', () => go(current));
const KEYS = { ' ': toggle, ',': () => stepBy(-1), '.': () => stepBy(1), Home: () => stepBy(-steps.length), End: () => stepBy(steps.length) };
document.addEventListener('keydown', (event) => {
  const typing = event.target.closest?.('textarea, select, summary, a, input:not([type=range])');
  const pressing = event.key === ' ' && event.target.closest?.('button');
  if (typing || pressing || event.ctrlKey || event.metaKey || event.altKey || !KEYS[event.key]) return;
  event.preventDefault();
  KEYS[event.key]();
});
go(0);
document.documentElement.dataset.replay = 'ready';
