// The page of an example: its text, what each agent did, and what it saw.

import { setContent, truncate, el, nameElement, onKeyDown, plural } from './dom.js';
import { onRoute, replaceParams } from './router.js';
import { agentsByScore } from './ranking.js';
import { summary } from './report-data.js';
import { copyText } from './clipboard.js';
import { hasMap } from './map-paths.js';
import { createInteractiveMap } from './interactive-map.js';
import { textPanel } from './annotated-text.js';
import { createPlayer, createLargeView, describeStep, legSteps } from './film-strip.js';
import { targetItem, itemLabel, remainingItems } from './items.js';
import { createRoom } from './room.js';
import { createFlatPanorama, panoramaId } from './flat-panorama.js';
import { createHeatmapStrips } from './heatmap-strips.js';
import { panoramaMarks } from './leg-marks.js';
import { getViewer } from './viewer.js';
import { createPolicyPanel } from './policy-panel.js';
import { createConversationPanel } from './conversation-panel.js';
import { minimalPairPanel } from './minimal-pair.js';
import { exampleHash, renderCommand, createTraceRows, valuesTable, traceLabel } from './trace-rows.js';

const LEG_LABELS = { reach: 'walk', point: 'point', collect: 'collect', assemble: 'assemble' };
let disposePage = null; // releases the resources of the current page

onRoute(disposeCurrentPage);

function disposeCurrentPage() {
  disposePage?.();
  disposePage = null;
}

/** Fill `main` with the page of an example; params: agent, leg, step. */
export function showExample(main, report, index, params = {}) {
  disposeCurrentPage();
  const example = report.examples[index];
  const state = { leg: 0, trace: 0, step: 0, hidden: new Set() };
  const traceIndex = example.traces.findIndex((trace) => String(trace.agent) === params.agent);
  state.leg = clampIndex(params.leg, example.legs.length - 1);
  state.trace = traceIndex >= 0 ? traceIndex : bestTrace(example);
  state.pair = minimalPairPanel(report, index, params.list);
  const body = el('div', { class: 'stack' });
  const openLeg = (legIndex, step = 0) => {
    disposeCurrentPage();
    state.leg = legIndex;
    state.step = 0;
    disposePage = showLeg(setContent(body), report, index, state, step);
  };
  setContent(main, el('article', { class: 'exampleview stack' },
    exampleHeader(report, index, state), legTabs(example, state, openLeg), body, valuesTable(report, index), state.command));
  openLeg(state.leg, Number(params.step) || 0);
}

// Follow the agent with the best score on the dataset.
function bestTrace(example) {
  const order = agentsByScore(example.dataset);
  const ranks = example.traces.map((trace) => order.indexOf(trace.agent));
  return Math.max(ranks.indexOf(Math.min(...ranks)), 0);
}

function clampIndex(value, last) {
  return Math.min(Math.max(Math.trunc(Number(value)) || 0, 0), Math.max(last, 0));
}

function exampleHeader(report, index, state) {
  const example = report.examples[index];
  const facts = [summary.datasets[example.dataset]?.name, summary.worlds[example.world], plural(example.length, 'token')];
  const command = el('code', { class: 'command', tabindex: '0' });
  const copyCommand = el('button', { type: 'button', class: 'button', onclick: () => copyText(command.textContent, 'Command'), title: 'Copies the command that makes a film of this' }, 'Copy film command');
  state.updateCommand = () => {
    command.textContent = renderCommand(report, index, state.trace);
    copyCommand.hidden = !command.textContent;
  };
  state.updateCommand();
  state.command = command;
  const copyLink = () => {
    const hash = exampleHash(report, index, { agent: example.traces[state.trace]?.agent, leg: state.leg || null, step: state.step || null });
    copyText(`${location.href.split('#')[0]}${hash}`, 'Link');
  };
  return el('header', { class: 'exhead' },
    el('div', { class: 'titles' }, el('h2', { tabindex: '-1' }, el('span', { class: 'soft' }, 'Example '), nameElement(example.id, 'span', { class: 'mono' })),
      el('p', { class: 'soft facts' }, facts.filter(Boolean).map((fact) => nameElement(String(fact))))),
    el('div', { class: 'tools' }, el('button', { type: 'button', class: 'button', onclick: copyLink }, 'Copy link'), copyCommand));
}

