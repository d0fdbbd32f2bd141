// Task IV: mark the words that tell the way, and those that tell where the bear sits.

import { el, plural } from '../../shared/dom.js';
import { openAttempt } from '../api.js';
import { byId, finish, showKeys, showMessage } from '../unit-page.js';

const unit = openAttempt();
const { view } = unit;
const count = view.tokens.length;
const state = { mode: view.way_end === null ? 'way' : 'bear', wayEnd: view.way_end, bearBegin: view.bear_begin, focus: 0 };

const buttons = view.tokens.map((token, i) => el('button', { type: 'button', class: 'token', tabindex: i ? -1 : 0, onclick: () => choose(i), onfocus: () => setFocus(i) }, token));
const text = el('div', { class: 'tokens', role: 'group', 'aria-label': 'The words of the text', onkeydown: onKey }, buttons.map((button) => [button, ' ']));
byId('scene').append(text);
byId('scene').classList.add('reading');

function setFocus(i) {
  buttons[state.focus].tabIndex = -1;
  state.focus = i;
  buttons[i].tabIndex = 0;
}

function onKey(event) {
  const steps = { ArrowRight: state.focus + 1, ArrowLeft: state.focus - 1, Home: 0, End: count - 1, ArrowDown: lineAway(1), ArrowUp: lineAway(-1) };
  if (event.key === '1' || event.key === '2') setMode(event.key === '1' ? 'way' : 'bear');
  else if (event.key in steps) buttons[Math.min(Math.max(steps[event.key], 0), count - 1)].focus();
  else return;
  event.preventDefault();
}

// Return the word above or below the one with the focus.
function lineAway(direction) {
  const here = buttons[state.focus].getBoundingClientRect();
  let best = state.focus;
  let least = Infinity;
  buttons.forEach((button, i) => {
    const there = button.getBoundingClientRect();
    const lines = Math.round(((there.top - here.top) * direction) / here.height);
    const distance = lines * 10_000 + Math.abs(there.left - here.left);
    if (lines >= 1 && distance < least) [best, least] = [i, distance];
  });
  return best;
}

function setMode(mode) {
  state.mode = mode;
  for (const input of document.querySelectorAll('input[name="mode"]')) input.checked = input.value === mode;
  showState();
}

async function choose(i) {
  const first = state.mode === 'way' && state.wayEnd === null;
  try {
    const result = state.mode === 'way' ? await unit.send('way', { end: i + 1 }) : await unit.send('bear', { begin: i });
    Object.assign(state, { wayEnd: result.way_end, bearBegin: result.bear_begin });
    showMessage(null);
  } catch (error) {
    showMessage(error.message);
  }
  if (first) setMode('bear');
  else showState();
}

function showState() {
  const { wayEnd, bearBegin } = state;
  buttons.forEach((button, i) => {
    const inWay = wayEnd !== null && i < wayEnd;
    const inBear = bearBegin !== null && i >= bearBegin;
    button.classList.toggle('way', inWay);
    button.classList.toggle('bear', inBear);
    button.setAttribute('aria-pressed', String(state.mode === 'way' ? inWay : inBear));
  });
  text.dataset.mode = state.mode;
  byId('way-count').textContent = wayEnd === null ? '' : plural(wayEnd, 'word');
  byId('bear-count').textContent = bearBegin === null ? '' : plural(count - bearBegin, 'word');
  const gap = wayEnd !== null && bearBegin !== null ? bearBegin - wayEnd : 0;
  let words = `Both parts are marked. ${gap < 0 ? `${plural(-gap, 'word')} in both.` : ''}`;
  if (wayEnd === null) words = 'Choose the last word that tells the way.';
  else if (bearBegin === null) words = 'Now choose the first word that tells where the bear sits.';
  else if (gap > 0) words = `${plural(gap, 'word')} in between belong${gap === 1 ? 's' : ''} to no part yet.`;
  byId('state').textContent = words;
  byId('submit').disabled = wayEnd === null || bearBegin === null || gap > 0;
}

for (const input of document.querySelectorAll('input[name="mode"]')) input.addEventListener('change', () => setMode(input.value));
byId('submit').addEventListener('click', async () => {
  if (await finish(unit)) for (const button of buttons) button.disabled = true;
});
showKeys([[['←', '→', '↑', '↓'], 'go from word to word'], [['Enter'], 'choose a word'], [['1', '2'], 'mark the way, or the bear']]);
setMode(state.mode);
