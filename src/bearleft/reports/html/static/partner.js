// A minimal pair: two texts that differ in a few words and mean different things.

import { cut, el } from './dom.js';
import { exampleHref } from './lanes.js';

const WORDS = 800; // of each text: beyond, comparing would take long
const AROUND = 8; // words shown before and after what changed
const LONGEST_SHOWN = 120; // words shown at all

/** The words of two texts as [[word, changed], ...] each: what is not in their longest common subsequence changed. */
export function changedWords(one, other) {
  const [a, b] = [one, other].map((text) => text.split(/\s+/).filter(Boolean).slice(0, WORDS));
  const wide = b.length + 1;
  const common = new Uint16Array((a.length + 1) * wide);
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      common[i * wide + j] = a[i] === b[j] ? common[(i + 1) * wide + j + 1] + 1 : Math.max(common[(i + 1) * wide + j], common[i * wide + j + 1]);
    }
  }
  const [left, right] = [a.map((word) => [word, true]), b.map((word) => [word, true])];
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    if (a[i] === b[j]) {
      left[i++][1] = false;
      right[j++][1] = false;
    } else if (common[(i + 1) * wide + j] >= common[i * wide + j + 1]) i += 1;
    else j += 1;
  }
  return [left, right];
}

function shownWords(words) {
  const near = words.map((_, i) => words.slice(Math.max(i - AROUND, 0), i + AROUND + 1).some(([, changed]) => changed));
  const out = [];
  words.forEach(([word, changed], i) => {
    if (out.length > 2 * LONGEST_SHOWN) return;
    if (!near[i]) {
      if (!i || near[i - 1]) out.push('… ');
    } else out.push(changed ? el('mark', {}, cut(word, 80)) : cut(word, 80), ' ');
  });
  return out;
}

/** A panel with both texts around what changed, and a link to the partner; null where there is no pair. */
export function pairPanel(rows, index, list) {
  const example = rows.examples[index];
  if (!example.pair) return null;
  const { kind, name, changed, other } = example.pair;
  const partner = Number.isInteger(other) ? rows.examples[other] : null;
  const said = `${changed ? 'Changed' : 'Unchanged'} half of the minimal pair ${cut(name || '', 80)}${kind ? ` (${kind})` : ''}.`;
  if (!partner) return el('section', { class: 'panel pair' }, el('h3', {}, 'Minimal pair'), el('p', { class: 'soft small' }, said, ' Its partner is not in this report.'));
  const texts = [example, partner].map((one) => one.legs.map((leg) => leg.text).join(' '));
  const [here, there] = changedWords(...texts);
  const same = !here.some(([, is]) => is) && !there.some(([, is]) => is);
  return el('section', { class: 'panel pair' }, el('h3', {}, 'Minimal pair'), el('p', { class: 'soft small' }, said),
    same ? el('p', {}, 'Both texts are the same.') : [
      el('p', {}, el('b', {}, 'here: '), shownWords(here)), el('p', {}, el('b', {}, 'partner: '), shownWords(there))],
    el('p', {}, el('a', { href: exampleHref(rows, other, { list }) }, 'Go to the partner ', el('span', { class: 'mono' }, cut(partner.id, 80)), ' →')));
}
