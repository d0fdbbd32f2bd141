// Keys and buttons as actions of the environments. A turn, and a step that the server said is free, are shown at once; the
// server's pose is the truth, and is shown when it comes.

import { el, svg } from '../../shared/dom.js';

const TURN = 30; // degrees
const TURN_TIME = 160; // milliseconds
const STEP_TIME = 220;
const CELL_TIME = 300;
const MOST_WAITING = 2; // actions that wait for the one before
const KEYS = { ArrowUp: 'forward', w: 'forward', ArrowLeft: 'left', a: 'left', ArrowRight: 'right', d: 'right', ' ': 'end', Enter: 'end' };
const LABELS = { city: ['pick', 'Pick up'], room: ['place', 'Place'] };
const SHAPES = {
  left: 'M14 6 L6 13 L14 20 M7 13 H18 A8 8 0 0 1 26 21 V26', forward: 'M16 4 L16 28 M6 14 L16 4 L26 14', right: 'M18 6 L26 13 L18 20 M25 13 H14 A8 8 0 0 0 6 21 V26',
};
const NAMES = { left: 'Turn left', forward: 'Go forward', right: 'Turn right' };

/** The keys, for a page's help. */
export const WALKER_KEYS = [[['↑', 'W'], 'go forward'], [['←', 'A'], 'turn left'], [['→', 'D'], 'turn right'], [['Space', 'Enter'], 'pick up, or place']];

/** Return whether a key presses a control of the page, or types. */
function isForControl(event) {
  return Boolean(event.target.closest?.('a, summary, input, textarea, select, label')) || (event.target.closest?.('button') && (event.key === ' ' || event.key === 'Enter'));
}

/**
 * Return the pose after an action as far as the page can tell; null where only the server can. After a step it is not known which ways are free
 * (`free` is null), nor what is ahead.
 */
export function predict(pose, action) {
  if (action === 'left' || action === 'right') {
    const turns = action === 'right' ? 1 : -1;
    const free = pose.free && pose.free.map((_, k) => pose.free[(k + turns + pose.free.length) % pose.free.length]);
    return { ...pose, heading: (pose.heading + turns * TURN + 360) % 360, free, ahead: undefined };
  }
  if (action !== 'forward' || !pose.free?.[0]) return null;
  const angle = (pose.heading * Math.PI) / 180;
  const [east, north] = [Math.sin(angle), Math.cos(angle)];
  if (pose.cell) return { ...pose, free: null, ahead: undefined, cell: [pose.cell[0] + Math.round(east), pose.cell[1], pose.cell[2] + Math.round(north)] };
  return { ...pose, free: null, position: [pose.position[0] + east, pose.position[1] + north, pose.position[2]] };
}

/**
 * Let a person act: {pad, setPose, setEnabled}.
 *
 * options:
 *   stage            see stage.js
 *   attempt          see api.js
 *   pose             where the person is
 *   onmove(pose)     is called when the shown pose is another
 *   onresult(result, action)  gets the server's answer to an action; may return a promise that the next action waits for
 *   onerror(error)   gets a refusal
 */
export function createWalker({ stage, attempt, pose, onmove = () => {}, onresult = () => {}, onerror = () => {} }) {
  let current = pose; // as it is shown, or will be
  let truth = pose; // as the server said last
  const outstanding = []; // actions without an answer that was looked at
  let enabled = true;
  let acting = false;
  const waiting = [];

  const end = el('button', { type: 'button', class: 'button primary', onclick: () => ask('end') });
  const buttons = Object.entries(SHAPES).map(([action, d]) => el('button', {
    type: 'button', class: 'button', 'aria-label': NAMES[action], title: NAMES[action], onclick: () => ask(action),
  }, svg('svg', { viewBox: '0 0 32 32', width: 26, height: 26, 'aria-hidden': 'true' }, svg('path', { d, fill: 'none', stroke: 'currentColor', 'stroke-width': 3, 'stroke-linecap': 'round', 'stroke-linejoin': 'round' }))));
  const pad = el('div', { class: 'pad', role: 'group', 'aria-label': 'Walk' }, buttons, end);

  function label() {
    end.textContent = LABELS[current.place][1];
    for (const button of [...buttons, end]) button.setAttribute('aria-disabled', String(!enabled));
    stage.canvas.dataset.walker = acting || waiting.length ? 'acting' : 'idle';
    stage.canvas.dataset.waiting = waiting.length;
  }
  function ask(name) {
    if (!enabled || waiting.length >= MOST_WAITING) return;
    waiting.push(name);
    if (acting) label();
    else work();
  }
  async function work() {
    acting = true;
    label();
    while (waiting.length) {
      const name = waiting.shift();
      label();
      await act(name);
      if (!waiting.length) await settle();
    }
    acting = false;
    label();
  }
  // Turns need not wait for the server; a step waits until it is known whether the way is free, and what ends a leg for everything before.
  async function act(name) {
    if (name === 'end' || (name === 'forward' && !current.free)) await settle();
    const action = name === 'end' ? LABELS[current.place][0] : name;
    outstanding.push({ action, answer: attempt.send('act', { action }) });
    outstanding.at(-1).answer.catch(() => {}); // `settle` tells
    const expected = predict(current, action);
    if (!expected) return settle();
    current = expected;
    const motion = stage.moveTo(expected, action !== 'forward' ? TURN_TIME : expected.cell ? CELL_TIME : STEP_TIME);
    onmove(expected);
    return motion;
  }
  // Wait for the answers of all actions, and show where the server says one is.
  async function settle() {
    while (outstanding.length) {
      const { action, answer } = outstanding.shift();
      try {
        const result = await answer;
        if (result.pose) truth = result.pose;
        if (!outstanding.length) setPose(truth, !result.scene);
        await onresult(result, action);
      } catch (error) {
        waiting.length = 0;
        outstanding.length = 0;
        setPose(truth);
        onerror(error);
      }
    }
  }
  function setPose(next, shown = true) {
    current = truth = next;
    if (shown) stage.setPose(current);
    onmove(current);
    label();
  }

  window.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented || isForControl(event)) return;
    const name = KEYS[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!name) return;
    event.preventDefault();
    // A key that is held down goes on, but picks up and places once.
    if (!event.repeat || (name !== 'end' && !waiting.length)) ask(name);
  });
  label();
  return {
    pad, setPose,
    setEnabled(value) {
      enabled = value;
      if (!value) waiting.length = 0;
      label();
    },
  };
}
