// Figures of paths on a graph: the reference is a wide band, a query a thin line with arrowheads, so that they differ without colour too.
// Positions are [x, y] in metres east and north.

import { svg } from '../../shared/dom.js';
import { offsetPath } from '../../shared/map-marks.js';

const MARGIN = 0.9; // around the paths
const SIDE = 9; // of a square in which marks have the sizes below; they grow with the square
const ASIDE = 0.11; // to the right of the link, so that both directions of it can be seen
const COMPASS = ['north', 'north-east', 'east', 'south-east', 'south', 'south-west', 'west', 'north-west'];

/** Return the square [left, top, side] that shows paths, with y downwards as in SVG. */
export function squareAround(paths) {
  const xs = paths.flat().map(([x]) => x);
  const ys = paths.flat().map(([, y]) => -y);
  const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  const side = Math.max(right - left, bottom - top) + 2 * MARGIN;
  return [(left + right - side) / 2, (top + bottom - side) / 2, side];
}

/** Return how a path goes, for those who do not see it: "2 north, 1 north-east". */
export function describePath(points) {
  const runs = [];
  for (let i = 1; i < points.length; i += 1) {
    const [dx, dy] = [points[i][0] - points[i - 1][0], points[i][1] - points[i - 1][1]];
    const direction = COMPASS[(Math.round(Math.atan2(dx, dy) / (Math.PI / 4)) + 8) % 8];
    if (runs.at(-1)?.direction === direction) runs.at(-1).count += 1;
    else runs.push({ direction, count: 1 });
  }
  return runs.map(({ direction, count }) => `${count} ${direction}`).join(', ');
}

/**
 * Return a picture of a graph with a reference path and, if given, a query.
 *
 * options:
 *   nodes, links, reference, query   positions, pairs of numbers of nodes, and paths
 *   square                           what is shown, see `squareAround`
 *   label                            its name for screen readers; without one it is hidden from them
 */
export function pathFigure({ nodes, links, reference, query = null, square, label = '' }) {
  const unit = square[2] / SIDE;
  const down = (points) => points.map(([x, y]) => [x, -y]);
  const ground = down(nodes);
  const [startX, startY] = down(reference)[0];
  const attributes = label ? { role: 'img', 'aria-label': label } : { 'aria-hidden': 'true' };
  return svg('svg', { class: 'paths', viewBox: [square[0], square[1], square[2], square[2]].join(' '), style: { '--unit': String(unit) }, ...attributes },
    svg('path', { class: 'links', d: links.map(([a, b]) => line([ground[a], ground[b]])).join('') }),
    svg('path', { class: 'nodes', d: ground.map(([x, y]) => `M${x} ${y}h0`).join('') }),
    referenceMarks(offsetPath(down(reference), ASIDE * unit), unit),
    query && queryMarks(offsetPath(down(query), ASIDE * unit), unit),
    svg('circle', { class: 'start', cx: startX, cy: startY, r: 0.3 * unit }));
}

const line = (points) => points.map(([x, y], i) => `${i ? 'L' : 'M'}${x.toFixed(3)} ${y.toFixed(3)}`).join('');

function referenceMarks(points, unit) {
  const [x, y] = points.at(-1);
  const half = 0.3 * unit;
  const chevron = (at) => line([turned(at, -0.07 * unit, -0.08 * unit), turned(at, 0.06 * unit, 0), turned(at, -0.07 * unit, 0.08 * unit)]);
  return [
    svg('path', { class: 'reference', d: line(points) }),
    svg('rect', { class: 'reference-end', x: x - half, y: y - half, width: 2 * half, height: 2 * half }),
    svg('path', { class: 'chevrons', d: middles(points, 0.25, unit).map(chevron).join('') }),
  ];
}

function queryMarks(points, unit) {
  const [x, y] = points.at(-1);
  const head = (at) => `${line([turned(at, -0.14 * unit, -0.17 * unit), turned(at, 0.2 * unit, 0), turned(at, -0.14 * unit, 0.17 * unit)])}Z`;
  return [
    svg('path', { class: 'query-halo', d: line(points) }),
    svg('path', { class: 'query', d: line(points) }),
    svg('path', { class: 'heads', d: middles(points, 0.55, unit).map(head).join('') }),
    svg('circle', { class: 'query-end', cx: x, cy: y, r: 0.2 * unit }),
  ];
}

// Return a point of each piece of a path that is long enough: where, and in which direction the path goes there.
function middles(points, share, unit) {
  const found = [];
  for (let i = 1; i < points.length; i += 1) {
    const [[ax, ay], [bx, by]] = [points[i - 1], points[i]];
    const length = Math.hypot(bx - ax, by - ay);
    if (length > 0.45 * unit) found.push({ x: ax + (bx - ax) * share, y: ay + (by - ay) * share, ux: (bx - ax) / length, uy: (by - ay) / length });
  }
  return found;
}

// Return the point that is `ahead` and `right` of a place on a path.
function turned({ x, y, ux, uy }, ahead, right) {
  return [x + ux * ahead - uy * right, y + uy * ahead + ux * right];
}
