// The ways of an example on the map: the reference, what each agent walked, where it began and should have ended.

import { colourOf, cssValue, onTheme, plural } from './dom.js';
import { head, ground } from './store.js';
import { askedFor, lyingFor, paintItem } from './items.js';
import { easel, fitted, paintGround, toPixels } from './paint.js';

const LEAST = { streets: 50, other: 14 }; // metres that a map shows at least
const LANE = 4; // pixels between ways that run along the same street
const TO_TARGET = { long: 112, width: 5, dashes: [1, 9] }; // pixels: how a direction is drawn
const TO_ANSWER = { long: 84, width: 3, dashes: [] };
const TO_STRAYED = { long: 60, width: 3, dashes: [7, 6] };

/** Whether an example, or one leg of it, has places to draw a map of. */
export function hasMap(rows, index, leg = null) {
  return placesOf(rows, index, leg).length > 0;
}

/** Whether a world says where a place is. */
export function isSomewhere(places, place) {
  return Number.isInteger(place) && Number.isFinite(places.x[place]) && places.x[place] !== null;
}

function placesOf(rows, index, leg = null) {
  const example = rows.examples[index];
  const places = rows.places[example.world];
  if (!places) return [];
  const asked = (_, k) => leg === null || k === leg;
  const all = example.legs.filter(asked).flatMap((one) => [...(one.route || []), one.place, one.target_at]);
  for (const one of example.traces) for (const done of one.legs.filter(asked)) all.push(...(done.at || []), done.from);
  return all.filter((place) => isSomewhere(places, place));
}

/** The box [west, south, east, north] of all that an example, or one leg of it, refers to. */
export function boxOfExample(rows, index, leg = null) {
  const example = rows.examples[index];
  const { x, y } = rows.places[example.world];
  const box = [Infinity, Infinity, -Infinity, -Infinity];
  for (const place of placesOf(rows, index, leg)) {
    box[0] = Math.min(box[0], x[place]);
    box[1] = Math.min(box[1], y[place]);
    box[2] = Math.max(box[2], x[place]);
    box[3] = Math.max(box[3], y[place]);
  }
  const least = /^(city|town|touchdown|sections|arramon)\b/.test(head.worlds[example.world]) ? LEAST.streets : LEAST.other;
  for (const i of [0, 1]) {
    const lack = Math.max(least - (box[i + 2] - box[i]), 0) / 2;
    box[i] -= lack;
    box[i + 2] += lack;
  }
  return box;
}

/** Places as pixels, one after another, without those where one only turned. */
function courseOf(places, at, view, size) {
  const walked = at.filter((place, i) => isSomewhere(places, place) && (!i || place !== at[i - 1]));
  return walked.map((place) => toPixels(view, size, places.x[place], places.y[place]));
}

// Moved to its right-hand side by some pixels: ways along the same street lie side by side, and a way back beside the way out.
function shiftedCourse(course, by) {
  if (!by || course.length < 2) return course;
  return course.map(([x, y], i) => {
    const [ax, ay] = course[Math.max(i - 1, 0)];
    const [bx, by_] = course[Math.min(i + 1, course.length - 1)];
    const long = Math.hypot(bx - ax, by_ - ay) || 1;
    return [x - ((by_ - ay) / long) * by, y + ((bx - ax) / long) * by];
  });
}

function traceLine(context, course) {
  context.beginPath();
  course.forEach(([x, y], i) => (i ? context.lineTo(x, y) : context.moveTo(x, y)));
}

function strokeLine(context, course, colour, width, halo) {
  context.lineCap = 'round';
  context.lineJoin = 'round';
  traceLine(context, course);
  if (halo) {
    context.strokeStyle = halo;
    context.lineWidth = width + 2.5;
    context.stroke();
  }
  context.strokeStyle = colour;
  context.lineWidth = width;
  context.stroke();
}

// Small arrows along a way say in which direction it was walked.
function arrowHeads(context, course, colour) {
  context.fillStyle = colour;
  let since = 30;
  for (let i = 1; i < course.length; i += 1) {
    const [ax, ay] = course[i - 1];
    const [bx, by] = course[i];
    since += Math.hypot(bx - ax, by - ay);
    if (since < 70) continue;
    since = 0;
    context.save();
    context.translate((ax + bx) / 2, (ay + by) / 2);
    context.rotate(Math.atan2(by - ay, bx - ax));
    context.beginPath();
    context.moveTo(6, 0);
    context.lineTo(-4, -5.5);
    context.lineTo(-4, 5.5);
    context.fill();
    context.restore();
  }
}

function paintDisc(context, [x, y], radius, fill, edge, width) {
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
  if (fill) {
    context.fillStyle = fill;
    context.fill();
  }
  if (edge) {
    context.strokeStyle = edge;
    context.lineWidth = width;
    context.stroke();
  }
}

