// Keyboard shortcuts of the page.

import { isTyping } from './dom.js';
import { openHelp } from './help.js';
import { toggleTheme } from './page-header.js';
import { navigate, currentRoute } from './router.js';

/** Listen to keys; `page` provides {listHash(), neighbour(step), search()}. */
export function listenToKeys(page) {
  document.addEventListener('keydown', (event) => {
    if (handleSearchKey(event) || isTyping(event)) return;
    const { name } = currentRoute();
    const handledByView = (name === 'examples' && handleListKey(event)) || (name === 'example' && handleExampleKey(event.key, page));
    const handled = handledByView || handleGlobalKey(event.key, page);
    if (handled) event.preventDefault();
  });
}

function handleSearchKey(event) {
  if (event.target.id !== 'search' || !['Escape', 'Enter', 'ArrowDown'].includes(event.key)) return false;
  if (event.key === 'Escape') event.target.blur();
  else focusCard(1);
  event.preventDefault();
  return true;
}

function handleGlobalKey(key, page) {
  if (key === '?') openHelp();
  else if (key === 't') toggleTheme();
  else if (key === 's') navigate('#/');
  else if (key === 'e') navigate(page.listHash());
  else if (key === '/') page.search();
  else return false;
  return true;
}

function handleListKey(event) {
  const onCard = Boolean(document.activeElement?.closest('.card'));
  const steps = { j: 1, k: -1, ...(onCard ? { ArrowRight: 1, ArrowLeft: -1, ArrowDown: gridColumns(), ArrowUp: -gridColumns() } : {}) };
  if (!(event.key in steps)) return false;
  focusCard(steps[event.key]);
  return true;
}

function gridColumns() {
  const list = document.getElementById('cards');
  return list ? getComputedStyle(list).gridTemplateColumns.split(' ').length : 1;
}

function focusCard(step) {
  const cards = [...document.querySelectorAll('.card h3 a')];
  if (!cards.length) return;
  const current = cards.indexOf(document.activeElement);
  const next = current < 0 ? (step > 0 ? 0 : cards.length - 1) : Math.min(cards.length - 1, Math.max(0, current + step));
  cards[next].focus();
  cards[next].closest('.card').scrollIntoView({ block: 'nearest' });
}

function handleExampleKey(key, page) {
  if (key === 'Escape') navigate(page.listHash());
  else if (key === 'n' || key === 'p') page.neighbour(key === 'n' ? 1 : -1);
  else return false;
  return true;
}
