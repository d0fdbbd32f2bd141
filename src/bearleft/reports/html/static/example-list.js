// The list of examples: search form, cards and page links.

import { exampleCard } from './example-card.js';
import { setContent, formatCount, debounce, el, plural } from './dom.js';
import { fillFilters, filterBox, readFilters, sortFields } from './filters.js';
import { findExamples, listParams, searchTerms } from './search.js';
import { navigate, routeHash } from './router.js';

const CARDS_PER_PAGE = 24;

let currentList = null;

/** Fill `main` with the list, or update the list that is shown, so that fields keep the focus. */
export function showList(main, report, params) {
  if (!currentList || currentList.report !== report || !currentList.node.isConnected) {
    currentList = createList(report);
    setContent(main, currentList.node);
  }
  fillFilters(currentList.form, params);
  showResults(params);
}

function createList(report) {
  const searchLabel = 'Search in texts, ids and worlds';
  const search = el('input', { type: 'search', name: 'q', id: 'search', 'aria-label': searchLabel, placeholder: searchLabel, autocomplete: 'off', spellcheck: 'false' });
  const status = el('p', { role: 'status', 'aria-live': 'polite' });
  const reset = el('a', { class: 'button', href: '#/examples' }, 'Clear filters');
  const form = el('form', { class: 'finder', role: 'search', 'aria-label': 'Examples', onsubmit: (event) => event.preventDefault() },
    el('div', { class: 'search' }, search), filterBox(report), el('div', { class: 'found' }, status, reset, sortFields()));
  // The debounced update may run after the list has been left.
  const update = () => form.isConnected && navigate(routeHash('/examples', readFilters(form)), { replace: true });
  search.addEventListener('input', debounce(update, 90));
  form.addEventListener('change', (event) => event.target !== search && update());
  const cards = el('ul', { class: 'cards', id: 'cards' });
  const pages = el('nav', { class: 'pages', 'aria-label': 'Pages' });
  const node = el('div', { class: 'wrap list' }, el('h2', { class: 'hidden-text', tabindex: -1 }, 'Examples'), form, cards, pages);
  return { report, node, form, status, reset, cards, pages };
}

function showResults(params) {
  const order = findExamples(currentList.report, params);
  const lastPage = Math.max(1, Math.ceil(order.length / CARDS_PER_PAGE));
  const page = Math.min(lastPage, Math.max(1, Math.round(Number(params.page)) || 1));
  const query = new URLSearchParams(listParams(params)).toString();
  const shown = order.slice((page - 1) * CARDS_PER_PAGE, page * CARDS_PER_PAGE);
  currentList.status.textContent = resultText(order.length, currentList.report.examples.length, page, lastPage);
  currentList.reset.hidden = !query;
  const metric = ['value', 'gap'].includes(params.sort) ? Number(params.m || 0) : null;
  const focused = currentList.cards.contains(document.activeElement) ? document.activeElement : null;
  if (shown.length) setContent(currentList.cards, shown.map((index) => exampleCard(currentList.report, index, query, metric)));
  else setContent(currentList.cards, el('li', { class: 'empty' }, el('p', {}, 'No example is like that. Take a word or a filter away.')));
  // Keep the focus on a card that is still shown.
  if (focused?.isConnected) focused.focus({ preventScroll: true });
  setContent(currentList.pages, lastPage > 1 ? pageLinks(params, page, lastPage) : []);
  highlightMatches(currentList.cards, searchTerms(params.q));
}

function resultText(matches, total, page, lastPage) {
  const shown = matches === total ? plural(total, 'example') : `${formatCount(matches)} of ${plural(total, 'example')}`;
  return lastPage > 1 ? `${shown}, page ${page} of ${lastPage}` : shown;
}

/** Return the page of the list that shows an example, from 1. */
export function pageNumber(order, index) {
  return Math.floor(Math.max(0, order.indexOf(index)) / CARDS_PER_PAGE) + 1;
}

function pageLinks(params, page, lastPage) {
  const pageHash = (n) => routeHash('/examples', { ...params, page: n > 1 ? n : '' });
  const shownPages = [...new Set([1, page - 1, page, page + 1, lastPage])].filter((n) => n >= 1 && n <= lastPage);
  const numbers = shownPages.flatMap((n, i) => {
    const anchor = el('a', { class: 'button', href: pageHash(n), 'aria-label': `Page ${n}`, 'aria-current': n === page ? 'page' : null }, formatCount(n));
    return i && n - shownPages[i - 1] > 1 ? [el('span', { 'aria-hidden': 'true' }, '…'), anchor] : [anchor];
  });
  const step = (n, text) => n >= 1 && n <= lastPage && el('a', { class: 'button', href: pageHash(n), rel: n < page ? 'prev' : 'next' }, text);
  return [step(page - 1, '← Previous'), numbers, step(page + 1, 'Next →')];
}

// The CSS highlight API marks matches without changing the DOM.
function highlightMatches(container, terms) {
  if (!window.Highlight || !CSS.highlights) return;
  CSS.highlights.delete('hits');
  if (!terms.length) return;
  const ranges = [];
  for (const element of container.querySelectorAll('.said-text, h3, .about')) {
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) addMatchRanges(node, terms, ranges);
  }
  CSS.highlights.set('hits', new Highlight(...ranges));
}

function addMatchRanges(node, terms, ranges) {
  const text = node.data.toLowerCase();
  if (text.length !== node.data.length) return;
  for (const term of terms) {
    for (let start = text.indexOf(term); start >= 0 && ranges.length < 2000; start = text.indexOf(term, start + term.length)) {
      const range = new Range();
      range.setStart(node, start);
      range.setEnd(node, start + term.length);
      ranges.push(range);
    }
  }
}
