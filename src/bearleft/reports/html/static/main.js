// Entry point: shows the view of the current route, and keeps scroll position and focus between views.

import { exampleLink } from './example-card.js';
import { setContent, formatCount, truncate, el } from './dom.js';
import { showExample } from './example-page.js';
import { listenToKeys } from './keyboard.js';
import { pageNumber, showList } from './example-list.js';
import { pageFooter, pageHeader, labelThemeButton, markCurrentView, initTheme } from './page-header.js';
import { findExamples, listParams } from './search.js';
import { navigate, routeHash, onRoute, currentRoute, notifyListeners } from './router.js';
import { showScores } from './scores.js';
import { exampleIndex, summary, loadReport } from './report-data.js';
import { floatingElements } from './tooltip.js';

const VIEW_TITLES = { scores: 'Scores', examples: 'Examples' };
const scrollPositions = new Map();
const main = el('main', { id: 'main', tabindex: -1 });
let report = null;
let currentView = { name: null, hash: null };
let listHash = '#/examples';
let openedExample = -1;
let linkClicked = false;
let viewReady = null;
let viewNumber = 0;

function start() {
  initTheme();
  const skip = el('a', { class: 'skip', href: '#main', onclick: focusContent }, 'Skip to the content');
  document.body.prepend(skip, pageHeader(), main, pageFooter(), ...floatingElements());
  labelThemeButton();
  listenToKeys({ listHash: () => listHash, neighbour: navigateToNeighbour, search: openSearch });
  history.scrollRestoration = 'manual';
  document.addEventListener('click', followLink);
  addEventListener('scroll', () => scrollPositions.set(currentView.hash, scrollY), { passive: true });
  onRoute((target) => { viewReady = showRoute(target); });
  notifyListeners();
  // Decode the examples after the scores are painted.
  requestAnimationFrame(() => setTimeout(() => loadReport().then((loaded) => { report = loaded; }, () => {})));
}

// The router uses the hash, so this link is followed by script.
function focusContent(event) {
  event.preventDefault();
  main.focus();
}

// Follow links within the report synchronously, so that address and view never differ.
function followLink(event) {
  const anchor = event.target.closest?.('a[href^="#/"]');
  if (!anchor || event.defaultPrevented || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  linkClicked = true;
  navigate(anchor.getAttribute('href'));
  linkClicked = false;
}

async function openSearch() {
  if (currentRoute().name !== 'examples') navigate(listHash);
  await viewReady;
  document.getElementById('search')?.focus();
}

async function showRoute(target) {
  viewNumber += 1;
  const number = viewNumber;
  const previousView = currentView;
  const byLink = linkClicked;
  currentView = { name: target.name, hash: location.hash };
  if (target.name === 'examples') listHash = location.hash;
  markCurrentView(target.name, listHash);
  document.title = [VIEW_TITLES[target.name] ?? target.parts[1], summary.title].filter(Boolean).map((text) => truncate(text, 120)).join(' · ');
  if (target.name !== 'examples' && target.name !== 'example') showScores(main, target.params);
  else if (report) showExamplesView(target);
  else if (!(await loadAndShow(target, number))) return;
  restoreScrollAndFocus(previousView, byLink);
}

async function loadAndShow(target, number) {
  setContent(main, el('div', { class: 'wrap' }, el('p', { class: 'waiting', role: 'status' }, 'Reading the examples …')));
  try {
    report = await loadReport();
  } catch (error) {
    setContent(main, el('div', { class: 'wrap' }, el('h2', {}, 'The examples cannot be read'),
      el('p', { class: 'soft' }, `${error.message} Scores are there all the same; a newer browser may help.`)));
    return false;
  }
  if (number !== viewNumber) return false;
  showExamplesView(target);
  return true;
}

function showExamplesView(target) {
  if (target.name === 'examples') showList(main, report, target.params);
  else showExamplePage(target);
}

function showExamplePage({ parts, params }) {
  const index = exampleIndex(Number(parts[0]), parts.slice(1).join('/'));
  if (index < 0) {
    setContent(main, el('div', { class: 'wrap' }, el('h2', {}, 'There is no such example'), el('p', {}, el('a', { href: '#/examples' }, 'All examples'))));
    return;
  }
  openedExample = index;
  const container = el('div', { class: 'wrap' });
  setContent(main, container);
  const body = el('div', { class: 'example' });
  container.append(listNavigation(index, params), body);
  showExample(body, report, index, params);
}

/** Return the parameters of the list an example was opened from: those in its hash, or the last list shown. */
function listParamsOf(params) {
  return listParams(Object.fromEntries(new URLSearchParams(params.list ?? listHash.split('?')[1] ?? '')));
}

function listOrder(index, params) {
  const listed = listParamsOf(params);
  const order = findExamples(report, listed);
  if (order.includes(index)) return { order, listed };
  return { order: findExamples(report, {}), listed: {} };
}

function listNavigation(index, params) {
  const { order, listed } = listOrder(index, params);
  const position = order.indexOf(index);
  const page = pageNumber(order, index);
  listHash = routeHash('/examples', { ...listed, page: page > 1 ? page : '' });
  markCurrentView('example', listHash);
  const query = new URLSearchParams(listed).toString();
  const step = (position, text, rel) => {
    const neighbour = order[position];
    if (neighbour === undefined) return el('span', { class: 'button', 'aria-disabled': 'true' }, text);
    return el('a', { class: 'button', rel, href: exampleLink(report.examples[neighbour], query) }, text);
  };
  return el('nav', { class: 'along', 'aria-label': 'Through the list' }, el('a', { class: 'button', href: listHash }, '← Examples'),
    el('span', { class: 'where' }, `${formatCount(position + 1)} of ${formatCount(order.length)}`), step(position - 1, 'Previous', 'prev'), step(position + 1, 'Next', 'next'));
}

function navigateToNeighbour(step) {
  const { order, listed } = listOrder(openedExample, currentRoute().params);
  const neighbour = order[order.indexOf(openedExample) + step];
  if (neighbour !== undefined) navigate(exampleLink(report.examples[neighbour], new URLSearchParams(listed).toString()));
}

// Restore the scroll position when going back, and scroll to the top after a link.
function restoreScrollAndFocus(previousView, byLink) {
  if (previousView.name === null) return;
  const sameList = previousView.name === currentView.name && currentView.name === 'examples';
  const editing = document.activeElement?.closest('.finder, .card');
  if (sameList && editing && !byLink) return;
  const savedScroll = scrollPositions.get(currentView.hash);
  scrollTo(0, byLink || savedScroll === undefined ? 0 : savedScroll);
  if (currentView.name === 'examples' && previousView.name === 'example') {
    const cardLink = main.querySelector(`.card a[data-index="${openedExample}"]`);
    cardLink?.focus({ preventScroll: true });
    if (cardLink && (byLink || savedScroll === undefined)) cardLink.closest('.card').scrollIntoView({ block: 'nearest' });
    if (cardLink) return;
  }
  (main.querySelector('h2') ?? main).focus({ preventScroll: true });
}

start();
