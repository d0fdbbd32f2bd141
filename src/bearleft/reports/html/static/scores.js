// The scores page: a table for each dataset, paired tests, charts and notes.

import { setContent, agentColour, formatCount, truncate, el, nameElement, formatNumber, plural, scrollRegion, screenReaderText } from './dom.js';
import { agentLabel } from './agent-label.js';
import { charts } from './charts.js';
import { copyButtons, csv, latex, markdown } from './clipboard.js';
import { pairedTests } from './paired-tests.js';
import { pairsPanel } from './pairs-table.js';
import { scoredAgents, scoreColumns, decimalsFor, mainMetric, rankMarks } from './ranking.js';
import { summary } from './report-data.js';
import { withTooltip } from './tooltip.js';

const MAX_NOTES = 6;
const RANK_LABELS = { best: ' (best)', tie: ' (level with the best)' };
const SORT_ARROWS = { ascending: '↑', descending: '↓', none: '' };

/** Fill `main` with tables, tests, charts and notes. */
export function showScores(main, params) {
  const sections = summary.datasets.map((_, dataset) => datasetPanel(dataset, params)).filter(Boolean);
  setContent(main, el('div', { class: 'wrap stack' }, sections.length > 1 && overview(), agentsPanel(), pairsPanel(), sections.length ? sections : noScores(), charts(params), notesPanel()));
}

// An overview of several datasets: the success metric of each.
function overview() {
  const columns = summary.datasets.flatMap((info, dataset) => {
    const ownColumns = scoreColumns(dataset);
    // Minimal pairs are judged by pairs: an agent that guesses gets one half of many right.
    const metric = ownColumns.map((column) => column.metric).find((metric) => summary.metrics[metric].name === 'Pairs') ?? mainMetric(ownColumns.map((column) => column.metric), dataset);
    const column = ownColumns.find((candidate) => candidate.metric === metric);
    if (!column) return [];
    prepareColumn(dataset, column);
    return [{ ...column, dataset, label: info.name, subtitle: summary.metrics[metric].percent ? `${column.label} %` : column.label }];
  });
  const table = { dataset: null, columns, agents: scoredAgents(columns), sort: null, body: el('tbody') };
  const formats = { Markdown: () => markdown(wideTable(table)), LaTeX: () => latex(wideTable(table)) };
  const buttons = columns.map(({ dataset, label }) =>
    el('button', { type: 'button', class: 'button', onclick: () => scrollToHeading(`dataset-${dataset}`) }, nameElement(label)));
  return el('div', { class: 'panel', role: 'region', 'aria-labelledby': 'glance' },
    el('div', { class: 'headline' },
      el('div', {}, el('h2', { id: 'glance', tabindex: -1 }, 'At a glance'), el('p', {}, 'One measure of each dataset.')),
      copyButtons('the overview', formats)),
    scrollRegion('Table of all datasets', scoreTable(table, 'all datasets')),
    el('div', { class: 'tools jumps' }, el('span', { class: 'soft small' }, 'Go to'), buttons));
}

// What each agent is, in a line: names alone say little to new readers.
function agentsPanel() {
  const described = summary.agents.map((info, agent) => [agent, info.description]).filter(([, description]) => description);
  if (!described.length) return null;
  return el('section', { class: 'panel', 'aria-labelledby': 'agents' }, el('h2', { id: 'agents' }, 'Agents'),
    el('dl', { class: 'measures agents' }, described.flatMap(([agent, description]) => [el('dt', {}, agentLabel(agent)), el('dd', {}, truncate(description, 400))])));
}

function scrollToHeading(id) {
  const heading = document.getElementById(id);
  heading.scrollIntoView({ block: 'start' });
  heading.focus({ preventScroll: true });
}

function noScores() {
  return el('section', { class: 'panel' }, el('h2', {}, 'Scores'), el('p', { class: 'soft' }, 'Nothing here could be scored.'));
}

function notesPanel() {
  if (!summary.notes.length) return null;
  const list = (items) => el('ul', { class: 'notes' }, items.map((note) => el('li', {}, truncate(note, 2000))));
  const remaining = summary.notes.slice(MAX_NOTES);
  return el('section', { class: 'panel', 'aria-labelledby': 'notes' }, el('h2', { id: 'notes' }, 'Notes'), list(summary.notes.slice(0, MAX_NOTES)),
    remaining.length > 0 && el('details', {}, el('summary', {}, plural(remaining.length, 'more note')), list(remaining)));
}

