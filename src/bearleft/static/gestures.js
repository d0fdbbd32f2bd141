// Pointer gestures, wheel and keys, shared by the map and the panorama viewer.

const KEY_STEP = 40; // pixels that an arrow key moves
const FINE_KEY_STEP = 8; // with Shift
const MOUSE_SLOP = 5; // pixels that a click may travel
const TOUCH_SLOP = 10;
let lastOutsideWheel = 0; // time of the last wheel event outside: scrolling the page goes on over a map

document.addEventListener('wheel', () => { lastOutsideWheel = performance.now(); }, { passive: true });

/**
 * Call functions of `handlers` for gestures on a node: drag(dx, dy), zoom(factor, x, y), hover(x, y) or hover(null), tap(x, y), home(), and
 * key(event), which is asked first and returns whether it took the key. Returns {key}: call it with the keys that the node shall hear from elsewhere.
 */
export function onGestures(node, handlers) {
  const pointers = new Map();
  let travelled = 0; // pixels since the first pointer went down
  const position = (event) => {
    const box = node.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };

  node.addEventListener('pointerdown', (event) => {
    if (event.button > 0 || event.target.closest('button, input')) return;
    node.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, position(event));
    travelled = pointers.size > 1 ? Infinity : 0;
  });
  node.addEventListener('pointermove', (event) => {
    const current = position(event);
    const previous = pointers.get(event.pointerId);
    if (!previous) return void handlers.hover?.(...current);
    pointers.set(event.pointerId, current);
    travelled += Math.hypot(current[0] - previous[0], current[1] - previous[1]);
    if (travelled < dragSlop(event)) return; // a click on a picture must not move it
    if (pointers.size === 1) handlers.drag(current[0] - previous[0], current[1] - previous[1]);
    else if (pointers.size === 2) pinch(event.pointerId, previous, current);
  });
  const endPointer = (event) => {
    if (!pointers.delete(event.pointerId)) return;
    if (event.type === 'pointerup' && travelled < dragSlop(event) && !pointers.size) handlers.tap?.(...position(event));
  };
  node.addEventListener('pointerup', endPointer);
  node.addEventListener('pointercancel', endPointer);
  node.addEventListener('pointerleave', () => handlers.hover?.(null));

  // Two pointers: their distance zooms around their midpoint, and the midpoint drags.
  function pinch(id, previous, current) {
    const other = [...pointers].find(([key]) => key !== id)[1];
    const distance = (p) => Math.max(Math.hypot(p[0] - other[0], p[1] - other[1]), 1);
    handlers.drag((current[0] - previous[0]) / 2, (current[1] - previous[1]) / 2);
    handlers.zoom(distance(current) / distance(previous), (current[0] + other[0]) / 2, (current[1] + other[1]) / 2);
  }

  node.addEventListener('wheel', (event) => {
    if (performance.now() - lastOutsideWheel < 250 && !event.ctrlKey) return;
    event.preventDefault();
    event.stopPropagation();
    const pixels = event.deltaMode === 1 ? event.deltaY * 30 : event.deltaY;
    handlers.zoom(Math.exp(-Math.max(Math.min(pixels, 240), -240) / 400), ...position(event));
  }, { passive: false });

  function key(event) {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.('input, select, textarea')) return;
    if (!handlers.key?.(event) && !moveByKey(event)) return;
    event.preventDefault();
    event.stopPropagation();
  }
  function moveByKey(event) {
    const move = { ArrowLeft: [1, 0], ArrowRight: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
    const step = event.shiftKey ? FINE_KEY_STEP : KEY_STEP;
    if (move) handlers.drag(move[0] * step, move[1] * step);
    else if (event.key === '+' || event.key === '=') handlers.zoom(1.3, node.clientWidth / 2, node.clientHeight / 2);
    else if (event.key === '-') handlers.zoom(1 / 1.3, node.clientWidth / 2, node.clientHeight / 2);
    else if (event.key === '0') handlers.home?.();
    else return false;
    return true;
  }
  node.addEventListener('keydown', key);
  return { key };
}

/** Return how many pixels a pointer may travel until a click becomes a drag. */
export function dragSlop(event) {
  return event.pointerType === 'mouse' ? MOUSE_SLOP : TOUCH_SLOP;
}

/** Return a function that calls `callback` once in the next frame, however often it is called. */
export function oncePerFrame(callback) {
  let request = 0;
  return () => {
    request ||= requestAnimationFrame(() => {
      request = 0;
      callback();
    });
  };
}

/** Call a function when a node is resized. Returns a function that ends it. */
export function onResize(node, callback) {
  const observer = new ResizeObserver(() => callback());
  observer.observe(node);
  return () => observer.disconnect();
}
