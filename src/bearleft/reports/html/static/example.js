// One example: what was asked, what each agent did, and what it saw on the way.

import { clear, cut, el, named, onKeys, plural } from './dom.js';
import { onRoute, remember } from './router.js';
import { head } from './store.js';
import { copyText } from './copy.js';
import { hasMap } from './map.js';
import { makeAtlas } from './atlas.js';
import { textPanel } from './text.js';
import { makePlayer, makeScreen, stepInWords, stepsOf } from './strip.js';
import { askedFor, itemChip, lyingFor } from './items.js';
import { makeRoom } from './room.js';
import { flatPanorama, panoramaAt } from './panorama.js';
import { beliefStrips } from './beliefs.js';
import { pointersOf } from './pointers.js';
import { theViewer } from './viewer.js';
import { pairPanel } from './partner.js';
import { exampleHref, filmCommand, makeLanes, valuesTable, whoDid } from './lanes.js';

const KINDS = { reach: 'walk', point: 'point', collect: 'collect', assemble: 'assemble' };
let leaving = null; // what the page one is on needs to give back

onRoute(leave);

function leave() {
  leaving?.();
  leaving = null;
}

/** Fills `main` with the page of an example; params: agent, leg, step. */
export function showExample(main, rows, index, params = {}) {
  leave();
  const example = rows.examples[index];
  const state = { leg: 0, trace: 0, step: 0, hidden: new Set() };
  const agent = example.traces.findIndex((one) => String(one.agent) === params.agent);
  state.leg = clamped(params.leg, example.legs.length - 1);
  state.trace = agent >= 0 ? agent : firstToFollow(example, state.leg);
  const body = el('div', { class: 'stack' });
  const openLeg = (k, step = 0) => {
    leave();
    state.leg = k;
    state.step = 0;
    leaving = fillLeg(clear(body), rows, index, state, step);
  };
  clear(main, el('article', { class: 'exampleview stack' },
    headOf(rows, index, state), legTabs(example, state, openLeg), body, pairPanel(rows, index, params.list), valuesTable(rows, index)));
  openLeg(state.leg, Number(params.step) || 0);
}

// Nobody wants to follow one who never left: the first that moved.
function firstToFollow(example, leg) {
  const moved = example.traces.findIndex((one) => stepsOf(one.legs[leg]).length > 1);
  return Math.max(moved, 0);
}

function clamped(value, most) {
  return Math.min(Math.max(Math.trunc(Number(value)) || 0, 0), Math.max(most, 0));
}

function headOf(rows, index, state) {
  const example = rows.examples[index];
  const facts = [head.datasets[example.dataset]?.name, head.worlds[example.world], plural(example.length, 'token')];
  const command = el('code', { class: 'command', tabindex: '0' });
  state.tell = () => { command.textContent = filmCommand(rows, index, state.trace); };
  state.tell();
  const copyFilm = () => copyText(filmCommand(rows, index, state.trace), 'Command');
  const copyLink = () => {
    const hash = exampleHref(rows, index, { agent: example.traces[state.trace]?.agent, leg: state.leg || null, step: state.step || null });
    copyText(`${location.href.split('#')[0]}${hash}`, 'Link');
  };
  return el('header', { class: 'exhead' },
    el('div', { class: 'titles' }, el('h2', { tabindex: '-1' }, el('span', { class: 'soft' }, 'Example '), named(example.id, 'span', { class: 'mono' })),
      el('p', { class: 'soft facts' }, facts.filter(Boolean).map((fact) => named(String(fact))))),
    el('div', { class: 'tools' }, el('button', { type: 'button', class: 'button', onclick: copyLink }, 'Copy link'),
      filmCommand(rows, index, state.trace) ? el('button', { type: 'button', class: 'button', onclick: copyFilm, title: 'Copies the command that makes a film of this' }, 'Copy film command') : null),
    command);
}

function legTabs(example, state, openLeg) {
  if (example.legs.length < 2) return null;
  const buttons = example.legs.map((leg, k) => el('button', { type: 'button', class: 'button', 'aria-pressed': String(k === state.leg),
    onclick: () => { press(k); openLeg(k); remember({ leg: k || null, step: null }); } }, `${k + 1} · ${KINDS[leg.kind] ?? leg.kind}`));
  const press = (k) => buttons.forEach((button, n) => button.setAttribute('aria-pressed', String(n === k)));
  return el('div', { class: 'tools', role: 'group', 'aria-label': 'Parts of this example' }, el('span', { class: 'soft small' }, 'Part'), buttons);
}