function legTabs(example, state, openLeg) {
  if (example.legs.length < 2) return null;
  const buttons = example.legs.map((leg, k) => el('button', { type: 'button', class: 'button', 'aria-pressed': String(k === state.leg),
    onclick: () => { press(k); openLeg(k); replaceParams({ leg: k || null, step: null }); } }, `${k + 1} · ${LEG_LABELS[leg.kind] ?? leg.kind}`));
  const press = (k) => buttons.forEach((button, n) => button.setAttribute('aria-pressed', String(n === k)));
  return el('div', { class: 'tools', role: 'group', 'aria-label': 'Parts of this example' }, el('span', { class: 'soft small' }, 'Part'), buttons);
}

// Show a leg. Returns a function that releases its resources.
function showLeg(body, report, index, state, firstStep) {
  const example = report.examples[index];
  const leg = example.legs[state.leg];
  const viewer = hasPanorama(report, index, state.leg) ? getViewer() : null;
  const panorama = leg.kind === 'point'
    ? createFlatPanorama(report, index, state.leg, { onheatmap: (heatmap) => viewer?.setHeatmap(heatmap), ontap: (direction) => viewer?.look(direction) }) : null;
  const heatmapStrips = createHeatmapStrips(report, index, state.leg);
  const largeView = leg.kind !== 'point' && example.traces.some((trace) => trace.legs[state.leg]?.strip?.length) ? createLargeView(Boolean(example.items)) : null;
  const map = hasMap(report, index, state.leg) ? createInteractiveMap(report, index, { ontap: (place) => goToPlace(place) }) : null;
  const room = leg.kind === 'assemble' && summary.room ? createRoom(report, index, state.leg) : null;
  const itemList = leg.kind === 'collect' && example.items ? createItemList(example, state.leg) : null;
  const player = createPlayer((step) => choose(state.trace, step));
  const policyPanel = createPolicyPanel(example, state.leg, viewer && (() => update()));
  const conversation = createConversationPanel(example, state.leg);
  const traceRows = createTraceRows(report, index, state.leg, { choose, toggle });
  const currentLegTrace = () => example.traces[state.trace]?.legs[state.leg];
  const lastStep = () => Math.max(legSteps(currentLegTrace()).length - 1, 0);
  const onsentence = viewer ? (n) => leg.views?.[n] && viewer.look(leg.views[n]) : null;
  const text = textPanel(leg, { onsentence });
  const hasSteps = example.traces.some((trace) => legSteps(trace.legs[state.leg]).length > 1);

  let shownView = ''; // picture and heading of the viewer; hiding an agent must not turn it

  function choose(trace, step) {
    if (trace !== state.trace) player.stop();
    state.trace = trace;
    state.step = Math.min(Math.max(step ?? 0, 0), lastStep());
    update();
    if (currentLegTrace()?.answer && viewer) viewer.look(currentLegTrace().answer);
    replaceParams({ agent: example.traces[trace]?.agent, leg: state.leg || null, step: state.step || null });
  }
  function toggle(agent, on) {
    if (on) state.hidden.delete(agent);
    else state.hidden.add(agent);
    update();
  }
  function goToPlace(place) {
    const step = currentLegTrace()?.places?.indexOf(place) ?? -1;
    if (step >= 0) choose(state.trace, step);
  }
  function update() {
    const agents = example.traces.map((trace) => trace.agent).filter((agent) => !state.hidden.has(agent));
    const [place, heading] = stateAt(leg, currentLegTrace(), state.step);
    const agent = example.traces[state.trace]?.agent ?? 0;
    const visited = currentLegTrace()?.places ?? [];
    const marker = place === null || leg.kind === 'point' ? null : { place, heading, agent };
    map?.update({ agents, legIndex: state.leg, marker, visited, followed: state.trace });
    room?.update({ agents, trace: state.trace, step: state.step });
    itemList?.update(state.trace);
    largeView?.show(currentLegTrace()?.strip, state.step);
    traceRows.update(state);
    state.updateCommand();
    player.set(state.step, lastStep(), legSteps(currentLegTrace()).length
      ? `${describeStep(currentLegTrace(), state.step, report.places[example.world].id)}${policyPanel?.describe(state.trace, state.step) ?? ''}` : 'did not come to this part');
    updatePanorama(place, heading, agents);
    if (policyPanel) updatePolicy(place, heading);
    conversation?.update(state.trace, state.step);
  }
  function updatePolicy(place, heading) {
    text.shade(policyPanel.update(state.trace, state.step));
    const shown = viewer && panoramaId(report, index, place) >= 0 ? policyPanel.overlay(state.trace, state.step, heading) : null;
    viewer?.setHeatmap(shown);
  }
  // The viewer shows the current place if it has a panorama; otherwise the last view of the film strip is shown.
  function updatePanorama(place, heading, agents) {
    const marks = panoramaMarks(report, index, state.leg, agents, state.trace);
    panorama?.setMarks(marks);
    if (!viewer) return;
    const id = panoramaId(report, index, place);
    if (largeView) {
      largeView.node.hidden = id >= 0;
      viewer.node.parentNode.hidden = id < 0;
    }
    viewer.setMarks(marks);
    const requestedView = `${id} ${heading}`;
    if (requestedView === shownView) return;
    shownView = requestedView;
    if (id < 0) viewer.showMissing();
    else viewer.show(id, [heading ?? 0, 0], `Panorama at ${truncate(report.places[example.world].id[place] || 'this place', 60)}. Arrow keys turn, + and - zoom.`);
  }

  const { stage, more } = legPictures(report, index, state.leg, { panorama, heatmapStrips, map, viewer, largeView, room, itemList });
  // Text, map and view are side by side on a wide screen, so that the first screen shows all three.
  const pictures = [hasSteps && player.node, policyPanel?.node, stage, conversation?.node].filter(Boolean);
  body.append(el('div', { class: `legtop${pictures.length ? ' wide' : ''}` }, el('section', { class: 'panel legwords', 'aria-label': 'Text' }, text.node),
    pictures.length ? el('div', { class: 'legmain stack' }, pictures) : null), ...(state.pair ? [state.pair] : []), ...more, traceRows.node);
  onKeyDown(body, (event) => handleWalkKeys(event, player, hasSteps));
  state.step = Math.min(clampIndex(firstStep, Infinity), lastStep());
  update();
  if (leg.kind === 'point' && currentLegTrace()?.answer && viewer) viewer.look(currentLegTrace().answer);
  return () => {
    player.stop();
    for (const part of [panorama, heatmapStrips, map]) part?.dispose();
    viewer?.release();
  };
}

