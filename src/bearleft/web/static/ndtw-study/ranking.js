// The ranking task: five paths beside a reference, brought into an order by drag, keys or buttons. Each move is sent when it is made.

import { el, setContent } from '../../shared/dom.js';
import { openAttempt } from '../api.js';
import { byId, showEnd, showMessage } from '../unit-page.js';
import { describePath, pathFigure, squareAround } from './path-figure.js';
import { makeSortable } from './sortable.js';

const HELP = 'bearleft.ndtw-study.help'; // remembers whether somebody has read the instructions
const EXAMPLE = {
  nodes: Array.from({ length: 16 }, (_, k) => [k % 4, Math.floor(k / 4)]),
  links: Array.from({ length: 16 }, (_, k) => [k % 4 < 3 ? [k, k + 1] : null, k < 12 ? [k, k + 4] : null]).flat().filter(Boolean),
  reference: [[0, 0], [0, 1], [1, 1], [2, 1], [2, 2]],
  queries: [[[0, 0], [0, 1], [1, 1], [2, 1], [2, 2]], [[0, 0], [1, 0], [2, 0], [3, 0]]],
};

const attempt = openAttempt();
const { nodes, links, reference, paths } = attempt.view;
const square = squareAround([reference, ...paths.map(({ points }) => points)]);
const count = paths.length;
const queryOf = Object.fromEntries(paths.map(({ name, points }) => [name, points]));
let order = attempt.view.order; // as it is shown
let stored = order; // as the server has it
let moves = attempt.view.moves;
let pending = 0;

const cards = Object.fromEntries(paths.map(({ name, points }) => [name, card(name, points)]));
const list = byId('cards');
list.append(...order.map((name) => cards[name].node));
const sortable = makeSortable(list, {
  grip: '.grip',
  onpreview: () => label(sortable.items().map(nameOf)),
  ondrop: (item, index) => move(nameOf(item), index, 'drag'),
  onkey: (item, index, by) => move(nameOf(item), index, by, true),
});

const nameOf = (item) => item.dataset.path;

function card(name, points) {
  const rank = el('span', { class: 'rank' });
  const better = el('button', { type: 'button', class: 'small', tabindex: -1, 'aria-label': `${name} one rank better`, onclick: () => step(name, -1) }, '◀');
  const worse = el('button', { type: 'button', class: 'small', tabindex: -1, 'aria-label': `${name} one rank worse`, onclick: () => step(name, 1) }, '▶');
  const figure = el('button', { type: 'button', class: 'figure', id: `path-${name}`, 'aria-describedby': `way-${name} keys-hint`, onclick: () => enlarge(name) },
    pathFigure({ nodes, links, reference, query: points, square }));
  const way = el('span', { id: `way-${name}`, class: 'hidden-text' }, `Path ${name} goes ${describePath(points)}.`);
  const node = el('li', { class: 'path', dataset: { path: name } },
    el('div', { class: 'grip' }, rank, el('span', { class: 'letter', 'aria-hidden': 'true' }, name), better, worse), figure, way);
  return { node, rank, better, worse, figure };
}

// Write the ranks of paths onto their cards.
function label(names) {
  names.forEach((name, k) => {
    const { rank, better, worse, figure } = cards[name];
    rank.textContent = String(k + 1);
    figure.setAttribute('aria-label', `Path ${name}, rank ${k + 1} of ${count}`);
    for (const [button, isEnd] of [[better, k === 0], [worse, k === count - 1]]) button.setAttribute('aria-disabled', String(isEnd));
  });
}

function show() {
  if (sortable.isDragged()) return;
  order.forEach((name, k) => {
    if (nameOf(list.children[k]) !== name) list.insertBefore(cards[name].node, list.children[k]);
  });
  label(order);
}

function step(name, by) {
  const index = order.indexOf(name) + by;
  if (index >= 0 && index < count) move(name, index, 'button');
}

async function move(name, index, by, keepFocus = false) {
  const others = order.filter((other) => other !== name);
  order = [...others.slice(0, index), name, ...others.slice(index)];
  if (keepFocus) sortable.putAt(cards[name].node, index);
  show();
  if (keepFocus) {
    cards[name].figure.focus({ preventScroll: true });
    cards[name].node.scrollIntoView({ block: 'nearest' });
  }
  byId('live').textContent = `Path ${name} is at rank ${index + 1} of ${count}.`;
  pending += 1;
  try {
    stored = (await attempt.send('move', { path: name, rank: index + 1, by })).order;
    moves += 1;
    showMessage(null);
    byId('confirm').hidden = true;
  } catch (error) {
    if (attempt.status() !== 'lost') showMessage(error.message);
  }
  pending -= 1;
  if (pending || String(order) === String(stored)) return;
  order = stored;
  show();
}

async function submit(confirmed) {
  for (const id of ['submit', 'confirm']) byId(id).setAttribute('aria-disabled', 'true');
  try {
    const answer = await attempt.submit({ ranking: order, confirmed });
    remember();
    showEnd(attempt, answer);
    scrollTo(0, 0);
  } catch (error) {
    if (attempt.status() !== 'lost') showMessage(error.message);
    byId('confirm').hidden = moves > 0;
  }
  for (const id of ['submit', 'confirm']) byId(id).setAttribute('aria-disabled', 'false');
}
const isBusy = () => byId('submit').getAttribute('aria-disabled') === 'true';
byId('submit').addEventListener('click', () => isBusy() || submit(false));
byId('confirm').addEventListener('click', () => isBusy() || submit(true));

// Show a path large, beside its rank.
function enlarge(name) {
  const dialog = byId('large');
  const rank = order.indexOf(name) + 1;
  setContent(byId('large-title'), `Path ${name}, rank ${rank} of ${count}`);
  setContent(byId('large-figure'), pathFigure({ nodes, links, reference, query: queryOf[name], square, label: `The blue path and path ${name}` }));
  dialog.showModal();
}
byId('close').addEventListener('click', () => byId('large').close());

// Browsers may forbid the storage.
function hasRead() {
  try {
    return localStorage.getItem(HELP) === 'read';
  } catch {
    return false;
  }
}
function remember() {
  try {
    localStorage.setItem(HELP, 'read');
  } catch {
    // The instructions are open again next time.
  }
}

byId('question').textContent = attempt.view.question;
byId('reference').append(pathFigure({ nodes, links, reference, square, label: `The blue path goes ${describePath(reference)}.` }));
const exampleSquare = squareAround([EXAMPLE.reference, ...EXAMPLE.queries]);
const exampleLabels = ['Example, better: the orange path takes the blue path.', 'Example, worse: the orange path goes elsewhere.'];
byId('example').append(...EXAMPLE.queries.map((query, k) => el('figure', {},
  pathFigure({ nodes: EXAMPLE.nodes, links: EXAMPLE.links, reference: EXAMPLE.reference, query, square: exampleSquare, label: exampleLabels[k] }),
  el('figcaption', {}, ['better', 'worse'][k]))));
byId('help').open = !hasRead();
label(order);