// Where an agent stopped: a square, since a disc is the goal.
function stopMark(context, [x, y], colour, halo, big) {
  const half = big ? 6 : 3.5;
  context.beginPath();
  context.rect(x - half, y - half, 2 * half, 2 * half);
  context.fillStyle = colour;
  context.fill();
  context.strokeStyle = halo;
  context.lineWidth = big ? 2 : 1;
  context.stroke();
}

function paintRay(context, [x, y], heading, colour, { long, width, dashes }) {
  const angle = (heading * Math.PI) / 180;
  const end = [x + long * Math.sin(angle), y - long * Math.cos(angle)];
  const halo = cssValue('--halo') || '#fff';
  strokeLine(context, [[x, y], end], halo, width + 3, null);
  context.setLineDash(dashes);
  strokeLine(context, [[x, y], end], colour, width, null);
  context.setLineDash([]);
  paintDisc(context, end, width + 1.5, colour, halo, 1.5);
}

/** Paints the ways of one leg (or of all, where leg is null). `agents` are those to show; `small` is for cards. */
export function paintWays(surface, rows, index, view, { agents = null, leg = null, small = false, followed = 0 } = {}) {
  const example = rows.examples[index];
  const places = rows.places[example.world];
  const shown = example.traces.filter((one) => !agents || agents.includes(one.agent));
  const legs = example.legs.map((_, k) => k).filter((k) => leg === null || k === leg);
  for (const k of legs) paintReference(surface, example.legs[k], places, view, small);
  shown.forEach((one, lane) => {
    const by = (lane - (shown.length - 1) / 2) * LANE * (small ? 0.6 : 1);
    for (const k of legs) paintWalk(surface, one.legs[k], places, view, cssValue(colourOf(one.agent)), by, small);
  });
  if (example.things) paintThings(surface, example, shown, legs, followed, places, view, small);
  else for (const k of legs) paintEnds(surface, example.legs[k], shown.map((one) => one.legs[k]), places, view, small);
  for (const k of legs) if (!small) paintRays(surface, example.legs[k], shown, k, places, view);
}

function paintReference(surface, leg, places, view, small) {
  if (!leg.route?.length) return;
  const { context } = surface;
  context.globalAlpha = 0.75;
  strokeLine(context, courseOf(places, leg.route, view, surface), cssValue('--route') || '#1f5fbf', small ? 6 : 12, null);
  context.globalAlpha = 1;
}

function paintWalk(surface, done, places, view, colour, by, small) {
  const halo = cssValue('--halo') || '#fff';
  const course = shiftedCourse(courseOf(places, done?.at || [], view, surface), by);
  if (course.length < 2) return;
  strokeLine(surface.context, course, colour, small ? 2 : 3.5, halo);
  if (!small) arrowHeads(surface.context, course, colour);
  stopMark(surface.context, course.at(-1), colour, halo, !small);
}

function paintEnds(surface, leg, done, places, view, small) {
  const { context } = surface;
  const route = leg.route?.length ? leg.route : [];
  const first = route[0] ?? leg.place ?? done.find((one) => one?.at?.length)?.at[0];
  const spot = (place) => toPixels(view, surface, places.x[place], places.y[place]);
  const halo = cssValue('--halo') || '#fff';
  if (isSomewhere(places, first)) {
    paintDisc(context, spot(first), small ? 5 : 9, null, halo, small ? 4 : 6);
    paintDisc(context, spot(first), small ? 5 : 9, null, cssValue('--route') || '#1f5fbf', small ? 2 : 3);
  }
  const goal = leg.target_at ?? route.at(-1);
  if (!isSomewhere(places, goal)) return;
  paintDisc(context, spot(goal), small ? 5.5 : 10, halo, cssValue('--goal') || '#ce1e36', small ? 2 : 3);
  paintDisc(context, spot(goal), small ? 2 : 4.5, cssValue('--goal') || '#ce1e36', null, 0);
}

// What lies in the city as a leg begins for whom one follows: a ring around what is asked for, dashes around what was picked up.
function paintThings(surface, example, shown, legs, followed, places, view, small) {
  const { context } = surface;
  const walks = legs.filter((k) => example.legs[k].kind === 'collect');
  const spot = (place) => toPixels(view, surface, places.x[place], places.y[place]);
  const halo = cssValue('--halo') || '#fff';
  for (const k of walks) {
    const first = example.legs[k].route?.[0];
    const begins = k === 0;
    if (isSomewhere(places, first)) paintDisc(context, spot(first), small ? 4 : 7, begins ? '#10141c' : '#ffffff', begins ? '#fff' : '#10141c', small ? 1.5 : 2.5);
  }
  const asked = walks.map((k) => askedFor(example, k));
  for (const i of lyingFor(example, example.traces[followed], walks[0] ?? 0)) {
    const thing = example.things[i];
    if (!isSomewhere(places, thing[4]) || (small && !asked.includes(i))) continue;
    paintItem(context, spot(thing[4]), thing, small ? 5 : 9, '#fff');
  }
  for (const i of asked.filter((one) => one >= 0)) {
    paintDisc(context, spot(example.things[i][4]), small ? 9 : 17, null, halo, small ? 4 : 6.5);
    paintDisc(context, spot(example.things[i][4]), small ? 9 : 17, null, cssValue('--goal') || '#ce1e36', small ? 2 : 3.5);
  }
  if (small) return;
  context.setLineDash([5, 4]);
  shown.forEach((one, n) => {
    for (const k of walks) {
      const thing = example.things[one.legs[k]?.took];
      if (thing) paintDisc(context, spot(thing[4]), 21 + 4 * n, null, cssValue(colourOf(one.agent)), 2.5);
    }
  });
  context.setLineDash([]);
}

