import { colourOf, cut, el, named, number, plural } from './dom.js';
import { drawMap, hasMap } from './map.js';
import { link } from './router.js';
import { head } from './store.js';
import { coloured } from './text.js';

const TEXT = 600;
const drawing = new WeakMap();
let watcher = null;

// Pictures of cards are drawn when they come near the window.
function watch(canvas, draw) {
  watcher ??= new IntersectionObserver((seen) => {
    for (const entry of seen) {
      if (!entry.isIntersecting) continue;
      watcher.unobserve(entry.target);
      drawing.get(entry.target)?.();
    }
  }, { rootMargin: '300px' });
  drawing.set(canvas, draw);
  watcher.observe(canvas);
}

/** Draws the visible cards' pictures again, as when light turns to dark. */
export function redraw(place) {
  for (const canvas of place.querySelectorAll('canvas')) if (drawing.has(canvas)) watch(canvas, drawing.get(canvas));
}

/** The address of an example, which remembers the list it was opened from. */
export function exampleLink(example, listQuery) {
  return link(['example', example.dataset, example.id], { list: listQuery });
}

/** A card of the list. */
export function card(rows, index, listQuery) {
  const example = rows.examples[index];
  const canvas = el('canvas', { 'aria-hidden': 'true', width: 16, height: 9 });
  watch(canvas, () => sketch(canvas, rows, index));
  return el('li', {}, el('article', { class: 'card' }, canvas, el('div', { class: 'body' },
    el('h3', {}, named(example.id, 'a', { href: exampleLink(example, listQuery), dataset: { index } })),
    el('p', { class: 'about' }, about(example)),
    el('div', { class: 'said-text' }, texts(example)),
    el('div', { class: 'chips' }, example.traces.map(chip)))));
}

async function sketch(canvas, rows, index) {
  try {
    if (hasMap(rows, index)) await drawMap(canvas, rows, index, { small: true });
  } catch {
    canvas.hidden = true;
  }
}

function about(example) {
  const pair = example.pair ? `${example.pair.kind}${example.pair.changed ? ', changed' : ''}` : null;
  const parts = [head.datasets.length > 1 && named(head.datasets[example.dataset].name), named(head.worlds[example.world] ?? ''), el('span', {}, plural(example.length, 'token')), pair && named(pair)];
  return parts.filter(Boolean);
}

function texts(example) {
  let left = TEXT;
  const parts = [];
  for (const leg of example.legs) {
    if (left <= 0) break;
    if (parts.length) parts.push(' ');
    parts.push(coloured(leg.text, leg.marks, { limit: left }));
    left -= leg.text.length;
  }
  return parts;
}

/** Which measure an example's legs are judged by: the last leg's, as papers do. */
function judged(example) {
  const kinds = example.legs.map((leg) => leg.kind).reverse();
  const kind = kinds.find((one) => head.right[one] !== undefined);
  return kind === undefined ? null : head.right[kind];
}

function chip(trace, _, traces) {
  const name = head.agents[trace.agent]?.name ?? '';
  const again = traces.filter((other) => other.agent === trace.agent).length > 1 ? ` #${trace.seed}` : '';
  const said = trace.right === null ? 'not judged' : trace.right ? 'right' : 'wrong';
  const sign = trace.right === null ? '·' : trace.right ? '✓' : '✗';
  return el('span', { class: 'chip', style: { '--of': colourOf(trace.agent) } }, el('span', { class: 'dot', 'aria-hidden': 'true' }), named(`${cut(name, 200)}${again}`),
    el('span', { class: `sign ${said}`, 'aria-hidden': 'true' }, sign), el('span', { class: 'hidden-text' }, said));
}
