// What an agent saw along its way, and the slider that leads through its steps.

import { cut, el, number } from './dom.js';
import { picture } from './store.js';
import { cellInWords, columnAndRow } from './room.js';
import { compassPoint, turnBetween } from './sphere.js';

const PACE = [160, 650]; // milliseconds per step, of long and of short walks
const FILM = 14000; // milliseconds that a whole walk takes at most, at that pace

// Pictures are asked for when they come near the screen.
const nearby = new IntersectionObserver((seen) => {
  for (const { isIntersecting, target } of seen) {
    if (!isIntersecting) continue;
    nearby.unobserve(target);
    loadView(target);
  }
}, { rootMargin: '300px' });

async function loadView(image) {
  try {
    const { picture: id } = image.dataset;
    const url = await picture(Number(id));
    if (image.dataset.picture === id) image.src = url;
  } catch {
    image.alt = 'This picture is missing.';
  }
}

/** The views of one leg as buttons: {node, mark(step)}. onstep(step) when one is chosen. */
export function makeStrip(views, name, onstep) {
  const items = views.map(([step, id, caption]) => {
    const image = el('img', { alt: '', width: '160', height: '100', dataset: { picture: id }, decoding: 'async' });
    nearby.observe(image);
    const button = el('button', { type: 'button', class: 'view', 'aria-label': `step ${step}: ${caption}`, onclick: () => onstep(step) },
      image, el('span', { class: 'caption' }, el('b', {}, String(step)), ` ${caption}`));
    return { step, button, item: el('li', {}, button) };
  });
  const node = el('ul', { class: 'strip', 'aria-label': `What ${name} saw` }, items.map(({ item }) => item));
  let marked = null;
  return {
    node,
    /** The last view up to a step is the one one is at; null: none. */
    mark(step) {
      const now = step === null ? null : items.findLast((one) => one.step <= step) ?? null;
      if (now === marked) return;
      marked?.button.removeAttribute('aria-current');
      marked = now;
      if (!now) return;
      now.button.setAttribute('aria-current', 'step');
      // Only the strip scrolls, never the page.
      const { offsetLeft, offsetWidth } = now.item;
      if (offsetLeft < node.scrollLeft || offsetLeft + offsetWidth > node.scrollLeft + node.clientWidth) {
        node.scrollLeft = offsetLeft - (node.clientWidth - offsetWidth) / 2;
      }
    },
  };
}

/** The view of a step, large: where there are views but no panoramas. {node, show(views, step)}. A `whole` one is not cut to a height. */
export function makeScreen(whole) {
  const image = el('img', { alt: '', class: whole ? 'large whole' : 'large' });
  const words = el('figcaption', { class: 'soft small' });
  let now = -1;
  return {
    node: el('figure', { class: 'frame' }, image, words),
    show(views, step) {
      const view = (views ?? []).findLast(([at]) => at <= step);
      words.textContent = view ? `The last view up to here: ${view[2]} (step ${view[0]})` : 'There is no view of this walk.';
      image.hidden = !view;
      if (!view || view[1] === now) return;
      now = view[1];
      image.dataset.picture = String(now);
      loadView(image);
    },
  };
}

/** Where one was at every step of a leg: places, or cells of a room. */
export function stepsOf(done) {
  return done?.at ?? done?.cells ?? [];
}

/** Step S of a leg in words. */
export function stepInWords(done, step, ids) {
  const steps = stepsOf(done);
  const last = steps.length - 1;
  const heading = done.to?.[step];
  const place = done.cells ? cellInWords(...columnAndRow(done.cells[step])) : ids?.[done.at[step]];
  const where = place ? `, at ${cut(place, 40)}` : '';
  const look = done.cells ? '' : Number.isFinite(heading) ? `, looking ${compassPoint(heading)} (${number(heading, 0)}°)` : '';
  return `${movedHow(done, step)}${where}${look}${step === last ? `: ${done.verdict}` : ''}`;
}

function movedHow(done, step) {
  if (!step) return 'start';
  const steps = stepsOf(done);
  if (steps[step] !== steps[step - 1]) return 'walked on';
  const by = done.to ? turnBetween(done.to[step - 1], done.to[step]) : 0;
  return by ? `turned ${by < 0 ? 'left' : 'right'} by ${number(Math.abs(by), 0)}°` : 'stayed';
}

/** Play, back, forward and a slider: {node, set(step, last, words), stop}. onstep(step) when someone moves it. */
export function makePlayer(onstep) {
  const slider = el('input', { type: 'range', min: '0', step: '1', value: '0', 'aria-label': 'Step of the walk' });
  const words = el('p', { class: 'stepwords' });
  const counter = el('span', { class: 'counter' });
  const button = (name, label, f) => el('button', { type: 'button', class: 'button', 'aria-label': name, title: name, onclick: f }, label);
  const play = button('Play', '▶', () => (timer ? stop() : start()));
  let timer = 0;

  const at = () => Number(slider.value);
  const last = () => Number(slider.max);
  function stop() {
    clearInterval(timer);
    timer = 0;
    name('Play', '▶');
  }
  function name(text, label) {
    play.textContent = label;
    play.setAttribute('aria-label', text);
    play.setAttribute('title', text);
  }
  function start() {
    if (!last()) return;
    if (at() >= last()) onstep(0);
    name('Pause', '❚❚');
    timer = setInterval(() => {
      if (!node.isConnected || at() >= last()) stop();
      else onstep(at() + 1);
    }, Math.min(Math.max(FILM / last(), PACE[0]), PACE[1]));
  }
  function by(n) {
    stop();
    onstep(Math.min(Math.max(at() + n, 0), last()));
  }
  slider.addEventListener('input', () => { stop(); onstep(at()); });
  const node = el('div', { class: 'player', role: 'group', 'aria-label': 'Walk step by step' },
    play, button('One step back', '‹', () => by(-1)), button('One step on', '›', () => by(1)), slider, counter, words);
  return {
    node, stop,
    toggle: () => play.click(),
    by,
    set(step, most, said) {
      slider.max = String(most);
      slider.value = String(step);
      slider.disabled = most < 1;
      play.disabled = most < 1;
      slider.setAttribute('aria-valuetext', `step ${step} of ${most}: ${said}`);
      counter.textContent = `${step} / ${most}`;
      words.textContent = said;
    },
  };
}
