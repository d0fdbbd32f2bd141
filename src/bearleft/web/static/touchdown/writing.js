// Task I: walk the route on the map, hide the bear at its end, and write how to find it.

import { createMapView } from '../../shared/map-view.js';
import { el, setContent } from '../../shared/dom.js';
import { getJson, openAttempt } from '../api.js';
import { createPointView } from '../point-view.js';
import { compassName, createWalkView, WALK_KEYS } from '../walk-view.js';
import { byId, finish, isShown, offerReturn, showKeys, showMessage, storage, worldUrl } from '../unit-page.js';

const SAVE_AFTER = 1000; // milliseconds of typing
const QUIET_RULES = ['length', 'bear']; // not yet wrong while somebody writes

const unit = openAttempt();
const { view } = unit;
const goal = view.route.at(-1);
const state = { reached: view.reached, atGoal: view.at_goal, bear: view.bear, visited: view.visited, findings: view.findings, place: view.walk.place, links: view.walk.links };
const scene = byId('scene');
const MAP_NAME = 'bearleft.map';
const remembered = storage('localStorage');
const routeNote = el('p', { class: 'route-note', role: 'status' });
const text = byId('text');

// The walk and the bear.

const walkView = createWalkView({
  walk: view.walk,
  async onmove(link) {
    pointView.clear();
    const result = await unit.send('move', { place: link.place });
    state.reached = result.reached;
    state.atGoal = result.at_goal;
    state.visited.push(result.walk.place);
    showPlace(result.walk);
    return result.walk;
  },
  onshown: showPlace,
  onerror: (error) => showMessage(error.message),
});
const { viewer } = walkView;
const pointView = createPointView(viewer, { onpoint: placeBear, crosshair: true });
scene.append(walkView.node);
pointView.setEnabled(state.atGoal);

async function placeBear({ heading, pitch, view: seen }) {
  if (!isShown(viewer, view.world, state.place)) {
    showBear();
    return;
  }
  try {
    ({ bear: state.bear } = await unit.send('place', { heading, pitch, view: seen }));
    showMessage(null);
  } catch (error) {
    showBear();
    showMessage(error.message);
  }
  showSteps();
}

function showBear() {
  if (state.bear && state.place === goal) pointView.place(state.bear);
  else pointView.clear();
}

function showPlace(walk) {
  [state.place, state.links] = [walk.place, walk.links];
  pointView.setEnabled(state.atGoal);
  showBear();
  showPath();
  showSteps();
}

function showSteps() {
  const words = text.value.trim() ? text.value.trim().split(/\s+/).length : 0;
  byId('walked').textContent = `${state.reached} of ${view.route.length}`;
  byId('placed').textContent = state.bear ? 'hidden' : 'at its end';
  byId('written').textContent = `${words} words`;
  byId('step-walk').classList.toggle('complete', state.reached === view.route.length);
  byId('step-bear').classList.toggle('complete', state.bear !== null);
  byId('step-text').classList.toggle('complete', text.value.trim() !== '' && !state.findings.some((finding) => finding.severity === 'error'));
  byId('cannot').hidden = !state.atGoal;
  let hint = '';
  if (state.atGoal) hint = state.bear ? 'You can hide the bear elsewhere by another click.' : 'This is the end of the route. Click where the bear should sit, or aim the cross and press Enter.';
  byId('hint').textContent = hint;
  const note = wayBackNote();
  if (routeNote.textContent !== note) routeNote.textContent = note; // it is read aloud once
}

// Writers know their route, so they are told when they have left it, and how to come back: along the way that they came.
function wayBackNote() {
  if (state.atGoal) return '';
  const isDone = state.reached === view.route.length;
  const wanted = isDone ? view.route.slice(-1) : view.route.slice(0, state.reached);
  if (wanted.includes(state.place)) return '';
  const back = wayBack(state.visited, wanted);
  const first = state.links.find((link) => link.place === back[0]);
  const steps = `${back.length} ${back.length === 1 ? 'step' : 'steps'} back${first ? `, ${back.length > 1 ? 'first ' : ''}${compassName(first.heading)}` : ''}`;
  if (isDone) return `Go back to the end of the route: ${steps}.`;
  if (view.route.includes(state.place)) return `You left out a part of the route. Go to where you left it: ${steps}.`;
  return `You are off the route. Go back to the blue line: ${steps}.`;
}

