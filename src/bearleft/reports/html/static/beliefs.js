// What each agent believed, one strip under another, as in Touchdown's Figures 9 to 14: the target's Gaussian in red, an
// agent's heat map in green, and a line around what counts as found.

import { cut, el, number, onTheme } from './dom.js';
import { head } from './store.js';
import { colouredCanvas } from './heat.js';
import { toFlat, turnBetween } from './sphere.js';
import { easel, paintAround } from './paint.js';
import { inFrame, onResize } from './gesture.js';
import { imageOf } from './viewer.js';
import { panoramaAt } from './panorama.js';

const BAND = 38; // degrees up and down that a strip shows
const SIGMA = 2.3; // degrees: three cells of a slice
const BEND = 0.6; // what is believed little shows a little more
const COVER = 0.82;
const [PAPER_WIDE, PAPER_HIGH, FOUND] = [3712, 800, 80]; // the paper's picture, and how near is right, in its pixels
const greens = new WeakMap();

/** Pixels of the paper's picture between an answer and a target, its two ends not joined. */
export function paperPixels(answer, target, yaw) {
  const across = turnBetween(yaw, answer[0]) - turnBetween(yaw, target[0]);
  return Math.hypot((across / 360) * PAPER_WIDE, ((answer[1] - target[1]) / 180) * PAPER_HIGH);
}

function greenCanvas(heat) {
  return colouredCanvas(heat, (value) => [18, 232, 58, 255 * COVER * value ** BEND], greens);
}

function paintBelief(canvas, image, leg, done) {
  const surface = easel(canvas);
  const { context, width, height } = surface;
  const high = width / 2; // of the whole panorama, of which the strip shows the middle
  const top = (height - high) / 2;
  context.fillStyle = '#d6d6d6';
  context.fillRect(0, 0, width, height);
  if (image) {
    context.filter = 'saturate(0.55)';
    paintAround(surface, image, (-(leg.yaw || 0) / 360) * width, top, width, high);
    context.filter = 'none';
  }
  if (done.heat) context.drawImage(greenCanvas(done.heat), 0, top, width, high);
  const place = ([heading, pitch]) => {
    const [x, y] = toFlat(heading, pitch, width, high, leg.yaw || 0);
    return [x, y + top];
  };
  if (leg.target) paintWanted(context, place(leg.target), width);
  if (done.answer) paintSaid(context, place(done.answer));
}

function paintWanted(context, [x, y], width) {
  const sigma = (SIGMA * width) / 360;
  const red = context.createRadialGradient(x, y, 0, x, y, 3 * sigma);
  for (let k = 0; k <= 12; k += 1) red.addColorStop(k / 12, `rgba(226, 24, 38, ${COVER * Math.exp(-((k / 4) ** 2) / 2) * (k < 12)})`);
  context.fillStyle = red;
  context.fillRect(x - 3 * sigma, y - 3 * sigma, 6 * sigma, 6 * sigma);
  for (const [colour, thick] of [['#fff', 3], ['#c81020', 1.2]]) {
    context.beginPath();
    context.ellipse(x, y, (FOUND / PAPER_WIDE) * width, ((FOUND / PAPER_HIGH) * width) / 2, 0, 0, 2 * Math.PI);
    context.lineWidth = thick;
    context.strokeStyle = colour;
    context.stroke();
  }
}

function paintSaid(context, [x, y]) {
  for (const [colour, thick] of [['#000', 5], ['#fff', 2]]) {
    context.beginPath();
    for (const dy of [-6, 6]) {
      context.moveTo(x - 6, y - dy);
      context.lineTo(x + 6, y + dy);
    }
    context.lineWidth = thick;
    context.strokeStyle = colour;
    context.stroke();
  }
}

/** A panel with a strip for each agent that left a heat map; null where fewer than two did. */
export function beliefStrips(rows, index, k) {
  const { legs, traces } = rows.examples[index];
  const leg = legs[k];
  const warm = traces.filter((one) => one.legs[k]?.heat && !Number.isInteger(one.legs[k].from));
  if (leg.kind !== 'point' || warm.length < 2) return null;
  const state = { image: null };
  const strips = warm.map((one) => {
    const done = one.legs[k];
    const away = done.answer && leg.target ? paperPixels(done.answer, leg.target, leg.yaw || 0) : null;
    const said = away === null ? 'no answer' : `${away < FOUND ? 'hit' : 'miss'}, ${number(away, 0)} px`;
    const name = cut(head.agents[one.agent].name, 60);
    const canvas = el('canvas', { class: 'belief', role: 'img', 'aria-label': `What ${name} believed: ${said}` });
    const chip = el('span', { class: `said ${away !== null && away < FOUND ? 'hit' : 'miss'}` }, said);
    return { done, canvas, node: el('figure', { class: 'beliefs' }, el('figcaption', {}, el('b', {}, name), chip), canvas) };
  });
  const paint = inFrame(() => strips.forEach(({ canvas, done }) => canvas.isConnected && paintBelief(canvas, state.image, leg, done)));
  const id = panoramaAt(rows, index, leg.place);
  if (id >= 0) imageOf(id).then((image) => { state.image = image; paint(); }, () => {});
  const ends = [onResize(strips[0].canvas, paint), onTheme(paint)];
  return {
    node: el('section', { class: 'panel', 'aria-label': 'What each believed' }, el('h3', {}, 'What each believed'), strips.map((one) => one.node),
      el('p', { class: 'soft small' }, `Red: the target. Green: what the agent believed. Cross: its answer. Line: ${FOUND} px of the paper's picture from the target.`)),
    end: () => ends.forEach((f) => f()),
  };
}
