// Text with marked phenomena. Overlapping marks have a line each under the words, with colour, dash pattern and a number
// in the legend, so that colour is not needed to tell them apart. Offsets count code points, as in Python.

import { formatCount, formatNumber, el, plural } from './dom.js';
import { attentionShares } from './policy-panel.js';
import { summary } from './report-data.js';

const DASH_PATTERNS = ['', '6px 3px', '2px 2.5px']; // by phenomenon: solid, dashed, dotted
const MAX_LEVELS = 5; // lines under a word
const PHENOMENON_COLOURS = 14;

function phenomenonColour(phenomenon) {
  return `var(--mark-${phenomenon % PHENOMENON_COLOURS})`;
}

// Overlapping marks get different levels; a mark has one level over its whole length.
function assignLevels(marks) {
  const ends = [];
  return [...marks].sort((a, b) => a[1] - b[1] || b[2] - a[2]).map(([name, begin, end]) => {
    let level = ends.findIndex((until) => until <= begin);
    if (level < 0) level = ends.length;
    ends[level] = end;
    return { name, begin, end, level: Math.min(level, MAX_LEVELS - 1) };
  });
}

/** Split a text at the ends of its marks: [{begin, end, marks}]. Marks are clipped to the text. */
export function splitAtMarks(length, marks, cuts = []) {
  const placed = assignLevels(marks.map(([n, b, e]) => [n, Math.max(b, 0), Math.min(e, length)]).filter(([, b, e]) => b < e));
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

function underlineImage(mark) {
  const [dash, gap] = DASH_PATTERNS[mark.name % DASH_PATTERNS.length].split(' ');
  const colour = phenomenonColour(mark.name);
  if (!dash) return `linear-gradient(${colour}, ${colour})`;
  return `repeating-linear-gradient(90deg, ${colour} 0 ${dash}, transparent ${dash} calc(${dash} + ${gap}))`;
}

// Lines are background images, the first directly under the letters, so that they wrap with the words.
function underline(span, marks) {
  const position = (mark) => `0 calc(100% - ${(MAX_LEVELS - 1 - mark.level) * 3}px)`;
  span.style.backgroundImage = marks.map(underlineImage).join(', ');
  span.style.backgroundSize = marks.map(() => '100% 2px').join(', ');
  span.style.backgroundPosition = marks.map(position).join(', ');
  span.style.backgroundRepeat = 'no-repeat';
}

function phenomenonName(mark) {
  return summary.phenomena[mark.name] ?? `phenomenon ${mark.name + 1}`;
}

function pieceElement(words, piece, numbered, tokens) {
  const token = tokens.length ? el('span', { class: 'token', dataset: { tokens: tokens.join(' ') } }, words) : document.createTextNode(words);
  if (!piece.marks.length) return token;
  const names = [...new Set(piece.marks.map(phenomenonName))].join(' + ');
  const begins = numbered ? piece.marks.filter((mark) => mark.begin === piece.begin) : [];
  const span = el('span', {
    class: 'marked',
    title: numbered ? null : names,
    dataset: { names, marks: piece.marks.map((mark) => mark.name).join(' ') },
    tabindex: begins.length ? '-1' : null,
    role: begins.length ? 'note' : null,
    'aria-label': begins.length ? `${words} (${names})` : null,
  }, begins.length ? el('sup', { class: 'marknumber', 'aria-hidden': 'true' }, [...new Set(begins.map((mark) => mark.name + 1))].join(',')) : null, token);
  underline(span, piece.marks);
  return span;
}

/**
 * Return a text as a <span>. marks: [[phenomenon, begin, end], ...]; limit: code points shown; sentences: [[begin, end], ...]
 * are numbered and, with onsentence, buttons; numbered: marks show their number in the legend and can be focused;
 * tokens: [[begin, end], ...] are elements of class token, with their numbers in data-tokens.
 */
export function annotatedText(text, marks = [], { limit = Infinity, sentences = [], onsentence = null, numbered = false, tokens = [] } = {}) {
  const codePoints = Array.from(text);
  const length = Math.min(codePoints.length, limit);
  const out = el('span', { class: 'coloured' });
  const starts = new Map(sentences.map(([begin], k) => [begin, k]));
  for (const piece of splitAtMarks(length, marks, [...starts.keys(), ...tokens.flat()])) {
    if (starts.has(piece.begin)) out.append(sentenceNumber(starts.get(piece.begin), onsentence));
    const covering = [...tokens.keys()].filter((k) => tokens[k][0] <= piece.begin && tokens[k][1] >= piece.end);
    out.append(pieceElement(codePoints.slice(piece.begin, piece.end).join(''), piece, numbered, covering));
  }
  if (length < codePoints.length) out.append('…');
  // Set last: the browser would detect the direction again for each child appended after it.
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

/** Return the text of a leg, with "show all" if it is long, and its legend: {node, shade({spans, words} | null)} shades tokens by their weights. */
export function textPanel(leg, { limit = 4000, onsentence = null } = {}) {
  const hidden = new Set();
  let expanded = false;
  let attention = null;
  const body = el('div', { class: 'legtext' });
  const more = el('button', { type: 'button', class: 'more' });
  more.addEventListener('click', () => { expanded = !expanded; paint(); });
  const counts = new Map();
  for (const [name] of leg.phenomena || []) counts.set(name, (counts.get(name) || 0) + 1);
  const length = Array.from(leg.text).length;

  function paint() {
    const marks = (leg.phenomena || []).filter(([name]) => !hidden.has(name));
    const sentences = leg.sentences?.length > 1 ? leg.sentences : [];
    const onbutton = leg.views?.length ? onsentence : null;
    body.replaceChildren(annotatedText(leg.text, marks, { limit: expanded ? Infinity : limit, sentences, onsentence: onbutton, numbered: true, tokens: attention?.spans ?? [] }));
    paintAttention();
    const marked = focusable();
    if (marked.length) marked[0].tabIndex = 0;
    if (length <= limit) return;
    more.textContent = expanded ? 'Show less' : `Show all ${formatCount(length)} characters`;
    body.append(' ', more);
  }

  function paintAttention() {
    if (!attention) return;
    const highest = Math.max(...attention.words, 1);
    const shares = attentionShares(attention.words);
    for (const node of body.querySelectorAll('.token')) {
      const tokens = node.dataset.tokens.split(' ').map(Number);
      node.style.setProperty('--attention', (Math.max(...tokens.map((k) => attention.words[k])) / highest).toFixed(3));
      node.title = `attention ${formatNumber(100 * tokens.reduce((sum, k) => sum + shares[k], 0), 1)} %`;
    }
  }

  // All marks together are one Tab stop; arrow keys move between them.
  const focusable = () => [...body.querySelectorAll('.marked[tabindex]')];
  body.addEventListener('keydown', (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const marked = focusable();
    const next = marked[marked.indexOf(event.target) + step];
    if (!step || !marked.includes(event.target) || !next) return;
    event.preventDefault();
    event.target.tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  });

  paint();
  return {
    node: el('div', { class: 'textpanel' }, body, counts.size ? phenomenonLegend(counts, hidden, paint) : null),
    shade(next) {
      const repaint = next?.spans !== attention?.spans;
      attention = next;
      if (repaint) paint();
      else paintAttention();
    },
  };
}

function phenomenonLegend(counts, hidden, paint) {
  const keys = [...counts.keys()].sort((a, b) => a - b);
  const items = keys.map((name) => legendItem(name, counts.get(name), hidden, paint));
  const toggleAll = el('button', { type: 'button', class: 'chip' }, 'hide all');
  toggleAll.addEventListener('click', () => {
    const hide = hidden.size < keys.length;
    for (const [i, name] of keys.entries()) setHidden(items[i].firstChild, hidden, name, hide);
    toggleAll.textContent = hide ? 'show all' : 'hide all';
    paint();
  });
  return el('ul', { class: 'marklegend', 'aria-label': `Phenomena in this text: ${plural(keys.length, 'kind')}` }, items, el('li', {}, toggleAll));
}

function setHidden(button, hidden, name, hide) {
  if (hide) hidden.add(name);
  else hidden.delete(name);
  button.setAttribute('aria-pressed', String(!hide));
}

function legendItem(name, times, hidden, paint) {
  const swatch = el('span', { class: 'swatch', 'aria-hidden': 'true' });
  swatch.style.backgroundImage = underlineImage({ name });
  const button = el('button', { type: 'button', class: 'chip', 'aria-pressed': 'true' },
    el('span', { class: 'marknumber' }, String(name + 1)), swatch, summary.phenomena[name] ?? `phenomenon ${name + 1}`,
    el('span', { class: 'times' }, ` ${times}`));
  button.addEventListener('click', () => {
    setHidden(button, hidden, name, !hidden.has(name));
    paint();
  });
  return el('li', {}, button);
}
