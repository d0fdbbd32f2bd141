// ArraMon's room from above: walls, items, target cell, and where agents placed items.

import { agentColour, setContent, truncate, el, plural, svg } from './dom.js';
import { itemLabel, itemIcon } from './items.js';
import { summary } from './report-data.js';
import { withTooltip } from './tooltip.js';

const TILE_SIZE = 64;
const WALL_WIDTH = 30;
const STACK_OFFSET = 11; // pixels by which a stacked item is shifted up

/** Return column and row of a cell number, from 0. */
export function columnAndRow(cell) {
  return [cell % summary.room.columns, Math.floor(cell / summary.room.columns)];
}

/** Describe a cell, counted from 0 as in traces. */
export function describeCell(column, row, height = 1) {
  const suffix = height > 1 ? `, on top of ${plural(height - 1, 'thing')}` : '';
  return `column ${column}, row ${row}${suffix}`;
}

/** Return the items in the room when a leg of a trace begins: [look, cell, height, placed by the agent]. */
export function roomItems(example, trace, legIndex) {
  const items = (example.room_items ?? []).map((item) => [item.slice(0, 4), item[4], item[5]]);
  for (const legTrace of (trace?.legs ?? []).slice(0, legIndex)) if (legTrace.cell && legTrace.carried) items.push([legTrace.carried, cellNumber(legTrace.cell), legTrace.cell[1], true]);
  return items;
}

const cellNumber = ([column, , row]) => column + summary.room.columns * row;
const tileCentre = (cell) => {
  const [column, row] = columnAndRow(cell);
  return [WALL_WIDTH + (column + 0.5) * TILE_SIZE, WALL_WIDTH + (summary.room.rows - row - 0.5) * TILE_SIZE];
};
const cellPath = (cells, offset) => cells.filter((cell, i) => !i || cell !== cells[i - 1]).map((cell) => tileCentre(cell).map((v) => v + offset).join(' ')).join(' L');

/** Return the room of a leg: {node, update({agents, trace, step})}. */
export function createRoom(report, index, legIndex) {
  const example = report.examples[index];
  const [width, height] = [summary.room.columns * TILE_SIZE + 2 * WALL_WIDTH, summary.room.rows * TILE_SIZE + 2 * WALL_WIDTH];
  const items = svg('g', {});
  const marks = svg('g', { 'aria-hidden': 'true' });
  const picture = svg('svg', { class: 'room', viewBox: `0 0 ${width} ${height}`, role: 'group' }, roomPatterns(), roomWalls(width, height), roomFloor(), items, marks);
  const legend = el('figcaption', { class: 'soft small keyline' });
  let shownState = '';
  return {
    node: el('figure', { class: 'frame roomframe' }, picture, legend),
    update({ agents, trace, step }) {
      const followed = example.traces[trace];
      const legTrace = followed?.legs[legIndex];
      const atEnd = step >= (legTrace?.cells?.length ?? 0) - 1;
      picture.setAttribute('aria-label', `Room from above: ${describeRoom(example, legIndex)}`);
      // Items are replaced only if they changed, so that they keep the focus.
      const state = `${trace} ${atEnd}`;
      if (state !== shownState) setContent(items, itemSigns(example, followed, legIndex, atEnd));
      shownState = state;
      setContent(marks, roomMarks(example, legIndex, agents, followed, step));
      setContent(legend, roomLegend(example, legIndex, followed, legTrace));
    },
  };
}

// Instructions refer to walls by name, so the names are written on them.
function roomWalls(roomWidth, roomHeight) {
  const boxes = [[WALL_WIDTH, 0, roomWidth - 2 * WALL_WIDTH, WALL_WIDTH, 0], [roomWidth - WALL_WIDTH, WALL_WIDTH, WALL_WIDTH, roomHeight - 2 * WALL_WIDTH, 90],
    [WALL_WIDTH, roomHeight - WALL_WIDTH, roomWidth - 2 * WALL_WIDTH, WALL_WIDTH, 0], [0, WALL_WIDTH, WALL_WIDTH, roomHeight - 2 * WALL_WIDTH, -90]];
  return summary.room.walls.map(([name], n) => {
    const [x, y, width, height, angle] = boxes[n];
    const [mx, my] = [x + width / 2, y + height / 2];
    return svg('g', { class: 'wall' }, svg('rect', { x, y, width, height, fill: `url(#wall-${n})` }),
      svg('text', { x: mx, y: my, transform: `rotate(${angle} ${mx} ${my})` }, `${name} wall`));
  });
}

