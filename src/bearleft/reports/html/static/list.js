import { card } from './card.js';
import { clear, count, debounce, el, plural } from './dom.js';
import { fillFilters, filters, readFilters, sorting } from './filters.js';
import { find, listParams, wordsOf } from './query.js';
import { go, link } from './router.js';

const PAGE = 24;

let view = null;

/** Fills `main` with the list, or brings the list that stands there up to date: a field that is typed in stays as it is. */
export function showList(main, rows, params) {
  if (!view || view.rows !== rows || !view.node.isConnected) {
    view = listView(rows);
    clear(main, view.node);
  }
  fillFilters(view.form, params);
  showFound(params);
}

function listView(rows) {
  const asks = 'Search in texts, ids and worlds';
  const search = el('input', { type: 'search', name: 'q', id: 'search', 'aria-label': asks, placeholder: asks, autocomplete: 'off', spellcheck: 'false' });
  const said = el('p', { role: 'status', 'aria-live': 'polite' });
  const reset = el('a', { class: 'button', href: '#/examples' }, 'Clear filters');
  const form = el('form', { class: 'finder', role: 'search', 'aria-label': 'Examples', onsubmit: (event) => event.preventDefault() },
    el('div', { class: 'search' }, search), filters(rows), el('div', { class: 'found' }, said, reset, sorting()));
  // Whoever has opened an example meanwhile is not called back.
  const ask = () => form.isConnected && go(link('/examples', readFilters(form)), { replace: true });
  search.addEventListener('input', debounce(ask, 90));
  form.addEventListener('change', (event) => event.target !== search && ask());
  const cards = el('ul', { class: 'cards', id: 'cards' });
  const pages = el('nav', { class: 'pages', 'aria-label': 'Pages' });
  const node = el('div', { class: 'wrap list' }, el('h2', { class: 'hidden-text', tabindex: -1 }, 'Examples'), form, cards, pages);
  return { rows, node, form, said, reset, cards, pages };
}

function showFound(params) {
  const order = find(view.rows, params);
  const last = Math.max(1, Math.ceil(order.length / PAGE));
  const page = Math.min(last, Math.max(1, Math.round(Number(params.page)) || 1));
  const query = new URLSearchParams(listParams(params)).toString();
  const shown = order.slice((page - 1) * PAGE, page * PAGE);
  view.said.textContent = foundText(order.length, view.rows.examples.length, page, last);
  view.reset.hidden = !query;
  const metric = ['value', 'gap'].includes(params.sort) ? Number(params.m || 0) : null;
  const held = view.cards.contains(document.activeElement) ? document.activeElement : null;
  if (shown.length) clear(view.cards, shown.map((index) => card(view.rows, index, query, metric)));
  else clear(view.cards, el('li', { class: 'empty' }, el('p', {}, 'No example is like that. Take a word or a filter away.')));
  // A card that is still there keeps the keyboard.
  if (held?.isConnected) held.focus({ preventScroll: true });
  clear(view.pages, last > 1 ? pageLinks(params, page, last) : []);
  highlight(view.cards, wordsOf(params.q));
}

function foundText(found, all, page, last) {
  const some = found === all ? plural(all, 'example') : `${count(found)} of ${plural(all, 'example')}`;
  return last > 1 ? `${some}, page ${page} of ${last}` : some;
}

/** On which page of a list an example stands, from 1. */
export function pageOf(order, index) {
  return Math.floor(Math.max(0, order.indexOf(index)) / PAGE) + 1;
}

function pageLinks(params, page, last) {
  const to = (n) => link('/examples', { ...params, page: n > 1 ? n : '' });
  const near = [...new Set([1, page - 1, page, page + 1, last])].filter((n) => n >= 1 && n <= last);
  const numbers = near.flatMap((n, i) => {
    const one = el('a', { class: 'button', href: to(n), 'aria-label': `Page ${n}`, 'aria-current': n === page ? 'page' : null }, count(n));
    return i && n - near[i - 1] > 1 ? [el('span', { 'aria-hidden': 'true' }, '…'), one] : [one];
  });
  const step = (n, text) => n >= 1 && n <= last && el('a', { class: 'button', href: to(n), rel: n < page ? 'prev' : 'next' }, text);
  return [step(page - 1, '← Previous'), numbers, step(page + 1, 'Next →')];
}

// Hits are painted by the browser over the text as it stands: no text is taken apart for it.
function highlight(place, words) {
  if (!window.Highlight || !CSS.highlights) return;
  CSS.highlights.delete('hits');
  if (!words.length) return;
  const ranges = [];
  for (const box of place.querySelectorAll('.said-text, h3, .about')) {
    const walker = document.createTreeWalker(box, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) hitsIn(node, words, ranges);
  }
  CSS.highlights.set('hits', new Highlight(...ranges));
}

function hitsIn(node, words, ranges) {
  const text = node.data.toLowerCase();
  if (text.length !== node.data.length) return;
  for (const word of words) {
    for (let at = text.indexOf(word); at >= 0 && ranges.length < 2000; at = text.indexOf(word, at + word.length)) {
      const range = new Range();
      range.setStart(node, at);
      range.setEnd(node, at + word.length);
      ranges.push(range);
    }
  }
}
