import { clear, cut, el, named, number, plural, pText, scrolling, signed, colourOf, svg } from './dom.js';
import { copyButtons, copyText, csv, latex, markdown } from './copy.js';
import { marker, scale, ticks, upright, whisker } from './plot.js';
import { remember } from './router.js';
import { ALPHA, chosenMetric, digitsOf, turned } from './standing.js';
import { head } from './store.js';

const SPOKEN = 6;

/** Two agents on the same episodes: a chooser of metrics, a picture of differences, and the same in words. */
export function pairedTests(dataset, params) {
  const metrics = [...new Set(head.pairs.filter((pair) => pair.dataset === dataset).map((pair) => pair.metric))].sort((a, b) => a - b);
  if (!metrics.length) return null;
  const view = { dataset, metric: chosenMetric(params[`test${dataset}`], metrics, dataset), place: el('div') };
  const chooser = metricSelect(metrics, view.metric, (metric) => {
    view.metric = metric;
    remember({ [`test${dataset}`]: head.metrics[metric].name });
    drawPairs(view);
  });
  drawPairs(view);
  const formats = { CSV: () => csv(pairTable(view, true)), Markdown: () => markdown(pairTable(view)), LaTeX: () => latex(pairTable(view)) };
  return el('div', { class: 'tests' },
    el('div', { class: 'headline' },
      el('div', {}, el('h3', {}, 'Paired tests'), el('p', {}, 'Agents compared on the same episodes, by permutation.')),
      el('div', { class: 'tools' }, chooser, copyButtons('the paired tests', formats))), view.place);
}

/** A select of metrics that calls f with the chosen one's number. */
export function metricSelect(metrics, chosen, f) {
  const options = metrics.map((metric) => el('option', { value: metric, selected: metric === chosen }, head.metrics[metric].name));
  return el('select', { class: 'box', 'aria-label': 'Metric', onchange: (event) => f(Number(event.target.value)) }, options);
}

// Every pair is turned so that the better agent comes first, the clearest difference at the top.
function pairsOf(view) {
  const { higher } = head.metrics[view.metric];
  const mine = head.pairs.filter((pair) => pair.dataset === view.dataset && pair.metric === view.metric);
  const better = (pair) => (higher === false ? pair.difference <= 0 : pair.difference >= 0);
  return mine.map((pair) => (better(pair) ? pair : turned(pair))).sort((a, b) => Math.abs(b.difference) - Math.abs(a.difference));
}

function drawPairs(view) {
  const pairs = pairsOf(view);
  const ends = pairs.flatMap((pair) => [pair.low, pair.high, pair.difference, 0]);
  const margin = (Math.max(...ends) - Math.min(...ends)) * 0.04 || 1;
  const reach = [Math.min(...ends) - margin, Math.max(...ends) + margin];
  const digits = digitsOf(view.metric, pairs.map((pair) => pair.difference));
  const columns = ['difference', '95 % interval', 'p', 'p (sign test)', 'above', 'below', 'n'];
  clear(view.place,
    scrolling(`Paired tests in ${head.metrics[view.metric].name} on ${cut(head.datasets[view.dataset].name, 60)}`,
      el('table', { class: 'pairs' },
        el('caption', { class: 'hidden-text' }, 'Paired tests'),
        el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, 'Agents'), el('td', { class: 'forest' }, forestAxis(reach, digits)),
          columns.map((name) => el('th', { scope: 'col' }, name)))),
        el('tbody', {}, pairs.map((pair) => pairRow(pair, reach, digits))))),
    el('p', { class: 'reading' }, 'A filled sign: p < 0.05. ',
      'Above and below: on how many episodes the first agent’s value is higher and lower than the second’s.'),
    inWords(pairs));
}

function pairRow(pair, reach, digits) {
  const clear05 = pair.p < ALPHA;
  return el('tr', {},
    el('th', { scope: 'row' }, el('span', { class: 'duel' }, duelist(pair.one), el('span', { class: 'soft' }, verbOf(pair)), duelist(pair.other))),
    el('td', { class: 'forest' }, forest(pair, reach)),
    el('td', {}, clear05 ? el('b', {}, signed(pair.difference, digits)) : signed(pair.difference, digits)),
    el('td', { class: 'soft' }, `${number(pair.low, digits)} to ${number(pair.high, digits)}`),
    el('td', {}, pText(pair.p).replace(/^p (= )?/, '')), el('td', { class: 'soft' }, pText(pair.p_sign).replace(/^p (= )?/, '')),
    el('td', {}, pair.above), el('td', {}, pair.below), el('td', { class: 'soft' }, pair.n));
}

