// The flat panorama of a pointing leg with the leg's yaw in the middle, with target, answers and heat map.

import { cssValue, el, formatNumber, onThemeChange } from './dom.js';
import { loadPicture, summary } from './report-data.js';
import { angleBetween, compassPoint, fromFlat, toFlat } from './geometry.js';
import { heatmapCanvas, heatmapLegend } from './heatmap.js';
import { oncePerFrame, onResize } from './gestures.js';
import { prepareCanvas, paintWrapped } from './canvas.js';
import { paintPanoramaMarks } from './panorama-marks.js';
import { panoramaMarks } from './leg-marks.js';

/** Return the id of the panorama at a place, or -1. */
export function panoramaId(report, index, place) {
  if (!Number.isInteger(place) || place < 0) return -1;
  return report.places[report.examples[index].world]?.panorama[place] ?? -1;
}

function paintPanorama(surface, image, leg, marks, heatmap, small) {
  const { context, width, height } = surface;
  // Panoramas are stored with north in the middle and shown with the leg's yaw there.
  if (image) paintWrapped(surface, image, (-(leg.yaw || 0) / 360) * width, 0, width, height);
  else paintCompassGrid(surface, leg.yaw || 0);
  if (heatmap) {
    context.globalAlpha = heatmap.opacity;
    context.drawImage(heatmap.canvas, 0, 0, width, height);
    context.globalAlpha = 1;
  }
  paintPanoramaMarks(surface, marks, (heading, pitch) => toFlat(heading, pitch, width, height, leg.yaw || 0), small);
}

// Without a picture: lines every 45 degrees, with compass points on the horizon.
function paintCompassGrid({ context, width, height }, yaw) {
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

/** Draw a static panorama, as on cards; false if there is no picture. */
export async function drawStaticPanorama(canvas, report, index, legIndex, { agents = null, small = false } = {}) {
  const leg = report.examples[index].legs[legIndex];
  const id = panoramaId(report, index, leg?.place);
  if (leg?.kind !== 'point' || id < 0) return false;
  canvas.setAttribute('role', 'img');
  canvas.setAttribute('aria-label', describePointing(report, index, legIndex));
  const image = await loadPicture(id);
  paintPanorama(prepareCanvas(canvas), image, leg, panoramaMarks(report, index, legIndex, agents), null, small);
  return true;
}

/** Describe a pointing leg: "Panorama: target at heading 93, pitch -4; follower 12.3 degrees from the target". */
export function describePointing(report, index, legIndex) {
  const example = report.examples[index];
  const { target } = example.legs[legIndex];
  const parts = target ? [`target at heading ${formatNumber(target[0], 0)}° ${compassPoint(target[0])}, pitch ${formatNumber(target[1], 0)}°`] : [];
  for (const trace of example.traces) parts.push(`${summary.agents[trace.agent].name} ${trace.legs[legIndex]?.outcome || 'no answer'}`);
  return `Panorama: ${parts.join('; ')}`;
}

/** Return the panorama with its controls: {node, setMarks, dispose}. Calls `onheatmap(heatmap)` when another heat map is chosen, `ontap(direction)` on a click. */
export function createFlatPanorama(report, index, legIndex, { onheatmap, ontap }) {
  const leg = report.examples[index].legs[legIndex];
  const id = panoramaId(report, index, leg.place);
  const canvas = el('canvas', { class: 'flat', role: 'img', 'aria-label': describePointing(report, index, legIndex) });
  const readout = el('p', { class: 'readout' }, '');
  const state = { image: null, marks: [], heatmap: null };
  const paint = oncePerFrame(() => {
    if (!canvas.isConnected || (!state.image && id >= 0)) return;
    paintPanorama(prepareCanvas(canvas), state.image, leg, state.marks, state.heatmap, canvas.clientWidth < 240);
  });
  const directionAt = (event) => {
    const box = canvas.getBoundingClientRect();
    return fromFlat(event.clientX - box.left, event.clientY - box.top, box.width, box.height, leg.yaw || 0);
  };
  canvas.addEventListener('pointermove', (event) => {
    const direction = directionAt(event);
    const distance = leg.target ? `, ${formatNumber(angleBetween(direction, leg.target), 1)}° from the target` : '';
    readout.textContent = `heading ${formatNumber(direction[0], 1)}° ${compassPoint(direction[0])}, pitch ${formatNumber(direction[1], 1)}°${distance}`;
  });
  canvas.addEventListener('pointerleave', () => { readout.textContent = ''; });
  canvas.addEventListener('click', (event) => ontap(directionAt(event)));
  const showError = () => { readout.textContent = 'This panorama could not be shown.'; };
  if (id >= 0) loadPicture(id).then((image) => { state.image = image; paint(); }, showError);
  const disposers = [onResize(canvas, paint), onThemeChange(paint)];
  const controls = heatmapControls(report, index, legIndex, (heatmap) => { state.heatmap = heatmap; paint(); onheatmap(heatmap); });
  return {
    node: el('figure', { class: 'panorama' }, el('div', { class: 'flatbox' }, canvas, readout), controls),
    setMarks(marks) { state.marks = marks; paint(); },
    dispose: () => disposers.forEach((dispose) => dispose()),
  };
}

// Return the controls of the heat map: whose, and its opacity.
function heatmapControls(report, index, legIndex, onchange) {
  const { legs, traces } = report.examples[index];
  const traced = traces.filter((trace) => trace.legs[legIndex]?.heatmap);
  if (!traced.length) return null;
  const choice = el('select', {}, el('option', { value: '' }, 'none'),
    traced.map((trace) => el('option', { value: traces.indexOf(trace) }, summary.agents[trace.agent].name)));
  const strength = el('input', { type: 'range', min: '0', max: '100', value: '70', 'aria-label': 'Opacity of the heat map' });
  const update = () => {
    const heatmap = choice.value === '' ? null : traces[Number(choice.value)].legs[legIndex].heatmap;
    strength.disabled = !heatmap;
    onchange(heatmap ? { canvas: heatmapCanvas(heatmap), yaw: legs[legIndex].yaw || 0, opacity: Number(strength.value) / 100 } : null);
  };
  strength.disabled = true;
  choice.addEventListener('change', update);
  strength.addEventListener('input', update);
  return el('div', { class: 'controls' }, el('label', {}, 'Heat map of ', choice), el('label', {}, 'opacity ', strength), heatmapLegend());
}
