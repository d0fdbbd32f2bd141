// What the pages of units share: messages, help on keys, and the end of a unit.

import { el, setContent } from '../shared/dom.js';
import { storedText } from './api.js';
import { pictureId } from './pictures.js';

/** Return an element by its id. */
export function byId(id) {
  return document.getElementById(id);
}

/** Show a message to act on; null hides it. */
export function showMessage(text) {
  const node = byId('message');
  node.hidden = !text;
  setContent(node, text ? text[0].toUpperCase() + text.slice(1) : '');
  if (text) node.scrollIntoView({ block: 'nearest' });
}

/** Fill the help on keys: [[keys, meaning], ...]. */
export function showKeys(rows) {
  setContent(byId('keys'), rows.map(([keys, meaning]) => [
    el('dt', {}, keys.map((key, i) => [i ? ' ' : '', el('kbd', {}, key)])), el('dd', {}, meaning)]));
}

const RETURN_QUESTION = 'Give this task back? Somebody else will get it.';

/** Let a button give the unit back after a question; `question` returns another one, or ''. Somebody else gets the unit. */
export function offerReturn(unit, button, question = () => '') {
  button.addEventListener('click', async () => {
    if (!confirm(question() || RETURN_QUESTION)) return;
    try {
      await unit.giveBack();
      location.assign(`/projects/${encodeURIComponent(unit.project)}?returned=1`);
    } catch (error) {
      showMessage(error.message);
    }
  });
}

/** Submit a unit, and show that it is stored; a refusal is shown and the unit goes on. Returns whether it was stored. */
export async function finish(unit, data = {}) {
  try {
    showEnd(unit, await unit.submit(data));
    return true;
  } catch (error) {
    showMessage(error.message);
    return false;
  }
}

/** Show the end of a unit: what became of it, in one text or several, the completion code, and the way to the next one. */
export function showEnd(unit, { code, feedback = {} }, ...texts) {
  showMessage(null);
  for (const node of document.querySelectorAll('.panel .work')) node.hidden = true;
  const done = byId('done');
  done.hidden = false;
  const next = el('a', { class: 'button primary', href: `/next/${encodeURIComponent(unit.project)}` }, 'Next');
  const [first, ...others] = texts.length ? texts : [feedback.message ?? 'Thank you!'];
  setContent(done, el('p', { class: 'lead' }, first), others.map((text) => el('p', {}, text)), el('p', {}, storedText(unit, code)),
    el('div', { class: 'controls' }, next));
  next.focus({ preventScroll: true });
  byId('panel').scrollTop = 0;
}

/** Return whether a viewer shows a place, at least in small, and not yet the picture of the place before. */
export function isShown(viewer, world, place) {
  return viewer.state().picture === pictureId(world, place);
}

/** Return the address of a world in the API. */
export function worldUrl(world) {
  return `/api/worlds/${world.split('/').map(encodeURIComponent).join('/')}`;
}

/** Return a storage of the browser by its name: {get(name), set(name, text)}. Browsers may forbid it; then nothing is kept. */
export function storage(kind) {
  return {
    get(name) {
      try {
        return window[kind].getItem(name);
      } catch {
        return null;
      }
    },
    set(name, text) {
      try {
        window[kind].setItem(name, text);
      } catch {
        // It holds for this page.
      }
    },
  };
}
