// What is shown on panoramas, flat or around one: the target, each agent's answer, where people looked.

import { colourOf, cssValue, cut, number } from './dom.js';
import { head } from './store.js';
import { angleBetween } from './sphere.js';

const NARROW = 480; // pixels: a panorama without names

/** The marks of a pointing leg: {kind, direction: [heading, pitch], colour, label, brief}; of trace `chosen` its looks too. */
export function pointersOf(rows, index, k, agents = null, chosen = null) {
  const example = rows.examples[index];
  const leg = example.legs[k];
  if (leg?.kind !== 'point') return [];
  const out = (leg.views || []).map((view, n) => ({ kind: 'view', direction: view, colour: '--ink', label: String(n + 1) }));
  // The last look is the answer.
  const looker = example.traces[chosen];
  const looks = looker?.legs[k]?.looks?.slice(0, -1) ?? [];
  looks.forEach((look, n) => out.push({ kind: 'look', direction: look, colour: colourOf(looker.agent), label: String(n + 1) }));
  if (leg.target) out.push({ kind: 'target', direction: leg.target, colour: '--goal', label: 'target', brief: '' });
  for (const one of example.traces) {
    const answer = one.legs[k]?.answer;
    if (!answer || (agents && !agents.includes(one.agent))) continue;
    // One who stood elsewhere saw something else in this direction: how far off it is here says nothing.
    const strayed = Number.isInteger(one.legs[k].from);
    const off = leg.target && !strayed ? angleBetween(answer, leg.target) : null;
    const far = strayed ? ' from elsewhere' : off === null ? '' : ` ${number(off, 1)}°`;
    out.push({ kind: 'answer', strayed, direction: answer, colour: colourOf(one.agent), label: `${cut(head.agents[one.agent].name, 24)}${far}`,
      brief: strayed ? 'elsewhere' : far.trim() });
  }
  return out;
}

/** Paints marks where `place(heading, pitch)` says, with labels that keep clear of each other. */
export function paintPointers({ context, width, height }, marks, place, small = false) {
  const taken = [];
  const seen = [];
  for (const mark of marks) {
    const at = place(...mark.direction);
    if (!at || at[0] < -20 || at[1] < -20 || at[0] > width + 20 || at[1] > height + 20) continue;
    paintPointer(context, mark, at, small);
    taken.push([at[0] - 12, at[1] - 12, at[0] + 12, at[1] + 12]);
    if (mark.kind === 'target' || mark.kind === 'answer') seen.push([mark, at]);
  }
  if (small) return;
  // Where there is little room the colours say who it is.
  for (const [mark, at] of seen) {
    const label = width < NARROW ? mark.brief : mark.label;
    if (label) paintLabel(context, label, mark.colour, at, taken, width, height);
  }
}

function twice(context, colour, width) {
  context.lineWidth = width + 3;
  context.strokeStyle = 'rgba(0, 0, 0, 0.75)';
  context.stroke();
  context.lineWidth = width + 1.5;
  context.strokeStyle = '#fff';
  context.stroke();
  context.lineWidth = width;
  context.strokeStyle = colour;
  context.stroke();
}

function paintPointer(context, { kind, colour, label, strayed }, [x, y], small) {
  const plain = cssValue(colour) || '#ce1e36';
  context.lineCap = 'round';
  context.beginPath();
  if (kind === 'target') {
    context.arc(x, y, small ? 7 : 13, 0, 2 * Math.PI);
    twice(context, plain, small ? 2 : 3);
  } else if (strayed) {
    // A hollow square, not a cross: it is not in this picture.
    const half = small ? 4 : 7;
    context.rect(x - half, y - half, 2 * half, 2 * half);
    twice(context, plain, small ? 1 : 2);
  } else if (kind === 'answer') {
    const arm = small ? 4 : 8;
    for (const [dx, dy] of [[1, 1], [1, -1]]) {
      context.moveTo(x - arm * dx, y - arm * dy);
      context.lineTo(x + arm * dx, y + arm * dy);
    }
    twice(context, plain, small ? 2 : 3);
  } else if (!small) paintNumber(context, label, x, y, kind === 'view' ? '#fff' : plain);
}

// People's looks are ringed in white, an agent's in its colour.
function paintNumber(context, label, x, y, ring) {
  context.arc(x, y, 10, 0, 2 * Math.PI);
  context.fillStyle = 'rgba(20, 22, 28, 0.82)';
  context.fill();
  context.lineWidth = 2.5;
  context.strokeStyle = ring;
  context.stroke();
  context.fillStyle = '#fff';
  context.font = '600 11px system-ui, sans-serif';
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  context.fillText(label, x, y + 0.5);
}

function paintLabel(context, label, colour, [x, y], taken, width, height) {
  context.font = '600 13px system-ui, sans-serif';
  const wide = context.measureText(label).width + 22;
  const spots = [[18, -10], [-18 - wide, -10], [-wide / 2, -38], [-wide / 2, 18], [18, 14], [-18 - wide, 14], [18, -36], [18, 38], [-wide / 2, 44], [-wide / 2, -64]];
  const boxes = spots.map(([dx, dy]) => [x + dx, y + dy, x + dx + wide, y + dy + 20]);
  const inside = boxes.filter((box) => box[0] >= 2 && box[2] <= width - 2 && box[1] >= 2 && box[3] <= height - 2);
  const free = (box) => !taken.some((other) => box[0] < other[2] && box[2] > other[0] && box[1] < other[3] && box[3] > other[1]);
  const box = inside.find(free) || inside[0] || boxes[0];
  taken.push(box);
  context.fillStyle = 'rgba(16, 18, 24, 0.82)';
  context.beginPath();
  context.roundRect(box[0], box[1], wide, 20, 5);
  context.fill();
  context.fillStyle = cssValue(colour) || '#ce1e36';
  context.beginPath();
  context.arc(box[0] + 10, box[1] + 10, 4, 0, 2 * Math.PI);
  context.fill();
  context.lineWidth = 1;
  context.strokeStyle = '#fff';
  context.stroke();
  context.fillStyle = '#fff';
  context.textAlign = 'left';
  context.textBaseline = 'middle';
  context.fillText(label, box[0] + 18, box[1] + 10.5);
}