// Return the places from the last one of a path back to the latest that is wanted, without loops.
function wayBack(path, wanted) {
  const back = [];
  for (let k = path.length - 1; k >= 0; k -= 1) {
    const before = back.indexOf(path[k]);
    if (before >= 0) back.length = before;
    back.push(path[k]);
    if (wanted.includes(path[k])) break;
  }
  return back.slice(1);
}

// The map.

const positions = new Map(view.route.map((place, i) => [place, view.route_positions[i]]));
const map = createMapView({ label: 'Map of your route, north up', margin: () => (inset.classList.contains('large') ? 44 : 26) });
const enlarge = el('button', { type: 'button', class: 'enlarge', onclick: toggleSize });
const collapse = el('button', { type: 'button', class: 'collapse', onclick: toggleMap });
const inset = el('div', { class: 'inset' }, el('div', { class: 'inset-buttons' }, collapse, enlarge), map.node);
scene.append(inset, routeNote);
showMap(remembered.get(MAP_NAME) !== 'hidden');
showSize();

viewer.listen({ onkey: onMapKey }); // also while nothing has the focus
inset.addEventListener('keydown', (event) => {
  if (!event.ctrlKey && !event.metaKey && !event.altKey) onMapKey(event);
});

function onMapKey(event) {
  const isLarge = inset.classList.contains('large');
  if (event.key.toLowerCase() === 'm' && !event.repeat) toggleMap();
  else if (event.key === 'Escape' && isLarge) toggleSize();
  else return false;
  return true;
}

// Whether the map is shown is remembered for the next units, too.
function toggleMap() {
  const shown = map.node.hidden;
  remembered.set(MAP_NAME, shown ? 'shown' : 'hidden');
  showMap(shown);
}
function showMap(shown) {
  if (inset.contains(document.activeElement)) collapse.focus();
  map.node.hidden = enlarge.hidden = !shown;
  inset.classList.toggle('collapsed', !shown);
  collapse.setAttribute('aria-expanded', String(shown));
  label(collapse, shown ? '✕' : 'Map', `${shown ? 'Hide' : 'Show'} the map (M)`);
  if (shown) map.resetView();
}
function toggleSize() {
  inset.classList.toggle('large');
  showSize();
  map.resetView();
}
function showSize() {
  const large = inset.classList.contains('large');
  enlarge.setAttribute('aria-pressed', String(large));
  label(enlarge, large ? '⤡' : '⤢', large ? 'Smaller map (Esc)' : 'Larger map');
}
function label(button, text, name) {
  button.textContent = text;
  button.title = name;
  button.setAttribute('aria-label', name);
}

function showPath() {
  const points = state.visited.map((place) => positions.get(place)).filter(Boolean);
  const at = positions.get(state.place);
  const position = at ? { at, heading: viewer.view().heading, colour: '--agent-0' } : null;
  map.update({ paths: [{ points, colour: '--agent-0' }], ...(position ? { position } : {}) });
}

viewer.listen({
  onview({ heading }) {
    const at = positions.get(state.place);
    if (at) map.update({ position: { at, heading, colour: '--agent-0' } });
  },
});
map.update({ route: view.route_positions, start: view.route_positions[0], end: view.route_positions.at(-1) });
getJson(`${worldUrl(view.world)}/map`).then(({ marks, places }) => {
  places.ids.forEach((place, i) => positions.set(place, [places.x[i], places.y[i]]));
  map.update({ marks });
  showPath();
}, () => {}); // the route alone is shown

// The text. What is not yet on the server is kept in the browser, so that a page that is loaded again has it.

