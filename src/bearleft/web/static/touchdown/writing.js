// Task I: walk the route on the map, hide the bear at its end, and write how to find it.

import { createMapView } from '../../shared/map-view.js';
import { el, setContent } from '../../shared/dom.js';
import { getJson, openAttempt } from '../api.js';
import { createPointView } from '../point-view.js';
import { createWalkView, WALK_KEYS } from '../walk-view.js';
import { byId, finish, isShown, offerReturn, showKeys, showMessage, worldUrl } from '../unit-page.js';

const SAVE_AFTER = 1000; // milliseconds of typing
const QUIET_RULES = ['length', 'bear']; // not yet wrong while somebody writes

const unit = openAttempt();
const { view } = unit;
const goal = view.route.at(-1);
const state = { reached: view.reached, atGoal: view.at_goal, bear: view.bear, visited: view.visited, findings: view.findings, place: view.walk.place };
const scene = byId('scene');
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
  state.place = walk.place;
  pointView.setEnabled(state.atGoal);
  showBear();
  showPath();
  showSteps();
}

function showSteps() {
  const onRoute = view.route.includes(state.place);
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
  else if (state.reached === view.route.length) hint = 'Go back to the end of the route.';
  else if (!onRoute) hint = 'You are off the route. Go back to the blue line.';
  byId('hint').textContent = hint;
}

// The map.

const positions = new Map(view.route.map((place, i) => [place, view.route_positions[i]]));
const map = createMapView({ label: 'Map of your route, north up', margin: () => 44 });
const enlarge = el('button', { type: 'button', class: 'button enlarge', 'aria-pressed': 'false', onclick: () => toggleMap() }, 'Larger map');
const inset = el('div', { class: 'inset' }, map.node, enlarge);
scene.append(inset);

scene.addEventListener('keydown', (event) => {
  if (event.key === 'Escape' && inset.classList.contains('large')) toggleMap();
});

function toggleMap() {
  const large = inset.classList.toggle('large');
  enlarge.setAttribute('aria-pressed', String(large));
  enlarge.textContent = large ? 'Smaller map' : 'Larger map';
  map.resetView();
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
const local = {
  get() {
    try {
      return sessionStorage.getItem(localName);
    } catch {
      return null;
    }
  },
  set(value) {
    try {
      sessionStorage.setItem(localName, value);
    } catch {
      // Browsers may forbid the storage.
    }
  },
};
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
  local.set(text.value);
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

text.value = local.get() ?? view.text;
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
showKeys([...WALK_KEYS, [['Enter'], 'hide the bear under the cross, at the end of the route']]);
if (matchMedia('(max-width: 800px)').matches) byId('rules-title').parentElement.open = false;
showFindings();
if (text.value !== saved) save();
