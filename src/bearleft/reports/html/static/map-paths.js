// Paths of an example on the map: the reference path, the path of each agent, start, goal, and pointing directions.

import { agentColour, cssValue, onThemeChange, plural } from './dom.js';
import { summary, loadMap } from './report-data.js';
import { targetItem, remainingItems, paintItem } from './items.js';
import { prepareCanvas, fitView, toPixels } from './canvas.js';
import { paintMap } from './map-background.js';
import { offsetPath, paintDisc, paintGoal, paintRoute, paintStart, paintWalkedPath, paintWalker, strokePath } from './map-marks.js';

const MIN_EXTENT = { streets: 50, room: 9, other: 14 }; // minimum width and height of a map in metres
const PATH_SPACING = 4; // pixels between paths along the same street
const TARGET_RAY = { length: 112, width: 5, dashes: [1, 9] }; // pixels
const ANSWER_RAY = { length: 84, width: 3, dashes: [] };
const ELSEWHERE_RAY = { length: 60, width: 3, dashes: [7, 6] };

/** Return whether an example, or one leg of it, has places with positions. */
export function hasMap(report, index, legIndex = null) {
  return examplePlaces(report, index, legIndex).length > 0;
}

/** Return whether the position of a place is known. */
export function hasPosition(places, place) {
  return Number.isInteger(place) && Number.isFinite(places.x[place]) && places.x[place] !== null;
}

function examplePlaces(report, index, legIndex = null) {
  const example = report.examples[index];
  const places = report.places[example.world];
  if (!places) return [];
  const included = (_, k) => legIndex === null || k === legIndex;
  const used = example.legs.filter(included).flatMap((leg) => [...(leg.route || []), leg.place, leg.target_place]);
  for (const trace of example.traces) for (const legTrace of trace.legs.filter(included)) used.push(...(legTrace.places || []), legTrace.pointed_from);
  return used.filter((place) => hasPosition(places, place));
}

/** Return the bounds [west, south, east, north] of an example, or of one leg of it. */
export function exampleBounds(report, index, legIndex = null) {
  const example = report.examples[index];
  const { x, y } = report.places[example.world];
  const bounds = [Infinity, Infinity, -Infinity, -Infinity];
  for (const place of examplePlaces(report, index, legIndex)) {
    bounds[0] = Math.min(bounds[0], x[place]);
    bounds[1] = Math.min(bounds[1], y[place]);
    bounds[2] = Math.max(bounds[2], x[place]);
    bounds[3] = Math.max(bounds[3], y[place]);
  }
  // Positions that were pointed at are inside a room.
  const positions = pointedPositions(example, legIndex);
  for (const [east, north] of positions) {
    bounds[0] = Math.min(bounds[0], east);
    bounds[1] = Math.min(bounds[1], north);
    bounds[2] = Math.max(bounds[2], east);
    bounds[3] = Math.max(bounds[3], north);
  }
  const streets = /^(city|town|touchdown|sections|arramon)\b/.test(summary.worlds[example.world]);
  const minExtent = streets ? MIN_EXTENT.streets : positions.length ? MIN_EXTENT.room : MIN_EXTENT.other;
  for (const i of [0, 1]) {
    const padding = Math.max(minExtent - (bounds[i + 2] - bounds[i]), 0) / 2;
    bounds[i] -= padding;
    bounds[i + 2] += padding;
  }
  return bounds;
}

function pointedPositions(example, legIndex) {
  const included = (_, k) => legIndex === null || k === legIndex;
  const answers = example.traces.flatMap((trace) => trace.legs.filter(included).map((legTrace) => legTrace.answer_at));
  return [...example.legs.filter(included).map((leg) => leg.target_at), ...answers].filter(Boolean);
}

/** Return a path in pixels, without repeated places. */
function pathPixels(places, path, view, size) {
  const walked = path.filter((place, i) => hasPosition(places, place) && (!i || place !== path[i - 1]));
  return walked.map((place) => toPixels(view, size, places.x[place], places.y[place]));
}

// Paint a ray that ends at a position in pixels, or else at its usual length.
function paintRay(context, [x, y], heading, colour, { length, width, dashes }, position = null) {
  const angle = (heading * Math.PI) / 180;
  const end = position ?? [x + length * Math.sin(angle), y - length * Math.cos(angle)];
  const halo = cssValue('--halo') || '#fff';
  strokePath(context, [[x, y], end], halo, width + 3, null);
  context.setLineDash(dashes);
  strokePath(context, [[x, y], end], colour, width, null);
  context.setLineDash([]);
  paintDisc(context, end, width + 1.5, colour, halo, 1.5);
}

