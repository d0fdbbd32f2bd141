// Writing: the line, the arrow, the preview of the next part, and the text that is checked while one writes.

import { el, setContent, svg } from '../../shared/dom.js';
import { openAttempt } from '../api.js';
import { byId, offerReturn, showEnd, showKeys, showMessage } from '../unit-page.js';
import { createStage } from './stage.js';
import { createWalker, WALKER_KEYS } from './walker.js';

const SAVE_AFTER = 700; // milliseconds without a key
const CELL = 1.5; // metres
const TEXTS = {
  navigation: { title: 'Tell others the way', label: 'How does one get from the start to this thing?', next: 'On to the room', act: 'Walk along the blue line. At its end turn to the thing below the arrow, and pick it up. Write on the way.' },
  assembly: { title: 'Tell others the place', label: 'Where does this thing belong?', next: 'On to the streets', act: 'The dark shape shows where it belongs. Put it there: it goes one place ahead of you. Write beside, behind or on top of what it stands.' },
};
const PREVIEWS = { city: 'Next: the streets', room: 'Next: the room' };

const attempt = openAttempt();
const field = byId('text');
const preview = el('canvas', { width: 192, height: 108, role: 'img' });
const previewNode = el('figure', { class: 'preview', hidden: true }, preview, el('figcaption', {}));
const needle = svg('path', { d: 'M0 -26 L13 20 L0 11 L-13 20 Z' });
const arrow = el('div', { class: 'guide', role: 'img', 'aria-label': 'Arrow to where you are to go' }, svg('svg', { viewBox: '-32 -32 64 64', width: 68, height: 68 }, svg('circle', { r: 30 }), needle));
let state = attempt.view;
let scene = attempt.view.scene;
let saved = attempt.view.text;
let timer = 0;
let busy = false;
let walker = null;
let stage = null;

byId('scene').append(arrow, previewNode);
showKeys(WALKER_KEYS);
offerReturn(attempt, byId('return'), () => (field.value.trim() ? 'Give this task back? Your texts are not kept.' : ''));
field.maxLength = attempt.view.limit;
field.value = attempt.view.text;
field.addEventListener('input', () => {
  clearTimeout(timer);
  timer = setTimeout(saveDraft, SAVE_AFTER);
});
field.addEventListener('change', saveDraft);
byId('next').addEventListener('click', goOn);
byId('submit').addEventListener('click', submit);
showProblems(attempt.view.problems);
start();

async function start() {
  byId('hint').textContent = 'The 3-D view is being loaded …';
  try {
    stage = await createStage(byId('scene'));
    walker = createWalker({ stage, attempt, pose: state.pose ?? { place: 'city', free: [] }, onmove: aimArrow, onresult: showResult, onerror: (error) => showMessage(error.message) });
    byId('scene').append(walker.pad);
    await showResult(attempt.view);
  } catch (error) {
    byId('hint').textContent = '';
    showMessage(error.message);
  }
}

async function showResult(result) {
  showMessage(result.note || null);
  state = { ...state, ...result };
  if (result.scene) {
    scene = result.scene;
    walker.setEnabled(false);
    byId('hint').textContent = 'The next place is being loaded …';
    await stage.show(scene, state.pose);
    walker.setEnabled(true);
    walker.setPose(state.pose);
    showPreview(result.preview);
  }
  update();
}

function update() {
  if (state.done) {
    walker.setEnabled(false);
    for (const node of [byId('part'), arrow, previewNode, walker.pad]) node.hidden = true;
    byId('end').hidden = false;
    byId('submit').focus({ preventScroll: true });
    return;
  }
  const texts = TEXTS[state.phase];
  byId('progress').textContent = `Part ${state.leg + 1} of 4`;
  byId('title').textContent = texts.title;
  byId('label').textContent = texts.label;
  byId('next').textContent = state.leg === 3 ? 'The last part is done' : texts.next;
  byId('hint').textContent = state.ended ? `${state.phase === 'navigation' ? 'Picked up' : 'In its place'}. Read your text once more, and go on.` : texts.act;
  byId('carried').textContent = scene.carried ? `You carry: ${scene.carried.toLowerCase()}` : '';
  setContent(byId('rules'), attempt.view.guidelines.filter(({ phase }) => phase === 'both' || phase === state.phase).map(({ text, poor, better }) => el('li', {}, text,
    poor && el('span', { class: 'muted' }, ` Not: “${poor}”`), better && el('span', { class: 'muted' }, ` Better: “${better}”`))));
  aimArrow(state.pose);
}

// The arrow points from where one looks to the thing, or to its place in the room.
function aimArrow(pose) {
  state.pose = pose;
  const target = scene.place === 'room' ? scene.outline : scene.target;
  arrow.hidden = !target || pose.place !== scene.place;
  if (arrow.hidden) return;
  const [east, north] = scene.place === 'room' ? [(target.cell[0] - pose.cell[0]) * CELL, (target.cell[2] - pose.cell[2]) * CELL] : [target.at[0] - pose.position[0], target.at[1] - pose.position[1]];
  const turn = (Math.atan2(east, north) * 180) / Math.PI - pose.heading;
  needle.setAttribute('transform', `rotate(${turn})`);
}

async function showPreview(next) {
  previewNode.hidden = !next;
  if (!next) return;
  const door = { cell: [2, 1, 0], heading: 0 };
  const name = PREVIEWS[next.scene.place];
  setContent(previewNode.lastChild, name);
  preview.setAttribute('aria-label', name);
  try {
    await stage.snapshot(next.scene, next.pose ?? door, preview);
  } catch {
    previewNode.hidden = true; // it is only a preview
  }
}

function showProblems(problems) {
  setContent(byId('findings'), problems.map(({ rule, message }) => el('li', { dataset: { rule } }, message)));
  if (problems.length) field.setAttribute('aria-invalid', 'true');
  else field.removeAttribute('aria-invalid');
}

async function saveDraft() {
  clearTimeout(timer);
  const text = field.value;
  if (text === saved || busy || state.done) return;
  saved = text;
  try {
    const { problems } = await attempt.send('draft', { text });
    if (field.value === text) showProblems(text.trim() ? problems : []);
  } catch (error) {
    saved = null;
    showMessage(error.message);
  }
}

async function goOn() {
  if (busy || !walker) return;
  clearTimeout(timer);
  busy = true;
  byId('next').setAttribute('aria-disabled', 'true');
  try {
    const result = await attempt.send('next', { text: field.value });
    showProblems(result.problems);
    if (result.accepted) {
      field.value = '';
      saved = '';
      await showResult(result);
    } else {
      field.focus();
    }
  } catch (error) {
    showMessage(error.message);
  }
  busy = false;
  byId('next').setAttribute('aria-disabled', 'false');
}

async function submit() {
  if (busy) return;
  busy = true;
  try {
    showEnd(attempt, await attempt.submit());
  } catch (error) {
    showMessage(error.message);
  }
  busy = false;
}
