// A quiz: three answers to each question; what is wrong is explained, and one chooses again.

import { el, setContent } from '../../shared/dom.js';
import { openAttempt } from '../api.js';
import { byId, showEnd, showMessage } from '../unit-page.js';

const attempt = openAttempt();
const { questions, checked } = attempt.view;
const form = byId('quiz');
let busy = false;

const fieldsets = questions.map(({ text, answers }, k) => el('fieldset', { class: 'question' }, el('legend', {}, text),
  answers.map((answer, n) => el('label', { class: 'answer' }, el('input', { type: 'radio', name: `question-${k}`, value: n, required: true, checked: checked?.answers[k] === n }), ' ', answer)),
  el('p', { class: 'explanation', role: 'status' })));
setContent(byId('questions'), fieldsets);
if (checked) explain(checked);

form.addEventListener('submit', async (event) => {
  event.preventDefault();
  if (busy) return;
  busy = true;
  const answers = questions.map((_, k) => Number(new FormData(form).get(`question-${k}`)));
  try {
    const result = await attempt.send('check', { answers });
    explain(result);
    if (result.passed) showEnd(attempt, await attempt.submit({ answers }));
    else showMessage('Not all are right yet. Read what is said below those questions, and choose again.');
  } catch (error) {
    showMessage(error.message);
  }
  busy = false;
});

function explain({ right, explanations }) {
  fieldsets.forEach((fieldset, k) => {
    fieldset.dataset.right = right[k];
    fieldset.lastChild.textContent = right[k] ? 'Right.' : explanations[k];
  });
}
