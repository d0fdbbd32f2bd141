// A text with its phenomena marked. Several may overlap: each has its own line under the words, in its own colour and
// pattern, with its number in the legend, so that none is told by colour alone. Marks count Python's code points.

import { count, el, markOf, plural } from './dom.js';
import { head } from './store.js';

const DASHES = ['', '6px 3px', '2px 2.5px']; // by phenomenon: a whole line, dashes, dots
const DEEPEST = 5; // lines under one word

// Marks that overlap go on different lines; one mark keeps its line from its beginning to its end.
function levels(marks) {
  const ends = [];
  return [...marks].sort((a, b) => a[1] - b[1] || b[2] - a[2]).map(([name, begin, end]) => {
    let level = ends.findIndex((until) => until <= begin);
    if (level < 0) level = ends.length;
    ends[level] = end;
    return { name, begin, end, level: Math.min(level, DEEPEST - 1) };
  });
}

/** The pieces of a text between the ends of its marks: {begin, end, marks}. Marks outside of the text are cut. */
export function pieces(length, marks, cuts = []) {
  const placed = levels(marks.map(([n, b, e]) => [n, Math.max(b, 0), Math.min(e, length)]).filter(([, b, e]) => b < e));
  const borders = new Set([0, length, ...cuts.filter((at) => at > 0 && at < length)]);
  for (const mark of placed) borders.add(mark.begin).add(mark.end);
  const sorted = [...borders].sort((a, b) => a - b);
  const out = [];
  let next = 0;
  let open = [];
  for (let i = 0; i + 1 < sorted.length; i += 1) {
    open = open.filter((mark) => mark.end > sorted[i]);
    while (next < placed.length && placed[next].begin <= sorted[i]) open.push(placed[next++]);
    out.push({ begin: sorted[i], end: sorted[i + 1], marks: open });
  }
  return out;
}

function lineOf(mark) {
  const [dash, gap] = DASHES[mark.name % DASHES.length].split(' ');
  const colour = markOf(mark.name);
  if (!dash) return `linear-gradient(${colour}, ${colour})`;
  return `repeating-linear-gradient(90deg, ${colour} 0 ${dash}, transparent ${dash} calc(${dash} + ${gap}))`;
}

// Lines are backgrounds, the first directly under the letters: they wrap with the words.
function underlined(span, marks) {
  const down = (mark) => `0 calc(100% - ${(DEEPEST - 1 - mark.level) * 3}px)`;
  span.style.backgroundImage = marks.map(lineOf).join(', ');
  span.style.backgroundSize = marks.map(() => '100% 2px').join(', ');
  span.style.backgroundPosition = marks.map(down).join(', ');
  span.style.backgroundRepeat = 'no-repeat';
}

function nameOf(mark) {
  return head.phenomena[mark.name] ?? `phenomenon ${mark.name + 1}`;
}

function pieceNode(words, piece, numbered) {
  if (!piece.marks.length) return document.createTextNode(words);
  const names = [...new Set(piece.marks.map(nameOf))].join(' + ');
  const begins = numbered ? piece.marks.filter((mark) => mark.begin === piece.begin) : [];
  const span = el('span', {
    class: 'marked',
    title: numbered ? null : names,
    dataset: { names, marks: piece.marks.map((mark) => mark.name).join(' ') },
    tabindex: begins.length ? '-1' : null,
    role: begins.length ? 'note' : null,
    'aria-label': begins.length ? `${words} (${names})` : null,
  }, begins.length ? el('sup', { class: 'marknumber', 'aria-hidden': 'true' }, [...new Set(begins.map((mark) => mark.name + 1))].join(',')) : null, words);
  underlined(span, piece.marks);
  return span;
}

/**
 * The text as a <span>. marks: [[phenomenon, begin, end], ...]; limit: code points shown; sentences: [[begin, end], ...]
 * are numbered and, with onsentence, buttons; numbered: marks carry their number in the legend and can be focused.
 */
