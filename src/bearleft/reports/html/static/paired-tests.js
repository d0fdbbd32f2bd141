// Paired tests of agents on the same episodes: a forest plot, a table, and sentences.

import { setContent, truncate, el, nameElement, formatNumber, plural, formatP, scrollRegion, formatSigned, agentColour, svg } from './dom.js';
import { copyButtons, copyText, csv, latex, markdown } from './clipboard.js';
import { marker, percentScale, tickValues, verticalLine, whisker } from './chart-parts.js';
import { replaceParams } from './router.js';
import { ALPHA, selectedMetric, decimalsFor, swapPair } from './ranking.js';
import { summary } from './report-data.js';

const MAX_SENTENCES = 6;

/** Return the paired tests of a dataset: a metric selector, a table with a forest plot, and sentences. */
export function pairedTests(dataset, params) {
  const metrics = [...new Set(summary.pairs.filter((pair) => pair.dataset === dataset).map((pair) => pair.metric))].sort((a, b) => a - b);
  if (!metrics.length) return null;
  const view = { dataset, metric: selectedMetric(params[`test${dataset}`], metrics, dataset), place: el('div') };
  const chooser = metricSelect(metrics, view.metric, (metric) => {
    view.metric = metric;
    replaceParams({ [`test${dataset}`]: summary.metrics[metric].name });
    drawPairs(view);
  });
  drawPairs(view);
  const formats = { CSV: () => csv(pairTable(view, true)), Markdown: () => markdown(pairTable(view)), LaTeX: () => latex(pairTable(view)) };
  return el('div', { class: 'tests' },
    el('div', { class: 'headline' },
      el('div', {}, el('h3', {}, 'Paired tests'), el('p', {}, 'Agents compared on the same episodes, by permutation.')),
      el('div', { class: 'tools' }, chooser, copyButtons('the paired tests', formats))), view.place);
}

/** Return a select element that calls `onchange` with the index of the chosen metric. */
export function metricSelect(metrics, chosen, onchange) {
  const options = metrics.map((metric) => el('option', { value: metric, selected: metric === chosen }, summary.metrics[metric].name));
  return el('select', { class: 'box', 'aria-label': 'Metric', onchange: (event) => onchange(Number(event.target.value)) }, options);
}

// Order each pair so that the better agent comes first, and the pairs by the size of the difference.
function orderedPairs(view) {
  const { higher_is_better: higherIsBetter } = summary.metrics[view.metric];
  const pairs = summary.pairs.filter((pair) => pair.dataset === view.dataset && pair.metric === view.metric);
  const better = (pair) => (higherIsBetter === false ? pair.difference <= 0 : pair.difference >= 0);
  return pairs.map((pair) => (better(pair) ? pair : swapPair(pair))).sort((a, b) => Math.abs(b.difference) - Math.abs(a.difference));
}

function drawPairs(view) {
  const pairs = orderedPairs(view);
  const ends = pairs.flatMap((pair) => [pair.low, pair.high, pair.difference, 0]);
  const margin = (Math.max(...ends) - Math.min(...ends)) * 0.04 || 1;
  const domain = [Math.min(...ends) - margin, Math.max(...ends) + margin];
  const digits = decimalsFor(view.metric, pairs.map((pair) => pair.difference));
  const columns = ['difference', '95 % interval', 'p', 'p (sign test)', 'above', 'below', 'n'];
  setContent(view.place,
    scrollRegion(`Paired tests in ${summary.metrics[view.metric].name} on ${truncate(summary.datasets[view.dataset].name, 60)}`,
      el('table', { class: 'pairs' },
        el('caption', { class: 'hidden-text' }, 'Paired tests'),
        el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, 'Agents'), el('td', { class: 'forest' }, forestAxis(domain, digits)),
          columns.map((name) => el('th', { scope: 'col' }, name)))),
        el('tbody', {}, pairs.map((pair) => pairRow(pair, domain, digits))))),
    el('p', { class: 'reading' }, 'A filled sign: p < 0.05. ',
      'Above and below: on how many episodes the first agent’s value is higher and lower than the second’s.'),
    sentenceList(pairs));
}

