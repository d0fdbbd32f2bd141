// The name of an agent with its colour, and what it is.

import { agentColour, el, nameElement } from './dom.js';
import { summary } from './report-data.js';

/** Return an agent's name with its colour. */
export function agentLabel(agent) {
  return el('span', { class: 'agent', style: { '--of': agentColour(agent) } },
    el('span', { class: 'dot', 'aria-hidden': 'true' }), nameElement(summary.agents[agent].name, 'span', { title: agentTitle(agent) }));
}

// The full name of an agent and what it does, for tooltips.
function agentTitle(agent) {
  const { trace_name: name, description } = summary.agents[agent];
  return [name, description].filter(Boolean).join(': ');
}