function datasetPanel(dataset, params) {
  const columns = scoreColumns(dataset);
  if (!columns.length) return null;
  const { name, episodes } = summary.datasets[dataset];
  const table = { dataset, columns, agents: scoredAgents(columns), sort: null, body: el('tbody') };
  for (const column of columns) prepareColumn(dataset, column);
  const id = `dataset-${dataset}`;
  const played = Math.max(...columns.flatMap((column) => [...column.cells.values()].map((score) => score.n)));
  const share = played < episodes ? `${formatCount(played)} of ` : '';
  const description = `${share}${plural(episodes, 'episode')}, ${plural(table.agents.length, 'agent')}`;
  const formats = { CSV: () => csv(longTable(table)), Markdown: () => markdown(wideTable(table)), LaTeX: () => latex(wideTable(table)) };
  return el('section', { class: 'panel', 'aria-labelledby': id },
    el('div', { class: 'headline' },
      el('div', {}, el('h2', { id, tabindex: -1 }, nameElement(name)), el('p', {}, `${description}. Means with 95 % intervals: bootstrap, and exact where all or none succeed.`)),
      copyButtons(`the scores on ${truncate(name, 60)}`, formats)),
    scrollRegion(`Table of scores on ${truncate(name, 60)}`, scoreTable(table, truncate(name, 60))),
    tableLegend(table), metricDefinitions(columns), pairedTests(dataset, params));
}

function prepareColumn(dataset, column) {
  const scores = [...column.cells.values()];
  column.marks = rankMarks(dataset, column);
  column.digits = decimalsFor(column.metric, scores.flatMap((score) => [score.value, score.high]));
  const low = Math.min(0, ...scores.map((score) => score.low));
  const high = Math.max(...scores.map((score) => score.high));
  const { range } = summary.metrics[column.metric];
  [column.min, column.max] = range ?? [low, high > low ? high : low + 1];
}

function scoreTable(table, name) {
  const headings = table.columns.map((column, i) => metricHeading(table, column, i));
  drawBody(table);
  table.headings = headings;
  return el('table', { class: 'scores' }, el('caption', { class: 'hidden-text' }, `Scores on ${name}`),
    el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, 'Agent'), headings.map((heading) => heading.cell), el('th', { scope: 'col' }, 'n'))), table.body);
}

// The legend is outside the table: a wide table scrolls, its legend should not.
function tableLegend(table) {
  const bars = 'Bars and ranges are 95 % intervals; n is the number of traces.';
  if (table.agents.length < 2) return el('p', { class: 'reading' }, bars);
  return el('p', { class: 'reading' },
    el('b', {}, 'Bold'), ': best, and ahead of the next agent in a paired permutation test (p < 0.05). ',
    '≈: level with the best; the test does not tell them apart. ',
    `No mark: behind, or no test. ${bars}`);
}

function metricHeading(table, column, i) {
  const { higher_is_better: higherIsBetter, definition } = summary.metrics[column.metric];
  const arrow = el('span', { class: 'way', 'aria-hidden': 'true' });
  const spoken = higherIsBetter === null ? '' : higherIsBetter ? 'higher is better' : 'lower is better';
  const button = el('button', { type: 'button', class: 'sorter', onclick: () => toggleSort(table, i) },
    column.subtitle ? [breakableName(column.label, arrow), el('small', {}, column.subtitle)] : [arrow, column.label], spoken && screenReaderText(`, ${spoken}`));
  withTooltip(button, [definition, spoken && `${spoken[0].toUpperCase()}${spoken.slice(1)}.`].filter(Boolean).join(' '));
  return { cell: el('th', { scope: 'col' }, button), arrow };
}

// Dataset names share their beginnings: break them at slashes instead of truncating them.
function breakableName(name, arrow) {
  const parts = truncate(name, 80).split('/');
  return el('span', { class: 'path', title: truncate(name, 2000) }, arrow, parts.flatMap((part, k) => (k ? ['/', el('wbr'), part] : [part])));
}

