// The finding task: one sentence after another; the middle of the view is recorded at the end of each, and the last one is the answer.

import { bearMarker } from '../../shared/bear.js';
import { el, formatNumber } from '../../shared/dom.js';
import { openAttempt } from '../api.js';
import { byId, showEnd, showMessage } from '../unit-page.js';
import { answerOf, isForControl, openScene, showBear } from './scene.js';

const attempt = openAttempt();
const { count, radius } = attempt.view;
const sentences = [...attempt.view.sentences];
const { viewer, stop } = openScene(attempt, 'The scene. Arrow keys look around; Enter goes on.');
const marker = bearMarker('Your bear');
const button = byId('next');
let answer = null; // where the bear was put, after the last sentence
let busy = false;

const isLast = () => sentences.length === count;

viewer.listen({
  onpoint(point) {
    if (busy) return;
    if (isLast()) putBear(answerOf(point));
    else viewer.look([point.heading, point.pitch]); // what was clicked comes to the middle
  },
  onkey(event) {
    if (event.key !== 'Enter' || event.repeat || isForControl(event)) return false;
    goOn();
    return true;
  },
  onview: () => !busy && update(),
});
button.addEventListener('click', goOn);

// A bear that was put in the middle stays the answer until the view turns away; one that was clicked stays until another click.
function isPlaced() {
  const view = viewer.view();
  return answer !== null && (answer.by === 'click' || (view.heading === answer.heading && view.pitch === answer.pitch));
}

function goOn() {
  if (busy) return;
  if (!isLast()) readOn();
  else if (isPlaced()) submit();
  else viewer.pointAtMiddle();
}

function putBear(chosen) {
  answer = chosen;
  viewer.setOverlays('answer', [{ node: marker, heading: chosen.heading, pitch: chosen.pitch }]);
  update();
}

async function readOn() {
  busy = true;
  update();
  try {
    const { sentence } = await attempt.send('next', viewer.view());
    sentences.push(sentence);
    showMessage('');
    list();
    viewer.node.focus({ preventScroll: true }); // so that the arrow keys look around, also after a click on the button
  } catch (error) {
    showMessage(error.message);
  }
  busy = false;
  update();
}

async function submit() {
  busy = true;
  update();
  try {
    const result = await attempt.submit(answer);
    stop();
    viewer.setCrosshair(false);
    const { found, degrees, target } = result.feedback;
    const off = `${formatNumber(degrees, 1)}° off`;
    const texts = [found ? `You found it: ${off}.` : `Not this time: ${off}.`];
    marker.classList.add('guess');
    marker.setAttribute('aria-label', 'Your answer');
    if (target) {
      showBear(viewer, target, radius, 'The bear');
      viewer.look(target);
      if (!found) texts.push('The bear shows where it hid, a ring where you looked for it.');
    }
    byId('sentences').querySelector('[aria-current]')?.removeAttribute('aria-current');
    showEnd(attempt, result, ...texts);
  } catch (error) {
    showMessage(error.message);
    busy = false;
    update();
  }
}

function list() {
  const items = sentences.map((sentence, k) => el('li', { 'aria-current': k === sentences.length - 1 ? 'step' : null }, sentence));
  byId('sentences').replaceChildren(...items);
  items.at(-1).scrollIntoView({ block: 'nearest' });
}

function update() {
  const labels = isLast() ? (isPlaced() ? 'Submit' : 'Put the bear in the middle') : 'Next sentence';
  if (button.textContent !== labels) button.textContent = labels;
  button.setAttribute('aria-disabled', String(busy));
  const progress = `Sentence ${sentences.length} of ${count}`;
  if (byId('progress').textContent !== progress) byId('progress').textContent = progress;
  byId('intro').hidden = sentences.length > 1;
  const hint = isLast()
    ? 'Where is the bear? Click the spot, or bring it under the mark in the middle. Then press the button below.'
    : `${sentences.length === 1 ? 'You look straight up: drag the picture, or use the arrow keys. ' : ''}Turn until the mark in the middle is on what the sentence says. Then go on.`;
  if (byId('hint').textContent !== hint) byId('hint').textContent = hint;
}

list();
update();
