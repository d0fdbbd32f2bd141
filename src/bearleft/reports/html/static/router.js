// Hash router: the URL contains the whole state, so that every view can be linked and the back button works.
// "#/example/0/abc?agent=1" is {name: 'example', parts: ['0', 'abc'], params: {agent: '1'}}; "#/" has the name 'scores'.

import { wellFormed } from './dom.js';

const listeners = [];
let notifiedHash = null;
let replaceTimer = 0;

function decodePart(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function encodePart(part) {
  // Unpaired surrogates, which JSON may contain, cannot be encoded.
  return encodeURIComponent(wellFormed(String(part)));
}

/** Return the current route. */
export function currentRoute() {
  const hash = location.hash.replace(/^#\/?/, '');
  const queryStart = hash.indexOf('?');
  const path = queryStart < 0 ? hash : hash.slice(0, queryStart);
  const [name, ...parts] = path.split('/').map(decodePart);
  const params = queryStart < 0 ? {} : Object.fromEntries(new URLSearchParams(hash.slice(queryStart + 1)));
  return { name: name || 'scores', parts, params };
}

/** Return the hash of a path ('/examples', or ['example', 0, id], whose parts are encoded) and its parameters, without empty ones. */
export function routeHash(path, params = {}) {
  const encodedPath = Array.isArray(path) ? path.map(encodePart).join('/') : path.replace(/^#?\/?/, '');
  const entries = Object.entries(params).filter(([, value]) => value !== null && value !== undefined && value !== '');
  const query = new URLSearchParams(entries.map(([key, value]) => [key, String(value)])).toString();
  return `#/${encodedPath}${query ? `?${query}` : ''}`;
}

/** Go to a hash; {replace: true} adds no history entry. */
export function navigate(hash, { replace = false } = {}) {
  clearTimeout(replaceTimer);
  if (replace) history.replaceState(null, '', hash);
  else location.hash = hash;
  notifyListeners();
}

/** Write parameters of the current view into the hash without showing the view again. */
export function replaceParams(params) {
  clearTimeout(replaceTimer);
  const { name, parts, params: currentParams } = currentRoute();
  const hash = routeHash([name === 'scores' ? '' : name, ...parts], { ...currentParams, ...params });
  // Browsers limit the rate of history changes, which a slider would exceed.
  replaceTimer = setTimeout(() => {
    history.replaceState(null, '', hash);
    notifiedHash = location.hash;
  }, 150);
}

/** Call a function with the route whenever it changes. */
export function onRoute(listener) {
  listeners.push(listener);
}

/** Call the listeners if the hash has changed. */
export function notifyListeners() {
  if (location.hash === notifiedHash) return;
  clearTimeout(replaceTimer);
  notifiedHash = location.hash;
  for (const listener of listeners) listener(currentRoute());
}

window.addEventListener('hashchange', notifyListeners);
