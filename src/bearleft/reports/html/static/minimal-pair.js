// The panel of a minimal pair: two texts that differ in a few words and in meaning.

import { truncate, el } from './dom.js';
import { exampleHash } from './trace-rows.js';

const MAX_WORDS = 800; // of each text; the comparison is quadratic
const CONTEXT_WORDS = 8; // words shown before and after a change
const MAX_SHOWN_WORDS = 120; // words shown at most

/** Return the words of both texts as [[word, changed], ...]: words outside the longest common subsequence have changed. */
export function changedWords(text, otherText) {
  const [a, b] = [text, otherText].map((text) => text.split(/\s+/).filter(Boolean).slice(0, MAX_WORDS));
  const stride = b.length + 1;
  const common = new Uint16Array((a.length + 1) * stride);
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      common[i * stride + j] = a[i] === b[j] ? common[(i + 1) * stride + j + 1] + 1 : Math.max(common[(i + 1) * stride + j], common[i * stride + j + 1]);
    }
  }
  const [left, right] = [a.map((word) => [word, true]), b.map((word) => [word, true])];
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    if (a[i] === b[j]) {
      left[i++][1] = false;
      right[j++][1] = false;
    } else if (common[(i + 1) * stride + j] >= common[i * stride + j + 1]) i += 1;
    else j += 1;
  }
  return [left, right];
}

function wordsInContext(words) {
  const inContext = words.map((_, i) => words.slice(Math.max(i - CONTEXT_WORDS, 0), i + CONTEXT_WORDS + 1).some(([, changed]) => changed));
  const out = [];
  words.forEach(([word, changed], i) => {
    if (out.length > 2 * MAX_SHOWN_WORDS) return;
    if (!inContext[i]) {
      if (!i || inContext[i - 1]) out.push('… ');
    } else out.push(changed ? el('mark', {}, truncate(word, 80)) : truncate(word, 80), ' ');
  });
  return out;
}

/** Return a panel with both texts around the changes, and a link to the partner; null if the example is not in a pair. */
export function minimalPairPanel(report, index, list) {
  const example = report.examples[index];
  if (!example.pair) return null;
  const { kind, name, changed, partner: partnerIndex } = example.pair;
  const partner = Number.isInteger(partnerIndex) ? report.examples[partnerIndex] : null;
  const description = `${changed ? 'Changed' : 'Unchanged'} half of the minimal pair ${truncate(name || '', 80)}${kind ? ` (${kind})` : ''}.`;
  if (!partner) return el('section', { class: 'panel pair' }, el('h3', {}, 'Minimal pair'), el('p', { class: 'soft small' }, description, ' Its partner is not in this report.'));
  const texts = [example, partner].map((half) => half.legs.map((leg) => leg.text).join(' '));
  const [words, partnerWords] = changedWords(...texts);
  const same = !words.some(([, changedWord]) => changedWord) && !partnerWords.some(([, changedWord]) => changedWord);
  return el('section', { class: 'panel pair' }, el('h3', {}, 'Minimal pair'), el('p', { class: 'soft small' }, description),
    same ? el('p', {}, 'Both texts are the same.') : [
      el('p', {}, el('b', {}, 'here: '), wordsInContext(words)), el('p', {}, el('b', {}, 'partner: '), wordsInContext(partnerWords))],
    el('p', {}, el('a', { href: exampleHash(report, partnerIndex, { list }) }, 'Go to the partner ', el('span', { class: 'mono' }, truncate(partner.id, 80)), ' →')));
}