const WALL_PATTERNS = {
  brick: (colour, second) => [svg('rect', { width: 24, height: 12, fill: colour }), svg('path', { d: 'M0 0 H24 M0 6 H24 M6 0 V6 M18 6 V12', stroke: second, 'stroke-width': 1 })],
  wood: (colour) => [svg('rect', { width: 24, height: 12, fill: colour }), svg('path', { d: 'M0 0.5 H24 M0 4 Q6 2.5 12 4 T24 4 M0 8.5 Q6 7 12 8.5 T24 8.5', stroke: '#00000055', 'stroke-width': 0.9, fill: 'none' })],
  striped: (colour, second) => [svg('rect', { width: 24, height: 12, fill: colour }), svg('path', { d: 'M3 0 V12 M15 0 V12', stroke: second, 'stroke-width': 6 })],
  spotted: (colour, second) => [svg('rect', { width: 24, height: 12, fill: colour }), svg('circle', { cx: 6, cy: 6, r: 3, fill: second }), svg('circle', { cx: 18, cy: 6, r: 3, fill: second })],
};

function roomPatterns() {
  const pattern = (id, width, height, parts) => svg('pattern', { id, width, height, patternUnits: 'userSpaceOnUse' }, parts);
  const plain = (colour) => [svg('rect', { width: 24, height: 12, fill: colour })];
  return svg('defs', {}, summary.room.walls.map(([name, colour, second], n) => pattern(`wall-${n}`, 24, 12, (WALL_PATTERNS[name] ?? plain)(colour, second))),
    pattern('doormat', 16, 16, [svg('rect', { width: 16, height: 16, fill: '#facd14' }), svg('path', { d: 'M0 0 H8 V8 H0 Z M8 8 H16 V16 H8 Z', fill: '#42340c' })]));
}

function roomFloor() {
  const cells = Array.from({ length: summary.room.columns * summary.room.rows }, (_, cell) => {
    const [x, y] = tileCentre(cell);
    return svg('rect', { class: 'cell', x: x - TILE_SIZE / 2, y: y - TILE_SIZE / 2, width: TILE_SIZE, height: TILE_SIZE });
  });
  const [x, y] = tileCentre(summary.room.door);
  const half = TILE_SIZE / 2 - 4;
  return svg('g', {}, cells, svg('rect', { class: 'doormat', x: x - half, y: y - half, width: 2 * half, height: 2 * half, fill: 'url(#doormat)' }));
}

// Return the items in the room, at the end with the one that the agent placed.
function itemSigns(example, trace, legIndex, atEnd) {
  const legTrace = trace?.legs[legIndex];
  const items = roomItems(example, trace, legIndex);
  if (atEnd && legTrace?.cell && legTrace.carried) items.push([legTrace.carried, cellNumber(legTrace.cell), legTrace.cell[1], true]);
  items.sort((a, b) => a[2] - b[2]);
  return items.map(([look, cell, height, placed]) => {
    const [x, y] = tileCentre(cell);
    const [column, row] = columnAndRow(cell);
    const lift = STACK_OFFSET * (height - 1);
    const label = `${look[0]}, ${describeCell(column, row, height)}${placed ? ', put there by the agent' : ''}`;
    const badge = height > 1 ? [svg('circle', { class: 'badge', cx: 14, cy: -2, r: 7.5 }), svg('text', { class: 'height', x: 14, y: -2 }, String(height))] : [];
    return withTooltip(svg('g', { class: 'standing', tabindex: '0', role: 'img', 'aria-label': label, transform: `translate(${x} ${y - lift})` },
      svg('circle', { class: 'touch', r: 18 }), svg('g', { transform: 'scale(1.45)' }, itemIcon(look)), badge), label);
  });
}

