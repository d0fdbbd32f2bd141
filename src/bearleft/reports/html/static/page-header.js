// Header and footer of the page, and the theme.

import { formatCount, truncate, el, nameElement, plural, svg } from './dom.js';
import { openHelp } from './help.js';
import { summary } from './report-data.js';

const VIEWS_BY_NAME = { scores: ['Scores', '#/'], examples: ['Examples', '#/examples'] };
const viewLinks = {};

function icon(...paths) {
  const pen = { fill: 'none', stroke: 'currentColor', 'stroke-width': 1.7, 'stroke-linecap': 'round', 'stroke-linejoin': 'round' };
  const lines = paths.map((d) => svg('path', { d, ...pen }));
  return svg('svg', { viewBox: '0 0 20 20', 'aria-hidden': 'true' }, lines);
}

function logo() {
  return svg('svg', { viewBox: '0 0 28 28', 'aria-hidden': 'true' },
    svg('rect', { width: 28, height: 28, rx: 8, style: { fill: 'var(--accent)' } }),
    svg('path', { d: 'M17 22.5 V16.5 Q17 13 14 10.6 L9.5 7 M9 12.2 L8.6 6.3 L14.4 6.6', fill: 'none', 'stroke-width': 2.6, 'stroke-linecap': 'round',
      'stroke-linejoin': 'round', style: { stroke: 'var(--on-accent)' } }));
}

function reportFacts(maxDatasets) {
  const few = summary.datasets.length <= maxDatasets;
  const names = few ? summary.datasets.map((dataset) => truncate(dataset.name, 80)).join(', ') : plural(summary.datasets.length, 'dataset');
  const details = [plural(summary.agents.length, 'agent'), plural(summary.examples, 'example'), `bearleft ${summary.version}`, summary.date];
  return [names, ...details].filter(Boolean).join(' · ');
}

/** Return the page's header. */
export function pageHeader() {
  for (const [name, [text, href]] of Object.entries(VIEWS_BY_NAME)) viewLinks[name] = el('a', { href }, text);
  const brand = el('div', { class: 'brand' }, logo(),
    el('div', {}, el('h1', { title: truncate(summary.title, 2000) }, truncate(summary.title, 300)), el('p', { title: reportFacts(50) }, reportFacts(3))));
  const theme = el('button', { type: 'button', class: 'icon', id: 'theme', onclick: toggleTheme },
    icon('M10 3 A7 7 0 1 0 17 10 A5.4 5.4 0 0 1 10 3 Z'));
  const help = el('button', { type: 'button', class: 'icon', 'aria-label': 'Keyboard shortcuts and help', title: 'Help (?)', onclick: openHelp },
    icon('M7.6 7.6 A2.5 2.5 0 1 1 10.6 10 Q10 10.4 10 11.6', 'M10 14.4 V14.5', 'M17.4 10 A7.4 7.4 0 1 1 10 2.6 A7.4 7.4 0 0 1 17.4 10 Z'));
  return el('header', { class: 'top' },
    el('div', { class: 'wrap' }, brand, el('nav', { 'aria-label': 'Views' }, Object.values(viewLinks)), el('div', { class: 'tools' }, theme, help)));
}

/** Return the page's footer. */
export function pageFooter() {
  const parts = summary.datasets.map((dataset) => {
    const episodes = plural(dataset.episodes, 'episode');
    return el('span', {}, nameElement(dataset.name), `: ${dataset.shown < dataset.episodes ? `${formatCount(dataset.shown)} of ${episodes}` : episodes} shown`);
  });
  return el('footer', { class: 'foot' }, el('div', { class: 'wrap' },
    `Made with bearleft ${summary.version} on ${summary.date}. This file needs no network. `,
    parts.flatMap((part, i) => (i ? ['; ', part] : [part]))));
}

/** Mark the link of the current view, and keep the list's last state in its link. */
export function markCurrentView(name, listHash) {
  const current = name === 'example' ? 'examples' : name;
  for (const [key, node] of Object.entries(viewLinks)) {
    if (key === current) node.setAttribute('aria-current', key === name ? 'page' : 'true');
    else node.removeAttribute('aria-current');
  }
  if (listHash) viewLinks.examples.setAttribute('href', listHash);
}

/** Use the system's theme until the button is pressed. */
export function initTheme() {
  const dark = matchMedia('(prefers-color-scheme: dark)');
  setTheme(dark.matches);
  dark.addEventListener('change', () => setTheme(dark.matches));
}

/** Update the label of the theme button; needs the header in the page. */
export function labelThemeButton() {
  const other = document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark';
  const button = document.getElementById('theme');
  button.setAttribute('aria-label', `Use ${other} colours`);
  button.setAttribute('title', `Use ${other} colours (t)`);
}

function setTheme(dark) {
  document.documentElement.dataset.theme = dark ? 'dark' : 'light';
  if (document.getElementById('theme')) labelThemeButton();
  document.dispatchEvent(new Event('themechange'));
}

/** Switch between light and dark. */
export function toggleTheme() {
  setTheme(document.documentElement.dataset.theme !== 'dark');
}
