import { cut, el } from './dom.js';
import { groupings, pairKinds } from './query.js';
import { head } from './store.js';

// The fields of the list. Each is named like its parameter in the address, so that the two are one form.

const SORTS = { '': 'As in the data', id: 'Id', length: 'Length of the text', value: 'A value of one agent', gap: 'Difference of two agents' };
const NEEDS = { m: ['value', 'gap'], a: ['value', 'gap'], b: ['gap'] };

/** What to show. */
export function filters(rows) {
  const second = head.agents.length > 1 && outcomeField('and', 'and');
  const fields = [datasetField(), outcomeField('is', 'Outcome'), second, ...groupFields(), pairField(rows)];
  const box = el('details', { class: 'filter-box' }, el('summary', {}, 'Filters'), el('div', { class: 'filters' }, fields.filter(Boolean)));
  // Only a phone folds them away.
  const wide = matchMedia('(min-width: 641px)');
  const unfold = () => { box.open ||= wide.matches; };
  wide.addEventListener('change', unfold);
  unfold();
  return box;
}

function choice(name, title, options) {
  return el('label', { class: 'field' }, el('span', { class: 'name', title }, title), el('select', { name }, options));
}

function option(value, text) {
  return el('option', { value }, cut(text, 80));
}

function any(options, text = 'Any') {
  return [option('', text), ...options];
}

function datasetField() {
  const names = head.datasets.map((dataset) => dataset.name);
  const grouped = groupings().some((group) => names.every((name) => group.names.includes(name)));
  return names.length > 1 && !grouped && choice('data', 'Dataset', any(head.datasets.map((dataset, i) => option(i, dataset.name)), 'All'));
}

function outcomeField(name, title) {
  const of = (k, agent) => {
    const label = cut(agent.name, 60);
    return el('optgroup', { label }, option(`right-${k}`, `${label}: right`), option(`wrong-${k}`, `${label}: wrong`));
  };
  const all = head.agents.length > 1 ? [option('split', 'Agents disagree'), option('right', 'All right'), option('wrong', 'All wrong')] : [];
  return choice(name, title, any([...all, ...head.agents.map((agent, k) => of(k, agent))]));
}

function groupFields() {
  const fields = groupings().map(({ by, title, names }) => choice(`g.${by}`, withoutBy(title), any(names.map((name, i) => option(i, name)))));
  const ownPhenomena = groupings().some(({ by }) => by === 'phenomenon');
  if (!ownPhenomena && head.phenomena.length) fields.push(choice('ph', 'Phenomenon', any(head.phenomena.map((name, i) => option(i, name)))));
  return fields;
}

function withoutBy(title) {
  const bare = title.replace(/^by /i, '');
  return bare.slice(0, 1).toUpperCase() + bare.slice(1);
}

function pairField(rows) {
  const kinds = pairKinds(rows);
  if (!kinds.length || groupings().some(({ by }) => by === 'pair')) return null;
  return choice('pair', 'Minimal pair', any(kinds.map((kind) => option(kind, kind))));
}

/** In which order. */
export function sorting() {
  const agents = () => head.agents.map((agent, k) => option(k, agent.name));
  const sorts = Object.entries(SORTS).filter(([key]) => key !== 'gap' || head.agents.length > 1);
  const fields = [choice('sort', 'Sort by', sorts.map(([key, text]) => option(key, text))),
    choice('m', 'Value', head.metrics.map((metric, i) => option(i, metric.name))), choice('a', 'Agent', agents()),
    head.agents.length > 1 && choice('b', 'minus', agents()), choice('dir', 'Order', [option('', 'Rising'), option('down', 'Falling')])];
  return el('div', { class: 'sorting' }, fields.filter(Boolean));
}

/** Sets the fields as the address has them. */
export function fillFilters(form, params) {
  for (const field of form.elements) {
    if (!field.name || (field === document.activeElement && field.type === 'search')) continue;
    const wanted = params[field.name] ?? fresh(field);
    if (field.value !== wanted) field.value = wanted;
    // A value that is not among the options would leave the field blank.
    if (field.tagName === 'SELECT' && field.selectedIndex < 0) field.value = fresh(field);
  }
  showNeeded(form);
  if (Object.keys(params).some((key) => key !== 'q' && key !== 'page')) form.querySelector('.filter-box').open = true;
}

function fresh(field) {
  if (field.tagName !== 'SELECT') return '';
  return field.name === 'b' && field.options.length > 1 ? field.options[1].value : field.options[0].value;
}

function showNeeded(form) {
  const sort = form.elements.sort.value;
  for (const [name, sorts] of Object.entries(NEEDS)) {
    const field = form.elements[name];
    if (field) field.closest('.field').hidden = !sorts.includes(sort);
  }
}

/** The parameters that the fields say; those at rest are left out. */
export function readFilters(form) {
  showNeeded(form);
  const given = {};
  for (const field of form.elements) {
    if (!field.name || field.closest('[hidden]')) continue;
    const value = field.type === 'search' ? field.value.trim() : field.value;
    if (value !== '') given[field.name] = value;
  }
  return given;
}
