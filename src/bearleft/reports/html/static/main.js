import { exampleLink } from './card.js';
import { clear, count, cut, el } from './dom.js';
import { showExample } from './example.js';
import { startKeys } from './keys.js';
import { pageOf, showList } from './list.js';
import { footer, header, nameTheme, setCurrent, startTheme } from './nav.js';
import { find, listParams } from './query.js';
import { go, link, onRoute, route, tell } from './router.js';
import { showScores } from './scores.js';
import { exampleIndex, head, rows } from './store.js';
import { floats } from './tip.js';

const NAMES = { scores: 'Scores', examples: 'Examples' };
const scrolls = new Map();
const main = el('main', { id: 'main', tabindex: -1 });
let decodedRows = null;
let shown = { name: null, hash: null };
let listNow = '#/examples';
let opened = -1;
let clicked = false;
let showing = null;
let turn = 0;

function start() {
  startTheme();
  const skip = el('a', { class: 'skip', href: '#main', onclick: skipTo }, 'Skip to the content');
  // The tables for whoever has no JavaScript make room.
  document.getElementById('app')?.remove();
  document.body.prepend(skip, header(), main, footer(), ...floats());
  nameTheme();
  startKeys({ listHash: () => listNow, neighbour: goNeighbour, search: openSearch });
  history.scrollRestoration = 'manual';
  document.addEventListener('click', follow);
  addEventListener('scroll', () => scrolls.set(shown.hash, scrollY), { passive: true });
  onRoute((to) => { showing = show(to); });
  tell();
  // Scores are on the screen before the examples are decoded.
  requestAnimationFrame(() => setTimeout(() => rows().then((read) => { decodedRows = read; }, () => {})));
}

// The hash is the router's, so the link to the content is followed by hand.
function skipTo(event) {
  event.preventDefault();
  main.focus();
}

// A link within the report is followed at once, so that the address and what is shown never differ.
function follow(event) {
  const at = event.target.closest?.('a[href^="#/"]');
  if (!at || event.defaultPrevented || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  clicked = true;
  go(at.getAttribute('href'));
  clicked = false;
}

async function openSearch() {
  if (route().name !== 'examples') go(listNow);
  await showing;
  document.getElementById('search')?.focus();
}

async function show(to) {
  turn += 1;
  const mine = turn;
  const before = shown;
  const byLink = clicked;
  shown = { name: to.name, hash: location.hash };
  if (to.name === 'examples') listNow = location.hash;
  setCurrent(to.name, listNow);
  document.title = [NAMES[to.name] ?? to.parts[1], head.title].filter(Boolean).map((text) => cut(text, 120)).join(' · ');
  if (to.name !== 'examples' && to.name !== 'example') showScores(main, to.params);
  else if (decodedRows) showDecoded(to);
  else if (!(await showRows(to, mine))) return;
  settleView(before, byLink);
}

async function showRows(to, mine) {
  clear(main, el('div', { class: 'wrap' }, el('p', { class: 'waiting', role: 'status' }, 'Reading the examples …')));
  try {
    decodedRows = await rows();
  } catch (error) {
    clear(main, el('div', { class: 'wrap' }, el('h2', {}, 'The examples cannot be read'),
      el('p', { class: 'soft' }, `${error.message} Scores are there all the same; a newer browser may help.`)));
    return false;
  }
  if (mine !== turn) return false;
  showDecoded(to);
  return true;
}

function showDecoded(to) {
  if (to.name === 'examples') showList(main, decodedRows, to.params);
  else showOne(to);
}

function showOne({ parts, params }) {
  const index = exampleIndex(Number(parts[0]), parts.slice(1).join('/'));
  if (index < 0) {
    clear(main, el('div', { class: 'wrap' }, el('h2', {}, 'There is no such example'), el('p', {}, el('a', { href: '#/examples' }, 'All examples'))));
    return;
  }
  opened = index;
  const place = el('div', { class: 'wrap' });
  clear(main, place);
  const body = el('div', { class: 'example' });
  place.append(along(index, params), body);
  showExample(body, decodedRows, index, params);
}

/** The list an example was opened from: what its address says, or else the last one seen. */
function listOf(params) {
  return listParams(Object.fromEntries(new URLSearchParams(params.list ?? listNow.split('?')[1] ?? '')));
}

function orderOf(index, params) {
  const asked = listOf(params);
  const order = find(decodedRows, asked);
  if (order.includes(index)) return { order, asked };
  return { order: find(decodedRows, {}), asked: {} };
}

function along(index, params) {
  const { order, asked } = orderOf(index, params);
  const at = order.indexOf(index);
  const page = pageOf(order, index);
  listNow = link('/examples', { ...asked, page: page > 1 ? page : '' });
  setCurrent('example', listNow);
  const query = new URLSearchParams(asked).toString();
  const step = (to, text, rel) => {
    const there = order[to];
    if (there === undefined) return el('span', { class: 'button', 'aria-disabled': 'true' }, text);
    return el('a', { class: 'button', rel, href: exampleLink(decodedRows.examples[there], query) }, text);
  };
  return el('nav', { class: 'along', 'aria-label': 'Through the list' }, el('a', { class: 'button', href: listNow }, '← Examples'),
    el('span', { class: 'where' }, `${count(at + 1)} of ${count(order.length)}`), step(at - 1, 'Previous', 'prev'), step(at + 1, 'Next', 'next'));
}

function goNeighbour(step) {
  const { order, asked } = orderOf(opened, route().params);
  const there = order[order.indexOf(opened) + step];
  if (there !== undefined) go(exampleLink(decodedRows.examples[there], new URLSearchParams(asked).toString()));
}

// Where one looks after a step: where one was before when going back, the top when following a link.
function settleView(before, byLink) {
  if (before.name === null) return;
  const same = before.name === shown.name && shown.name === 'examples';
  const busy = document.activeElement?.closest('.finder, .card');
  if (same && busy && !byLink) return;
  const old = scrolls.get(shown.hash);
  scrollTo(0, byLink || old === undefined ? 0 : old);
  if (shown.name === 'examples' && before.name === 'example') {
    const last = main.querySelector(`.card a[data-index="${opened}"]`);
    last?.focus({ preventScroll: true });
    if (last && (byLink || old === undefined)) last.closest('.card').scrollIntoView({ block: 'nearest' });
    if (last) return;
  }
  (main.querySelector('h2') ?? main).focus({ preventScroll: true });
}

start();
