// What is marked on the panorama of a leg: the target, the agents' answers and looks, and where people looked.

import { agentColour, truncate, formatNumber } from './dom.js';
import { summary } from './report-data.js';
import { angleBetween } from './geometry.js';

/** Return the marks of a pointing leg, see panorama-marks.js; looks are those of trace `chosen`. */
export function panoramaMarks(report, index, legIndex, agents = null, chosen = null) {
  const example = report.examples[index];
  const leg = example.legs[legIndex];
  if (leg?.kind !== 'point') return [];
  const marks = (leg.views || []).map((view, n) => ({ kind: 'view', direction: view, colour: '--ink', label: String(n + 1) }));
  // The last look is the answer.
  const chosenTrace = example.traces[chosen];
  const looks = chosenTrace?.legs[legIndex]?.looks?.slice(0, -1) ?? [];
  looks.forEach((look, n) => marks.push({ kind: 'look', direction: look, colour: agentColour(chosenTrace.agent), label: String(n + 1) }));
  if (leg.target) marks.push({ kind: 'target', direction: leg.target, colour: '--goal', label: 'target', shortLabel: '' });
  for (const trace of example.traces) {
    const answer = trace.legs[legIndex]?.answer;
    if (!answer || (agents && !agents.includes(trace.agent))) continue;
    // From another place the same direction shows something else, so the error is not stated.
    const elsewhere = Number.isInteger(trace.legs[legIndex].pointed_from);
    const error = leg.target && !elsewhere ? angleBetween(answer, leg.target) : null;
    const suffix = elsewhere ? ' from elsewhere' : error === null ? '' : ` ${formatNumber(error, 1)}°`;
    marks.push({ kind: 'answer', elsewhere, direction: answer, colour: agentColour(trace.agent), label: `${truncate(summary.agents[trace.agent].name, 24)}${suffix}`,
      shortLabel: elsewhere ? 'elsewhere' : suffix.trim() });
  }
  return marks;
}
