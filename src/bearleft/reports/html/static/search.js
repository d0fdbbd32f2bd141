// Search, filters and sorting of examples. An index is built once; a key press then only scans strings and small arrays.

import { summary } from './report-data.js';

export const LIST_KEYS = ['q', 'data', 'is', 'and', 'ph', 'pair', 'sort', 'm', 'a', 'b', 'dir'];

let cachedIndex = null;
let lastResult = { key: null, order: [] };

/** Return the groupings that filters and charts share: [{by, title, names}]. */
export function groupings() {
  const seen = new Map();
  for (const group of summary.groups) if (!seen.has(group.by)) seen.set(group.by, { by: group.by, title: group.title, names: group.names });
  return [...seen.values()];
}

function buildSearchIndex(report) {
  if (cachedIndex?.report === report) return cachedIndex;
  const { examples } = report;
  const texts = examples.map((example) => {
    const names = [example.id, summary.worlds[example.world] ?? '', summary.datasets[example.dataset]?.name ?? ''];
    return [...names, ...example.legs.map((leg) => leg.text)].join('\n').toLowerCase();
  });
  const outcomes = summary.agents.map(() => new Int8Array(examples.length).fill(-1));
  examples.forEach((example, i) => {
    for (const trace of example.traces) {
      if (trace.success === null || !outcomes[trace.agent]) continue;
      // An agent with several traces succeeds if all of them do.
      const before = outcomes[trace.agent][i];
      outcomes[trace.agent][i] = before === 0 ? 0 : Number(trace.success);
    }
  });
  cachedIndex = { report, texts, outcomes, kinds: [...new Set(examples.map((example) => example.pair?.kind).filter(Boolean))].sort() };
  return cachedIndex;
}

/** Return the kinds of minimal pairs in the report. */
export function pairKinds(report) {
  return buildSearchIndex(report).kinds;
}

/** Return the terms of a search in lower case; "quoted words" stay together. */
export function searchTerms(query) {
  return [...(query || '').toLowerCase().matchAll(/"([^"]+)"|(\S+)/g)].map((match) => match[1] ?? match[2]).filter((word) => word !== '"');
}

/** Return the parameters that select and order examples, without the page. */
export function listParams(params) {
  const entries = Object.entries(params).filter(([key, value]) => value !== '' && (LIST_KEYS.includes(key) || key.startsWith('g.')));
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Return the indices of the examples that match, in order; the last result is cached. */
export function findExamples(report, params) {
  const key = JSON.stringify(listParams(params));
  if (lastResult.key === key && lastResult.report === report) return lastResult.order;
  const searchIndex = buildSearchIndex(report);
  const predicates = [...textPredicates(searchIndex, params), ...fieldPredicates(searchIndex, params), ...outcomePredicates(searchIndex, params)];
  const order = [];
  for (let i = 0; i < report.examples.length; i += 1) if (predicates.every((predicate) => predicate(i))) order.push(i);
  sortExamples(report, order, params);
  lastResult = { key, report, order };
  return order;
}

function textPredicates(searchIndex, { q }) {
  return searchTerms(q).map((term) => (i) => searchIndex.texts[i].includes(term));
}

function fieldPredicates(searchIndex, params) {
  const { examples } = searchIndex.report;
  const predicates = [];
  if (params.data) predicates.push((i) => examples[i].dataset === Number(params.data));
  if (params.pair) predicates.push((i) => examples[i].pair?.kind === params.pair);
  if (params.ph) predicates.push((i) => examples[i].legs.some((leg) => leg.phenomena.some((phenomenon) => phenomenon[0] === Number(params.ph))));
  for (const [key, value] of Object.entries(params)) {
    if (key.startsWith('g.') && value !== '') predicates.push((i) => Boolean(examples[i].groups[key.slice(2)]?.includes(Number(value))));
  }
  return predicates;
}

function outcomePredicates(searchIndex, params) {
  return [params.is, params.and].filter(Boolean).map((filter) => outcomePredicate(searchIndex.outcomes, filter)).filter(Boolean);
}

function outcomePredicate(outcomes, filter) {
  const [name, agent] = filter.split('-');
  const knownOutcomes = (i) => outcomes.map((ofAgent) => ofAgent[i]).filter((success) => success >= 0);
  if (agent !== undefined) return (i) => outcomes[Number(agent)]?.[i] === (name === 'right' ? 1 : 0);
  if (name === 'split') return (i) => new Set(knownOutcomes(i)).size === 2;
  if (name !== 'right' && name !== 'wrong') return null;
  const expected = name === 'right' ? 1 : 0;
  return (i) => knownOutcomes(i).length > 0 && knownOutcomes(i).every((success) => success === expected);
}

/** Return an agent's value of a metric on an example: the mean over its traces, or null. */
export function metricValue(example, agent, metric) {
  let [sum, traces] = [0, 0];
  for (const trace of example.traces) {
    const value = trace.agent === agent ? trace.values[metric] : null;
    if (value === null || value === undefined) continue;
    sum += value;
    traces += 1;
  }
  return traces ? sum / traces : null;
}

function sortKey(report, params) {
  const [metric, agent, otherAgent] = ['m', 'a', 'b'].map((name) => Number(params[name] || 0));
  if (params.sort === 'length') return (i) => report.examples[i].length;
  if (params.sort === 'value') return (i) => metricValue(report.examples[i], agent, metric);
  if (params.sort !== 'gap') return null;
  return (i) => {
    const [value, otherValue] = [metricValue(report.examples[i], agent, metric), metricValue(report.examples[i], otherAgent, metric)];
    return value === null || otherValue === null ? null : value - otherValue;
  };
}

function sortExamples(report, order, params) {
  const sign = params.dir === 'down' ? -1 : 1;
  if (params.sort === 'id') {
    const compare = new Intl.Collator('en', { numeric: true }).compare;
    order.sort((i, j) => sign * compare(report.examples[i].id, report.examples[j].id));
    return;
  }
  const key = sortKey(report, params);
  if (!key) {
    if (sign < 0) order.reverse();
    return;
  }
  const keys = new Map(order.map((i) => [i, key(i)]));
  // Examples without a value come last in both orders.
  order.sort((i, j) => {
    const [a, b] = [keys.get(i), keys.get(j)];
    if (a === null || b === null) return (a === null) - (b === null) || i - j;
    return sign * (a - b) || i - j;
  });
}