/** Paint the paths of one leg, or of all if legIndex is null. `agents` are those to show; `small` is for cards. */
export function paintPaths(surface, report, index, view, { agents = null, legIndex = null, small = false, followed = 0 } = {}) {
  const example = report.examples[index];
  const places = report.places[example.world];
  const shown = example.traces.filter((trace) => !agents || agents.includes(trace.agent));
  const legIndices = example.legs.map((_, k) => k).filter((k) => legIndex === null || k === legIndex);
  for (const k of legIndices) paintReference(surface, example.legs[k], places, view, small);
  shown.forEach((trace, order) => {
    const offset = (order - (shown.length - 1) / 2) * PATH_SPACING * (small ? 0.6 : 1);
    for (const k of legIndices) paintWalk(surface, trace.legs[k], places, view, cssValue(agentColour(trace.agent)), offset, small);
  });
  if (example.items) paintItems(surface, example, shown, legIndices, followed, places, view, small);
  else for (const k of legIndices) paintStartAndGoal(surface, example.legs[k], shown.map((trace) => trace.legs[k]), places, view, small);
  for (const k of legIndices) if (!small) paintRays(surface, example.legs[k], shown, k, places, view);
}

function paintReference(surface, leg, places, view, small) {
  if (!leg.route?.length) return;
  paintRoute(surface.context, pathPixels(places, leg.route, view, surface), small);
}

function paintWalk(surface, legTrace, places, view, colour, offset, small) {
  paintWalkedPath(surface.context, offsetPath(pathPixels(places, legTrace?.places || [], view, surface), offset), colour, small);
}

function paintStartAndGoal(surface, leg, legTraces, places, view, small) {
  const { context } = surface;
  const route = leg.route?.length ? leg.route : [];
  const first = route[0] ?? leg.place ?? legTraces.find((legTrace) => legTrace?.places?.length)?.places[0];
  const pixelOf = (place) => toPixels(view, surface, places.x[place], places.y[place]);
  if (hasPosition(places, first)) paintStart(context, pixelOf(first), small);
  const goal = leg.target_place ?? route.at(-1);
  if (hasPosition(places, goal)) paintGoal(context, pixelOf(goal), small);
}

// Paint the items in the city as the followed agent finds them: a ring around the target, dashes around picked items.
function paintItems(surface, example, shown, legIndices, followed, places, view, small) {
  const { context } = surface;
  const walks = legIndices.filter((legIndex) => example.legs[legIndex].kind === 'collect');
  const pixelOf = (place) => toPixels(view, surface, places.x[place], places.y[place]);
  const halo = cssValue('--halo') || '#fff';
  for (const legIndex of walks) {
    const first = example.legs[legIndex].route?.[0];
    const firstLeg = legIndex === 0;
    if (hasPosition(places, first)) paintDisc(context, pixelOf(first), small ? 4 : 7, firstLeg ? '#10141c' : '#ffffff', firstLeg ? '#fff' : '#10141c', small ? 1.5 : 2.5);
  }
  const targets = walks.map((legIndex) => targetItem(example, legIndex));
  for (const i of remainingItems(example, example.traces[followed], walks[0] ?? 0)) {
    const item = example.items[i];
    if (!hasPosition(places, item[4]) || (small && !targets.includes(i))) continue;
    paintItem(context, pixelOf(item[4]), item, small ? 5 : 9, '#fff');
  }
  for (const i of targets.filter((target) => target >= 0)) {
    paintDisc(context, pixelOf(example.items[i][4]), small ? 9 : 17, null, halo, small ? 4 : 6.5);
    paintDisc(context, pixelOf(example.items[i][4]), small ? 9 : 17, null, cssValue('--goal') || '#ce1e36', small ? 2 : 3.5);
  }
  if (small) return;
  context.setLineDash([5, 4]);
  shown.forEach((trace, n) => {
    for (const legIndex of walks) {
      const item = example.items[trace.legs[legIndex]?.picked];
      if (item) paintDisc(context, pixelOf(item[4]), 21 + 4 * n, null, cssValue(agentColour(trace.agent)), 2.5);
    }
  });
  context.setLineDash([]);
}

