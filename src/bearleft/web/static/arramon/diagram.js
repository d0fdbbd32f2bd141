// The room from above: walls, items, the person, and the place ahead where an item would be put.

import { el, setContent, svg } from '../../shared/dom.js';

const [COLUMNS, ROWS, SIDE, MARGIN] = [5, 4, 40, 22];
const WALLS = [['brick', 100, 14, 0], ['wood', 2 * MARGIN + COLUMNS * SIDE - 8, 102, 90], ['striped', 122, 2 * MARGIN + ROWS * SIDE - 7, 0], ['spotted', 14, 102, -90]];

const left = (column) => MARGIN + column * SIDE;
const top = (row) => MARGIN + (ROWS - 1 - row) * SIDE;
const middle = ([column, , row]) => [left(column) + SIDE / 2, top(row) + SIDE / 2];

/** Create a diagram: {node, setScene, setPose}. */
export function createDiagram() {
  const [width, height] = [2 * MARGIN + COLUMNS * SIDE, 2 * MARGIN + ROWS * SIDE];
  const floor = svg('g', {});
  for (let column = 0; column < COLUMNS; column += 1) {
    for (let row = 0; row < ROWS; row += 1) floor.append(svg('rect', { x: left(column), y: top(row), width: SIDE, height: SIDE, class: column === 2 && row === 0 ? 'cell door' : 'cell' }));
  }
  const walls = WALLS.map(([name, x, y, turn]) => svg('text', { x, y, transform: `rotate(${turn} ${x} ${y})`, class: 'wall', 'text-anchor': 'middle' }, name));
  const items = svg('g', {});
  const ahead = svg('rect', { width: SIDE - 6, height: SIDE - 6, class: 'ahead', rx: 5 });
  const person = svg('path', { d: 'M0 -13 L9 11 L0 6 L-9 11 Z', class: 'person' });
  const picture = svg('svg', { viewBox: `0 0 ${width} ${height}`, class: 'diagram', 'aria-hidden': 'true' }, walls, floor, ahead, items, person);
  const said = el('p', { class: 'muted' });
  const node = el('figure', { class: 'placement' }, picture, said);

  return {
    node,
    /** Show the items of a room. */
    setScene(scene) {
      const stacks = new Map();
      for (const one of scene.items) {
        const key = `${one.cell[0]} ${one.cell[2]}`;
        stacks.set(key, [...(stacks.get(key) ?? []), one]);
      }
      setContent(items, [...stacks.values()].map((stack) => {
        const sorted = stack.sort((a, b) => a.cell[1] - b.cell[1]);
        const [x, y] = middle(sorted[0].cell);
        const discs = sorted.map((one, k) => svg('circle', { cx: x, cy: y - 3 - 5 * k, r: 12 - 2 * k, fill: scene.colours[one.item], class: 'thing' }));
        return svg('g', {}, discs, svg('text', { x, y: y + 18, class: 'name', 'text-anchor': 'middle' }, sorted.at(-1).item.split(' ').at(-1).toLowerCase()));
      }));
    },
    /** Show where the person is, and the place ahead. */
    setPose(pose) {
      const [x, y] = middle(pose.cell);
      person.setAttribute('transform', `translate(${x} ${y}) rotate(${pose.heading})`);
      ahead.setAttribute('display', pose.ahead ? 'inline' : 'none');
      if (pose.ahead) {
        ahead.setAttribute('x', left(pose.ahead[0]) + 3);
        ahead.setAttribute('y', top(pose.ahead[2]) + 3);
      }
      const text = !pose.ahead ? 'Nothing can be put ahead of you now.' : pose.ahead[1] > 1 ? 'It would be put on top of what stands ahead of you.' : 'It would be put on the floor ahead of you.';
      if (said.textContent !== text) said.textContent = text;
    },
  };
}
