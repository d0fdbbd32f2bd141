import { typing } from './dom.js';
import { openHelp } from './help.js';
import { turnTheme } from './nav.js';
import { go, route } from './router.js';

// Keys of the whole page; `page` says where things lead: {listHash(), neighbour(step), search()}.

/** Listens to keys. */
export function startKeys(page) {
  document.addEventListener('keydown', (event) => {
    if (leaveSearch(event) || typing(event)) return;
    const { name } = route();
    const here = (name === 'examples' && inList(event)) || (name === 'example' && inExample(event.key, page));
    const done = here || common(event.key, page);
    if (done) event.preventDefault();
  });
}

function leaveSearch(event) {
  if (event.target.id !== 'search' || !['Escape', 'Enter', 'ArrowDown'].includes(event.key)) return false;
  if (event.key === 'Escape') event.target.blur();
  else moveCard(1);
  event.preventDefault();
  return true;
}

function common(key, page) {
  if (key === '?') openHelp();
  else if (key === 't') turnTheme();
  else if (key === 's') go('#/');
  else if (key === 'e') go(page.listHash());
  else if (key === '/') page.search();
  else return false;
  return true;
}

function inList(event) {
  const onCard = Boolean(document.activeElement?.closest('.card'));
  const steps = { j: 1, k: -1, ...(onCard ? { ArrowRight: 1, ArrowLeft: -1, ArrowDown: columns(), ArrowUp: -columns() } : {}) };
  if (!(event.key in steps)) return false;
  moveCard(steps[event.key]);
  return true;
}

function columns() {
  const list = document.getElementById('cards');
  return list ? getComputedStyle(list).gridTemplateColumns.split(' ').length : 1;
}

function moveCard(step) {
  const cards = [...document.querySelectorAll('.card h3 a')];
  if (!cards.length) return;
  const now = cards.indexOf(document.activeElement);
  const next = now < 0 ? (step > 0 ? 0 : cards.length - 1) : Math.min(cards.length - 1, Math.max(0, now + step));
  cards[next].focus();
  cards[next].closest('.card').scrollIntoView({ block: 'nearest' });
}

function inExample(key, page) {
  if (key === 'Escape') go(page.listHash());
  else if (key === 'n' || key === 'p') page.neighbour(key === 'n' ? 1 : -1);
  else return false;
  return true;
}
