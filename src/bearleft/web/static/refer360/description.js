// The description task: find the bear, then write one sentence after another; drafts are saved while one types.

import { el } from '../../shared/dom.js';
import { angleBetween } from '../../shared/geometry.js';
import { openAttempt } from '../api.js';
import { byId, showEnd, showMessage } from '../unit-page.js';
import { answerOf, isForControl, openScene, showBear } from './scene.js';

const SAVE_AFTER = 700; // milliseconds without a key
const HINTS = [
  'Begin with something large that one finds from above.',
  'Lead on from there, one thing at a time.',
  'Come closer to the bear.',
  'Come closer still.',
  'Say exactly where the bear is.',
];

const attempt = openAttempt();
const { target, radius, limits } = attempt.view;
const { viewer, stop } = openScene(attempt, 'The scene with a hidden bear. Arrow keys look around.');
const fields = []; // {text, problem}
let found = attempt.view.found;
let busy = false;
let missed = null; // where one looked when the bear was not there
let timer = 0;
let saved = JSON.stringify(attempt.view.sentences);

showBear(viewer, target, radius, 'The bear');
viewer.listen({
  onpoint: (point) => !found && tryFound(answerOf(point)),
  onview(view) {
    if (missed && angleBetween(missed, [view.heading, view.pitch]) > 5) showMissed(null);
  },
  onkey(event) {
    if (found || event.key !== 'Enter' || event.repeat || isForControl(event)) return false;
    viewer.pointAtMiddle();
    return true;
  },
});
byId('middle').addEventListener('click', () => viewer.pointAtMiddle());
byId('bear').addEventListener('click', () => viewer.look(target));
byId('add').addEventListener('click', addSentence);
byId('submit').addEventListener('click', submit);

async function tryFound(answer) {
  if (busy) return;
  busy = true;
  try {
    found = (await attempt.send('found', answer)).found;
    showMissed(found ? null : [answer.view.heading, answer.view.pitch]);
    if (found) showWriting();
  } catch (error) {
    showMessage(error.message);
  }
  busy = false;
}

function showMissed(view) {
  missed = view;
  showMessage(view ? 'The bear is not there. Look further.' : '');
}

function showWriting(sentences = [''], problems = []) {
  byId('find').hidden = true;
  byId('scene').classList.add('found');
  byId('write').hidden = false;
  viewer.setCrosshair(false);
  sentences.forEach((sentence, k) => addField(sentence, problems[k]));
  update();
  fields.at(-1).text.focus();
}

function addField(sentence = '', problem = '') {
  const number = fields.length + 1;
  const text = el('textarea', {
    id: `sentence-${number}`, rows: 2, maxlength: limits.characters, 'aria-describedby': `hint-${number} problem-${number}`, enterkeyhint: 'next', autocomplete: 'off',
  });
  text.value = sentence;
  const hint = el('p', { id: `hint-${number}`, class: 'muted' }, HINTS[number - 1] ?? '');
  const note = el('p', { id: `problem-${number}`, class: 'problem', hidden: !problem }, problem);
  text.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(saveDraft, SAVE_AFTER);
    update();
    text.scrollIntoView({ block: 'nearest' }); // it grows, and the buttons must not cover it
  });
  text.addEventListener('change', saveDraft);
  text.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || event.isComposing) return;
    event.preventDefault();
    const next = fields[number];
    if (next) next.text.focus();
    else if (number < limits.most) addSentence();
    else byId('submit').focus();
  });
  fields.push({ text, problem: note });
  byId('fields').append(el('li', {}, el('label', { for: text.id }, `Sentence ${number}`), hint, text, note));
}

const written = () => fields.map(({ text }) => text.value);
const isWritten = ({ text }) => text.value.trim() !== '';

function update() {
  byId('add').hidden = fields.length >= limits.most;
  byId('submit').hidden = fields.filter(isWritten).length < limits.least;
  byId('count').textContent = fields.length < limits.least ? `At least ${limits.least} sentences, at most ${limits.most}.` : `Sentence ${fields.length} of at most ${limits.most}.`;
}

// Save what is written, if it is not saved yet, and show what the server says of each sentence that one is not writing at.
async function saveDraft() {
  clearTimeout(timer);
  const sentences = written();
  const content = JSON.stringify(sentences);
  if (content === saved) return null;
  saved = content;
  try {
    const { problems } = await attempt.send('draft', { sentences });
    showMessage('');
    showProblems(problems);
    return problems;
  } catch (error) {
    saved = '';
    showMessage(error.message);
    return null;
  }
}

function showProblems(problems, all = false) {
  fields.forEach(({ text, problem }, k) => {
    const writing = document.activeElement === text && k === fields.length - 1 && !all;
    problem.textContent = writing ? '' : problems[k] ?? '';
    problem.hidden = !problem.textContent;
    if (problem.hidden) text.removeAttribute('aria-invalid');
    else text.setAttribute('aria-invalid', 'true');
  });
}

async function addSentence() {
  if (busy || fields.length >= limits.most) return;
  busy = true;
  const last = fields.at(-1);
  saved = '';
  const problems = await saveDraft();
  busy = false;
  if (problems === null) return;
  showProblems(isWritten(last) ? problems : [...problems.slice(0, fields.length - 1), 'Write this sentence first.'], true);
  const wrong = fields.find(({ problem }) => !problem.hidden);
  if (wrong) return void wrong.text.focus();
  addField();
  update();
  fields.at(-1).text.focus({ preventScroll: true });
  fields.at(-1).text.scrollIntoView({ block: 'nearest' });
}

async function submit() {
  if (busy) return;
  busy = true;
  byId('submit').setAttribute('aria-disabled', 'true');
  const problems = (await saveDraft()) ?? [];
  showProblems(problems, true);
  try {
    const result = await attempt.submit({ sentences: written() });
    stop();
    showEnd(attempt, result);
  } catch (error) {
    showMessage(error.message);
    fields.find(({ problem }) => !problem.hidden)?.text.focus();
  }
  byId('submit').setAttribute('aria-disabled', 'false');
  busy = false;
}

if (found) showWriting(attempt.view.sentences.length ? attempt.view.sentences : [''], attempt.view.problems);