function pairRow(pair, domain, digits) {
  const significant = pair.p < ALPHA;
  return el('tr', {},
    el('th', { scope: 'row' }, el('span', { class: 'duel' }, agentSpan(pair.first), el('span', { class: 'soft' }, comparisonVerb(pair)), agentSpan(pair.second))),
    el('td', { class: 'forest' }, forestPlot(pair, domain)),
    el('td', {}, significant ? el('b', {}, formatSigned(pair.difference, digits)) : formatSigned(pair.difference, digits)),
    el('td', { class: 'soft' }, `${formatNumber(pair.low, digits)} to ${formatNumber(pair.high, digits)}`),
    el('td', {}, formatP(pair.p).replace(/^p (= )?/, '')), el('td', { class: 'soft' }, formatP(pair.p_sign).replace(/^p (= )?/, '')),
    el('td', {}, pair.above), el('td', {}, pair.below), el('td', { class: 'soft' }, pair.n));
}

function agentSpan(agent) {
  return nameElement(summary.agents[agent].name, 'span', { style: { color: agentColour(agent), 'font-weight': '600' } });
}

function forestAxis(domain, digits) {
  const x = percentScale(...domain);
  const tickPositions = tickValues(...domain);
  const decimals = tickPositions.every(Number.isInteger) ? 0 : digits;
  const labels = tickPositions.map((tick) => svg('text', { x: x(tick), y: 11, 'text-anchor': 'middle' }, formatSigned(tick, decimals)));
  return svg('svg', { 'aria-hidden': 'true', height: 14, class: 'axis' }, labels);
}

function forestPlot(pair, domain) {
  const x = percentScale(...domain);
  const lines = tickValues(...domain).map((tick) => verticalLine(x(tick), tick === 0 ? 'zero-line' : 'grid-line'));
  return svg('svg', { 'aria-hidden': 'true', height: 34 }, lines, whisker(pair.first, x(pair.low), x(pair.high), 17),
    marker(pair.first, x(pair.difference), 17, { hollow: !(pair.p < ALPHA) }));
}

function comparisonVerb(pair) {
  if (!(pair.p < ALPHA)) return 'level with';
  return summary.metrics[pair.metric].higher_is_better === null ? 'above' : 'beats';
}

/** Describe a test as a paper would: "follower beats random by 61.7 points TC [52.0, 71.0], p < 0.001, on 60 episodes". */
export function pairSentence(pair) {
  const { name, percent: inPercent } = summary.metrics[pair.metric];
  const digits = decimalsFor(pair.metric, [pair.difference]);
  const [first, second] = [pair.first, pair.second].map((agent) => truncate(summary.agents[agent].name, 60));
  const amount = `${formatNumber(Math.abs(pair.difference), digits)}${inPercent ? ' points' : ''} ${name}`;
  const ends = pair.difference < 0 ? [-pair.high, -pair.low] : [pair.low, pair.high];
  const evidence = `[${ends.map((x) => formatNumber(x, digits)).join(', ')}], ${formatP(pair.p)}, on ${plural(pair.n, 'episode')}`;
  if (!(pair.p < ALPHA)) return `${first} and ${second} are not told apart: ${amount} between them ${evidence}.`;
  return `${first} ${comparisonVerb(pair) === 'beats' ? 'beats' : 'is above'} ${second} by ${amount} ${evidence}.`;
}

function sentenceList(pairs) {
  const lines = pairs.map(pairSentence);
  const list = el('ul', { class: 'said' }, lines.map((line) => el('li', {}, line)));
  const copy = el('button', { type: 'button', class: 'button small', onclick: () => copyText(lines.join('\n'), 'Text') }, 'Copy as text');
  if (lines.length <= MAX_SENTENCES) return [list, copy];
  return el('details', {}, el('summary', {}, `In words: ${plural(lines.length, 'sentence')}`), list, copy);
}

function pairTable(view, long = false) {
  const metric = summary.metrics[view.metric].name;
  const pairs = orderedPairs(view);
  const agentNames = (pair) => [summary.agents[pair.first].name, summary.agents[pair.second].name];
  if (long) {
    const header = ['dataset', 'metric', 'one', 'other', 'difference', 'low', 'high', 'p', 'p_sign', 'above', 'below', 'n'];
    const names = [summary.datasets[view.dataset].name, metric];
    return [header, ...pairs.map((pair) => [...names, ...agentNames(pair), ...header.slice(4).map((key) => pair[key])])];
  }
  const digits = decimalsFor(view.metric, pairs.map((pair) => pair.difference));
  const rows = pairs.map((pair) => [agentNames(pair).join(' – '), formatSigned(pair.difference, digits),
    `[${formatNumber(pair.low, digits)}, ${formatNumber(pair.high, digits)}]`,
    formatP(pair.p).replace(/^p (= )?/, ''), pair.above, pair.below, pair.n]);
  return [['Agents', `${metric} difference`, '95 % interval', 'p', 'above', 'below', 'n'], ...rows];
}
