// Film strips, the large view of a step, and the player that moves through the steps of a walk.

import { truncate, el, formatNumber } from './dom.js';
import { pictureUrl } from './report-data.js';
import { describeCell, columnAndRow } from './room.js';
import { compassPoint, turnBetween } from './geometry.js';

const STEP_MILLISECONDS = [160, 650]; // milliseconds per step: minimum and maximum
const MAX_FILM_MILLISECONDS = 14000; // maximum duration of a walk, unless the minimum per step exceeds it

// Pictures are loaded when they come near the viewport.
const imageObserver = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) {
    if (!isIntersecting) continue;
    imageObserver.unobserve(target);
    loadImage(target);
  }
}, { rootMargin: '300px' });

async function loadImage(image) {
  try {
    const { picture: id } = image.dataset;
    const url = await pictureUrl(Number(id));
    if (image.dataset.picture === id) image.src = url;
  } catch {
    image.alt = 'This picture is missing.';
  }
}

/** Return the views of a leg as buttons: {node, mark(step)}; calls onstep(step) when a view is chosen. */
export function createFilmStrip(views, name, onstep) {
  const items = views.map(([step, id, caption]) => {
    const image = el('img', { alt: '', width: '160', height: '100', dataset: { picture: id }, decoding: 'async' });
    imageObserver.observe(image);
    const button = el('button', { type: 'button', class: 'view', 'aria-label': `step ${step}: ${caption}`, onclick: () => onstep(step) },
      image, el('span', { class: 'caption' }, el('b', {}, String(step)), ` ${caption}`));
    return { step, button, item: el('li', {}, button) };
  });
  const node = el('ul', { class: 'strip', 'aria-label': `What ${name} saw` }, items.map(({ item }) => item));
  let marked = null;
  return {
    node,
    /** Mark the last view up to a step; null: none. */
    mark(step) {
      const current = step === null ? null : items.findLast((item) => item.step <= step) ?? null;
      if (current === marked) return;
      marked?.button.removeAttribute('aria-current');
      marked = current;
      if (!current) return;
      current.button.setAttribute('aria-current', 'step');
      // Scroll the strip only, never the page.
      const { offsetLeft, offsetWidth } = current.item;
      if (offsetLeft < node.scrollLeft || offsetLeft + offsetWidth > node.scrollLeft + node.clientWidth) {
        node.scrollLeft = offsetLeft - (node.clientWidth - offsetWidth) / 2;
      }
    },
  };
}

/** Return the large view of a step, for legs with views but without panoramas: {node, show(views, step)}. An `uncropped` view keeps its aspect ratio. */
export function createLargeView(uncropped) {
  const image = el('img', { alt: '', class: uncropped ? 'large whole' : 'large' });
  const caption = el('figcaption', { class: 'soft small' });
  let shownPicture = -1;
  return {
    node: el('figure', { class: 'frame' }, image, caption),
    show(views, step) {
      const view = (views ?? []).findLast(([viewStep]) => viewStep <= step);
      caption.textContent = view ? `The last view up to here: ${view[2]} (step ${view[0]})` : 'There is no view of this walk.';
      image.hidden = !view;
      if (!view || view[1] === shownPicture) return;
      shownPicture = view[1];
      image.dataset.picture = String(shownPicture);
      loadImage(image);
    },
  };
}

/** Return the places, or cells of the room, at each step of a leg. */
export function legSteps(legTrace) {
  return legTrace?.places ?? legTrace?.cells ?? [];
}

/** Describe a step of a leg. */
export function describeStep(legTrace, step, ids) {
  const steps = legSteps(legTrace);
  const last = steps.length - 1;
  const heading = legTrace.headings?.[step];
  const place = legTrace.cells ? describeCell(...columnAndRow(legTrace.cells[step])) : ids?.[legTrace.places[step]];
  const where = place ? `, at ${truncate(place, 40)}` : '';
  const direction = legTrace.cells ? '' : Number.isFinite(heading) ? `, looking ${compassPoint(heading)} (${formatNumber(heading, 0)}°)` : '';
  return `${describeMove(legTrace, step)}${where}${direction}${step === last ? `: ${legTrace.outcome}` : ''}`;
}

function describeMove(legTrace, step) {
  if (!step) return 'start';
  const steps = legSteps(legTrace);
  if (steps[step] !== steps[step - 1]) return 'walked on';
  const angle = legTrace.headings ? turnBetween(legTrace.headings[step - 1], legTrace.headings[step]) : 0;
  return angle ? `turned ${angle < 0 ? 'left' : 'right'} by ${formatNumber(Math.abs(angle), 0)}°` : 'stayed';
}

/** Return the player, with buttons and a slider: {node, set(step, maximum, description), stop, toggle, moveBy}; calls onstep(step). */
export function createPlayer(onstep) {
  const slider = el('input', { type: 'range', min: '0', step: '1', value: '0', 'aria-label': 'Step of the walk' });
  const words = el('p', { class: 'stepwords' });
  const counter = el('span', { class: 'counter' });
  const button = (labelPlay, label, onclick) => el('button', { type: 'button', class: 'button', 'aria-label': labelPlay, title: labelPlay, onclick }, label);
  const play = button('Play', '▶', () => (timer ? stop() : start()));
  let timer = 0;

  const currentStep = () => Number(slider.value);
  const last = () => Number(slider.max);
  function stop() {
    clearInterval(timer);
    timer = 0;
    labelPlay('Play', '▶');
  }
  function labelPlay(text, label) {
    play.textContent = label;
    play.setAttribute('aria-label', text);
    play.setAttribute('title', text);
  }
  function start() {
    if (!last()) return;
    if (currentStep() >= last()) onstep(0);
    labelPlay('Pause', '❚❚');
    timer = setInterval(() => {
      if (!node.isConnected || currentStep() >= last()) stop();
      else onstep(currentStep() + 1);
    }, Math.min(Math.max(MAX_FILM_MILLISECONDS / last(), STEP_MILLISECONDS[0]), STEP_MILLISECONDS[1]));
  }
  function moveBy(steps) {
    stop();
    onstep(Math.min(Math.max(currentStep() + steps, 0), last()));
  }
  slider.addEventListener('input', () => { stop(); onstep(currentStep()); });
  const node = el('div', { class: 'player', role: 'group', 'aria-label': 'Walk step by step' },
    play, button('One step back', '‹', () => moveBy(-1)), button('One step on', '›', () => moveBy(1)), slider, counter, words);
  return {
    node, stop,
    toggle: () => play.click(),
    moveBy,
    set(step, maximum, description) {
      slider.max = String(maximum);
      slider.value = String(step);
      slider.disabled = maximum < 1;
      play.disabled = maximum < 1;
      slider.setAttribute('aria-valuetext', `step ${step} of ${maximum}: ${description}`);
      counter.textContent = `${step} / ${maximum}`;
      words.textContent = description;
    },
  };
}
