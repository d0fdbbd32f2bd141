// Building the page. Strings only ever become text nodes or attribute values: there is no innerHTML anywhere.
// The title in the header is the page's h1; every view begins at h2.

const SVG = 'http://www.w3.org/2000/svg';
const MARKS = 14;
const AGENTS = 8;

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) setOne(node, name, value);
  append(node, children);
  return node;
}

function setOne(node, name, value) {
  if (value === null || value === undefined || value === false) return;
  if (typeof value === 'function') node.addEventListener(name.replace(/^on/, ''), value);
  else if (name === 'dataset') Object.assign(node.dataset, value);
  // Styles go through CSSOM, since the page's policy forbids style attributes.
  else if (name === 'style') for (const [key, to] of Object.entries(value)) node.style.setProperty(key, to);
  else node.setAttribute(name, value === true ? '' : String(value));
}

function append(node, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    node.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
}

/** An element: el('a', {class: 'x', href: '#/', onclick: f, dataset: {id: 3}, style: {'--x': '1'}}, 'text', node, [more]). */
export function el(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** The same for SVG. */
export function svg(tag, attributes, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

/** Empties a node and puts children in. */
export function clear(node, ...children) {
  node.replaceChildren();
  append(node, children);
  return node;
}

/** A number as text with so many digits behind the point; "–" where there is none. */
export function number(x, digits = 1) {
  if (x === null || x === undefined || !Number.isFinite(x)) return '–';
  const text = Math.abs(x).toFixed(digits);
  return x < 0 && Number(text) !== 0 ? `−${text}` : text;
}

/** The same with its sign in front. */
export function signed(x, digits = 1) {
  const text = number(x, digits);
  return Number.isFinite(x) && x > 0 && Number(text) !== 0 ? `+${text}` : text;
}

/** A value already in percent, with the sign. */
export function percent(x, digits = 1) {
  return Number.isFinite(x) && x !== null ? `${number(x, digits)} %` : '–';
}

/** 1234567 as "1,234,567". */
export function count(n) {
  return String(n).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** "1 example", "3 examples". */
export function plural(n, word, many = `${word}s`) {
  return `${count(n)} ${n === 1 ? word : many}`;
}

/** p as papers print it: "p < 0.001", "p = 0.032". */
export function pText(p) {
  if (p === null || p === undefined || !Number.isFinite(p)) return 'p unknown';
  return p < 0.001 ? 'p < 0.001' : `p = ${p.toFixed(p < 0.1 ? 3 : 2)}`;
}

/** The agent's colour as a CSS value, for style properties and SVG styles. */
export function colourOf(agent) {
  return `var(--agent-${agent % AGENTS})`;
}

/** The colour of a phenomenon as a CSS value. */
export function markOf(phenomenon) {
  return `var(--mark-${phenomenon % MARKS})`;
}

/** What a CSS variable ("--ink") or a value such as colourOf(2) stands for now: canvases need plain colours. */
export function cssValue(name) {
  const bare = name.replace(/^var\((.*)\)$/, '$1');
  return getComputedStyle(document.documentElement).getPropertyValue(bare).trim();
}

/** Calls f when light turns to dark or back: canvases are painted again. Returns a function that ends it. */
export function onTheme(f) {
  document.addEventListener('themechange', f);
  return () => document.removeEventListener('themechange', f);
}

/** An <a> or <span> of a long name: cut with an ellipsis by CSS, whole in its title. */
export function named(text, tag = 'span', attributes = {}) {
  const classes = attributes.class ? `name ${attributes.class}` : 'name';
  return el(tag, { ...attributes, class: classes, title: cut(attributes.title ?? text, 2000) }, cut(text, 300));
}

/** The first `limit` code points of a text, with an ellipsis where something was cut. */
export function cut(text, limit) {
  if (text.length <= limit) return text;
  const points = Array.from(text.slice(0, limit * 2));
  return points.length <= limit && text.length <= limit * 2 ? text : `${points.slice(0, limit).join('')}…`;
}

/** Words for screen readers alone. */
export function unseen(text) {
  return el('span', { class: 'hidden-text' }, text);
}

/** A part that scrolls sideways by itself, by keyboard too. */
export function scrolling(label, ...children) {
  return el('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': label }, children);
}

/** f, at most once in `wait` milliseconds, after the last call. */
export function debounce(f, wait) {
  let timer = 0;
  return (...given) => {
    clearTimeout(timer);
    timer = setTimeout(() => f(...given), wait);
  };
}

/** The keys of a view end with it: an element that has left the page is no longer asked. */
export function onKeys(owner, f) {
  const listen = (event) => {
    if (!owner.isConnected) document.removeEventListener('keydown', listen);
    else if (!typing(event)) f(event);
  };
  document.addEventListener('keydown', listen);
}

/** Whether a key belongs to a field or to the browser. */
export function typing(event) {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return true;
  const at = event.target;
  if (!(at instanceof Element) || !at.closest('input, select, textarea, dialog[open], [contenteditable]')) return false;
  // A slider or a box to tick takes no letters, so letters still mean what they mean elsewhere.
  const takesNone = at.matches('input[type="range"], input[type="checkbox"], input[type="radio"]') && !at.closest('dialog[open]');
  return !(takesNone && event.key.length === 1 && event.key !== ' ');
}

/** A string without halves of surrogate pairs. */
export function wellFormed(text) {
  return text.toWellFormed ? text.toWellFormed() : text.replace(/\p{Surrogate}/gu, '\ufffd');
}
