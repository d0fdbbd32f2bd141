// Task III and the qualification: follow a text without a map, and find the bear within five clicks.

import { createPointView } from '../point-view.js';
import { openAttempt } from '../api.js';
import { createWalkView, WALK_KEYS } from '../walk-view.js';
import { byId, finish, isShown, offerReturn, showKeys, showMessage } from '../unit-page.js';

const unit = openAttempt();
const { view } = unit;
const state = { place: view.walk.place, left: view.attempts_left, found: view.found, done: view.done, guesses: view.guesses, click: null };

const walkView = createWalkView({
  walk: view.walk,
  async onmove(link) {
    state.click = null;
    pointView.clear();
    const { walk } = await unit.send('move', { place: link.place });
    state.place = walk.place;
    showGuesses();
    showState();
    return walk;
  },
  onerror: (error) => showMessage(error.message),
});
const pointView = createPointView(walkView.viewer, { onpoint: choose });
byId('scene').append(walkView.node);

function choose(click) {
  if (state.done) return;
  const shown = isShown(walkView.viewer, view.world, state.place);
  state.click = shown ? click : null;
  if (!shown) pointView.clear();
  showState();
}

// Earlier clicks at this place: nobody should try the same spot twice.
function showGuesses() {
  const here = state.guesses.map((guess, i) => ({ ...guess, number: i + 1 })).filter((guess) => guess.place === state.place);
  const wrong = state.found ? here.slice(0, -1) : here;
  walkView.viewer.setMarks(wrong.map((guess) => ({ kind: 'answer', direction: [guess.heading, guess.pitch], colour: '--bad', label: `not here (${guess.number})`, shortLabel: String(guess.number) })));
}

function showState(verdict = '') {
  byId('guess').disabled = state.done || state.click === null;
  byId('guess').textContent = state.left ? `The bear is here (${state.left} left)` : 'The bear is here';
  const tries = `${state.left} of ${view.attempts} tries left.`;
  let words = state.click ? `${tries} Is the bear where you clicked?` : tries;
  if (state.found) words = 'You found the bear!';
  else if (state.done) words = 'No tries are left.';
  byId('state').textContent = verdict ? `${verdict} ${words}` : words;
}

async function guess() {
  if (!state.click || state.done) return;
  const { heading, pitch, view: seen } = state.click;
  byId('guess').disabled = true;
  try {
    const result = await unit.send('guess', { heading, pitch, view: seen });
    state.guesses.push({ place: state.place, heading, pitch });
    Object.assign(state, { left: result.attempts_left, found: result.found, done: result.done, click: null });
    if (!state.found) pointView.clear();
    showMessage(null);
    showGuesses();
    showState(state.found ? '' : 'Not here.');
    if (!state.done) walkView.viewer.node.focus();
  } catch (error) {
    showMessage(error.message);
    showState();
  }
  if (state.done) await end();
}

async function end() {
  pointView.setEnabled(false);
  walkView.setEnabled(false);
  await finish(unit);
}

byId('text').textContent = view.text;
byId('guess').addEventListener('click', guess);
offerReturn(unit, byId('return'));
// A click with the keyboard is followed by the question whether it is right.
walkView.viewer.node.addEventListener('keyup', (event) => {
  if (['Enter', ' '].includes(event.key) && state.click && event.target === walkView.viewer.node) byId('guess').focus();
});
showKeys([...WALK_KEYS, [['Enter'], 'choose the spot under the cross; once more: the bear is here']]);
showGuesses();
showState();
if (state.done) end();
