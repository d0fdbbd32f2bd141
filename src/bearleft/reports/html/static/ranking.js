// Columns of the score tables, and the ranking of agents by paired tests.

import { summary } from './report-data.js';

export const ALPHA = 0.05;

/** Return the columns of a dataset's table, ordered by metric: [{metric, convention, label, cells: Map agent -> score}]. */
export function scoreColumns(dataset) {
  const columns = new Map();
  for (const score of summary.scores) {
    if (score.dataset !== dataset) continue;
    const key = `${score.metric}/${score.convention}`;
    if (!columns.has(key)) columns.set(key, { metric: score.metric, convention: score.convention, cells: new Map() });
    columns.get(key).cells.set(score.agent, score);
  }
  const sorted = [...columns.values()].sort((a, b) => a.metric - b.metric);
  for (const column of sorted) column.label = columnLabel(column, sorted);
  return sorted;
}

function columnLabel(column, columns) {
  const { name } = summary.metrics[column.metric];
  const unique = columns.filter((other) => other.metric === column.metric).length === 1;
  return unique ? name : `${name} (${column.convention})`;
}

/** Return the agents that have scores in these columns, in order. */
export function scoredAgents(columns) {
  return [...new Set(columns.flatMap((column) => [...column.cells.keys()]))].sort((a, b) => a - b);
}

/** Return the paired test of two agents with `first` first, or null. */
export function pairedTest(dataset, metric, first, second) {
  for (const comparison of summary.comparisons) {
    if (comparison.dataset !== dataset || comparison.metric !== metric) continue;
    if (comparison.first === first && comparison.second === second) return comparison;
    if (comparison.first === second && comparison.second === first) return swapComparison(comparison);
  }
  return null;
}

/** Return the same test with the agents swapped. */
export function swapComparison(comparison) {
  const { first, second, difference, low, high, above, below } = comparison;
  return { ...comparison, first: second, second: first, difference: -difference, low: -high, high: -low, above: below, below: above };
}

/** Return a map of agents to 'best' (significantly ahead of the next) or 'tie' (level with the first); empty without tests. */
export function rankMarks(dataset, column) {
  const marks = new Map();
  const { higher_is_better: higherIsBetter } = summary.metrics[column.metric];
  if (higherIsBetter === null || column.cells.size < 2) return marks;
  const order = [...column.cells.values()].sort((a, b) => (higherIsBetter ? b.value - a.value : a.value - b.value));
  const first = order[0].agent;
  const tests = order.slice(1).map((score) => [score.agent, pairedTest(dataset, column.metric, first, score.agent)]);
  if (!tests[0][1]) return marks;
  if (tests[0][1].p < ALPHA) return marks.set(first, 'best');
  marks.set(first, 'tie');
  for (const [agent, test] of tests) if (test && test.p >= ALPHA) marks.set(agent, 'tie');
  return marks;
}

/** Return the success metric (of a dataset, if given) if it is among `metrics`, else the first of them. */
export function mainMetric(metrics, dataset = null) {
  const successMetrics = summary.datasets[dataset]?.success_metrics ?? summary.success_metrics;
  return Object.values(successMetrics).find((metric) => metrics.includes(metric)) ?? metrics[0];
}

/** Return all agents, the best in the main metric of a dataset first; ties are broken by their scores on the other datasets. */
export function agentsByScore(dataset) {
  const main = summary.datasets.map((_, k) => mainMetric(summary.scores.filter((score) => score.dataset === k).map((score) => score.metric), k));
  const signed = (score) => (summary.metrics[score.metric].higher_is_better === false ? -score.value : score.value);
  const mean = (agent, included) => {
    const values = summary.scores.filter((score) => score.agent === agent && score.metric === main[score.dataset] && included(score)).map(signed);
    return values.length ? values.reduce((sum, value) => sum + value, 0) / values.length : -Infinity;
  };
  const keys = summary.agents.map((_, agent) => [mean(agent, (score) => score.dataset === dataset), mean(agent, () => true)]);
  const compare = (x, y) => (x === y ? 0 : y - x);
  return keys.map((_, agent) => agent).sort((a, b) => compare(keys[a][0], keys[b][0]) || compare(keys[a][1], keys[b][1]));
}

/** Return the metric with a name from the URL, or the main one. */
export function selectedMetric(name, metrics, dataset = null) {
  const metric = summary.metrics.findIndex((metric) => metric.name === name);
  return metrics.includes(metric) ? metric : mainMetric(metrics, dataset);
}

/** Return the count of decimals for values of a metric. */
export function decimalsFor(metric, values) {
  if (summary.metrics[metric].percent) return 1;
  const largest = Math.max(0, ...values.filter(Number.isFinite).map(Math.abs));
  return largest < 2 ? 3 : largest < 100 ? 2 : 1;
}
