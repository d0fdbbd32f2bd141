// Charts of the scores by group, for example by phenomenon or length of the text.

import { setContent, formatCount, truncate, el, nameElement, formatNumber, scrollRegion, svg } from './dom.js';
import { metricSelect } from './paired-tests.js';
import { marker, markerIcon, percentScale, tickDecimals, tickValues, verticalLine, whisker } from './chart-parts.js';
import { routeHash, replaceParams } from './router.js';
import { selectedMetric, decimalsFor } from './ranking.js';
import { summary } from './report-data.js';

/** Return the panel "Where agents differ": a metric selector, and one chart per grouping. */
export function charts(params) {
  const metrics = [...new Set(summary.groups.map((group) => group.metric))].sort((a, b) => a - b);
  if (!metrics.length) return null;
  const container = el('div', { class: 'charts' });
  const legend = el('ul', { class: 'legend', 'aria-label': 'Agents' });
  const draw = (metric) => {
    const groups = summary.groups.filter((group) => group.metric === metric && group.cells.length);
    const agents = [...new Set(groups.flatMap((group) => group.cells.map((cell) => cell[1])))].sort((a, b) => a - b);
    setContent(legend, agents.map((agent) => el('li', {}, markerIcon(agent), nameElement(summary.agents[agent].name))));
    setContent(container, groups.map((group) => chart(group, agents)));
  };
  const metric = selectedMetric(params.chart, metrics);
  draw(metric);
  const chooser = metricSelect(metrics, metric, (chosen) => {
    replaceParams({ chart: summary.metrics[chosen].name });
    draw(chosen);
  });
  return el('section', { class: 'panel', 'aria-labelledby': 'differ' },
    el('div', { class: 'headline' }, el('div', {}, el('h2', { id: 'differ' }, 'Where agents differ'),
      el('p', {}, 'Signs are means, lines 95 % intervals. A name opens its examples.')), el('div', { class: 'tools' }, chooser)),
    legend, container);
}

function chart(group, agents) {
  const domain = metricDomain(group);
  const digits = decimalsFor(group.metric, group.cells.map((cell) => cell[2]));
  const all = group.names.map((_, i) => ({ i, cells: group.cells.filter((cell) => cell[0] === i) }));
  const rows = all.filter((row) => row.cells.length);
  const height = Math.max(28, agents.length * 11 + 9);
  return el('figure', { class: 'chart', 'aria-label': `${summary.metrics[group.metric].name}, ${group.title}` },
    el('h3', {}, group.title),
    el('div', {}, rows.map((row) => plotRow(group, row, agents, domain, height, digits)), chartAxis(group, domain)),
    chartTable(group, rows, agents, digits));
}

function metricDomain(group) {
  const { range } = summary.metrics[group.metric];
  if (range) return range;
  const low = Math.min(0, ...group.cells.map((cell) => cell[3]));
  const high = Math.max(...group.cells.map((cell) => cell[4]));
  return [low, high > low ? high : low + 1];
}

function plotRow(group, row, agents, domain, height, digits) {
  const x = percentScale(...domain);
  const step = (height - 9) / agents.length;
  const dots = row.cells.flatMap(([, agent, value, low, high, n]) => {
    const y = 4.5 + step * (agents.indexOf(agent) + 0.5);
    const description = `${truncate(summary.agents[agent].name, 80)}: ${formatNumber(value, digits)} [${formatNumber(low, digits)}, ${formatNumber(high, digits)}], n = ${n}`;
    return svg('g', {}, svg('title', {}, description), whisker(agent, x(low), x(high), y), marker(agent, x(value), y));
  });
  const name = group.names[row.i];
  return el('div', { class: 'plot-row' }, nameElement(name, 'a', { href: routeHash('/examples', { [`g.${group.by}`]: row.i }) }),
    svg('svg', { height, 'aria-hidden': 'true' }, tickValues(...domain).map((tick) => verticalLine(x(tick), tick === 0 ? 'zero-line' : 'grid-line')), dots),
    el('span', { class: 'n' }, sampleSizes(row.cells)));
}

function sampleSizes(cells) {
  const counts = cells.map((cell) => cell[5]);
  const [low, high] = [Math.min(...counts), Math.max(...counts)];
  return low === high ? `n ${formatCount(low)}` : `n ${formatCount(low)}–${formatCount(high)}`;
}

function chartAxis(group, domain) {
  const x = percentScale(...domain);
  const tickPositions = tickValues(...domain);
  const sign = summary.metrics[group.metric].percent ? '%' : '';
  const digits = tickDecimals(tickPositions);
  const labels = tickPositions.map((tick) => svg('text', { x: x(tick), y: 12, 'text-anchor': 'middle' }, `${formatNumber(tick, digits)}${sign}`));
  return el('div', { class: 'plot-row axis', 'aria-hidden': 'true' },
    el('span', { class: 'soft small' }, summary.metrics[group.metric].name), svg('svg', { height: 16 }, labels), el('span'));
}

function chartTable(group, rows, agents, digits) {
  const cellOf = (row, agent) => {
    const cell = row.cells.find((candidate) => candidate[1] === agent);
    return el('td', {}, cell ? `${formatNumber(cell[2], digits)} [${formatNumber(cell[3], digits)}, ${formatNumber(cell[4], digits)}], n ${formatCount(cell[5])}` : '–');
  };
  const headings = agents.map((agent) => el('th', { scope: 'col' }, nameElement(summary.agents[agent].name)));
  const lineOf = (row) => el('tr', {}, el('th', { scope: 'row' }, nameElement(group.names[row.i])), agents.map((agent) => cellOf(row, agent)));
  return el('details', {}, el('summary', {}, 'As a table'),
    scrollRegion(`${group.title} as a table`, el('table', { class: 'plain-table' },
      el('caption', { class: 'hidden-text' }, `${summary.metrics[group.metric].name}, ${group.title}`),
      el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, 'Name'), headings)), el('tbody', {}, rows.map(lineOf)))));
}
