// DOM helpers and number formats. Strings only become text nodes or attribute values; innerHTML is never used.

const SVG_NAMESPACE = 'http://www.w3.org/2000/svg';
const AGENT_COLOURS = 8;

function buildNode(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) setAttribute(node, name, value);
  appendChildren(node, children);
  return node;
}

function setAttribute(node, name, value) {
  if (value === null || value === undefined || value === false) return;
  if (typeof value === 'function') node.addEventListener(name.replace(/^on/, ''), value);
  else if (name === 'dataset') Object.assign(node.dataset, value);
  // Styles are set through the CSSOM, since the content security policy forbids style attributes.
  else if (name === 'style') for (const [key, property] of Object.entries(value)) node.style.setProperty(key, property);
  else node.setAttribute(name, value === true ? '' : String(value));
}

function appendChildren(node, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    node.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
}

/** Create an element: el('a', {class: 'x', href: '#/', onclick: f, dataset: {id: 3}, style: {'--x': '1'}}, 'text', node, [more]). */
export function el(tag, attributes, ...children) {
  return buildNode(document.createElement(tag), attributes, children);
}

/** Create an SVG element; arguments as for `el`. */
export function svg(tag, attributes, ...children) {
  return buildNode(document.createElementNS(SVG_NAMESPACE, tag), attributes, children);
}

/** Replace the children of a node. */
export function setContent(node, ...children) {
  node.replaceChildren();
  appendChildren(node, children);
  return node;
}

/** Format a number with a fixed count of decimals; "–" if there is none. */
export function formatNumber(x, digits = 1) {
  if (x === null || x === undefined || !Number.isFinite(x)) return '–';
  const text = Math.abs(x).toFixed(digits);
  return x < 0 && Number(text) !== 0 ? `−${text}` : text;
}

/** Format a number with its sign. */
export function formatSigned(x, digits = 1) {
  const text = formatNumber(x, digits);
  return Number.isFinite(x) && x > 0 && Number(text) !== 0 ? `+${text}` : text;
}

/** Format 1234567 as "1,234,567". */
export function formatCount(n) {
  return String(n).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** Return "1 example", "3 examples". */
export function plural(n, word, plural = `${word}s`) {
  return `${formatCount(n)} ${n === 1 ? word : plural}`;
}

/** Format a p-value as papers do: "p < 0.001", "p = 0.032". */
export function formatP(p) {
  if (p === null || p === undefined || !Number.isFinite(p)) return 'p unknown';
  return p < 0.001 ? 'p < 0.001' : `p = ${p.toFixed(p < 0.1 ? 3 : 2)}`;
}

/** Return an agent's colour as a CSS value, for style properties and SVG styles. */
export function agentColour(agent) {
  return `var(--agent-${agent % AGENT_COLOURS})`;
}

/** Return the current value of a CSS variable ("--ink", or agentColour(2)): canvases need plain colours. */
export function cssValue(name) {
  const variable = name.replace(/^var\((.*)\)$/, '$1');
  return getComputedStyle(document.documentElement).getPropertyValue(variable).trim();
}

/** Call a function when the theme changes, to repaint canvases. Returns a function that unsubscribes. */
export function onThemeChange(callback) {
  document.addEventListener('themechange', callback);
  return () => document.removeEventListener('themechange', callback);
}

/** Return an element with a long name: CSS truncates it, its title has the full text. */
export function nameElement(text, tag = 'span', attributes = {}) {
  const classes = attributes.class ? `name ${attributes.class}` : 'name';
  return el(tag, { ...attributes, class: classes, title: truncate(attributes.title ?? text, 2000) }, truncate(text, 300));
}

/** Return the first `limit` code points of a text, with an ellipsis if it is longer. */
export function truncate(text, limit) {
  if (text.length <= limit) return text;
  const codePoints = Array.from(text.slice(0, limit * 2));
  return codePoints.length <= limit && text.length <= limit * 2 ? text : `${codePoints.slice(0, limit).join('')}…`;
}

/** Return text that only screen readers read. */
export function screenReaderText(text) {
  return el('span', { class: 'hidden-text' }, text);
}

/** Return a region that scrolls horizontally, also with the keyboard. */
export function scrollRegion(label, ...children) {
  return el('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': label }, children);
}

/** Return a function that calls `callback` once, `wait` milliseconds after the last call. */
export function debounce(callback, wait) {
  let timer = 0;
  return (...args) => {
    clearTimeout(timer);
    timer = setTimeout(() => callback(...args), wait);
  };
}

/** Listen to keys while `owner` is in the page. */
export function onKeyDown(owner, callback) {
  const listen = (event) => {
    if (!owner.isConnected) document.removeEventListener('keydown', listen);
    else if (!isTyping(event)) callback(event);
  };
  document.addEventListener('keydown', listen);
}

/** Return whether a key press belongs to a form field or to the browser. */
export function isTyping(event) {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return true;
  const element = event.target;
  if (!(element instanceof Element) || !element.closest('input, select, textarea, dialog[open], [contenteditable]')) return false;
  // Sliders and checkboxes take no letters, so shortcuts work there too.
  const takesNoText = element.matches('input[type="range"], input[type="checkbox"], input[type="radio"]') && !element.closest('dialog[open]');
  return !(takesNoText && event.key.length === 1 && event.key !== ' ');
}

/** Return a string without unpaired surrogates. */
export function wellFormed(text) {
  return text.toWellFormed ? text.toWellFormed() : text.replace(/\p{Surrogate}/gu, '\ufffd');
}