// Return paths, the target cell, where agents placed items, and the followed agent.
function roomMarks(example, legIndex, agents, followed, step) {
  const leg = example.legs[legIndex];
  const shown = example.traces.filter((trace) => agents.includes(trace.agent) && trace.legs[legIndex]);
  const reference = leg.route_cells?.length > 1 ? [svg('path', { class: 'reference', d: `M${cellPath(leg.route_cells, 0)}` })] : [];
  const marks = [...reference];
  shown.forEach((trace, n) => {
    const cells = trace.legs[legIndex].cells ?? [];
    const offset = (n - (shown.length - 1) / 2) * 5;
    if (cells.some((cell) => cell !== cells[0])) marks.push(svg('path', { class: 'walked', d: `M${cellPath(cells, offset)}`, style: { '--of': agentColour(trace.agent) } }));
  });
  if (leg.cell) {
    const [x, y] = tileCentre(cellNumber(leg.cell));
    marks.push(svg('circle', { class: 'halo', cx: x, cy: y, r: 29 }), svg('circle', { class: 'asked', cx: x, cy: y, r: 29 }));
  }
  shown.forEach((trace, n) => {
    const { cell } = trace.legs[legIndex];
    if (!cell) return;
    const [x, y] = tileCentre(cellNumber(cell));
    marks.push(svg('circle', { class: 'put', cx: x, cy: y, r: 25.5 - 3 * (n % 4), style: { '--of': agentColour(trace.agent) } }));
  });
  return [...marks, ...agentMark(followed, followed?.legs[legIndex], step)];
}

function agentMark(trace, legTrace, step) {
  if (!legTrace?.cells?.length) return [];
  const [x, y] = tileCentre(legTrace.cells[step] ?? legTrace.cells.at(-1));
  const heading = legTrace.headings?.[step] ?? 0;
  return [svg('g', { class: 'viewer-mark', transform: `translate(${x} ${y}) rotate(${heading})`, style: { '--of': agentColour(trace.agent) } },
    svg('path', { class: 'cone', d: 'M0 0 L-26 -45 A52 52 0 0 1 26 -45 Z' }), svg('circle', { r: 8 }), svg('path', { class: 'nose', d: 'M0 -6 L3.5 1.5 H-3.5 Z' }))];
}

function roomLegend(example, legIndex, trace, legTrace) {
  const key = (kind, text) => el('span', { class: 'key' }, el('i', { class: kind, 'aria-hidden': 'true' }), text);
  const leg = example.legs[legIndex];
  const suffix = leg.cell?.[1] > 1 ? `, on top of ${plural(leg.cell[1] - 1, 'thing')}` : '';
  return [key('k-asked', `asked for${suffix}`), key('k-put', 'put down'), key('k-door', `door: ${describeCell(...columnAndRow(summary.room.door))}`),
    legTrace?.carried ? el('span', { class: 'key' }, 'carried: ', itemLabel(legTrace.carried)) : null,
    legTrace && legTrace.placed === false ? el('span', {}, 'not placed: put down where the agent was') : null];
}

/** Describe the room: the target cell, and where each agent placed its item. */
export function describeRoom(example, legIndex) {
  const { cell } = example.legs[legIndex];
  const parts = [cell ? `asked for ${describeCell(cell[0], cell[2], cell[1])}` : 'nothing asked for'];
  for (const trace of example.traces) {
    const legTrace = trace.legs[legIndex];
    const name = truncate(summary.agents[trace.agent].name, 40);
    parts.push(legTrace?.cell ? `${name} put ${legTrace.carried?.[0] ?? 'it'} on ${describeCell(legTrace.cell[0], legTrace.cell[2], legTrace.cell[1])}` : `${name} put nothing down`);
  }
  return parts.join('; ');
}
