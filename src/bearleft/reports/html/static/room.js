// ArraMon's room from above: its walls, what stands there, where something should go and where agents put it.

import { colourOf, clear, cut, el, plural, svg } from './dom.js';
import { itemChip, itemSign } from './items.js';
import { head } from './store.js';
import { withTip } from './tip.js';

const TILE = 64;
const WALL = 30;
const LIFT = 11; // what stands on something lies so much higher in the picture

/** Column and row of a cell's number, from 0. */
export function columnAndRow(cell) {
  return [cell % head.room.columns, Math.floor(cell / head.room.columns)];
}

/** A cell in words, counted from 0 as in traces. */
export function cellInWords(column, row, height = 1) {
  const high = height > 1 ? `, on top of ${plural(height - 1, 'thing')}` : '';
  return `column ${column}, row ${row}${high}`;
}

/** What stands in the room as a leg of a trace begins: [look, cell, height]; its own earlier things are there too. */
export function standingFor(example, trace, leg) {
  const there = (example.decoys ?? []).map((one) => [one.slice(0, 4), one[4], one[5]]);
  for (const done of (trace?.legs ?? []).slice(0, leg)) if (done.cell && done.carried) there.push([done.carried, cellNumber(done.cell), done.cell[1], true]);
  return there;
}

const cellNumber = ([column, , row]) => column + head.room.columns * row;
const tileMiddle = (cell) => {
  const [column, row] = columnAndRow(cell);
  return [WALL + (column + 0.5) * TILE, WALL + (head.room.rows - row - 0.5) * TILE];
};
const cellCourse = (cells, by) => cells.filter((cell, i) => !i || cell !== cells[i - 1]).map((cell) => tileMiddle(cell).map((v) => v + by).join(' ')).join(' L');

/** The room of an example's leg: {node, update({agents, trace, step})}. */
export function makeRoom(rows, index, k) {
  const example = rows.examples[index];
  const [wide, high] = [head.room.columns * TILE + 2 * WALL, head.room.rows * TILE + 2 * WALL];
  const things = svg('g', {});
  const over = svg('g', { 'aria-hidden': 'true' });
  const picture = svg('svg', { class: 'room', viewBox: `0 0 ${wide} ${high}`, role: 'group' }, roomPatterns(), roomWalls(wide, high), roomFloor(), things, over);
  const words = el('figcaption', { class: 'soft small keyline' });
  let shown = '';
  return {
    node: el('figure', { class: 'frame roomframe' }, picture, words),
    update({ agents, trace, step }) {
      const followed = example.traces[trace];
      const done = followed?.legs[k];
      const last = step >= (done?.cells?.length ?? 0) - 1;
      picture.setAttribute('aria-label', `Room from above: ${roomInWords(example, k)}`);
      // Who has the keyboard on a thing keeps it there while steps go by.
      const state = `${trace} ${last}`;
      if (state !== shown) clear(things, standingSigns(example, followed, k, last));
      shown = state;
      clear(over, roomMarks(example, k, agents, followed, step));
      clear(words, roomKeys(example, k, followed, done));
    },
  };
}

// The names of the walls are the reader's way about, so they are written on them.
function roomWalls(wide, high) {
  const boxes = [[WALL, 0, wide - 2 * WALL, WALL, 0], [wide - WALL, WALL, WALL, high - 2 * WALL, 90],
    [WALL, high - WALL, wide - 2 * WALL, WALL, 0], [0, WALL, WALL, high - 2 * WALL, -90]];
  return head.room.walls.map(([name], n) => {
    const [x, y, width, height, angle] = boxes[n];
    const [mx, my] = [x + width / 2, y + height / 2];
    return svg('g', { class: 'wall' }, svg('rect', { x, y, width, height, fill: `url(#wall-${n})` }),
      svg('text', { x: mx, y: my, transform: `rotate(${angle} ${mx} ${my})` }, `${name} wall`));
  });
}

const WALL_PATTERNS = {
  brick: (one, other) => [svg('rect', { width: 24, height: 12, fill: one }), svg('path', { d: 'M0 0 H24 M0 6 H24 M6 0 V6 M18 6 V12', stroke: other, 'stroke-width': 1 })],
  wood: (one) => [svg('rect', { width: 24, height: 12, fill: one }), svg('path', { d: 'M0 0.5 H24 M0 4 Q6 2.5 12 4 T24 4 M0 8.5 Q6 7 12 8.5 T24 8.5', stroke: '#00000055', 'stroke-width': 0.9, fill: 'none' })],
  striped: (one, other) => [svg('rect', { width: 24, height: 12, fill: one }), svg('path', { d: 'M3 0 V12 M15 0 V12', stroke: other, 'stroke-width': 6 })],
  spotted: (one, other) => [svg('rect', { width: 24, height: 12, fill: one }), svg('circle', { cx: 6, cy: 6, r: 3, fill: other }), svg('circle', { cx: 18, cy: 6, r: 3, fill: other })],
};

function roomPatterns() {
  const one = (id, width, height, parts) => svg('pattern', { id, width, height, patternUnits: 'userSpaceOnUse' }, parts);
  const plain = (colour) => [svg('rect', { width: 24, height: 12, fill: colour })];
  return svg('defs', {}, head.room.walls.map(([name, colour, second], n) => one(`wall-${n}`, 24, 12, (WALL_PATTERNS[name] ?? plain)(colour, second))),
    one('doormat', 16, 16, [svg('rect', { width: 16, height: 16, fill: '#facd14' }), svg('path', { d: 'M0 0 H8 V8 H0 Z M8 8 H16 V16 H8 Z', fill: '#42340c' })]));
}