function toggleSort(table, i) {
  const first = summary.metrics[table.columns[i].metric].higher_is_better === false ? 'ascending' : 'descending';
  const second = first === 'ascending' ? 'descending' : 'ascending';
  const current = table.sort?.column === i ? table.sort.direction : null;
  const direction = current === first ? second : current === second ? null : first;
  table.sort = direction ? { column: i, arrow: direction } : null;
  table.headings.forEach((heading, k) => {
    const ariaSort = k === i && direction ? direction : 'none';
    if (ariaSort === 'none') heading.cell.removeAttribute('aria-sort');
    else heading.cell.setAttribute('aria-sort', ariaSort);
    heading.arrow.textContent = SORT_ARROWS[ariaSort];
  });
  drawBody(table);
}

function sortedAgents(table) {
  if (!table.sort) return table.agents;
  const { cells } = table.columns[table.sort.column];
  const sign = table.sort.direction === 'ascending' ? 1 : -1;
  const value = (agent) => cells.get(agent)?.value;
  return [...table.agents].sort((a, b) => (value(a) === undefined) - (value(b) === undefined) || sign * (value(a) - value(b)));
}

function drawBody(table) {
  setContent(table.body, sortedAgents(table).map((agent) => el('tr', {}, el('th', { scope: 'row' }, agentLabel(agent)),
    table.columns.map((column) => scoreCell(column, agent)), el('td', { class: 'soft' }, traceCount(table, agent)))));
}

function traceCount(table, agent) {
  const counts = table.columns.map((column) => column.cells.get(agent)?.n).filter((n) => n !== undefined);
  const [low, high] = [Math.min(...counts), Math.max(...counts)];
  return low === high ? formatCount(low) : `${formatCount(low)}–${formatCount(high)}`;
}

function scoreCell(column, agent) {
  const score = column.cells.get(agent);
  if (!score) return el('td', { class: 'soft' }, '–');
  const { min, max, digits } = column;
  const percentOf = (x) => Math.min(100, Math.max(0, (100 * (x - min)) / (max - min)));
  const low = percentOf(score.low);
  const middle = `${percentOf(score.value)}%`;
  const mark = column.marks.get(agent);
  return el('td', { class: mark, style: { '--of': agentColour(agent) } },
    el('span', { class: 'value' }, formatNumber(score.value, digits), mark && screenReaderText(RANK_LABELS[mark])),
    el('span', { class: 'bar', 'aria-hidden': 'true' }, el('u', { style: { width: middle } }),
      el('i', { style: { left: `${low}%`, width: `${Math.max(0, percentOf(score.high) - low)}%` } }), el('b', { style: { left: middle } })),
    el('span', { class: 'range' }, `${formatNumber(score.low, digits)} – ${formatNumber(score.high, digits)}`));
}

function metricDefinitions(columns) {
  const metrics = [...new Set(columns.map((column) => column.metric))];
  const lines = metrics.flatMap((metric) => {
    const { name, definition, percent: inPercent } = summary.metrics[metric];
    const conventions = [...new Set(columns.filter((column) => column.metric === metric).map((column) => column.convention))].filter(Boolean);
    const sentences = [definition, inPercent && 'In percent.', conventions.length && `Convention: ${conventions.join(', ')}.`];
    return [el('dt', {}, name), el('dd', {}, sentences.filter(Boolean).join(' '))];
  });
  return el('details', {}, el('summary', {}, 'What the measures mean'), el('dl', { class: 'measures' }, lines));
}

function longTable(table) {
  const header = ['dataset', 'agent', 'metric', 'value', 'low', 'high', 'n', 'convention'];
  const rows = sortedAgents(table).flatMap((agent) => table.columns.filter((column) => column.cells.has(agent)).map((column) => {
    const score = column.cells.get(agent);
    const names = [summary.datasets[table.dataset].name, summary.agents[agent].name, summary.metrics[column.metric].name];
    return [...names, ...header.slice(3).map((key) => score[key])];
  }));
  return [header, ...rows];
}

function wideTable(table) {
  const cell = (column, agent) => {
    const score = column.cells.get(agent);
    if (!score) return '–';
    const text = `${formatNumber(score.value, column.digits)} [${formatNumber(score.low, column.digits)}, ${formatNumber(score.high, column.digits)}]`;
    return column.marks.get(agent) === 'best' ? { bold: text } : text;
  };
  const cellsOf = (agent) => table.columns.map((column) => cell(column, agent));
  const rows = sortedAgents(table).map((agent) => [summary.agents[agent].name, ...cellsOf(agent), traceCount(table, agent)]);
  return [['Agent', ...table.columns.map((column) => column.label), 'n'], ...rows];
}
