import { el } from './dom.js';

// One floating note for the whole page: inside a scrolling table a note of its own would be cut off.
const floating = el('div', { class: 'tip', id: 'tip', role: 'tooltip', hidden: true });
const toasted = el('div', { class: 'toast', role: 'status', hidden: true });
let toastTimer = 0;

/** The nodes that float above the page. */
export function floats() {
  document.addEventListener('keydown', (event) => event.key === 'Escape' && hideTip());
  document.addEventListener('scroll', hideTip, { passive: true, capture: true });
  return [floating, toasted];
}

/** Explains a node when one points at it or reaches it with the keyboard. */
export function withTip(node, text) {
  if (!text) return node;
  node.addEventListener('mouseenter', () => showTip(node, text));
  node.addEventListener('focus', () => showTip(node, text));
  node.addEventListener('mouseleave', hideTip);
  node.addEventListener('blur', hideTip);
  return node;
}

function showTip(node, text) {
  floating.textContent = text;
  floating.hidden = false;
  node.setAttribute('aria-describedby', 'tip');
  const at = node.getBoundingClientRect();
  const { width, height } = floating.getBoundingClientRect();
  const left = Math.min(Math.max(8, at.left + at.width / 2 - width / 2), Math.max(8, innerWidth - width - 8));
  const above = at.top - height - 8;
  floating.style.left = `${left}px`;
  floating.style.top = `${above > 4 ? above : at.bottom + 8}px`;
}

function hideTip() {
  floating.hidden = true;
}

/** Says something for two seconds. */
export function toast(text) {
  toasted.textContent = text;
  toasted.hidden = false;
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => { toasted.hidden = true; }, 2200);
}