const localName = `bearleft.draft.${unit.attempt}`;
const drafts = storage('sessionStorage');
let saved = view.text;
let timer = 0;

async function save() {
  clearTimeout(timer);
  timer = 0;
  const draft = text.value;
  if (draft === saved) return true;
  try {
    const { findings } = await unit.send('draft', { text: draft });
    saved = draft;
    state.findings = findings;
    showFindings();
    showMessage(null);
    return true;
  } catch (error) {
    showMessage(error.message);
    return false;
  }
}

function onInput() {
  drafts.set(localName, text.value);
  offerToConfirm(false);
  timer ||= setTimeout(save, SAVE_AFTER);
  showSteps();
}

function showFindings(all = false) {
  const shown = state.findings.filter((finding) => all || !QUIET_RULES.includes(finding.rule));
  setContent(byId('findings'), shown.map((finding) => el('li', { class: finding.severity }, el('span', {}, finding.severity === 'error' ? 'To mend: ' : 'Please check: '), finding.message,
    finding.end > finding.begin ? [' ', el('button', { type: 'button', class: 'link', onclick: () => select(finding) }, 'show')] : null)));
  showSteps();
}

function select({ begin, end }) {
  text.focus();
  // The server counts characters, the browser UTF-16 units.
  const units = (count) => Array.from(text.value).slice(0, count).join('').length;
  text.setSelectionRange(units(begin), units(end));
}

function offerToConfirm(offered) {
  byId('confirm').hidden = !offered;
  byId('submit').hidden = offered;
}

async function submit(confirmed) {
  if (!(await save())) return;
  const wrong = state.findings.filter((finding) => finding.severity === 'error');
  const questions = state.findings.filter((finding) => finding.severity === 'warning' && !confirmed.includes(finding.rule));
  showFindings(true);
  if (!text.value.trim()) {
    showMessage('Write how to find the bear.');
    text.focus();
  } else if (wrong.length || questions.length) {
    offerToConfirm(wrong.length === 0);
    showMessage(wrong.length ? 'Please mend what is listed below your text.' : 'Please check what is listed below your text: change it, or say that it is right.');
    byId('findings').focus({ preventScroll: true });
    byId('message').scrollIntoView({ block: 'nearest' });
  } else if (await finish(unit, { confirmed })) end();
}

function end() {
  pointView.setEnabled(false);
  walkView.setEnabled(false);
  text.disabled = true;
}

text.value = drafts.get(localName) ?? view.text;
text.maxLength = view.max_characters;
text.addEventListener('input', onInput);
text.addEventListener('blur', save);
byId('submit').addEventListener('click', () => submit([]));
byId('confirm').addEventListener('click', () => submit(state.findings.filter((finding) => finding.severity === 'warning').map((finding) => finding.rule)));
byId('cannot').addEventListener('click', () => {
  const form = byId('cannot-form');
  form.hidden = !form.hidden;
  byId('cannot').setAttribute('aria-expanded', String(!form.hidden));
  if (!form.hidden) byId('reason').focus();
});
byId('cannot-form').addEventListener('submit', async (event) => {
  event.preventDefault();
  try {
    await unit.send('cannot-place', { reason: byId('reason').value });
  } catch (error) {
    showMessage(error.message);
    return;
  }
  state.bear = null;
  pointView.clear();
  if (await finish(unit)) end();
});

offerReturn(unit, byId('return'), () => (text.value.trim() ? 'Your text will be lost. Give the task back?' : ''));

byId('findings').before(byId('message')); // what is to be mended stands below the message
setContent(byId('rules'), view.rules.map((rule) => el('li', {}, rule)));
showKeys([...WALK_KEYS, [['M'], 'show or hide the map'], [['Enter'], 'hide the bear under the cross, at the end of the route']]);
if (matchMedia('(max-width: 800px)').matches) byId('rules-title').parentElement.open = false;
showFindings();
if (text.value !== saved) save();
