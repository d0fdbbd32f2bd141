import { clear, count, cut, el, named, number, scrolling, svg } from './dom.js';
import { metricSelect } from './pairs.js';
import { marker, markerSign, scale, ticks, upright, whisker } from './plot.js';
import { link, remember } from './router.js';
import { chosenMetric, digitsOf } from './standing.js';
import { head } from './store.js';

/** "Where agents differ": a metric, and a chart for every way to group the examples. */
export function charts(params) {
  const metrics = [...new Set(head.groups.map((group) => group.metric))].sort((a, b) => a - b);
  if (!metrics.length) return null;
  const place = el('div', { class: 'charts' });
  const legend = el('ul', { class: 'legend', 'aria-label': 'Agents' });
  const draw = (metric) => {
    const groups = head.groups.filter((group) => group.metric === metric && group.cells.length);
    const agents = [...new Set(groups.flatMap((group) => group.cells.map((cell) => cell[1])))].sort((a, b) => a - b);
    clear(legend, agents.map((agent) => el('li', {}, markerSign(agent), named(head.agents[agent].name))));
    clear(place, groups.map((group) => chart(group, agents)));
  };
  const metric = chosenMetric(params.chart, metrics);
  draw(metric);
  const chooser = metricSelect(metrics, metric, (chosen) => {
    remember({ chart: head.metrics[chosen].name });
    draw(chosen);
  });
  return el('section', { class: 'panel', 'aria-labelledby': 'differ' },
    el('div', { class: 'headline' }, el('div', {}, el('h2', { id: 'differ' }, 'Where agents differ'),
      el('p', {}, 'Signs are means, lines 95 % intervals. A name opens its examples.')), el('div', { class: 'tools' }, chooser)),
    legend, place);
}

function chart(group, agents) {
  const domain = domainOf(group);
  const digits = digitsOf(group.metric, group.cells.map((cell) => cell[2]));
  const all = group.names.map((_, i) => ({ i, cells: group.cells.filter((cell) => cell[0] === i) }));
  const rows = all.filter((row) => row.cells.length);
  const height = Math.max(28, agents.length * 11 + 9);
  return el('figure', { class: 'chart', 'aria-label': `${head.metrics[group.metric].name}, ${group.title}` },
    el('h3', {}, group.title),
    el('div', {}, rows.map((row) => plotRow(group, row, agents, domain, height, digits)), axis(group, domain)),
    tableOf(group, rows, agents, digits));
}

function domainOf(group) {
  const { range } = head.metrics[group.metric];
  if (range) return range;
  const low = Math.min(0, ...group.cells.map((cell) => cell[3]));
  const high = Math.max(...group.cells.map((cell) => cell[4]));
  return [low, high > low ? high : low + 1];
}

function plotRow(group, row, agents, domain, height, digits) {
  const x = scale(...domain);
  const step = (height - 9) / agents.length;
  const dots = row.cells.flatMap(([, agent, value, low, high, n]) => {
    const y = 4.5 + step * (agents.indexOf(agent) + 0.5);
    const said = `${cut(head.agents[agent].name, 80)}: ${number(value, digits)} [${number(low, digits)}, ${number(high, digits)}], n = ${n}`;
    return svg('g', {}, svg('title', {}, said), whisker(agent, x(low), x(high), y), marker(agent, x(value), y));
  });
  const name = group.names[row.i];
  return el('div', { class: 'plot-row' }, named(name, 'a', { href: link('/examples', { [`g.${group.by}`]: row.i }) }),
    svg('svg', { height, 'aria-hidden': 'true' }, ticks(...domain).map((tick) => upright(x(tick), tick === 0 ? 'zero-line' : 'grid-line')), dots),
    el('span', { class: 'n' }, countsOf(row.cells)));
}

function countsOf(cells) {
  const counts = cells.map((cell) => cell[5]);
  const [low, high] = [Math.min(...counts), Math.max(...counts)];
  return low === high ? `n ${count(low)}` : `n ${count(low)}–${count(high)}`;
}

function axis(group, domain) {
  const x = scale(...domain);
  const all = ticks(...domain);
  const sign = head.metrics[group.metric].percent ? '%' : '';
  const digits = all.some((tick) => !Number.isInteger(tick)) ? (Math.abs(all[1] - all[0]) < 0.1 ? 2 : 1) : 0;
  const labels = all.map((tick) => svg('text', { x: x(tick), y: 12, 'text-anchor': 'middle' }, `${number(tick, digits)}${sign}`));
  return el('div', { class: 'plot-row axis', 'aria-hidden': 'true' },
    el('span', { class: 'soft small' }, head.metrics[group.metric].name), svg('svg', { height: 16 }, labels), el('span'));
}

function tableOf(group, rows, agents, digits) {
  const cellOf = (row, agent) => {
    const cell = row.cells.find((one) => one[1] === agent);
    return el('td', {}, cell ? `${number(cell[2], digits)} [${number(cell[3], digits)}, ${number(cell[4], digits)}], n ${count(cell[5])}` : '–');
  };
  const heads = agents.map((agent) => el('th', { scope: 'col' }, named(head.agents[agent].name)));
  const lineOf = (row) => el('tr', {}, el('th', { scope: 'row' }, named(group.names[row.i])), agents.map((agent) => cellOf(row, agent)));
  return el('details', {}, el('summary', {}, 'As a table'),
    scrolling(`${group.title} as a table`, el('table', { class: 'plain-table' },
      el('caption', { class: 'hidden-text' }, `${head.metrics[group.metric].name}, ${group.title}`),
      el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, 'Name'), heads)), el('tbody', {}, rows.map(lineOf)))));
}
