// The flat panorama of a pointing leg, turned so that the leg's yaw is in the middle, with target, answers and heat.

import { cssValue, el, number, onTheme } from './dom.js';
import { head } from './store.js';
import { angleBetween, compassPoint, fromFlat, toFlat } from './sphere.js';
import { heatCanvas, heatLegend } from './heat.js';
import { inFrame, onResize } from './gesture.js';
import { easel, paintAround } from './paint.js';
import { paintPointers, pointersOf } from './pointers.js';
import { imageOf } from './viewer.js';

/** The id of the picture at a place; -1 where there is none. */
export function panoramaAt(rows, index, place) {
  if (!Number.isInteger(place) || place < 0) return -1;
  return rows.places[rows.examples[index].world]?.panorama[place] ?? -1;
}

function paintPanorama(surface, image, leg, marks, heat, small) {
  const { context, width, height } = surface;
  // Stored with north in the middle, shown with the leg's yaw there.
  if (image) paintAround(surface, image, (-(leg.yaw || 0) / 360) * width, 0, width, height);
  else paintGrid(surface, leg.yaw || 0);
  if (heat) {
    context.globalAlpha = heat.opacity;
    context.drawImage(heat.canvas, 0, 0, width, height);
    context.globalAlpha = 1;
  }
  paintPointers(surface, marks, (heading, pitch) => toFlat(heading, pitch, width, height, leg.yaw || 0), small);
}

// Without a picture: lines every 45 degrees, with the points of the compass on the horizon.
function paintGrid({ context, width, height }, yaw) {
  context.strokeStyle = cssValue('--line');
  context.fillStyle = cssValue('--soft');
  context.font = '600 12px system-ui, sans-serif';
  context.textAlign = 'center';
  context.lineWidth = 1;
  for (let angle = 0; angle < 360; angle += 45) {
    const [x] = toFlat(angle, 0, width, height, yaw);
    const y = (height * angle) / 360;
    context.strokeRect(x, -1, 0, height + 2);
    context.strokeRect(-1, y, width + 2, 0);
    context.fillText(compassPoint(angle), Math.min(Math.max(x, 12), width - 12), height / 2 - 6);
  }
}

/** A still panorama, as on the list's cards; false where there is no picture. */
export async function drawPanorama(canvas, rows, index, leg, { agents = null, small = false } = {}) {
  const asked = rows.examples[index].legs[leg];
  const id = panoramaAt(rows, index, asked?.place);
  if (asked?.kind !== 'point' || id < 0) return false;
  canvas.setAttribute('role', 'img');
  canvas.setAttribute('aria-label', pointsInWords(rows, index, leg));
  const image = await imageOf(id);
  paintPanorama(easel(canvas), image, asked, pointersOf(rows, index, leg, agents), null, small);
  return true;
}

/** "Panorama: target at heading 93, pitch -4; follower 12.3 degrees from the target". */
export function pointsInWords(rows, index, leg) {
  const example = rows.examples[index];
  const { target } = example.legs[leg];
  const parts = target ? [`target at heading ${number(target[0], 0)}° ${compassPoint(target[0])}, pitch ${number(target[1], 0)}°`] : [];
  for (const one of example.traces) parts.push(`${head.agents[one.agent].name} ${one.legs[leg]?.verdict || 'no answer'}`);
  return `Panorama: ${parts.join('; ')}`;
}

/** The panorama with its controls. `onheat(heat)` is told what is laid over it, ontap(direction) where it was clicked. */
export function flatPanorama(rows, index, k, { onheat, ontap }) {
  const leg = rows.examples[index].legs[k];
  const id = panoramaAt(rows, index, leg.place);
  const canvas = el('canvas', { class: 'flat', role: 'img', 'aria-label': pointsInWords(rows, index, k) });
  const said = el('p', { class: 'readout' }, '');
  const state = { image: null, marks: [], heat: null };
  const paint = inFrame(() => {
    if (!canvas.isConnected || (!state.image && id >= 0)) return;
    paintPanorama(easel(canvas), state.image, leg, state.marks, state.heat, canvas.clientWidth < 240);
  });
  const under = (event) => {
    const box = canvas.getBoundingClientRect();
    return fromFlat(event.clientX - box.left, event.clientY - box.top, box.width, box.height, leg.yaw || 0);
  };
  canvas.addEventListener('pointermove', (event) => {
    const at = under(event);
    const far = leg.target ? `, ${number(angleBetween(at, leg.target), 1)}° from the target` : '';
    said.textContent = `heading ${number(at[0], 1)}° ${compassPoint(at[0])}, pitch ${number(at[1], 1)}°${far}`;
  });
  canvas.addEventListener('pointerleave', () => { said.textContent = ''; });
  canvas.addEventListener('click', (event) => ontap(under(event)));
  const failed = () => { said.textContent = 'This panorama could not be shown.'; };
  if (id >= 0) imageOf(id).then((image) => { state.image = image; paint(); }, failed);
  const ends = [onResize(canvas, paint), onTheme(paint)];
  const controls = heatControls(rows, index, k, (heat) => { state.heat = heat; paint(); onheat(heat); });
  return {
    node: el('figure', { class: 'panorama' }, el('div', { class: 'flatbox' }, canvas, said), controls),
    mark(marks) { state.marks = marks; paint(); },
    end: () => ends.forEach((f) => f()),
  };
}

// Whose heat map, and how strong.
function heatControls(rows, index, k, told) {
  const { legs, traces } = rows.examples[index];
  const warm = traces.filter((one) => one.legs[k]?.heat);
  if (!warm.length) return null;
  const choice = el('select', {}, el('option', { value: '' }, 'none'),
    warm.map((one) => el('option', { value: traces.indexOf(one) }, head.agents[one.agent].name)));
  const strength = el('input', { type: 'range', min: '0', max: '100', value: '70', 'aria-label': 'Opacity of the heat map' });
  const tell = () => {
    const heat = choice.value === '' ? null : traces[Number(choice.value)].legs[k].heat;
    strength.disabled = !heat;
    told(heat ? { canvas: heatCanvas(heat), yaw: legs[k].yaw || 0, opacity: Number(strength.value) / 100 } : null);
  };
  strength.disabled = true;
  choice.addEventListener('change', tell);
  strength.addEventListener('input', tell);
  return el('div', { class: 'controls' }, el('label', {}, 'Heat map of ', choice), el('label', {}, 'opacity ', strength), heatLegend());
}
