// The conversation with a language model: prompt, answer, tokens, cost and time of each request, beside map and view.

import { el, formatCount, formatNumber, nameElement, plural, setContent } from './dom.js';
import { legSteps } from './film-strip.js';
import { traceLabel } from './trace-rows.js';

/** Return the panel of the followed agent's requests, or null if no agent has any: {node, update(trace, step)}. */
export function createConversationPanel(example, legIndex) {
  const legOf = (trace) => example.traces[trace]?.legs[legIndex];
  if (!example.traces.some((_, trace) => legOf(trace)?.calls)) return null;
  const title = el('h3', {});
  const facts = el('p', { class: 'soft small' });
  const list = el('ol', { class: 'calls' });
  const node = el('section', { class: 'panel conversation', 'aria-label': 'Conversation with the model' }, title, facts, list);
  return {
    node,
    update(trace, step) {
      const leg = legOf(trace);
      node.hidden = !leg?.calls;
      if (node.hidden) return;
      // A leg without steps, such as pointing, shows its whole conversation.
      const walks = legSteps(leg).length > 1;
      const shown = walks ? leg.calls.filter((call) => call.step === step) : leg.calls;
      setContent(title, walks ? `Conversation at step ${step} ` : 'Conversation ', nameElement(traceLabel(example, example.traces[trace]), 'span', { class: 'soft' }));
      facts.textContent = `This part: ${describeCosts(leg.calls)}.${shown.length ? '' : ' Nothing was asked at this step.'}`;
      setContent(list, shown.map(callItem));
    },
  };
}

function describeCosts(calls) {
  const sum = (name) => calls.reduce((total, call) => total + call[name], 0);
  const unreadable = calls.filter((call) => call.error).length;
  const cost = calls.every((call) => Number.isFinite(call.cost)) ? `, cost ${formatNumber(sum('cost'), 6)}` : '';
  return `${plural(calls.length, 'request')}, ${formatCount(sum('input_tokens'))} + ${formatCount(sum('output_tokens'))} tokens${cost}, ${formatNumber(sum('seconds'), 1)} s, ${unreadable} unreadable`;
}

function callItem(call) {
  const read = call.error ? el('b', { class: 'unreadable' }, `unreadable: ${call.error}`) : el('b', {}, call.action);
  return el('li', {},
    call.messages.map(messagePart),
    words('model', call.answer || '(empty)'),
    el('p', { class: 'small' }, 'Read as ', read, el('span', { class: 'soft' }, ` · ${describeCosts([call])}`)));
}

function messagePart({ role, text, pictures }) {
  const shown = pictures?.length ? `${text}\n(${plural(pictures.length, 'picture')})` : text;
  if (role !== 'system') return words(role, shown);
  return el('details', {}, el('summary', { class: 'small' }, 'system'), preformatted(shown));
}

function words(role, text) {
  return el('div', { class: 'callmessage' }, el('span', { class: 'small soft' }, role), preformatted(text));
}

function preformatted(text) {
  return el('pre', { dir: 'auto', tabindex: '0' }, text);
}