export function coloured(text, marks = [], { limit = Infinity, sentences = [], onsentence = null, numbered = false } = {}) {
  const points = Array.from(text);
  const length = Math.min(points.length, limit);
  const out = el('span', { class: 'coloured' });
  const starts = new Map(sentences.map(([begin], k) => [begin, k]));
  for (const piece of pieces(length, marks, [...starts.keys()])) {
    if (starts.has(piece.begin)) out.append(sentenceNumber(starts.get(piece.begin), onsentence));
    out.append(pieceNode(points.slice(piece.begin, piece.end).join(''), piece, numbered));
  }
  if (length < points.length) out.append('…');
  // Last, since a child that comes into an element with a direction of its own makes the browser look for it anew.
  out.setAttribute('dir', 'auto');
  return out;
}

function sentenceNumber(k, onsentence) {
  if (!onsentence) return el('span', { class: 'sentence' }, String(k + 1));
  return el('button', {
    type: 'button', class: 'sentence', title: `Where people looked after sentence ${k + 1}`,
    'aria-label': `Sentence ${k + 1}: look where people looked after it`, onclick: () => onsentence(k),
  }, String(k + 1));
}

/** The text of a leg with "show all" where it is long, and its legend: {node}. */
export function textPanel(leg, { limit = 4000, onsentence = null } = {}) {
  const hidden = new Set();
  let whole = false;
  const body = el('div', { class: 'legtext' });
  const more = el('button', { type: 'button', class: 'more' });
  more.addEventListener('click', () => { whole = !whole; paint(); });
  const counts = new Map();
  for (const [name] of leg.marks || []) counts.set(name, (counts.get(name) || 0) + 1);
  const length = Array.from(leg.text).length;

  function paint() {
    const marks = (leg.marks || []).filter(([name]) => !hidden.has(name));
    const sentences = leg.sentences?.length > 1 ? leg.sentences : [];
    const asked = leg.views?.length ? onsentence : null;
    body.replaceChildren(coloured(leg.text, marks, { limit: whole ? Infinity : limit, sentences, onsentence: asked, numbered: true }));
    const marked = focusable();
    if (marked.length) marked[0].tabIndex = 0;
    if (length <= limit) return;
    more.textContent = whole ? 'Show less' : `Show all ${count(length)} characters`;
    body.append(' ', more);
  }

  // One stop of the Tab key for all marks; arrow keys lead from one to the next.
  const focusable = () => [...body.querySelectorAll('.marked[tabindex]')];
  body.addEventListener('keydown', (event) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const all = focusable();
    const next = all[all.indexOf(event.target) + by];
    if (!by || !all.includes(event.target) || !next) return;
    event.preventDefault();
    event.target.tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  });

  paint();
  return el('div', { class: 'textpanel' }, body, counts.size ? legendOf(counts, hidden, paint) : null);
}

function legendOf(counts, hidden, paint) {
  const keys = [...counts.keys()].sort((a, b) => a - b);
  const items = keys.map((name) => legendItem(name, counts.get(name), hidden, paint));
  const all = el('button', { type: 'button', class: 'chip' }, 'hide all');
  all.addEventListener('click', () => {
    const off = hidden.size < keys.length;
    for (const [i, name] of keys.entries()) setHidden(items[i].firstChild, hidden, name, off);
    all.textContent = off ? 'show all' : 'hide all';
    paint();
  });
  return el('ul', { class: 'marklegend', 'aria-label': `Phenomena in this text: ${plural(keys.length, 'kind')}` }, items, el('li', {}, all));
}

function setHidden(button, hidden, name, off) {
  if (off) hidden.add(name);
  else hidden.delete(name);
  button.setAttribute('aria-pressed', String(!off));
}

function legendItem(name, times, hidden, paint) {
  const swatch = el('span', { class: 'swatch', 'aria-hidden': 'true' });
  swatch.style.backgroundImage = lineOf({ name });
  const button = el('button', { type: 'button', class: 'chip', 'aria-pressed': 'true' },
    el('span', { class: 'marknumber' }, String(name + 1)), swatch, head.phenomena[name] ?? `phenomenon ${name + 1}`,
    el('span', { class: 'times' }, ` ${times}`));
  button.addEventListener('click', () => {
    setHidden(button, hidden, name, !hidden.has(name));
    paint();
  });
  return el('li', {}, button);
}
