// Minimal pairs at a glance: of how many pairs an agent got both texts, one, or none right, by kind of change.

import { agentLabel } from './agent-label.js';
import { el, formatCount, nameElement, scrollRegion, screenReaderText } from './dom.js';
import { routeHash } from './router.js';
import { summary } from './report-data.js';
import { withTooltip } from './tooltip.js';

/** Return the panel, or null if there are no minimal pairs. */
export function pairsPanel() {
  const rows = summary.pairs ?? [];
  if (!rows.length) return null;
  const kinds = [...new Set(rows.map((row) => row.kind))];
  const agents = [...new Set(rows.map((row) => row.agent))].sort((a, b) => a - b);
  const cellOf = (agent, kind) => pairCell(rows.filter((row) => row.agent === agent && row.kind === kind));
  const heading = (kind) => el('th', { scope: 'col' }, nameElement(kind || 'pairs', 'a', { href: routeHash('/examples', { pair: kind }) }));
  const key = (kind, text) => el('span', { class: 'key' }, el('i', { class: `pair-${kind}`, 'aria-hidden': 'true' }), text);
  return el('section', { class: 'panel', 'aria-labelledby': 'pairs' }, el('h2', { id: 'pairs', tabindex: -1 }, 'Minimal pairs'),
    el('p', { class: 'soft small' }, 'Two texts that differ in one word and have different answers. The number is how many pairs have both right (Pairs): an agent that does not read gets at most one of the two.'),
    scrollRegion('Minimal pairs by kind of change', el('table', { class: 'scores pairs' }, el('caption', { class: 'hidden-text' }, 'Minimal pairs: both, one or none right'),
      el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, 'Agent'), kinds.map(heading))),
      el('tbody', {}, agents.map((agent) => el('tr', {}, el('th', { scope: 'row' }, agentLabel(agent)), kinds.map((kind) => cellOf(agent, kind))))))),
    el('p', { class: 'soft small keyline' }, key('both', 'both right'), key('one', 'one right'), key('none', 'none right')));
}

function pairCell(rows) {
  const count = (name) => rows.reduce((sum, row) => sum + row[name], 0);
  const counts = { both: count('both'), one: count('original') + count('changed'), none: count('none') };
  const total = counts.both + counts.one + counts.none;
  if (!total) return el('td', { class: 'soft' }, '–');
  const bar = el('span', { class: 'pairbar', 'aria-hidden': 'true' }, Object.entries(counts).map(([name, n]) => n > 0 && el('i', { class: `pair-${name}`, style: { 'flex-grow': String(n) } })));
  const words = `${counts.both} both, ${counts.one} one, ${counts.none} none`;
  const cell = el('td', {}, el('span', { class: 'value' }, `${formatCount(counts.both)} of ${formatCount(total)}`), bar, el('span', { class: 'range' }, words), screenReaderText(' right'));
  withTooltip(cell, `${words} right; of the one, ${count('original')} the original and ${count('changed')} the changed text.`);
  return cell;
}
