// The form of the example list. Each field has the name of its parameter in the URL.

import { truncate, el } from './dom.js';
import { groupings, pairKinds } from './search.js';
import { summary } from './report-data.js';

const SORT_LABELS = { '': 'As in the data', id: 'Id', length: 'Length of the text', value: 'A value of one agent', gap: 'Difference of two agents' };
const SORTS_OF_FIELD = { m: ['value', 'gap'], a: ['value', 'gap'], b: ['gap'] };

/** Return the fields that filter examples. */
export function filterBox(report) {
  const secondOutcome = summary.agents.length > 1 && outcomeField('and', 'and');
  const fields = [datasetField(), outcomeField('is', 'Outcome'), secondOutcome, ...groupFields(), pairField(report)];
  const box = el('details', { class: 'filter-box' }, el('summary', {}, 'Filters'), el('div', { class: 'filters' }, fields.filter(Boolean)));
  // Collapsed on phones only.
  const wideScreen = matchMedia('(min-width: 641px)');
  const unfold = () => { box.open ||= wideScreen.matches; };
  wideScreen.addEventListener('change', unfold);
  unfold();
  return box;
}

function selectField(name, title, options) {
  return el('label', { class: 'field' }, el('span', { class: 'name', title }, title), el('select', { name }, options));
}

function optionElement(value, text) {
  return el('option', { value }, truncate(text, 80));
}

function withAnyOption(options, text = 'Any') {
  return [optionElement('', text), ...options];
}

function datasetField() {
  const names = summary.datasets.map((dataset) => dataset.name);
  const grouped = groupings().some((group) => names.every((name) => group.names.includes(name)));
  return names.length > 1 && !grouped && selectField('data', 'Dataset', withAnyOption(summary.datasets.map((dataset, i) => optionElement(i, dataset.name)), 'All'));
}

function outcomeField(name, title) {
  const agentOptions = (k, agent) => {
    const label = truncate(agent.name, 60);
    return el('optgroup', { label }, optionElement(`right-${k}`, `${label}: right`), optionElement(`wrong-${k}`, `${label}: wrong`));
  };
  const jointOptions = summary.agents.length > 1 ? [optionElement('split', 'Agents disagree'), optionElement('right', 'All right'), optionElement('wrong', 'All wrong')] : [];
  return selectField(name, title, withAnyOption([...jointOptions, ...summary.agents.map((agent, k) => agentOptions(k, agent))]));
}

function groupFields() {
  const fields = groupings().map(({ by, title, names }) => selectField(`g.${by}`, fieldTitle(title), withAnyOption(names.map((name, i) => optionElement(i, name)))));
  const phenomenaGrouped = groupings().some(({ by }) => by === 'phenomenon');
  if (!phenomenaGrouped && summary.phenomena.length) fields.push(selectField('ph', 'Phenomenon', withAnyOption(summary.phenomena.map((name, i) => optionElement(i, name)))));
  return fields;
}

function fieldTitle(title) {
  const words = title.replace(/^by /i, '');
  return words.slice(0, 1).toUpperCase() + words.slice(1);
}

function pairField(report) {
  const kinds = pairKinds(report);
  if (!kinds.length || groupings().some(({ by }) => by === 'pair')) return null;
  return selectField('pair', 'Minimal pair', withAnyOption(kinds.map((kind) => optionElement(kind, kind))));
}

/** Return the fields that sort examples. */
export function sortFields() {
  const agents = () => summary.agents.map((agent, k) => optionElement(k, agent.name));
  const sorts = Object.entries(SORT_LABELS).filter(([key]) => key !== 'gap' || summary.agents.length > 1);
  const fields = [selectField('sort', 'Sort by', sorts.map(([key, text]) => optionElement(key, text))),
    selectField('m', 'Value', summary.metrics.map((metric, i) => optionElement(i, metric.name))), selectField('a', 'Agent', agents()),
    summary.agents.length > 1 && selectField('b', 'minus', agents()), selectField('dir', 'Order', [optionElement('', 'Rising'), optionElement('down', 'Falling')])];
  return el('div', { class: 'sorting' }, fields.filter(Boolean));
}

/** Set the fields to the parameters of the URL. */
export function fillFilters(form, params) {
  for (const field of form.elements) {
    if (!field.name || (field === document.activeElement && field.type === 'search')) continue;
    const value = params[field.name] ?? defaultValue(field);
    if (field.value !== value) field.value = value;
    // A value that is not among the options would leave the field blank.
    if (field.tagName === 'SELECT' && field.selectedIndex < 0) field.value = defaultValue(field);
  }
  showSortFields(form);
  if (Object.keys(params).some((key) => key !== 'q' && key !== 'page')) form.querySelector('.filter-box').open = true;
}

function defaultValue(field) {
  if (field.tagName !== 'SELECT') return '';
  return field.name === 'b' && field.options.length > 1 ? field.options[1].value : field.options[0].value;
}

function showSortFields(form) {
  const sort = form.elements.sort.value;
  for (const [name, sorts] of Object.entries(SORTS_OF_FIELD)) {
    const field = form.elements[name];
    if (field) field.closest('.field').hidden = !sorts.includes(sort);
  }
}

/** Return the parameters of the fields, without those at their default. */
export function readFilters(form) {
  showSortFields(form);
  const params = {};
  for (const field of form.elements) {
    if (!field.name || field.closest('[hidden]')) continue;
    const value = field.type === 'search' ? field.value.trim() : field.value;
    if (value !== '') params[field.name] = value;
  }
  return params;
}
