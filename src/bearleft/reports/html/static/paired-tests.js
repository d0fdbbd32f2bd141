// Paired tests of agents on the same episodes: a forest plot, a table, and sentences.

import { setContent, truncate, el, nameElement, formatNumber, plural, formatP, scrollRegion, formatSigned, agentColour, svg } from './dom.js';
import { copyButtons, copyText, csv, latex, markdown } from './clipboard.js';
import { marker, percentScale, tickDecimals, tickValues, verticalLine, whisker } from './chart-parts.js';
import { replaceParams } from './router.js';
import { ALPHA, selectedMetric, decimalsFor, swapComparison } from './ranking.js';
import { summary } from './report-data.js';

const MAX_SENTENCES = 6;

/** Return the paired tests of a dataset: a metric selector, a table with a forest plot, and sentences. */
export function pairedTests(dataset, params) {
  const metrics = [...new Set(summary.comparisons.filter((comparison) => comparison.dataset === dataset).map((comparison) => comparison.metric))].sort((a, b) => a - b);
  if (!metrics.length) return null;
  const view = { dataset, metric: selectedMetric(params[`test${dataset}`], metrics, dataset), place: el('div') };
  const chooser = metricSelect(metrics, view.metric, (metric) => {
    view.metric = metric;
    replaceParams({ [`test${dataset}`]: summary.metrics[metric].name });
    drawComparisons(view);
  });
  drawComparisons(view);
  const formats = { CSV: () => csv(comparisonTable(view, true)), Markdown: () => markdown(comparisonTable(view)), LaTeX: () => latex(comparisonTable(view)) };
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

// Order the agents of each comparison, the better one first, and the comparisons by the size of the difference.
function orderedComparisons(view) {
  const { higher_is_better: higherIsBetter } = summary.metrics[view.metric];
  const comparisons = summary.comparisons.filter((comparison) => comparison.dataset === view.dataset && comparison.metric === view.metric);
  const better = (comparison) => (higherIsBetter === false ? comparison.difference <= 0 : comparison.difference >= 0);
  return comparisons.map((comparison) => (better(comparison) ? comparison : swapComparison(comparison))).sort((a, b) => Math.abs(b.difference) - Math.abs(a.difference));
}

function drawComparisons(view) {
  const comparisons = orderedComparisons(view);
  const ends = comparisons.flatMap((comparison) => [comparison.low, comparison.high, comparison.difference, 0]);
  const margin = (Math.max(...ends) - Math.min(...ends)) * 0.04 || 1;
  const domain = [Math.min(...ends) - margin, Math.max(...ends) + margin];
  const digits = decimalsFor(view.metric, comparisons.map((comparison) => comparison.difference));
  const columns = ['difference', '95 % interval', 'p', 'p (sign test)', 'above', 'below', 'n'];
  setContent(view.place,
    scrollRegion(`Paired tests in ${summary.metrics[view.metric].name} on ${truncate(summary.datasets[view.dataset].name, 60)}`,
      el('table', { class: 'paired-tests' },
        el('caption', { class: 'hidden-text' }, 'Paired tests'),
        el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, 'Agents'), el('td', { class: 'forest' }, forestAxis(domain)),
          columns.map((name) => el('th', { scope: 'col' }, name)))),
        el('tbody', {}, comparisons.map((comparison) => comparisonRow(comparison, domain, digits))))),
    el('p', { class: 'reading' }, 'A filled sign: p < 0.05. ',
      'Above and below: on how many episodes the first agent’s value is higher and lower than the second’s.'),
    sentenceList(comparisons));
}

function comparisonRow(comparison, domain, digits) {
  const significant = comparison.p < ALPHA;
  return el('tr', {},
    el('th', { scope: 'row' }, el('span', { class: 'duel' }, agentSpan(comparison.first), el('span', { class: 'soft' }, comparisonVerb(comparison)), agentSpan(comparison.second))),
    el('td', { class: 'forest' }, forestPlot(comparison, domain)),
    el('td', {}, significant ? el('b', {}, formatSigned(comparison.difference, digits)) : formatSigned(comparison.difference, digits)),
    el('td', { class: 'soft' }, `${formatNumber(comparison.low, digits)} to ${formatNumber(comparison.high, digits)}`),
    el('td', {}, formatP(comparison.p).replace(/^p (= )?/, '')), el('td', { class: 'soft' }, formatP(comparison.p_sign).replace(/^p (= )?/, '')),
    el('td', {}, comparison.above), el('td', {}, comparison.below), el('td', { class: 'soft' }, comparison.n));
}