function handleWalkKeys(event, player, hasSteps) {
  if (!hasSteps || event.target.closest?.('button, a, .viewer, .atlas, .strip')) return;
  if (event.key === ' ') player.toggle();
  else if (event.key === ',' || event.key === '.') player.moveBy(event.key === '.' ? 1 : -1);
  else return;
  event.preventDefault();
}

// Return place and heading: of a walk at its step, of a pointing leg as the episode defines it.
function stateAt(leg, legTrace, step) {
  if (leg.kind === 'point') return [leg.place, leg.yaw];
  if (leg.kind === 'assemble') return [null, null];
  if (!legTrace?.places?.length) return [leg.route?.[0] ?? null, null];
  return [legTrace.places[step], legTrace.headings?.[step] ?? null];
}

// Return whether any place of a leg has a panorama.
function hasPanorama(report, index, legIndex) {
  const example = report.examples[index];
  const places = [example.legs[legIndex].place, ...example.traces.flatMap((trace) => trace.legs[legIndex]?.places ?? [])];
  return places.some((place) => panoramaId(report, index, place) >= 0);
}

// Return the stage (map and view, side by side where the page is wide enough) and the sections below it.
function legPictures(report, index, legIndex, { panorama, heatmapStrips, map, viewer, largeView, room, itemList }) {
  const example = report.examples[index];
  const leg = example.legs[legIndex];
  const sections = panorama ? [el('section', { class: 'panel', 'aria-label': 'Panorama' }, panorama.node)] : [];
  if (heatmapStrips) sections.push(heatmapStrips.node);
  const columns = [map ? el('figure', { class: 'frame' }, map.node, mapLegend(leg, legIndex, example.traces.some((trace) => Number.isInteger(trace.legs[legIndex]?.pointed_from)))) : null, room?.node,
    viewer || largeView ? el('div', { class: 'column' }, viewer ? el('figure', { class: 'frame' }, viewer.node, el('figcaption', { class: 'soft small' }, 'All around: drag, arrow keys, + and −.')) : null,
      largeView?.node, itemList?.node) : null].filter(Boolean);
  const stage = columns.length ? el('div', { class: `stage of${columns.length}` }, columns) : null;
  if (itemList && !itemList.node.parentNode) sections.push(itemList.node);
  if (!viewer && !largeView) sections.push(el('p', { class: 'soft small' }, missingPicturesNote(summary.worlds[example.world])));
  return { stage, more: sections };
}

