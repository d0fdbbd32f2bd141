// Tooltips and toasts: one element each for the whole page, since a scrolling table would clip tooltips of its own.

import { el } from './dom.js';

const tooltip = el('div', { class: 'tip', id: 'tip', role: 'tooltip', hidden: true });
const toastElement = el('div', { class: 'toast', role: 'status', hidden: true });
let toastTimer = 0;

/** Return the floating elements. */
export function floatingElements() {
  document.addEventListener('keydown', (event) => event.key === 'Escape' && hideTooltip());
  document.addEventListener('scroll', hideTooltip, { passive: true, capture: true });
  return [tooltip, toastElement];
}

/** Show a tooltip while a node is hovered or focused. */
export function withTooltip(node, text) {
  if (!text) return node;
  node.addEventListener('mouseenter', () => showTooltip(node, text));
  node.addEventListener('focus', () => showTooltip(node, text));
  node.addEventListener('mouseleave', hideTooltip);
  node.addEventListener('blur', hideTooltip);
  return node;
}

function showTooltip(node, text) {
  tooltip.textContent = text;
  tooltip.hidden = false;
  node.setAttribute('aria-describedby', 'tip');
  const anchor = node.getBoundingClientRect();
  const { width, height } = tooltip.getBoundingClientRect();
  const left = Math.min(Math.max(8, anchor.left + anchor.width / 2 - width / 2), Math.max(8, innerWidth - width - 8));
  const above = anchor.top - height - 8;
  tooltip.style.left = `${left}px`;
  tooltip.style.top = `${above > 4 ? above : anchor.bottom + 8}px`;
}

function hideTooltip() {
  tooltip.hidden = true;
}

/** Show a message for two seconds. */
export function toast(text) {
  toastElement.textContent = text;
  toastElement.hidden = false;
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => { toastElement.hidden = true; }, 2200);
}
