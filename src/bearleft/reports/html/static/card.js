import { colourOf, cut, el, named, number, onTheme, plural, unseen } from './dom.js';
import { drawMap, hasMap } from './map.js';
import { drawPanorama } from './panorama.js';
import { link } from './router.js';
import { head } from './store.js';
import { coloured } from './text.js';

const TEXT = 600;
const TRACES = 8;
const CARDS = 240;
const drawing = new WeakMap();
const queue = [];
const made = new Map();
let watcher = null;
let pumping = 0;

// Pictures of cards are drawn when they come near the window, one at a time when nothing else is to be done: typing in
// the search never waits for a map.
function watch(canvas, draw) {
  watcher ??= new IntersectionObserver((seen) => {
    for (const entry of seen) {
      if (!entry.isIntersecting) continue;
      watcher.unobserve(entry.target);
      queue.push(entry.target);
    }
    pump();
  }, { rootMargin: '300px' });
  drawing.set(canvas, draw);
  watcher.observe(canvas);
}

function pump() {
  if (pumping || !queue.length) return;
  pumping = setTimeout(() => idle(drawNext), 40);
}

function idle(f) {
  if (window.requestIdleCallback) requestIdleCallback(f, { timeout: 300 });
  else setTimeout(f);
}

async function drawNext() {
  let canvas = queue.shift();
  // A card that has gone meanwhile is drawn when it comes back.
  for (; canvas && !canvas.isConnected; canvas = queue.shift()) watcher.observe(canvas);
  if (canvas) {
    await drawing.get(canvas)();
    idle(drawNext);
  } else {
    pumping = 0;
  }
}

/** The address of an example, which remembers the list it was opened from. */
export function exampleLink(example, listQuery) {
  return link(['example', example.dataset, example.id], { list: listQuery });
}

/** A card of the list; `metric` is the measure one sorts by, or null. Cards are kept, with what was drawn on them. */
export function card(rows, index, listQuery, metric) {
  const key = `${index}/${metric}`;
  const node = made.get(key) ?? newCard(rows, index, metric);
  made.delete(key);
  made.set(key, node);
  if (made.size > CARDS) made.delete(made.keys().next().value);
  node.querySelector('h3 a').setAttribute('href', exampleLink(rows.examples[index], listQuery));
  return node;
}

// Cards in the page are painted anew when light turns to dark; those kept aside would come back in the old colours.
onTheme(() => {
  for (const [key, node] of made) if (!node.isConnected) made.delete(key);
});

function newCard(rows, index, metric) {
  const example = rows.examples[index];
  const played = (agent) => example.traces.filter((trace) => trace.agent === agent).length;
  const canvas = el('canvas', { 'aria-hidden': 'true', width: 16, height: 9 });
  watch(canvas, () => sketch(canvas, rows, index));
  const shown = [...example.traces].sort((a, b) => a.agent - b.agent).slice(0, TRACES).map((trace) => chip(trace, metric, played(trace.agent) > 1));
  const more = example.traces.length - TRACES;
  return el('li', {}, el('article', { class: 'card' }, canvas, el('div', { class: 'body' },
    el('h3', {}, named(example.id, 'a', { dataset: { index } })), named(about(example), 'p', { class: 'about' }),
    el('div', { class: 'said-text' }, texts(example)),
    el('ul', { class: 'verdicts' }, shown, more > 0 && el('li', { class: 'soft' }, `and ${more} more`)))));
}

async function sketch(canvas, rows, index) {
  try {
    const { legs } = rows.examples[index];
    const leg = legs.findIndex((one) => one.kind === 'point');
    // An example that only points is seen as its panorama.
    const flat = legs.every((one) => one.kind === 'point') && (await drawPanorama(canvas, rows, index, leg, { small: true }));
    const drawn = flat || (hasMap(rows, index) && (await drawMap(canvas, rows, index, { small: true })));
    canvas.hidden = !drawn;
  } catch {
    canvas.hidden = true;
  }
}

function about(example) {
  const pair = example.pair && `${example.pair.kind}${example.pair.changed ? ', changed' : ''}`;
  const dataset = head.datasets.length > 1 ? head.datasets[example.dataset].name : '';
  // What is cut at the end of the line is what the others say already.
  return [dataset, plural(example.length, 'token'), pair, head.worlds[example.world]].filter(Boolean).map((part) => cut(part, 100)).join(' · ');
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

// The value beside a sign: the measure one sorts by, else an error in steps, metres or degrees, which says more than right or wrong.
function telling(trace, metric) {
  const known = (m) => trace.values[m] !== null && trace.values[m] !== undefined;
  if (metric !== null) return known(metric) ? metric : null;
  const errors = head.metrics.map((_, m) => m).filter((m) => known(m) && !head.metrics[m].percent && head.metrics[m].higher === false);
  // Degrees are understood by whoever does not know how large the panorama was.
  return errors.find((m) => head.metrics[m].name === 'Dist-deg') ?? errors[0] ?? Object.values(head.right).find(known) ?? null;
}

function chipValue(trace, metric) {
  const value = trace.values[metric];
  const { name, percent: inPercent } = head.metrics[metric];
  return `${name} ${number(value, Number.isInteger(value) ? 0 : Math.abs(value) < 2 ? 2 : 1)}${inPercent ? ' %' : ''}`;
}

function chip(trace, metric, many) {
  const name = head.agents[trace.agent]?.name ?? '';
  const said = trace.right === null ? 'not judged' : trace.right ? 'right' : 'wrong';
  const sign = trace.right === null ? '·' : trace.right ? '✓' : '✗';
  const measure = telling(trace, metric);
  return el('li', { style: { '--of': colourOf(trace.agent) } },
    el('span', { class: 'dot', 'aria-hidden': 'true' }), named(many ? `${cut(name, 200)} #${trace.seed}` : name),
    el('span', { class: 'soft' }, measure === null ? '' : chipValue(trace, measure)),
    el('span', { class: `sign ${said}` }, el('span', { 'aria-hidden': 'true' }, sign), unseen(said)));
}
