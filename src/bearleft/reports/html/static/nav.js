import { count, cut, el, named, plural, svg } from './dom.js';
import { openHelp } from './help.js';
import { head } from './store.js';

const VIEWS = { scores: ['Scores', '#/'], examples: ['Examples', '#/examples'] };
const links = {};

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

function facts(most) {
  const few = head.datasets.length <= most;
  const names = few ? head.datasets.map((dataset) => cut(dataset.name, 80)).join(', ') : plural(head.datasets.length, 'dataset');
  const made = [plural(head.agents.length, 'agent'), plural(head.examples, 'example'), `bearleft ${head.version}`, head.made];
  return [names, ...made].filter(Boolean).join(' · ');
}

/** The header of the page. */
export function header() {
  for (const [name, [text, href]] of Object.entries(VIEWS)) links[name] = el('a', { href }, text);
  const brand = el('div', { class: 'brand' }, logo(),
    el('div', {}, el('h1', { title: cut(head.title, 2000) }, cut(head.title, 300)), el('p', { title: facts(50) }, facts(3))));
  const theme = el('button', { type: 'button', class: 'icon', id: 'theme', onclick: turnTheme },
    icon('M10 3 A7 7 0 1 0 17 10 A5.4 5.4 0 0 1 10 3 Z'));
  const help = el('button', { type: 'button', class: 'icon', 'aria-label': 'Keyboard shortcuts and help', title: 'Help (?)', onclick: openHelp },
    icon('M7.6 7.6 A2.5 2.5 0 1 1 10.6 10 Q10 10.4 10 11.6', 'M10 14.4 V14.5', 'M17.4 10 A7.4 7.4 0 1 1 10 2.6 A7.4 7.4 0 0 1 17.4 10 Z'));
  return el('header', { class: 'top' },
    el('div', { class: 'wrap' }, brand, el('nav', { 'aria-label': 'Views' }, Object.values(links)), el('div', { class: 'tools' }, theme, help)));
}

/** The line under everything. */
export function footer() {
  const shown = head.datasets.map((dataset) => {
    const all = plural(dataset.episodes, 'episode');
    return el('span', {}, named(dataset.name), `: ${dataset.shown < dataset.episodes ? `${count(dataset.shown)} of ${all}` : all} shown`);
  });
  return el('footer', { class: 'foot' }, el('div', { class: 'wrap' },
    `Made with bearleft ${head.version} on ${head.made}. This file needs no network. `,
    shown.flatMap((one, i) => (i ? ['; ', one] : [one]))));
}

/** Marks where one is, and remembers the list's last state in its link. */
export function setCurrent(name, listHash) {
  const at = name === 'example' ? 'examples' : name;
  for (const [key, node] of Object.entries(links)) {
    if (key === at) node.setAttribute('aria-current', key === name ? 'page' : 'true');
    else node.removeAttribute('aria-current');
  }
  if (listHash) links.examples.setAttribute('href', listHash);
}

/** Light or dark as the system has it, until the button says otherwise. */
export function startTheme() {
  const dark = matchMedia('(prefers-color-scheme: dark)');
  setTheme(dark.matches);
  dark.addEventListener('change', () => setTheme(dark.matches));
}

/** The button's own words follow the theme: called once the header stands. */
export function nameTheme() {
  const other = document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark';
  const button = document.getElementById('theme');
  button.setAttribute('aria-label', `Use ${other} colours`);
  button.setAttribute('title', `Use ${other} colours (t)`);
}

function setTheme(dark) {
  document.documentElement.dataset.theme = dark ? 'dark' : 'light';
  if (document.getElementById('theme')) nameTheme();
  document.dispatchEvent(new Event('themechange'));
}

/** From light to dark or back. */
export function turnTheme() {
  setTheme(document.documentElement.dataset.theme !== 'dark');
}
