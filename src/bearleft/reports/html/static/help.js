// The help dialog with the keyboard shortcuts.

import { el } from './dom.js';

const SHORTCUTS = [
  [['s'], 'scores and charts'], [['e'], 'examples, as last filtered'], [['/'], 'search'],
  [['j', 'k'], 'next and previous card of the list; arrow keys too'], [['Enter'], 'open the card'],
  [['n', 'p'], 'next and previous example of the list'], [['Esc'], 'back to the list'], [['t'], 'light or dark'], [['?'], 'this help'],
];

let dialog = null;

function helpDialog() {
  const lines = SHORTCUTS.flatMap(([keys, description]) => [
    el('dt', {}, keys.flatMap((key, i) => (i ? [' ', el('kbd', {}, key)] : [el('kbd', {}, key)]))), el('dd', {}, description)]);
  return el('dialog', { 'aria-labelledby': 'help-title' },
    el('h2', { id: 'help-title' }, 'Keyboard shortcuts'), el('dl', { class: 'keys' }, lines),
    el('p', { class: 'soft small', style: { 'margin-top': '14px' } },
      'Search finds examples that hold every word; "quoted words" must stand together. ',
      'What you filter, sort and open stands in the address, so any view can be linked.'),
    el('div', { class: 'tools' }, el('button', { type: 'button', class: 'button', onclick: () => dialog.close() }, 'Close')));
}

/** Open the help dialog. */
export function openHelp() {
  if (!dialog) {
    dialog = helpDialog();
    document.body.append(dialog);
    dialog.addEventListener('click', (event) => event.target === dialog && dialog.close());
  }
  if (!dialog.open) dialog.showModal();
}
