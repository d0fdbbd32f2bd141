// Dragging, pinching, the wheel and keys, the same for the map and the viewer.

const STEP = 40; // pixels that an arrow key moves
let outside = 0; // when the wheel last turned elsewhere: a page that is being scrolled scrolls on over a map

document.addEventListener('wheel', () => { outside = performance.now(); }, { passive: true });

/** Calls drag(dx, dy), zoom(factor, x, y), hover(x, y) or hover(null), tap(x, y), home() of `does` as someone handles a node. */
export function handled(node, does) {
  const pointers = new Map();
  let moved = 0;
  const at = (event) => {
    const box = node.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };

  node.addEventListener('pointerdown', (event) => {
    if (event.button > 0 || event.target.closest('button, input')) return;
    node.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, at(event));
    moved = 0;
  });
  node.addEventListener('pointermove', (event) => {
    const now = at(event);
    const before = pointers.get(event.pointerId);
    if (!before) return void does.hover?.(...now);
    pointers.set(event.pointerId, now);
    moved += Math.hypot(now[0] - before[0], now[1] - before[1]);
    if (pointers.size === 1) does.drag(now[0] - before[0], now[1] - before[1]);
    else if (pointers.size === 2) pinch(event.pointerId, before, now);
  });
  const up = (event) => {
    if (!pointers.delete(event.pointerId)) return;
    if (event.type === 'pointerup' && moved < 5 && !pointers.size) does.tap?.(...at(event));
  };
  node.addEventListener('pointerup', up);
  node.addEventListener('pointercancel', up);
  node.addEventListener('pointerleave', () => does.hover?.(null));

  // Two fingers: their distance zooms around the middle between them, and the middle drags.
  function pinch(id, before, now) {
    const other = [...pointers].find(([key]) => key !== id)[1];
    const apart = (p) => Math.max(Math.hypot(p[0] - other[0], p[1] - other[1]), 1);
    does.drag((now[0] - before[0]) / 2, (now[1] - before[1]) / 2);
    does.zoom(apart(now) / apart(before), (now[0] + other[0]) / 2, (now[1] + other[1]) / 2);
  }

  node.addEventListener('wheel', (event) => {
    if (performance.now() - outside < 250 && !event.ctrlKey) return;
    event.preventDefault();
    event.stopPropagation();
    const pixels = event.deltaMode === 1 ? event.deltaY * 30 : event.deltaY;
    does.zoom(Math.exp(-Math.max(Math.min(pixels, 240), -240) / 400), ...at(event));
  }, { passive: false });

  node.addEventListener('keydown', (event) => {
    if (event.target !== node || event.ctrlKey || event.metaKey || event.altKey) return;
    const move = { ArrowLeft: [1, 0], ArrowRight: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
    if (move) does.drag(move[0] * STEP, move[1] * STEP);
    else if (event.key === '+' || event.key === '=') does.zoom(1.3, node.clientWidth / 2, node.clientHeight / 2);
    else if (event.key === '-') does.zoom(1 / 1.3, node.clientWidth / 2, node.clientHeight / 2);
    else if (event.key === '0') does.home?.();
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
}

/** f, once in the next frame however often it is asked for. */
export function inFrame(f) {
  let asked = 0;
  return () => {
    asked ||= requestAnimationFrame(() => {
      asked = 0;
      f();
    });
  };
}

/** Calls f when a node gets another size, as long as it is in the page. */
export function onResize(node, f) {
  const watch = new ResizeObserver(() => f());
  watch.observe(node);
  return () => watch.disconnect();
}
