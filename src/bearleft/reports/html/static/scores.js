import { clear, colourOf, count, cut, el, named, number, plural, scrolling, unseen } from './dom.js';
import { charts } from './charts.js';
import { copyButtons, csv, latex, markdown } from './copy.js';
import { pairedTests } from './pairs.js';
import { agentsOf, columnsOf, digitsOf, leading, standing } from './standing.js';
import { head } from './store.js';
import { withTip } from './tip.js';

const NOTES = 6;
const SPOKEN_MARKS = { best: ' (best)', tie: ' (level with the best)' };
const WAYS = { ascending: '↑', descending: '↓', none: '' };

/** Fills `main` with tables, tests, charts and notes. */
export function showScores(main, params) {
  const sections = head.datasets.map((_, dataset) => datasetPanel(dataset, params)).filter(Boolean);
  clear(main, el('div', { class: 'wrap stack' }, sections.length > 1 && glance(), sections.length ? sections : noScores(), charts(params), notes()));
}

// Several datasets at once: each by the measure that says right or wrong.
function glance() {
  const columns = head.datasets.flatMap((one, dataset) => {
    const own = columnsOf(dataset);
    const column = own.find((other) => other.metric === leading(own.map((each) => each.metric), dataset));
    if (!column) return [];
    prepareColumn(dataset, column);
    return [{ ...column, dataset, label: one.name, under: column.label }];
  });
  const table = { dataset: null, columns, agents: agentsOf(columns), sort: null, body: el('tbody') };
  const formats = { Markdown: () => markdown(wideTable(table)), LaTeX: () => latex(wideTable(table)) };
  const jumps = columns.map(({ dataset, label }) =>
    el('button', { type: 'button', class: 'button', onclick: () => jumpTo(`dataset-${dataset}`) }, named(label)));
  return el('div', { class: 'panel', role: 'region', 'aria-labelledby': 'glance' },
    el('div', { class: 'headline' },
      el('div', {}, el('h2', { id: 'glance', tabindex: -1 }, 'At a glance'), el('p', {}, 'One measure of each dataset.')),
      copyButtons('the overview', formats)),
    scrolling('Table of all datasets', scoreTable(table, 'all datasets')),
    el('div', { class: 'tools jumps' }, el('span', { class: 'soft small' }, 'Go to'), jumps));
}

function jumpTo(id) {
  const title = document.getElementById(id);
  title.scrollIntoView({ block: 'start' });
  title.focus({ preventScroll: true });
}

function noScores() {
  return el('section', { class: 'panel' }, el('h2', {}, 'Scores'), el('p', { class: 'soft' }, 'Nothing here could be scored.'));
}

function notes() {
  if (!head.notes.length) return null;
  const list = (some) => el('ul', { class: 'notes' }, some.map((note) => el('li', {}, cut(note, 2000))));
  const more = head.notes.slice(NOTES);
  return el('section', { class: 'panel', 'aria-labelledby': 'notes' }, el('h2', { id: 'notes' }, 'Notes'), list(head.notes.slice(0, NOTES)),
    more.length > 0 && el('details', {}, el('summary', {}, plural(more.length, 'more note')), list(more)));
}

function datasetPanel(dataset, params) {
  const columns = columnsOf(dataset);
  if (!columns.length) return null;
  const { name, episodes } = head.datasets[dataset];
  const table = { dataset, columns, agents: agentsOf(columns), sort: null, body: el('tbody') };
  for (const column of columns) prepareColumn(dataset, column);
  const id = `dataset-${dataset}`;
  const played = Math.max(...columns.flatMap((column) => [...column.cells.values()].map((score) => score.n)));
  const some = played < episodes ? `${count(played)} of ` : '';
  const said = `${some}${plural(episodes, 'episode')}, ${plural(table.agents.length, 'agent')}`;
  const formats = { CSV: () => csv(longTable(table)), Markdown: () => markdown(wideTable(table)), LaTeX: () => latex(wideTable(table)) };
  return el('section', { class: 'panel', 'aria-labelledby': id },
    el('div', { class: 'headline' },
      el('div', {}, el('h2', { id, tabindex: -1 }, named(name)), el('p', {}, `${said}. Means with 95 % bootstrap intervals.`)),
      copyButtons(`the scores on ${cut(name, 60)}`, formats)),
    scrolling(`Table of scores on ${cut(name, 60)}`, scoreTable(table, cut(name, 60))),
    howToRead(table), measures(columns), pairedTests(dataset, params));
}

function prepareColumn(dataset, column) {
  const scores = [...column.cells.values()];
  column.marks = standing(dataset, column);
  column.digits = digitsOf(column.metric, scores.flatMap((score) => [score.value, score.high]));
  const low = Math.min(0, ...scores.map((score) => score.low));
  const high = Math.max(...scores.map((score) => score.high));
  const { range } = head.metrics[column.metric];
  [column.from, column.to] = range ?? [low, high > low ? high : low + 1];
}

function scoreTable(table, name) {
  const heads = table.columns.map((column, i) => metricHead(table, column, i));
  drawBody(table);
  table.heads = heads;
  return el('table', { class: 'scores' }, el('caption', { class: 'hidden-text' }, `Scores on ${name}`),
    el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, 'Agent'), heads.map((one) => one.cell), el('th', { scope: 'col' }, 'n'))), table.body);
}

// How to read the table; beside it and not in it, since a wide table scrolls and this should not.
function howToRead(table) {
  const bars = 'Bars and ranges are 95 % intervals; n is the number of traces.';
  if (table.agents.length < 2) return el('p', { class: 'reading' }, bars);
  return el('p', { class: 'reading' },
    el('b', {}, 'Bold'), ': best, and ahead of the next agent in a paired permutation test (p < 0.05). ',
    '≈: level with the best; the test does not tell them apart. ',
    `No mark: behind, or no test. ${bars}`);
}