function agentSpan(agent) {
  return nameElement(summary.agents[agent].name, 'span', { style: { color: agentColour(agent), 'font-weight': '600' } });
}

function forestAxis(domain) {
  const x = percentScale(...domain);
  const tickPositions = tickValues(...domain);
  const decimals = tickDecimals(tickPositions);
  const labels = tickPositions.map((tick) => svg('text', { x: x(tick), y: 11, 'text-anchor': 'middle' }, formatSigned(tick, decimals)));
  return svg('svg', { 'aria-hidden': 'true', height: 14, class: 'axis' }, labels);
}

function forestPlot(comparison, domain) {
  const x = percentScale(...domain);
  const lines = tickValues(...domain).map((tick) => verticalLine(x(tick), tick === 0 ? 'zero-line' : 'grid-line'));
  return svg('svg', { 'aria-hidden': 'true', height: 34 }, lines, whisker(comparison.first, x(comparison.low), x(comparison.high), 17),
    marker(comparison.first, x(comparison.difference), 17, { hollow: !(comparison.p < ALPHA) }));
}

function comparisonVerb(comparison) {
  if (!(comparison.p < ALPHA)) return 'level with';
  return summary.metrics[comparison.metric].higher_is_better === null ? 'above' : 'beats';
}

/** Describe a test as a paper would: "follower beats random by 61.7 points TC [52.0, 71.0], p < 0.001, on 60 episodes". */
export function comparisonSentence(comparison) {
  const { name, percent: inPercent } = summary.metrics[comparison.metric];
  const digits = decimalsFor(comparison.metric, [comparison.difference]);
  const [first, second] = [comparison.first, comparison.second].map((agent) => truncate(summary.agents[agent].name, 60));
  const amount = `${formatNumber(Math.abs(comparison.difference), digits)}${inPercent ? ' points' : ''} ${name}`;
  const ends = comparison.difference < 0 ? [-comparison.high, -comparison.low] : [comparison.low, comparison.high];
  const evidence = `[${ends.map((x) => formatNumber(x, digits)).join(', ')}], ${formatP(comparison.p)}, on ${plural(comparison.n, 'episode')}`;
  if (!(comparison.p < ALPHA)) return `${first} and ${second} are not told apart: ${amount} between them ${evidence}.`;
  return `${first} ${comparisonVerb(comparison) === 'beats' ? 'beats' : 'is above'} ${second} by ${amount} ${evidence}.`;
}

function sentenceList(comparisons) {
  const lines = comparisons.map(comparisonSentence);
  const list = el('ul', { class: 'said' }, lines.map((line) => el('li', {}, line)));
  const copy = el('button', { type: 'button', class: 'button small', onclick: () => copyText(lines.join('\n'), 'Text') }, 'Copy as text');
  if (lines.length <= MAX_SENTENCES) return [list, copy];
  return el('details', {}, el('summary', {}, `In words: ${plural(lines.length, 'sentence')}`), list, copy);
}

function comparisonTable(view, long = false) {
  const metric = summary.metrics[view.metric].name;
  const comparisons = orderedComparisons(view);
  const agentNames = (comparison) => [summary.agents[comparison.first].name, summary.agents[comparison.second].name];
  if (long) {
    const header = ['dataset', 'metric', 'first', 'second', 'difference', 'low', 'high', 'p', 'p_sign', 'above', 'below', 'n'];
    const names = [summary.datasets[view.dataset].name, metric];
    return [header, ...comparisons.map((comparison) => [...names, ...agentNames(comparison), ...header.slice(4).map((key) => comparison[key])])];
  }
  const digits = decimalsFor(view.metric, comparisons.map((comparison) => comparison.difference));
  const rows = comparisons.map((comparison) => [agentNames(comparison).join(' – '), formatSigned(comparison.difference, digits),
    `[${formatNumber(comparison.low, digits)}, ${formatNumber(comparison.high, digits)}]`,
    formatP(comparison.p).replace(/^p (= )?/, ''), comparison.above, comparison.below, comparison.n]);
  return [['Agents', `${metric} difference`, '95 % interval', 'p', 'above', 'below', 'n'], ...rows];
}
