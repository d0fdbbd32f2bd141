import { wellFormed } from './dom.js';

// Where one is stands in the hash, so that everything can be linked and the browser's own back button works.
// "#/example/0/abc?agent=1" is {name: 'example', parts: ['0', 'abc'], params: {agent: '1'}}; "#/" has the name 'scores'.

const listeners = [];
let told = null;
let later = 0;

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function encoded(part) {
  // Half a surrogate pair, which JSON may hold, cannot be encoded.
  return encodeURIComponent(wellFormed(String(part)));
}

/** Where one is. */
export function route() {
  const hash = location.hash.replace(/^#\/?/, '');
  const cutAt = hash.indexOf('?');
  const path = cutAt < 0 ? hash : hash.slice(0, cutAt);
  const [name, ...parts] = path.split('/').map(decoded);
  const params = cutAt < 0 ? {} : Object.fromEntries(new URLSearchParams(hash.slice(cutAt + 1)));
  return { name: name || 'scores', parts, params };
}

/** The hash of a path ('/examples', or ['example', 0, id], whose parts are encoded) and its parameters; empty ones are left out. */
export function link(path, params = {}) {
  const way = Array.isArray(path) ? path.map(encoded).join('/') : path.replace(/^#?\/?/, '');
  const given = Object.entries(params).filter(([, value]) => value !== null && value !== undefined && value !== '');
  const query = new URLSearchParams(given.map(([key, value]) => [key, String(value)])).toString();
  return `#/${way}${query ? `?${query}` : ''}`;
}

/** Goes there; with {replace: true} without a new entry in the history. */
export function go(hash, { replace = false } = {}) {
  clearTimeout(later);
  if (replace) history.replaceState(null, '', hash);
  else location.hash = hash;
  tell();
}

/** Writes parameters of the view one is in into the hash, without drawing the view again. */
export function remember(params) {
  clearTimeout(later);
  const { name, parts, params: old } = route();
  const hash = link([name === 'scores' ? '' : name, ...parts], { ...old, ...params });
  // Browsers refuse hundreds of changes in a few seconds, which a slider makes.
  later = setTimeout(() => {
    history.replaceState(null, '', hash);
    told = location.hash;
  }, 150);
}

/** Calls f(route()) whenever one goes somewhere. */
export function onRoute(f) {
  listeners.push(f);
}

/** Tells the listeners where one is, once for each place. */
export function tell() {
  if (location.hash === told) return;
  clearTimeout(later);
  told = location.hash;
  for (const f of listeners) f(route());
}

window.addEventListener('hashchange', tell);