function metricHead(table, column, i) {
  const { higher, about } = head.metrics[column.metric];
  const way = el('span', { class: 'way', 'aria-hidden': 'true' });
  const spoken = higher === null ? '' : higher ? 'higher is better' : 'lower is better';
  const button = el('button', { type: 'button', class: 'sorter', onclick: () => sortBy(table, i) },
    column.under ? [brokenName(column.label, way), el('small', {}, column.under)] : [way, column.label], spoken && unseen(`, ${spoken}`));
  withTip(button, [about, spoken && `${spoken[0].toUpperCase()}${spoken.slice(1)}.`].filter(Boolean).join(' '));
  return { cell: el('th', { scope: 'col' }, button), way };
}

// Names of datasets begin alike: they break at their slashes rather than end in dots.
function brokenName(name, way) {
  const parts = cut(name, 80).split('/');
  return el('span', { class: 'path', title: cut(name, 2000) }, way, parts.flatMap((part, k) => (k ? ['/', el('wbr'), part] : [part])));
}

function sortBy(table, i) {
  const first = head.metrics[table.columns[i].metric].higher === false ? 'ascending' : 'descending';
  const second = first === 'ascending' ? 'descending' : 'ascending';
  const now = table.sort?.column === i ? table.sort.way : null;
  const way = now === first ? second : now === second ? null : first;
  table.sort = way ? { column: i, way } : null;
  table.heads.forEach((one, k) => {
    const its = k === i && way ? way : 'none';
    if (its === 'none') one.cell.removeAttribute('aria-sort');
    else one.cell.setAttribute('aria-sort', its);
    one.way.textContent = WAYS[its];
  });
  drawBody(table);
}

function sorted(table) {
  if (!table.sort) return table.agents;
  const { cells } = table.columns[table.sort.column];
  const sign = table.sort.way === 'ascending' ? 1 : -1;
  const value = (agent) => cells.get(agent)?.value;
  return [...table.agents].sort((a, b) => (value(a) === undefined) - (value(b) === undefined) || sign * (value(a) - value(b)));
}

function drawBody(table) {
  clear(table.body, sorted(table).map((agent) => el('tr', {}, el('th', { scope: 'row' }, agentName(agent)),
    table.columns.map((column) => scoreCell(column, agent)), el('td', { class: 'soft' }, traceCount(table, agent)))));
}

/** An agent's name with its colour. */
export function agentName(agent) {
  return el('span', { class: 'agent', style: { '--of': colourOf(agent) } },
    el('span', { class: 'dot', 'aria-hidden': 'true' }), named(head.agents[agent].name, 'span', { title: head.agents[agent].said }));
}

function traceCount(table, agent) {
  const counts = table.columns.map((column) => column.cells.get(agent)?.n).filter((n) => n !== undefined);
  const [low, high] = [Math.min(...counts), Math.max(...counts)];
  return low === high ? count(low) : `${count(low)}–${count(high)}`;
}

function scoreCell(column, agent) {
  const score = column.cells.get(agent);
  if (!score) return el('td', { class: 'soft' }, '–');
  const { from, to, digits } = column;
  const at = (x) => Math.min(100, Math.max(0, (100 * (x - from)) / (to - from)));
  const low = at(score.low);
  const middle = `${at(score.value)}%`;
  const mark = column.marks.get(agent);
  return el('td', { class: mark, style: { '--of': colourOf(agent) } },
    el('span', { class: 'value' }, number(score.value, digits), mark && unseen(SPOKEN_MARKS[mark])),
    el('span', { class: 'bar', 'aria-hidden': 'true' }, el('u', { style: { width: middle } }),
      el('i', { style: { left: `${low}%`, width: `${Math.max(0, at(score.high) - low)}%` } }), el('b', { style: { left: middle } })),
    el('span', { class: 'range' }, `${number(score.low, digits)} – ${number(score.high, digits)}`));
}

function measures(columns) {
  const seen = [...new Set(columns.map((column) => column.metric))];
  const lines = seen.flatMap((metric) => {
    const { name, about, percent: inPercent } = head.metrics[metric];
    const used = [...new Set(columns.filter((column) => column.metric === metric).map((column) => column.convention))].filter(Boolean);
    const said = [about, inPercent && 'In percent.', used.length && `Convention: ${used.join(', ')}.`];
    return [el('dt', {}, name), el('dd', {}, said.filter(Boolean).join(' '))];
  });
  return el('details', {}, el('summary', {}, 'What the measures mean'), el('dl', { class: 'measures' }, lines));
}

function longTable(table) {
  const first = ['dataset', 'agent', 'metric', 'value', 'low', 'high', 'n', 'convention'];
  const rows = sorted(table).flatMap((agent) => table.columns.filter((column) => column.cells.has(agent)).map((column) => {
    const score = column.cells.get(agent);
    const names = [head.datasets[table.dataset].name, head.agents[agent].name, head.metrics[column.metric].name];
    return [...names, ...first.slice(3).map((key) => score[key])];
  }));
  return [first, ...rows];
}

function wideTable(table) {
  const cell = (column, agent) => {
    const score = column.cells.get(agent);
    if (!score) return '–';
    const text = `${number(score.value, column.digits)} [${number(score.low, column.digits)}, ${number(score.high, column.digits)}]`;
    return column.marks.get(agent) === 'best' ? { bold: text } : text;
  };
  const cellsOf = (agent) => table.columns.map((column) => cell(column, agent));
  const rows = sorted(table).map((agent) => [head.agents[agent].name, ...cellsOf(agent), traceCount(table, agent)]);
  return [['Agent', ...table.columns.map((column) => column.label), 'n'], ...rows];
}
