// A list whose items are brought into an order: dragged by mouse or touch, or moved by keys. It only moves items; its owner keeps the order.

import { dragSlop } from '../../shared/gestures.js';

const EDGE = 70; // pixels from the edge of the window, where a drag scrolls the page
const SCROLL = 10; // pixels a frame

/**
 * Let the items of a list be moved.
 *
 * options:
 *   grip            selector of the part of an item that touch drags by; a mouse drags by all of it, but for `.small` buttons
 *   onpreview()     is called while an item is dragged and the order of the items changes
 *   ondrop(item, index)  is called when an item was dropped at another place than where it was
 *   onkey(item, index)   is called when keys ask for another place for an item
 */
export function makeSortable(list, { grip, onpreview, ondrop, onkey }) {
  let drag = null;

  const items = () => [...list.children];
  const indexOf = (item) => items().indexOf(item);

  list.addEventListener('pointerdown', (event) => {
    const item = event.target.closest('li');
    if (drag || !item || event.button > 0 || event.target.closest('.small')) return;
    if (event.pointerType !== 'mouse' && !event.target.closest(grip)) return;
    drag = { item, id: event.pointerId, from: indexOf(item), x: event.pageX, y: event.pageY, left: event.pageX - item.offsetLeft, top: event.pageY - item.offsetTop, last: event, started: false };
  });
  list.addEventListener('pointermove', (event) => {
    if (event.pointerId !== drag?.id) return;
    drag.last = event;
    if (!drag.started) {
      if (Math.hypot(event.pageX - drag.x, event.pageY - drag.y) < dragSlop(event)) return;
      drag.started = true;
      drag.item.setPointerCapture(event.pointerId);
      drag.item.classList.add('dragged');
      requestAnimationFrame(scrollAtEdge);
    }
    follow(event.pageX, event.pageY);
  });
  list.addEventListener('pointerup', (event) => event.pointerId === drag?.id && end(true));
  list.addEventListener('pointercancel', (event) => event.pointerId === drag?.id && end(false));
  document.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || !drag?.started) return;
    event.preventDefault();
    end(false);
  });
  // A click that ends a drag is none.
  list.addEventListener('click', (event) => {
    if (!list.dataset.dropped) return;
    event.preventDefault();
    event.stopPropagation();
  }, { capture: true });
  list.addEventListener('keydown', (event) => {
    const item = event.target.closest('li');
    if (!item || drag?.started || event.ctrlKey || event.metaKey || event.altKey) return;
    const last = items().length - 1;
    const here = indexOf(item);
    const moves = { ArrowLeft: here - 1, ArrowUp: here - 1, ArrowRight: here + 1, ArrowDown: here + 1, Home: 0, End: last };
    const digit = /^[1-9]$/.test(event.key) ? Number(event.key) - 1 : null;
    const index = digit ?? moves[event.key];
    if (index === undefined || (digit !== null && digit > last)) return;
    event.preventDefault();
    if (index >= 0 && index <= last && index !== here) onkey(item, index, digit === null ? 'arrows' : 'number');
  });

  // The item follows the pointer; the others make room where its middle is.
  function follow(pageX, pageY) {
    const { item } = drag;
    const middle = (node) => [node.offsetLeft + node.offsetWidth / 2, node.offsetTop + node.offsetHeight / 2];
    const [x, y] = [pageX - drag.left + item.offsetWidth / 2, pageY - drag.top + item.offsetHeight / 2];
    const distances = items().map(middle).map(([mx, my]) => Math.hypot(mx - x, my - y));
    const nearest = distances.indexOf(Math.min(...distances));
    if (nearest !== indexOf(item)) {
      putAt(item, nearest);
      onpreview();
    }
    item.style.setProperty('transform', `translate(${pageX - drag.left - item.offsetLeft}px, ${pageY - drag.top - item.offsetTop}px)`);
  }

  // The others are moved around the item, since one that leaves the page loses its pointer and its focus.
  function putAt(item, index) {
    const others = items().filter((other) => other !== item);
    for (const other of others.slice(0, index)) list.insertBefore(other, item);
    list.append(...others.slice(index));
  }

  function scrollAtEdge() {
    if (!drag?.started) return;
    const { clientX, clientY } = drag.last;
    const step = clientY < EDGE ? -SCROLL : clientY > innerHeight - EDGE ? SCROLL : 0;
    const before = scrollY;
    if (step) scrollBy(0, step);
    if (scrollY !== before) follow(clientX + scrollX, clientY + scrollY);
    requestAnimationFrame(scrollAtEdge);
  }

  function end(dropped) {
    const { item, from, started } = drag;
    const index = indexOf(item);
    drag = null;
    if (!started) return;
    item.classList.remove('dragged');
    item.style.removeProperty('transform');
    list.dataset.dropped = 'true';
    setTimeout(() => delete list.dataset.dropped);
    if (dropped && index !== from) return void ondrop(item, index);
    putAt(item, from);
    onpreview();
  }

  return { putAt, items, isDragged: () => Boolean(drag?.started) };
}
