import { head } from './store.js';

// Searching, filtering and sorting. What a query needs of an example is worked out once; a keystroke then looks through
// strings and small arrays only.

export const LIST_KEYS = ['q', 'data', 'is', 'and', 'ph', 'pair', 'sort', 'm', 'a', 'b', 'dir'];

let prepared = null;
let kept = { key: null, order: [] };

/** The ways to group that the filters and charts share: [{by, title, names}]. */
export function groupings() {
  const seen = new Map();
  for (const group of head.groups) if (!seen.has(group.by)) seen.set(group.by, { by: group.by, title: group.title, names: group.names });
  return [...seen.values()];
}

function prepare(rows) {
  if (prepared?.rows === rows) return prepared;
  const { examples } = rows;
  const texts = examples.map((one) => {
    const names = [one.id, head.worlds[one.world] ?? '', head.datasets[one.dataset]?.name ?? ''];
    return [...names, ...one.legs.map((leg) => leg.text)].join('\n').toLowerCase();
  });
  const rights = head.agents.map(() => new Int8Array(examples.length).fill(-1));
  examples.forEach((one, i) => {
    for (const trace of one.traces) {
      if (trace.right === null || !rights[trace.agent]) continue;
      // An agent that played several times is right where it always was.
      const before = rights[trace.agent][i];
      rights[trace.agent][i] = before === 0 ? 0 : Number(trace.right);
    }
  });
  prepared = { rows, texts, rights, kinds: [...new Set(examples.map((one) => one.pair?.kind).filter(Boolean))].sort() };
  return prepared;
}

/** Kinds of minimal pairs that occur. */
export function pairKinds(rows) {
  return prepare(rows).kinds;
}

/** 1 right, 0 wrong, -1 where nobody can say. */
export function outcome(rows, agent, index) {
  return prepare(rows).rights[agent]?.[index] ?? -1;
}

/** The words of a search, in lower case; "quoted words" stay together. */
export function wordsOf(query) {
  return [...(query || '').toLowerCase().matchAll(/"([^"]+)"|(\S+)/g)].map((found) => found[1] ?? found[2]).filter((word) => word !== '"');
}

/** The parameters that say which examples and in which order, without the page. */
export function listParams(params) {
  const mine = Object.entries(params).filter(([key, value]) => value !== '' && (LIST_KEYS.includes(key) || key.startsWith('g.')));
  return Object.fromEntries(mine.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The indices of the examples that a query finds, in its order; kept until another is asked. */
export function find(rows, params) {
  const key = JSON.stringify(listParams(params));
  if (kept.key === key && kept.rows === rows) return kept.order;
  const data = prepare(rows);
  const tests = [...textTests(data, params), ...rowTests(data, params), ...outcomeTests(data, params)];
  const order = [];
  for (let i = 0; i < rows.examples.length; i += 1) if (tests.every((test) => test(i))) order.push(i);
  arrange(rows, order, params);
  kept = { key, rows, order };
  return order;
}

function textTests(data, { q }) {
  return wordsOf(q).map((word) => (i) => data.texts[i].includes(word));
}

function rowTests(data, params) {
  const { examples } = data.rows;
  const tests = [];
  if (params.data) tests.push((i) => examples[i].dataset === Number(params.data));
  if (params.pair) tests.push((i) => examples[i].pair?.kind === params.pair);
  if (params.ph) tests.push((i) => examples[i].legs.some((leg) => leg.marks.some((mark) => mark[0] === Number(params.ph))));
  for (const [key, value] of Object.entries(params)) {
    if (key.startsWith('g.') && value !== '') tests.push((i) => Boolean(examples[i].groups[key.slice(2)]?.includes(Number(value))));
  }
  return tests;
}

function outcomeTests(data, params) {
  return [params.is, params.and].filter(Boolean).map((asked) => outcomeTest(data.rights, asked)).filter(Boolean);
}

function outcomeTest(rights, asked) {
  const [name, agent] = asked.split('-');
  const known = (i) => rights.map((of) => of[i]).filter((right) => right >= 0);
  if (agent !== undefined) return (i) => rights[Number(agent)]?.[i] === (name === 'right' ? 1 : 0);
  if (name === 'split') return (i) => new Set(known(i)).size === 2;
  if (name !== 'right' && name !== 'wrong') return null;
  const wanted = name === 'right' ? 1 : 0;
  return (i) => known(i).length > 0 && known(i).every((right) => right === wanted);
}

/** An agent's value of a metric on an example: the mean over its traces, null where there is none. */
export function valueOf(example, agent, metric) {
  let [sum, n] = [0, 0];
  for (const trace of example.traces) {
    const value = trace.agent === agent ? trace.values[metric] : null;
    if (value === null || value === undefined) continue;
    sum += value;
    n += 1;
  }
  return n ? sum / n : null;
}

function sortKey(rows, params) {
  const [m, a, b] = ['m', 'a', 'b'].map((name) => Number(params[name] || 0));
  if (params.sort === 'length') return (i) => rows.examples[i].length;
  if (params.sort === 'value') return (i) => valueOf(rows.examples[i], a, m);
  if (params.sort !== 'gap') return null;
  return (i) => {
    const [one, other] = [valueOf(rows.examples[i], a, m), valueOf(rows.examples[i], b, m)];
    return one === null || other === null ? null : one - other;
  };
}

function arrange(rows, order, params) {
  const sign = params.dir === 'down' ? -1 : 1;
  if (params.sort === 'id') {
    const compare = new Intl.Collator('en', { numeric: true }).compare;
    order.sort((i, j) => sign * compare(rows.examples[i].id, rows.examples[j].id));
    return;
  }
  const key = sortKey(rows, params);
  if (!key) {
    if (sign < 0) order.reverse();
    return;
  }
  const keys = new Map(order.map((i) => [i, key(i)]));
  // Examples without a value come last, whichever way one sorts.
  order.sort((i, j) => {
    const [a, b] = [keys.get(i), keys.get(j)];
    if (a === null || b === null) return (a === null) - (b === null) || i - j;
    return sign * (a - b) || i - j;
  });
}
