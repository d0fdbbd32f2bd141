// Trace rows: one row per trace with its outcome and film strip; also the table of an example's metric values.

import { agentColour, truncate, el, nameElement, formatNumber } from './dom.js';
import { routeHash } from './router.js';
import { summary } from './report-data.js';
import { createFilmStrip } from './film-strip.js';

/** Return the hash of an example's page. */
export function exampleHash(report, index, params = {}) {
  return routeHash(['example', report.examples[index].dataset, report.examples[index].id], params);
}

/** Return the agent's name, with the seed if the agent has several traces. */
export function traceLabel(example, trace) {
  const { name } = summary.agents[trace.agent];
  const several = example.traces.filter((other) => other.agent === trace.agent).length > 1;
  return several ? `${name}, seed ${trace.seed}` : name;
}

/** Return a sign and a text that describe how a leg ended. */
export function outcomeLabel(legTrace) {
  if (!legTrace) return el('span', { class: 'verdict soft' }, 'did not come to this part');
  return el('span', { class: `verdict ${legTrace.success ? 'good' : 'bad'}` }, el('span', { class: 'sign', 'aria-hidden': 'true' }, legTrace.success ? '✓' : '✗'),
    el('span', { class: 'hidden-text' }, legTrace.success ? 'right: ' : 'wrong: '), legTrace.outcome);
}

/** Return a row for each trace: {node, update(state)}; calls handlers.choose(trace, step) and handlers.toggle(agent, on). */
export function createTraceRows(report, index, legIndex, handlers) {
  const example = report.examples[index];
  const rows = example.traces.map((trace, traceIndex) => createTraceRow(example, trace, traceIndex, legIndex, handlers));
  return {
    node: el('div', { class: 'lanes' }, rows.map(({ node }) => node)),
    update: (state) => rows.forEach((row) => row.update(state)),
  };
}

function createTraceRow(example, trace, traceIndex, legIndex, handlers) {
  const name = traceLabel(example, trace);
  const legTrace = trace.legs[legIndex];
  const strip = legTrace?.strip?.length ? createFilmStrip(legTrace.strip, name, (step) => handlers.choose(traceIndex, step)) : null;
  const pick = el('input', { type: 'radio', name: 'follow', id: `follow-${traceIndex}`, onchange: () => handlers.choose(traceIndex, null) });
  const show = el('input', { type: 'checkbox', checked: true, onchange: () => handlers.toggle(trace.agent, show.checked) });
  const node = el('section', { class: 'lane panel', style: { '--of': agentColour(trace.agent) }, 'aria-label': truncate(name, 80) },
    el('div', { class: 'lanehead' }, el('label', { class: 'follow' }, pick, el('span', { class: 'dot' }), nameElement(name, 'b', { title: [name, summary.agents[trace.agent].description].filter(Boolean).join(': ') })), outcomeLabel(legTrace),
      el('label', { class: 'small soft' }, show, ' shown')), strip?.node ?? null);
  return {
    node,
    update(state) {
      pick.checked = state.trace === traceIndex;
      show.checked = !state.hidden.has(trace.agent);
      node.classList.toggle('chosen', state.trace === traceIndex);
      strip?.mark(state.trace === traceIndex ? state.step : null);
    },
  };
}

function formatValue(metric, value) {
  if (value === null || value === undefined) return '–';
  return metric.percent ? `${formatNumber(value, 0)} %` : formatNumber(value, Math.abs(value) < 10 ? 2 : 1);
}

/** Return the metric values of this example: a row for each trace, a column for each metric with a value. */
export function valuesTable(report, index) {
  const example = report.examples[index];
  const metrics = summary.metrics.map((_, metric) => metric).filter((metric) => example.traces.some((trace) => Number.isFinite(trace.values[metric]) && trace.values[metric] !== null));
  const lines = example.traces.map((trace) => el('tr', {},
    el('th', { scope: 'row' }, el('span', { class: 'agent' }, el('span', { class: 'dot', style: { '--of': agentColour(trace.agent) } }), nameElement(traceLabel(example, trace)))),
    el('td', { class: 'words' }, trace.legs.map((legTrace) => el('div', {}, outcomeLabel(legTrace)))),
    metrics.map((metric) => el('td', {}, formatValue(summary.metrics[metric], trace.values[metric])))));
  // Outside the table: a wide table scrolls, its description should not.
  return el('section', { class: 'panel' }, el('h3', {}, 'Values of this example'),
    el('p', { class: 'soft small' }, 'Each measure for this example alone; averages are on the page of scores.'),
    el('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Values of this example' },
      el('table', { class: 'values' }, el('caption', { class: 'hidden-text' }, 'Values of this example'),
        el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, 'agent'), el('th', { scope: 'col' }, 'how it ended'),
          metrics.map((metric) => el('th', { scope: 'col', title: summary.metrics[metric].definition }, summary.metrics[metric].name)))),
        el('tbody', {}, lines))));
}

function shellQuote(text) {
  return /^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** Return the command that renders a film of a trace; '' where there is none that works. */
export function renderCommand(report, index, traceIndex) {
  const example = report.examples[index];
  const trace = example.traces[traceIndex];
  const file = trace ? summary.agents[trace.agent].files[trace.file] : undefined;
  const worldOptions = summary.film_options?.[example.world];
  if (file === undefined || !trace.film || !worldOptions) return '';
  // A file name that begins with a dash would be read as an option.
  const safe = file.startsWith('-') ? `./${file}` : file;
  const options = [...trace.film, ...worldOptions].map((word) => ` ${shellQuote(word)}`).join('');
  return `bearleft render episode ${shellQuote(safe)} ${example.id.startsWith('-') ? `--id=${shellQuote(example.id)}` : `--id ${shellQuote(example.id)}`}${options} -o film.gif`;
}
