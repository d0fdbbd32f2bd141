// What each agent did in an example: a lane with its verdict and its film strip, and a table of its values.

import { colourOf, cut, el, named, number } from './dom.js';
import { link } from './router.js';
import { head } from './store.js';
import { makeStrip } from './strip.js';

/** The address of an example's page. */
export function exampleHref(rows, index, params = {}) {
  return link(['example', rows.examples[index].dataset, rows.examples[index].id], params);
}

/** The name of who did a trace, with its seed where an agent did several. */
export function whoDid(example, trace) {
  const { name } = head.agents[trace.agent];
  const several = example.traces.filter((one) => one.agent === trace.agent).length > 1;
  return several ? `${name}, seed ${trace.seed}` : name;
}

/** A sign and the words of how a leg ended. */
export function verdictOf(done) {
  if (!done) return el('span', { class: 'verdict soft' }, 'did not come to this part');
  return el('span', { class: `verdict ${done.good ? 'good' : 'bad'}` }, el('span', { class: 'sign', 'aria-hidden': 'true' }, done.good ? '✓' : '✗'),
    el('span', { class: 'hidden-text' }, done.good ? 'right: ' : 'wrong: '), done.verdict);
}

/** One lane for each trace: {node, update(state)}; does.choose(trace, step), does.toggle(agent, on). */
export function makeLanes(rows, index, k, does) {
  const example = rows.examples[index];
  const lanes = example.traces.map((trace, t) => makeLane(example, trace, t, k, does));
  return {
    node: el('div', { class: 'lanes' }, lanes.map(({ node }) => node)),
    update: (state) => lanes.forEach((lane) => lane.update(state)),
  };
}

function makeLane(example, trace, t, k, does) {
  const name = whoDid(example, trace);
  const done = trace.legs[k];
  const strip = done?.strip?.length ? makeStrip(done.strip, name, (step) => does.choose(t, step)) : null;
  const pick = el('input', { type: 'radio', name: 'follow', id: `follow-${t}`, onchange: () => does.choose(t, null) });
  const show = el('input', { type: 'checkbox', checked: true, onchange: () => does.toggle(trace.agent, show.checked) });
  const node = el('section', { class: 'lane panel', style: { '--of': colourOf(trace.agent) }, 'aria-label': cut(name, 80) },
    el('div', { class: 'lanehead' }, el('label', { class: 'follow' }, pick, el('span', { class: 'dot' }), named(name, 'b')), verdictOf(done),
      el('label', { class: 'small soft' }, show, ' shown')), strip?.node ?? null);
  return {
    node,
    update(state) {
      pick.checked = state.trace === t;
      show.checked = !state.hidden.has(trace.agent);
      node.classList.toggle('chosen', state.trace === t);
      strip?.mark(state.trace === t ? state.step : null);
    },
  };
}

function valueText(metric, value) {
  if (value === null || value === undefined) return '–';
  return metric.percent ? `${number(value, 0)} %` : number(value, Math.abs(value) < 10 ? 2 : 1);
}

/** All values of this example: a row for each agent, a column for each measure that any of them has. */
export function valuesTable(rows, index) {
  const example = rows.examples[index];
  const used = head.metrics.map((_, m) => m).filter((m) => example.traces.some((one) => Number.isFinite(one.values[m]) && one.values[m] !== null));
  const lines = example.traces.map((trace) => el('tr', {},
    el('th', { scope: 'row' }, el('span', { class: 'agent' }, el('span', { class: 'dot', style: { '--of': colourOf(trace.agent) } }), named(whoDid(example, trace)))),
    el('td', { class: 'words' }, trace.legs.map((done) => el('div', {}, verdictOf(done)))),
    used.map((m) => el('td', {}, valueText(head.metrics[m], trace.values[m])))));
  // Beside the table and not in it, since a wide table scrolls and this should not.
  return el('section', { class: 'panel' }, el('h3', {}, 'Values of this example'),
    el('p', { class: 'soft small' }, 'Each measure for this example alone; averages are on the page of scores.'),
    el('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Values of this example' },
      el('table', { class: 'values' }, el('caption', { class: 'hidden-text' }, 'Values of this example'),
        el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, 'agent'), el('th', { scope: 'col' }, 'how it ended'),
          used.map((m) => el('th', { scope: 'col', title: head.metrics[m].about }, head.metrics[m].name)))),
        el('tbody', {}, lines))));
}

function quoted(text) {
  return /^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** The command that films what an agent did here; '' where nobody did anything. */
export function filmCommand(rows, index, t) {
  const example = rows.examples[index];
  const trace = example.traces[t];
  const file = trace ? head.agents[trace.agent].files[trace.file] : undefined;
  if (file === undefined) return '';
  // A name that begins with a dash would be read as an option.
  const safe = file.startsWith('-') ? `./${file}` : file;
  const typed = (head.film?.[example.world] ?? []).map((word) => ` ${quoted(word)}`).join('');
  return `bearleft render episode ${quoted(safe)} --id ${quoted(example.id)}${typed} -o film.gif`;
}