function roomFloor() {
  const cells = Array.from({ length: head.room.columns * head.room.rows }, (_, cell) => {
    const [x, y] = tileMiddle(cell);
    return svg('rect', { class: 'cell', x: x - TILE / 2, y: y - TILE / 2, width: TILE, height: TILE });
  });
  const [x, y] = tileMiddle(head.room.door);
  const half = TILE / 2 - 4;
  return svg('g', {}, cells, svg('rect', { class: 'doormat', x: x - half, y: y - half, width: 2 * half, height: 2 * half, fill: 'url(#doormat)' }));
}

// What stands there, and at the end what was put there.
function standingSigns(example, trace, k, last) {
  const done = trace?.legs[k];
  const all = standingFor(example, trace, k);
  if (last && done?.cell && done.carried) all.push([done.carried, cellNumber(done.cell), done.cell[1], true]);
  all.sort((a, b) => a[2] - b[2]);
  return all.map(([look, cell, height, own]) => {
    const [x, y] = tileMiddle(cell);
    const [column, row] = columnAndRow(cell);
    const up = LIFT * (height - 1);
    const said = `${look[0]}, ${cellInWords(column, row, height)}${own ? ', put there by the agent' : ''}`;
    const badge = height > 1 ? [svg('circle', { class: 'badge', cx: 14, cy: -2, r: 7.5 }), svg('text', { class: 'height', x: 14, y: -2 }, String(height))] : [];
    return withTip(svg('g', { class: 'standing', tabindex: '0', role: 'img', 'aria-label': said, transform: `translate(${x} ${y - up})` },
      svg('circle', { class: 'touch', r: 18 }), svg('g', { transform: 'scale(1.45)' }, itemSign(look)), badge), said);
  });
}

// Ways, the cell asked for, where agents put things, and who is followed.
function roomMarks(example, k, agents, followed, step) {
  const leg = example.legs[k];
  const shown = example.traces.filter((one) => agents.includes(one.agent) && one.legs[k]);
  const way = leg.route_cells?.length > 1 ? [svg('path', { class: 'reference', d: `M${cellCourse(leg.route_cells, 0)}` })] : [];
  const out = [...way];
  shown.forEach((one, n) => {
    const cells = one.legs[k].cells ?? [];
    const by = (n - (shown.length - 1) / 2) * 5;
    if (cells.some((cell) => cell !== cells[0])) out.push(svg('path', { class: 'walked', d: `M${cellCourse(cells, by)}`, style: { '--of': colourOf(one.agent) } }));
  });
  if (leg.cell) {
    const [x, y] = tileMiddle(cellNumber(leg.cell));
    out.push(svg('circle', { class: 'halo', cx: x, cy: y, r: 29 }), svg('circle', { class: 'asked', cx: x, cy: y, r: 29 }));
  }
  shown.forEach((one, n) => {
    const { cell } = one.legs[k];
    if (!cell) return;
    const [x, y] = tileMiddle(cellNumber(cell));
    out.push(svg('circle', { class: 'put', cx: x, cy: y, r: 25.5 - 3 * (n % 4), style: { '--of': colourOf(one.agent) } }));
  });
  return [...out, ...whoIsThere(followed, followed?.legs[k], step)];
}

function whoIsThere(trace, done, step) {
  if (!done?.cells?.length) return [];
  const [x, y] = tileMiddle(done.cells[step] ?? done.cells.at(-1));
  const heading = done.to?.[step] ?? 0;
  return [svg('g', { class: 'viewer-mark', transform: `translate(${x} ${y}) rotate(${heading})`, style: { '--of': colourOf(trace.agent) } },
    svg('path', { class: 'cone', d: 'M0 0 L-26 -45 A52 52 0 0 1 26 -45 Z' }), svg('circle', { r: 8 }), svg('path', { class: 'nose', d: 'M0 -6 L3.5 1.5 H-3.5 Z' }))];
}

function roomKeys(example, k, trace, done) {
  const one = (kind, text) => el('span', { class: 'key' }, el('i', { class: kind, 'aria-hidden': 'true' }), text);
  const leg = example.legs[k];
  const high = leg.cell?.[1] > 1 ? `, on top of ${plural(leg.cell[1] - 1, 'thing')}` : '';
  return [one('k-asked', `asked for${high}`), one('k-put', 'put down'), one('k-door', `door: ${cellInWords(...columnAndRow(head.room.door))}`),
    done?.carried ? el('span', { class: 'key' }, 'carried: ', itemChip(done.carried)) : null,
    done && done.own === false ? el('span', {}, 'not placed: put down where the agent was') : null];
}

/** The room in words: where something should go, and where each agent put it. */
export function roomInWords(example, k) {
  const { cell } = example.legs[k];
  const parts = [cell ? `asked for ${cellInWords(cell[0], cell[2], cell[1])}` : 'nothing asked for'];
  for (const one of example.traces) {
    const done = one.legs[k];
    const name = cut(head.agents[one.agent].name, 40);
    parts.push(done?.cell ? `${name} put ${done.carried?.[0] ?? 'it'} on ${cellInWords(done.cell[0], done.cell[2], done.cell[1])}` : `${name} put nothing down`);
  }
  return parts.join('; ');
}
