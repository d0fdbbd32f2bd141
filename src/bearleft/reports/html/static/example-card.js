// The cards of the example list: thumbnail, text, and the outcome of each trace.

import { agentColour, truncate, el, nameElement, formatNumber, onThemeChange, plural, screenReaderText } from './dom.js';
import { drawStaticMap, hasMap } from './map-paths.js';
import { drawStaticPanorama } from './flat-panorama.js';
import { routeHash } from './router.js';
import { summary } from './report-data.js';
import { annotatedText } from './annotated-text.js';

const MAX_CHARACTERS = 600;
const MAX_TRACES = 8;
const MAX_CACHED_CARDS = 240;
const drawFunctions = new WeakMap();
const drawQueue = [];
const cardCache = new Map();
let visibilityObserver = null;
let drawTimer = 0;

// Thumbnails are drawn when a card comes near the viewport, one at a time and when the browser is idle, so that typing
// in the search field never waits for a map.
function drawWhenVisible(canvas, draw) {
  visibilityObserver ??= new IntersectionObserver((entries) => {
    for (const entry of entries) {
      if (!entry.isIntersecting) continue;
      visibilityObserver.unobserve(entry.target);
      drawQueue.push(entry.target);
    }
    scheduleDrawing();
  }, { rootMargin: '300px' });
  drawFunctions.set(canvas, draw);
  visibilityObserver.observe(canvas);
}

function scheduleDrawing() {
  if (drawTimer || !drawQueue.length) return;
  drawTimer = setTimeout(() => whenIdle(drawNext), 40);
}

function whenIdle(callback) {
  if (window.requestIdleCallback) requestIdleCallback(callback, { timeout: 300 });
  else setTimeout(callback);
}

async function drawNext() {
  let canvas = drawQueue.shift();
  // A card that was removed in the meantime is drawn when it is shown again.
  for (; canvas && !canvas.isConnected; canvas = drawQueue.shift()) visibilityObserver.observe(canvas);
  if (canvas) {
    await drawFunctions.get(canvas)();
    whenIdle(drawNext);
  } else {
    drawTimer = 0;
  }
}

/** Return the hash of an example; it contains the query of the list it is opened from. */
export function exampleLink(example, listQuery) {
  return routeHash(['example', example.dataset, example.id], { list: listQuery });
}

/** Return the card of an example; `metric` is the metric to sort by, or null. Cards are cached with their thumbnails. */
export function exampleCard(report, index, listQuery, metric) {
  const key = `${index}/${metric}`;
  const node = cardCache.get(key) ?? createCard(report, index, metric);
  cardCache.delete(key);
  cardCache.set(key, node);
  if (cardCache.size > MAX_CACHED_CARDS) cardCache.delete(cardCache.keys().next().value);
  node.querySelector('h3 a').setAttribute('href', exampleLink(report.examples[index], listQuery));
  return node;
}

// Cards in the page are repainted when the theme changes; cached ones outside the page would keep the old colours.
onThemeChange(() => {
  for (const [key, node] of cardCache) if (!node.isConnected) cardCache.delete(key);
});

function createCard(report, index, metric) {
  const example = report.examples[index];
  const played = (agent) => example.traces.filter((trace) => trace.agent === agent).length;
  const canvas = el('canvas', { 'aria-hidden': 'true', width: 16, height: 9 });
  drawWhenVisible(canvas, () => drawThumbnail(canvas, report, index));
  const shown = [...example.traces].sort((a, b) => a.agent - b.agent).slice(0, MAX_TRACES).map((trace) => traceChip(trace, metric, played(trace.agent) > 1));
  const remaining = example.traces.length - MAX_TRACES;
  return el('li', {}, el('article', { class: 'card' }, canvas, el('div', { class: 'body' },
    el('h3', {}, nameElement(example.id, 'a', { dataset: { index } })), nameElement(cardSubtitle(example), 'p', { class: 'about' }),
    el('div', { class: 'said-text' }, cardText(example)),
    el('ul', { class: 'verdicts' }, shown, remaining > 0 && el('li', { class: 'soft' }, `and ${remaining} more`)))));
}

async function drawThumbnail(canvas, report, index) {
  try {
    const { legs } = report.examples[index];
    const leg = legs.findIndex((leg) => leg.kind === 'point');
    // An example whose legs all point is shown as its panorama.
    const panoramaDrawn = legs.every((leg) => leg.kind === 'point') && (await drawStaticPanorama(canvas, report, index, leg, { small: true }));
    const drawn = panoramaDrawn || (hasMap(report, index) && (await drawStaticMap(canvas, report, index, { small: true })));
    canvas.hidden = !drawn;
  } catch {
    canvas.hidden = true;
  }
}

function cardSubtitle(example) {
  const pair = example.pair && `${example.pair.kind}${example.pair.changed ? ', changed' : ''}`;
  const dataset = summary.datasets.length > 1 ? summary.datasets[example.dataset].name : '';
  // The parts are ordered by importance, since the end of the line may be truncated.
  return [dataset, plural(example.length, 'token'), pair, summary.worlds[example.world]].filter(Boolean).map((part) => truncate(part, 100)).join(' · ');
}

function cardText(example) {
  let remaining = MAX_CHARACTERS;
  const parts = [];
  for (const leg of example.legs) {
    if (remaining <= 0) break;
    if (parts.length) parts.push(' ');
    parts.push(annotatedText(leg.text, leg.phenomena, { limit: remaining }));
    remaining -= leg.text.length;
  }
  return parts;
}

// Return the metric shown in a chip: the one to sort by, else an error in steps, metres or degrees, which says more than success.
function shownMetric(trace, metric) {
  const hasValue = (m) => trace.values[m] !== null && trace.values[m] !== undefined;
  if (metric !== null) return hasValue(metric) ? metric : null;
  const errors = summary.metrics.map((_, m) => m).filter((m) => hasValue(m) && !summary.metrics[m].percent && summary.metrics[m].higher_is_better === false);
  // Degrees do not depend on the size of the panorama.
  return errors.find((m) => summary.metrics[m].name === 'Dist-deg') ?? errors[0] ?? Object.values(summary.success_metrics).find(hasValue) ?? null;
}

function chipValue(trace, metric) {
  const value = trace.values[metric];
  const { name, percent: inPercent } = summary.metrics[metric];
  return `${name} ${formatNumber(value, Number.isInteger(value) ? 0 : Math.abs(value) < 2 ? 2 : 1)}${inPercent ? ' %' : ''}`;
}

function traceChip(trace, metric, showSeed) {
  const name = summary.agents[trace.agent]?.name ?? '';
  const outcome = trace.success === null ? 'not judged' : trace.success ? 'right' : 'wrong';
  const sign = trace.success === null ? '·' : trace.success ? '✓' : '✗';
  const shown = shownMetric(trace, metric);
  return el('li', { style: { '--of': agentColour(trace.agent) } },
    el('span', { class: 'dot', 'aria-hidden': 'true' }), nameElement(showSeed ? `${truncate(name, 200)} #${trace.seed}` : name),
    el('span', { class: 'soft' }, shown === null ? '' : chipValue(trace, shown)),
    el('span', { class: `sign ${outcome}` }, el('span', { 'aria-hidden': 'true' }, sign), screenReaderText(outcome)));
}
