// Heat maps of all agents, one strip per agent, as in Figures 9 to 14 of the Touchdown paper: the target's Gaussian in
// red, the agent's heat map in green, and the border of the area that counts as correct.

import { truncate, el, formatNumber, onThemeChange } from './dom.js';
import { loadPicture, summary } from './report-data.js';
import { colourMapCanvas } from './heatmap.js';
import { toFlat, turnBetween } from './geometry.js';
import { prepareCanvas, paintWrapped } from './canvas.js';
import { oncePerFrame, onResize } from './gestures.js';
import { panoramaId } from './flat-panorama.js';

const TARGET_SIGMA = 2.3; // degrees: three cells of a slice
const GAMMA = 0.6; // exponent below 1: makes low probabilities visible
const MAX_OPACITY = 0.82;
const [PAPER_WIDTH, PAPER_HEIGHT, SUCCESS_RADIUS] = [3712, 800, 80]; // size of the paper's panorama, and the distance that counts as correct, in its pixels
const greenCanvases = new WeakMap();

/** Return the distance in pixels of the paper's panorama between an answer and a target; it does not wrap around. */
export function paperPixelDistance(answer, target, yaw) {
  const headingOffset = turnBetween(yaw, answer[0]) - turnBetween(yaw, target[0]);
  return Math.hypot((headingOffset / 360) * PAPER_WIDTH, ((answer[1] - target[1]) / 180) * PAPER_HEIGHT);
}

function greenCanvas(heatmap) {
  return colourMapCanvas(heatmap, (value) => [18, 232, 58, 255 * MAX_OPACITY * value ** GAMMA], greenCanvases);
}

function paintHeatmapStrip(canvas, image, leg, legTrace) {
  const surface = prepareCanvas(canvas);
  const { context, width, height } = surface;
  const panoramaHeight = width / 2; // the strip shows the middle of it
  const top = (height - panoramaHeight) / 2;
  context.fillStyle = '#d6d6d6';
  context.fillRect(0, 0, width, height);
  if (image) {
    context.filter = 'saturate(0.55)';
    paintWrapped(surface, image, (-(leg.yaw || 0) / 360) * width, top, width, panoramaHeight);
    context.filter = 'none';
  }
  if (legTrace.heatmap) context.drawImage(greenCanvas(legTrace.heatmap), 0, top, width, panoramaHeight);
  const place = ([heading, pitch]) => {
    const [x, y] = toFlat(heading, pitch, width, panoramaHeight, leg.yaw || 0);
    return [x, y + top];
  };
  if (leg.target) paintTarget(context, place(leg.target), width);
  if (legTrace.answer) paintAnswer(context, place(legTrace.answer));
}

function paintTarget(context, [x, y], width) {
  const sigma = (TARGET_SIGMA * width) / 360;
  const gradient = context.createRadialGradient(x, y, 0, x, y, 3 * sigma);
  for (let k = 0; k <= 12; k += 1) gradient.addColorStop(k / 12, `rgba(226, 24, 38, ${MAX_OPACITY * Math.exp(-((k / 4) ** 2) / 2) * (k < 12)})`);
  context.fillStyle = gradient;
  context.fillRect(x - 3 * sigma, y - 3 * sigma, 6 * sigma, 6 * sigma);
  for (const [colour, lineWidth] of [['#fff', 3], ['#c81020', 1.2]]) {
    context.beginPath();
    context.ellipse(x, y, (SUCCESS_RADIUS / PAPER_WIDTH) * width, ((SUCCESS_RADIUS / PAPER_HEIGHT) * width) / 2, 0, 0, 2 * Math.PI);
    context.lineWidth = lineWidth;
    context.strokeStyle = colour;
    context.stroke();
  }
}

function paintAnswer(context, [x, y]) {
  for (const [colour, lineWidth] of [['#000', 5], ['#fff', 2]]) {
    context.beginPath();
    for (const dy of [-6, 6]) {
      context.moveTo(x - 6, y - dy);
      context.lineTo(x + 6, y + dy);
    }
    context.lineWidth = lineWidth;
    context.strokeStyle = colour;
    context.stroke();
  }
}

/** Return a panel with a strip for each agent that has a heat map; null if fewer than two have one. */
export function createHeatmapStrips(report, index, legIndex) {
  const { legs, traces } = report.examples[index];
  const leg = legs[legIndex];
  const traced = traces.filter((trace) => trace.legs[legIndex]?.heatmap && !Number.isInteger(trace.legs[legIndex].pointed_from));
  if (leg.kind !== 'point' || traced.length < 2) return null;
  const state = { image: null };
  const strips = traced.map((trace) => {
    const legTrace = trace.legs[legIndex];
    const distance = legTrace.answer && leg.target ? paperPixelDistance(legTrace.answer, leg.target, leg.yaw || 0) : null;
    const result = distance === null ? 'no answer' : `${formatNumber(distance, 0)} px, ${distance < SUCCESS_RADIUS ? 'within' : 'not within'} ${SUCCESS_RADIUS} px`;
    const name = truncate(summary.agents[trace.agent].name, 60);
    const canvas = el('canvas', { class: 'belief', role: 'img', 'aria-label': `What ${name} believed: ${result}` });
    const chip = el('span', { class: `said ${distance !== null && distance < SUCCESS_RADIUS ? 'hit' : 'miss'}` }, result);
    return { done: legTrace, canvas, node: el('figure', { class: 'beliefs' }, el('figcaption', {}, el('b', {}, name), chip), canvas) };
  });
  const paint = oncePerFrame(() => strips.forEach(({ canvas, done: legTrace }) => canvas.isConnected && paintHeatmapStrip(canvas, state.image, leg, legTrace)));
  const id = panoramaId(report, index, leg.place);
  if (id >= 0) loadPicture(id).then((image) => { state.image = image; paint(); }, () => {});
  const disposers = [onResize(strips[0].canvas, paint), onThemeChange(paint)];
  return {
    node: el('section', { class: 'panel', 'aria-label': 'What each believed' }, el('h3', {}, 'What each believed'), strips.map((strip) => strip.node),
      el('p', { class: 'soft small' }, `Red: the target. Green: what the agent believed. Cross: its answer. Line: ${SUCCESS_RADIUS} px of the paper's picture from the target.`)),
    dispose: () => disposers.forEach((dispose) => dispose()),
  };
}