function duelist(agent) {
  return named(head.agents[agent].name, 'span', { style: { color: colourOf(agent), 'font-weight': '600' } });
}

function forestAxis(reach, digits) {
  const x = scale(...reach);
  const all = ticks(...reach);
  const most = all.every(Number.isInteger) ? 0 : digits;
  const labels = all.map((tick) => svg('text', { x: x(tick), y: 11, 'text-anchor': 'middle' }, signed(tick, most)));
  return svg('svg', { 'aria-hidden': 'true', height: 14, class: 'axis' }, labels);
}

function forest(pair, reach) {
  const x = scale(...reach);
  const lines = ticks(...reach).map((tick) => upright(x(tick), tick === 0 ? 'zero-line' : 'grid-line'));
  return svg('svg', { 'aria-hidden': 'true', height: 34 }, lines, whisker(pair.one, x(pair.low), x(pair.high), 17),
    marker(pair.one, x(pair.difference), 17, { hollow: !(pair.p < ALPHA) }));
}

function verbOf(pair) {
  if (!(pair.p < ALPHA)) return 'level with';
  return head.metrics[pair.metric].higher === null ? 'above' : 'beats';
}

/** A test as a sentence for a paper: "follower beats random by 61.7 points TC [52.0, 71.0], p < 0.001, on 60 episodes". */
export function sentence(pair) {
  const { name, percent: inPercent } = head.metrics[pair.metric];
  const digits = digitsOf(pair.metric, [pair.difference]);
  const [one, other] = [pair.one, pair.other].map((agent) => cut(head.agents[agent].name, 60));
  const size = `${number(Math.abs(pair.difference), digits)}${inPercent ? ' points' : ''} ${name}`;
  const ends = pair.difference < 0 ? [-pair.high, -pair.low] : [pair.low, pair.high];
  const proof = `[${ends.map((x) => number(x, digits)).join(', ')}], ${pText(pair.p)}, on ${plural(pair.n, 'episode')}`;
  if (!(pair.p < ALPHA)) return `${one} and ${other} are not told apart: ${size} between them ${proof}.`;
  return `${one} ${verbOf(pair) === 'beats' ? 'beats' : 'is above'} ${other} by ${size} ${proof}.`;
}

function inWords(pairs) {
  const lines = pairs.map(sentence);
  const list = el('ul', { class: 'said' }, lines.map((line) => el('li', {}, line)));
  const copy = el('button', { type: 'button', class: 'button small', onclick: () => copyText(lines.join('\n'), 'Text') }, 'Copy as text');
  if (lines.length <= SPOKEN) return [list, copy];
  return el('details', {}, el('summary', {}, `In words: ${plural(lines.length, 'sentence')}`), list, copy);
}

function pairTable(view, long = false) {
  const metric = head.metrics[view.metric].name;
  const pairs = pairsOf(view);
  const names = (pair) => [head.agents[pair.one].name, head.agents[pair.other].name];
  if (long) {
    const first = ['dataset', 'metric', 'one', 'other', 'difference', 'low', 'high', 'p', 'p_sign', 'above', 'below', 'n'];
    const where = [head.datasets[view.dataset].name, metric];
    return [first, ...pairs.map((pair) => [...where, ...names(pair), ...first.slice(4).map((key) => pair[key])])];
  }
  const digits = digitsOf(view.metric, pairs.map((pair) => pair.difference));
  const rows = pairs.map((pair) => [names(pair).join(' – '), signed(pair.difference, digits),
    `[${number(pair.low, digits)}, ${number(pair.high, digits)}]`,
    pText(pair.p).replace(/^p (= )?/, ''), pair.above, pair.below, pair.n]);
  return [['Agents', `${metric} difference`, '95 % interval', 'p', 'above', 'below', 'n'], ...rows];
}
