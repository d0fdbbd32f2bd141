// Following a set of texts, and the placement test: the text of the leg, the diagram of the room, and flags.

import { el, setContent } from '../../shared/dom.js';
import { openAttempt } from '../api.js';
import { byId, offerReturn, showEnd, showKeys, showMessage } from '../unit-page.js';
import { createDiagram } from './diagram.js';
import { createStage } from './stage.js';
import { createWalker, WALKER_KEYS } from './walker.js';

const STEPS = ['Collect the first thing', 'Put it in its place', 'Collect the second thing', 'Put it in its place'];

const attempt = openAttempt();
const isTest = attempt.view.stage === 'test';
const diagram = createDiagram();
const text = el('div', { class: 'instruction', id: 'text-to-follow', 'aria-live': 'polite' });
const hint = byId('hint');
let walker = null;

byId('scene').append(text);
byId('diagram').append(diagram.node);
showKeys(WALKER_KEYS);
offerReturn(attempt, byId('return'));
byId('submit').addEventListener('click', submit);
if (attempt.view.flags) showFlags(attempt.view);
start();

async function start() {
  hint.textContent = 'The 3-D view is being loaded …';
  try {
    const stage = await createStage(byId('scene'));
    const { view } = attempt;
    walker = createWalker({ stage, attempt, pose: view.pose ?? { place: 'city', free: [] }, onmove, onerror: (error) => showMessage(error.message), onresult: (result) => showResult(stage, result) });
    byId('scene').append(walker.pad);
    await showResult(stage, view);
  } catch (error) {
    hint.textContent = '';
    showMessage(error.message);
  }
}

function onmove(pose) {
  if (pose.place === 'room' && pose.ahead !== undefined) diagram.setPose(pose);
}

async function showResult(stage, result) {
  showMessage(result.note || null);
  if (result.scene) {
    walker.setEnabled(false);
    hint.textContent = 'The next place is being loaded …';
    await stage.show(result.scene, result.pose);
    walker.setEnabled(true);
    const inRoom = result.scene.place === 'room';
    byId('diagram').hidden = !inRoom;
    if (inRoom) diagram.setScene(result.scene);
    walker.setPose(result.pose);
    if (result.text) text.textContent = result.text;
    const { carried } = result.scene;
    byId('carried').textContent = carried ? `You carry: ${carried.toLowerCase()}` : '';
    hint.textContent = inRoom ? 'Place it with the space bar, or with the button. It goes one place ahead of you.' : 'Walk there, face it, and pick it up.';
  }
  if (result.leg !== undefined && !isTest) byId('progress').textContent = result.done ? 'All four parts are done.' : `Part ${result.leg + 1} of 4: ${STEPS[result.leg]}.`;
  if (result.done) showDone();
}

function showDone() {
  walker.setEnabled(false);
  hint.textContent = isTest ? 'That is the place. Submit to go on.' : 'You have followed all four texts. Flag what was wrong with them, if anything, and submit.';
  byId('submit').hidden = false;
  byId('submit').focus({ preventScroll: true });
}

function showFlags({ flags, flagged }) {
  const boxes = Object.entries(flags).map(([name, meaning]) => el('label', { class: 'flag' },
    el('input', { type: 'checkbox', value: name, checked: flagged.includes(name), onchange: sendFlags }), ' ', meaning));
  setContent(byId('flags'), el('legend', {}, 'Is something wrong with the texts?'), boxes);
  byId('flags').hidden = false;
}

function sendFlags() {
  const flags = [...byId('flags').querySelectorAll('input:checked')].map((box) => box.value);
  attempt.send('flags', { flags }).catch((error) => showMessage(error.message));
}

async function submit() {
  if (byId('submit').getAttribute('aria-disabled') === 'true') return;
  byId('submit').setAttribute('aria-disabled', 'true');
  try {
    const stored = await attempt.submit();
    showEnd(attempt, { ...stored, feedback: { message: stored.feedback.message ?? judgement(stored) } });
    text.hidden = true;
  } catch (error) {
    showMessage(error.message);
  }
  byId('submit').setAttribute('aria-disabled', 'false');
}

function judgement({ accepted, feedback }) {
  if (accepted) return 'You collected and placed both things as their writer meant it. Thank you!';
  const right = feedback.turns.filter((turn) => turn.PTC === 1).length;
  return `Thank you! ${['Neither thing', 'One of the two things', 'Both things'][right]} came to the place that the writer meant${right === 2 ? ', on another way' : ''}.`;
}