/** Return the item within a radius of a pixel, or null. */
export function itemAt(report, index, legIndex, followed, view, size, [px, py], radius) {
  const example = report.examples[index];
  const places = report.places[example.world];
  let [best, nearest] = [radius, null];
  for (const i of example.items ? remainingItems(example, example.traces[followed], legIndex) : []) {
    const item = example.items[i];
    if (!hasPosition(places, item[4])) continue;
    const pixel = toPixels(view, size, places.x[item[4]], places.y[item[4]]);
    const distance = Math.hypot(pixel[0] - px, pixel[1] - py);
    if (distance < best) [best, nearest] = [distance, { name: item[0], pixel: pixel, isTarget: i === targetItem(example, legIndex) }];
  }
  return nearest;
}

function paintRays(surface, leg, shown, legIndex, places, view) {
  if (leg.kind !== 'point' || !hasPosition(places, leg.place)) return;
  const pixel = toPixels(view, surface, places.x[leg.place], places.y[leg.place]);
  const positionOf = (at) => (at ? toPixels(view, surface, ...at) : null);
  if (leg.target) paintRay(surface.context, pixel, leg.target[0], cssValue('--goal') || '#ce1e36', TARGET_RAY, positionOf(leg.target_at));
  for (const trace of shown) {
    const { answer, answer_at: answerAt, pointed_from: pointedFrom } = trace.legs[legIndex] ?? {};
    if (!answer) continue;
    const ownPixel = hasPosition(places, pointedFrom) ? toPixels(view, surface, places.x[pointedFrom], places.y[pointedFrom]) : null;
    paintRay(surface.context, ownPixel ?? pixel, answer[0], cssValue(agentColour(trace.agent)), ownPixel ? ELSEWHERE_RAY : ANSWER_RAY, positionOf(answerAt));
  }
  // A ring keeps the target visible below the answers that hit it.
  if (!leg.target_at) return;
  paintDisc(surface.context, positionOf(leg.target_at), 9, null, cssValue('--halo') || '#fff', 6);
  paintDisc(surface.context, positionOf(leg.target_at), 9, null, cssValue('--goal') || '#ce1e36', 3);
}

/** Paint an agent at a place: a disc, with a view cone of 60 degrees. */
export function paintAgent(surface, report, index, view, { place, heading, agent }) {
  const places = report.places[report.examples[index].world];
  if (!hasPosition(places, place)) return;
  paintWalker(surface.context, toPixels(view, surface, places.x[place], places.y[place]), heading, cssValue(agentColour(agent)));
}

/** Describe the map: "reference 24 places; follower walked 24 places, stopped at the goal". */
export function describeMap(report, index, legIndex = null) {
  const example = report.examples[index];
  const legIndices = example.legs.map((_, k) => k).filter((k) => legIndex === null || k === legIndex);
  const parts = [];
  for (const k of legIndices) {
    if (example.legs[k].route?.length) parts.push(`reference ${plural(example.legs[k].route.length, 'place')}`);
    for (const trace of example.traces) {
      const legTrace = trace.legs[k];
      const walked = legTrace?.places?.length ? `walked ${plural(legTrace.places.filter((place, i) => !i || place !== legTrace.places[i - 1]).length, 'place')}, ` : '';
      parts.push(`${summary.agents[trace.agent].name} ${walked}${legTrace?.outcome || 'did nothing'}`);
    }
  }
  return parts.join('; ');
}

/** Draw a static map, as on cards. `agents`: which to show (default all). It is repainted when the theme changes. */
export async function drawStaticMap(canvas, report, index, { agents = null, legIndex = null, small = false } = {}) {
  if (!hasMap(report, index, legIndex)) return false;
  const { marks } = await loadMap(report.examples[index].world);
  canvas.setAttribute('role', 'img');
  canvas.setAttribute('aria-label', `Map: ${describeMap(report, index, legIndex)}`);
  const paint = () => {
    const surface = prepareCanvas(canvas);
    const view = fitView(exampleBounds(report, index, legIndex), surface, small ? 14 : 40);
    paintMap(surface, marks, view);
    paintPaths(surface, report, index, view, { agents, legIndex, small });
  };
  paint();
  const unsubscribe = onThemeChange(() => (canvas.isConnected ? paint() : unsubscribe()));
  return true;
}