// Everything about one leg. Returns what ends it.
function fillLeg(body, rows, index, state, firstStep) {
  const example = rows.examples[index];
  const leg = example.legs[state.leg];
  const viewer = pictured(rows, index, state.leg) ? theViewer() : null;
  const flat = leg.kind === 'point'
    ? flatPanorama(rows, index, state.leg, { onheat: (heat) => viewer?.warm(heat), ontap: (at) => viewer?.look(at) }) : null;
  const beliefs = beliefStrips(rows, index, state.leg);
  const screen = leg.kind !== 'point' && example.traces.some((one) => one.legs[state.leg]?.strip?.length) ? makeScreen(Boolean(example.things)) : null;
  const atlas = hasMap(rows, index, state.leg) ? makeAtlas(rows, index, { ontap: (place) => toPlace(place) }) : null;
  const room = leg.kind === 'assemble' && head.room ? makeRoom(rows, index, state.leg) : null;
  const things = leg.kind === 'collect' && example.things ? makeThings(example, state.leg) : null;
  const player = makePlayer((step) => choose(state.trace, step));
  const lanes = makeLanes(rows, index, state.leg, { choose, toggle });
  const done = () => example.traces[state.trace]?.legs[state.leg];
  const lastStep = () => Math.max(stepsOf(done()).length - 1, 0);
  const walks = example.traces.some((one) => stepsOf(one.legs[state.leg]).length > 1);

  let looked = ''; // what the viewer was last turned to: agents that are hidden do not turn it

  function choose(trace, step) {
    if (trace !== state.trace) player.stop();
    state.trace = trace;
    state.step = Math.min(Math.max(step ?? 0, 0), lastStep());
    update();
    if (done()?.answer && viewer) viewer.look(done().answer);
    remember({ agent: example.traces[trace]?.agent, leg: state.leg || null, step: state.step || null });
  }
  function toggle(agent, on) {
    if (on) state.hidden.delete(agent);
    else state.hidden.add(agent);
    update();
  }
  function toPlace(place) {
    const step = done()?.at?.indexOf(place) ?? -1;
    if (step >= 0) choose(state.trace, step);
  }
  function update() {
    const agents = example.traces.map((one) => one.agent).filter((agent) => !state.hidden.has(agent));
    const [place, heading] = stateAt(leg, done(), state.step);
    const agent = example.traces[state.trace]?.agent ?? 0;
    const near = done()?.at ?? [];
    const marker = place === null || leg.kind === 'point' ? null : { place, heading, agent };
    atlas?.update({ agents, leg: state.leg, marker, near, followed: state.trace });
    room?.update({ agents, trace: state.trace, step: state.step });
    things?.update(state.trace);
    screen?.show(done()?.strip, state.step);
    lanes.update(state);
    state.tell();
    player.set(state.step, lastStep(), stepsOf(done()).length ? stepInWords(done(), state.step, rows.places[example.world].id) : 'did not come to this part');
    look(place, heading, agents);
  }
  // The viewer shows the place one is at, where it has a panorama; else there is the last view.
  function look(place, heading, agents) {
    const marks = pointersOf(rows, index, state.leg, agents, state.trace);
    flat?.mark(marks);
    if (!viewer) return;
    const id = panoramaAt(rows, index, place);
    if (screen) {
      screen.node.hidden = id >= 0;
      viewer.node.parentNode.hidden = id < 0;
    }
    viewer.mark(marks);
    const asked = `${id} ${heading}`;
    if (asked === looked) return;
    looked = asked;
    if (id < 0) viewer.away();
    else viewer.show(id, [heading ?? 0, 0], `Panorama at ${cut(rows.places[example.world].id[place] || 'this place', 60)}. Arrow keys turn, + and - zoom.`);
  }

  const onsentence = viewer ? (n) => leg.views?.[n] && viewer.look(leg.views[n]) : null;
  body.append(el('section', { class: 'panel', 'aria-label': 'Text' }, textPanel(leg, { onsentence })),
    ...(walks ? [player.node] : []), ...stage(rows, index, state.leg, { flat, beliefs, atlas, viewer, screen, room, things }), lanes.node);
  onKeys(body, (event) => walkKeys(event, player, walks));
  state.step = Math.min(clamped(firstStep, Infinity), lastStep());
  update();
  return () => {
    player.stop();
    for (const one of [flat, beliefs, atlas]) one?.end();
    viewer?.release();
  };
}

