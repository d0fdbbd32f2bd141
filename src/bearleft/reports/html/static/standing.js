import { head } from './store.js';

// Which numbers stand in a table, and who is best by a test rather than by eye.

export const ALPHA = 0.05;

/** The columns of a dataset's table: [{metric, convention, label, cells: Map agent -> score}], in the order of the metrics. */
export function columnsOf(dataset) {
  const columns = new Map();
  for (const score of head.scores) {
    if (score.dataset !== dataset) continue;
    const key = `${score.metric}/${score.convention}`;
    if (!columns.has(key)) columns.set(key, { metric: score.metric, convention: score.convention, cells: new Map() });
    columns.get(key).cells.set(score.agent, score);
  }
  const found = [...columns.values()].sort((a, b) => a.metric - b.metric);
  for (const column of found) column.label = labelOf(column, found);
  return found;
}

function labelOf(column, all) {
  const { name } = head.metrics[column.metric];
  const alone = all.filter((other) => other.metric === column.metric).length === 1;
  return alone ? name : `${name} (${column.convention})`;
}

/** The agents a dataset has scores of, in the order of the columns of the report. */
export function agentsOf(columns) {
  return [...new Set(columns.flatMap((column) => [...column.cells.keys()]))].sort((a, b) => a - b);
}

/** The paired test of two agents, turned so that `one` comes first; null where there is none. */
export function pairOf(dataset, metric, one, other) {
  for (const pair of head.pairs) {
    if (pair.dataset !== dataset || pair.metric !== metric) continue;
    if (pair.one === one && pair.other === other) return pair;
    if (pair.one === other && pair.other === one) return turned(pair);
  }
  return null;
}

/** The same test seen from the other side. */
export function turned(pair) {
  const { one, other, difference, low, high, above, below } = pair;
  return { ...pair, one: other, other: one, difference: -difference, low: -high, high: -low, above: below, below: above };
}

/** Agent -> 'best' (ahead of the next by a test) or 'tie' (level with the first); empty where no test can say. */
export function standing(dataset, column) {
  const marks = new Map();
  const { higher } = head.metrics[column.metric];
  if (higher === null || column.cells.size < 2) return marks;
  const order = [...column.cells.values()].sort((a, b) => (higher ? b.value - a.value : a.value - b.value));
  const first = order[0].agent;
  const tests = order.slice(1).map((score) => [score.agent, pairOf(dataset, column.metric, first, score.agent)]);
  if (!tests[0][1]) return marks;
  if (tests[0][1].p < ALPHA) return marks.set(first, 'best');
  marks.set(first, 'tie');
  for (const [agent, test] of tests) if (test && test.p >= ALPHA) marks.set(agent, 'tie');
  return marks;
}

/** The measure that says right or wrong (on a dataset, where one is given) where it is among `metrics`, else the first. */
export function leading(metrics, dataset = null) {
  const right = head.datasets[dataset]?.right ?? head.right;
  return Object.values(right).find((metric) => metrics.includes(metric)) ?? metrics[0];
}

/** The metric of a name in the address, or the leading one. */
export function chosenMetric(name, metrics, dataset = null) {
  const asked = head.metrics.findIndex((metric) => metric.name === name);
  return metrics.includes(asked) ? asked : leading(metrics, dataset);
}

/** Digits behind the point that a metric's numbers need. */
export function digitsOf(metric, values) {
  if (head.metrics[metric].percent) return 1;
  const most = Math.max(0, ...values.filter(Number.isFinite).map(Math.abs));
  return most < 2 ? 3 : most < 100 ? 2 : 1;
}