/** The thing on the map near a spot of the canvas, for whom one follows; null where there is none. */
export function thingNear(rows, index, leg, followed, view, size, [px, py], reach) {
  const example = rows.examples[index];
  const places = rows.places[example.world];
  let [best, found] = [reach, null];
  for (const i of example.things ? lyingFor(example, example.traces[followed], leg) : []) {
    const thing = example.things[i];
    if (!isSomewhere(places, thing[4])) continue;
    const at = toPixels(view, size, places.x[thing[4]], places.y[thing[4]]);
    const far = Math.hypot(at[0] - px, at[1] - py);
    if (far < best) [best, found] = [far, { name: thing[0], at, asked: i === askedFor(example, leg) }];
  }
  return found;
}

function paintRays(surface, leg, shown, k, places, view) {
  if (leg.kind !== 'point' || !isSomewhere(places, leg.place)) return;
  const spot = toPixels(view, surface, places.x[leg.place], places.y[leg.place]);
  if (leg.target) paintRay(surface.context, spot, leg.target[0], cssValue('--goal') || '#ce1e36', TO_TARGET);
  for (const one of shown) {
    const { answer, from } = one.legs[k] ?? {};
    if (!answer) continue;
    const stood = isSomewhere(places, from) ? toPixels(view, surface, places.x[from], places.y[from]) : null;
    paintRay(surface.context, stood ?? spot, answer[0], cssValue(colourOf(one.agent)), stood ? TO_STRAYED : TO_ANSWER);
  }
}

/** One who stands at a place and looks in a direction: a disc with a cone of 60 degrees. */
export function paintMarker(surface, rows, index, view, { place, heading, agent }) {
  const places = rows.places[rows.examples[index].world];
  if (!isSomewhere(places, place)) return;
  const [x, y] = toPixels(view, surface, places.x[place], places.y[place]);
  const { context } = surface;
  const colour = cssValue(colourOf(agent));
  if (Number.isFinite(heading)) paintCone(context, x, y, heading, colour);
  paintDisc(context, [x, y], 8, colour, '#fff', 2.5);
  paintDisc(context, [x, y], 10, null, '#111', 1);
}

function paintCone(context, x, y, heading, colour) {
  const middle = ((heading - 90) * Math.PI) / 180;
  const light = context.createRadialGradient(x, y, 6, x, y, 62);
  light.addColorStop(0, colour);
  light.addColorStop(1, 'rgba(255, 255, 255, 0)');
  context.globalAlpha = 0.7;
  context.fillStyle = light;
  context.beginPath();
  context.moveTo(x, y);
  context.arc(x, y, 62, middle - Math.PI / 6, middle + Math.PI / 6);
  context.fill();
  context.globalAlpha = 1;
}

/** The map in words: "reference 24 places; follower walked 24 places, stopped at the goal". */
export function mapInWords(rows, index, leg = null) {
  const example = rows.examples[index];
  const legs = example.legs.map((_, k) => k).filter((k) => leg === null || k === leg);
  const parts = [];
  for (const k of legs) {
    if (example.legs[k].route?.length) parts.push(`reference ${plural(example.legs[k].route.length, 'place')}`);
    for (const one of example.traces) {
      const done = one.legs[k];
      const walked = done?.at?.length ? `walked ${plural(done.at.filter((place, i) => !i || place !== done.at[i - 1]).length, 'place')}, ` : '';
      parts.push(`${head.agents[one.agent].name} ${walked}${done?.verdict || 'did nothing'}`);
    }
  }
  return parts.join('; ');
}

/** A still map, as on the list's cards. `agents`: which to show (default all). It follows the theme while it is in the page. */
export async function drawMap(canvas, rows, index, { agents = null, leg = null, small = false } = {}) {
  if (!hasMap(rows, index, leg)) return false;
  const { marks } = await ground(rows.examples[index].world);
  canvas.setAttribute('role', 'img');
  canvas.setAttribute('aria-label', `Map: ${mapInWords(rows, index, leg)}`);
  const paint = () => {
    const surface = easel(canvas);
    const view = fitted(boxOfExample(rows, index, leg), surface, small ? 14 : 40);
    paintGround(surface, marks, view);
    paintWays(surface, rows, index, view, { agents, leg, small });
  };
  paint();
  const end = onTheme(() => (canvas.isConnected ? paint() : end()));
  return true;
}