// List the items in the city by name, as the followed agent finds them at the start of the leg.
function createItemList(example, legIndex) {
  const list = el('ul', { class: 'things' });
  const target = targetItem(example, legIndex);
  return {
    node: el('section', { class: 'panel', 'aria-label': 'What lies around' }, el('h3', {}, 'What lies around'), list),
    update(followed) {
      const outcome = (legTrace) => (legTrace.item ? 'picked up by' : legTrace.tried_to_pick ? 'nothing in reach; given to' : 'no pick; given to');
      const agentsWith = (i, outcomeText) => example.traces.filter((trace) => trace.legs[legIndex]?.picked === i && outcome(trace.legs[legIndex]) === outcomeText).map((trace) => truncate(traceLabel(example, trace), 40)).join(', ');
      const outcomeTexts = (i) => ['picked up by', 'nothing in reach; given to', 'no pick; given to'].map((outcomeText) => [outcomeText, agentsWith(i, outcomeText)]).filter(([, names]) => names).map((parts) => parts.join(' '));
      const line = (i) => el('li', {}, itemLabel(example.items[i], i === target ? el('b', {}, 'asked for') : null, outcomeTexts(i).map((outcomeText) => el('span', { class: 'soft' }, ` · ${outcomeText}`))));
      setContent(list, remainingItems(example, example.traces[followed], legIndex).map(line));
    },
  };
}

function missingPicturesNote(world) {
  const notes = summary.notes.filter((note) => /picture|panorama/i.test(note));
  // A note names only a few worlds of each kind.
  const kind = `There are no pictures of ${world.split('/')[0]}`;
  const ownNote = notes.find((note) => note.includes(world)) ?? notes.find((note) => note.startsWith(kind));
  return ownNote ?? notes.find((note) => !/^There are no pictures of/.test(note)) ?? `There are no pictures of ${world}.`;
}

function mapLegend(leg, legIndex, pointedElsewhere) {
  const key = (kind, text) => el('span', { class: 'key' }, el('i', { class: kind, 'aria-hidden': 'true' }), text);
  const walk = [key('k-route', 'reference'), key('k-start', 'start'), key('k-goal', 'goal'), key('k-stop', 'stopped')];
  const point = [key('k-target', 'to the target'), key('k-answer', 'to an answer'), pointedElsewhere && key('k-strayed', 'to an answer from another place')];
  const collect = [walk[0], legIndex ? key('k-next', 'start of the second turn') : key('k-first', 'start'), key('k-asks', 'asked for'), key('k-put', 'taken'), walk[3]];
  const kinds = { point, collect };
  return el('figcaption', { class: 'soft small keyline' }, (kinds[leg.kind] ?? walk).filter(Boolean));
}