function walkKeys(event, player, walks) {
  if (!walks || event.target.closest?.('button, a, .viewer, .atlas, .strip')) return;
  if (event.key === ' ') player.toggle();
  else if (event.key === ',' || event.key === '.') player.by(event.key === '.' ? 1 : -1);
  else return;
  event.preventDefault();
}

// Where one is and looks: of a walk by its step, of a pointing leg by what was asked.
function stateAt(leg, done, step) {
  if (leg.kind === 'point') return [leg.place, leg.yaw];
  if (leg.kind === 'assemble') return [null, null];
  if (!done?.at?.length) return [leg.route?.[0] ?? null, null];
  return [done.at[step], done.to?.[step] ?? null];
}

// Whether any place of a leg has a panorama.
function pictured(rows, index, k) {
  const example = rows.examples[index];
  const places = [example.legs[k].place, ...example.traces.flatMap((one) => one.legs[k]?.at ?? [])];
  return places.some((place) => panoramaAt(rows, index, place) >= 0);
}

// The pictures and the map, side by side where there is room.
function stage(rows, index, k, { flat, beliefs, atlas, viewer, screen, room, things }) {
  const example = rows.examples[index];
  const leg = example.legs[k];
  const out = flat ? [el('section', { class: 'panel', 'aria-label': 'Panorama' }, flat.node)] : [];
  if (beliefs) out.push(beliefs.node);
  const both = [atlas ? el('figure', { class: 'frame' }, atlas.node, mapKey(leg, k, example.traces.some((one) => Number.isInteger(one.legs[k]?.from)))) : null, room?.node,
    viewer || screen ? el('div', { class: 'column' }, viewer ? el('figure', { class: 'frame' }, viewer.node, el('figcaption', { class: 'soft small' }, 'All around: drag, arrow keys, + and −.')) : null,
      screen?.node, things?.node) : null].filter(Boolean);
  if (both.length) out.push(el('div', { class: `stage of${both.length}` }, both));
  if (things && !things.node.parentNode) out.push(things.node);
  if (!viewer && !screen) out.push(el('p', { class: 'soft small' }, whyNoPictures(head.worlds[example.world])));
  return out;
}

// What lies around for whom one follows, by name: what a map shows by signs alone.
function makeThings(example, k) {
  const list = el('ul', { class: 'things' });
  const asked = askedFor(example, k);
  return {
    node: el('section', { class: 'panel', 'aria-label': 'What lies around' }, el('h3', {}, 'What lies around'), list),
    update(followed) {
      const how = (done) => (done.item ? 'picked up by' : done.tried ? 'nothing in reach; given to' : 'no pick; given to');
      const who = (i, said) => example.traces.filter((one) => one.legs[k]?.took === i && how(one.legs[k]) === said).map((one) => cut(whoDid(example, one), 40)).join(', ');
      const by = (i) => ['picked up by', 'nothing in reach; given to', 'no pick; given to'].map((said) => [said, who(i, said)]).filter(([, names]) => names).map((both) => both.join(' '));
      const line = (i) => el('li', {}, itemChip(example.things[i], i === asked ? el('b', {}, 'asked for') : null, by(i).map((said) => el('span', { class: 'soft' }, ` · ${said}`))));
      clear(list, lyingFor(example, example.traces[followed], k).map(line));
    },
  };
}

function whyNoPictures(world) {
  const about = head.notes.filter((note) => /picture|panorama/i.test(note));
  // A note names a few worlds of a kind.
  const kind = `There are no pictures of ${world.split('/')[0]}`;
  const ours = about.find((note) => note.includes(world)) ?? about.find((note) => note.startsWith(kind));
  return ours ?? about.find((note) => !/^There are no pictures of/.test(note)) ?? `There are no pictures of ${world}.`;
}

function mapKey(leg, k, strayed) {
  const one = (kind, text) => el('span', { class: 'key' }, el('i', { class: kind, 'aria-hidden': 'true' }), text);
  const walk = [one('k-route', 'reference'), one('k-start', 'start'), one('k-goal', 'goal'), one('k-stop', 'stopped')];
  const point = [one('k-target', 'to the target'), one('k-answer', 'to an answer'), strayed && one('k-strayed', 'to an answer from another place')];
  const collect = [walk[0], k ? one('k-next', 'start of the second turn') : one('k-first', 'start'), one('k-asks', 'asked for'), one('k-put', 'taken'), walk[3]];
  const kinds = { point, collect };
  return el('figcaption', { class: 'soft small keyline' }, (kinds[leg.kind] ?? walk).filter(Boolean));
}
