// Walking in panoramas: an arrow towards each linked place, keys, and pictures that are there when they are needed.

import { el, svg } from '../shared/dom.js';
import { compassPoint, turnBetween } from '../shared/geometry.js';
import { createPanoramaViewer } from '../shared/panorama-viewer.js';
import { createPictures, pictureId } from './pictures.js';

const ARROW_PITCH = -18; // degrees below the horizon
const [TURN_STEP, PITCH_STEP] = [15, 5]; // degrees of a key; one that is held turns on smoothly
const NOTE_TIME = 2500; // milliseconds
const NEAR = 60; // degrees from the view's heading in which a link is ahead
const AHEAD = 'ahead';
const COMPASS_NAMES = { N: 'north', NE: 'north-east', E: 'east', SE: 'south-east', S: 'south', SW: 'south-west', W: 'west', NW: 'north-west' };

/** The keys of walking, for a page's help: [[keys, meaning], ...]. */
export const WALK_KEYS = [
  [['↑', 'W'], 'walk ahead'], [['←', '→'], 'look around'], [['↓', 'S'], 'turn around'], [['Page up', 'Page down'], 'look up and down'],
  [['Shift + arrows'], 'look by small steps'], [['+', '−'], 'zoom'], [['0'], 'look as at first'],
];

/** Return the name of the compass point of a heading: north, north-east, ... */
export function compassName(heading) {
  return COMPASS_NAMES[compassPoint(heading)];
}

function arrowButton(link, onclick) {
  const metres = link.metres ? `, ${Math.round(link.metres)} m` : '';
  const name = link.label ?? `Walk ${compassName(link.heading)}${metres}`;
  return el('button', { type: 'button', class: 'walk-arrow', 'aria-label': name, title: name, onclick },
    svg('svg', { viewBox: '0 0 64 64', 'aria-hidden': 'true' }, svg('path', { d: 'M32 8 L54 34 L44 42 L32 28 L20 42 L10 34 Z' })));
}

/** Return the link nearest to a heading within `limit` degrees, or null. */
export function linkAhead(links, heading, limit = NEAR) {
  const off = (link) => Math.abs(turnBetween(heading, link.heading));
  const nearest = links.reduce((best, link) => (best && off(best) <= off(link) ? best : link), null);
  return nearest && off(nearest) <= limit ? nearest : null;
}

/**
 * Return a walk: {node, viewer, walk, setWalk, move, setEnabled, dispose}. A walk is {world, place, heading, links: [{place, heading, pitch, label, metres}]}.
 *
 * options:
 *   walk            where it starts
 *   onmove(link)    posts a move; resolves to the walk after it. The next picture does not wait for it, and is set right if the answer is another place
 *   onshown(walk)   is called when a place is shown
 *   onerror(error)  is called when a move is refused; the walk is back where it was
 *   pictures        see createPictures
 *   compass         whether the viewer has a band with compass points
 */
export function createWalkView({ walk: start, onmove, onshown = () => {}, onerror = () => {}, pictures = createPictures(), compass = true }) {
  const viewer = createPanoramaViewer({ loadPicture: pictures.loadPicture, compass, readout: false, pageKeys: true });
  const spoken = el('p', { class: 'hidden-text', role: 'status' });
  viewer.node.append(spoken);
  let walk = start;
  let arrows = new Map(); // link to button
  let moving = false;
  let wanted = null; // what was pressed during a move: a link, or AHEAD
  let onseen = () => {}; // called when the picture of the place is on the screen
  let enabled = true;
  let noteTimer = 0;

  const unlisten = viewer.listen({
    onkey,
    onretry() {
      showAndPrefetch(walk, null);
      return true;
    },
    onview(view) {
      markAhead(view.heading);
      if (viewer.state().picture === pictureId(walk.world, walk.place)) onseen();
    },
  });

  function onkey(event) {
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (event.shiftKey && key.startsWith('Arrow')) return false;
    if (key === 'ArrowUp' || key === 'w') moveAhead();
    else if (key === 'ArrowLeft' || key === 'a') viewer.lookByKey(event, -TURN_STEP);
    else if (key === 'ArrowRight' || key === 'd') viewer.lookByKey(event, TURN_STEP);
    else if (key === 'ArrowDown' || key === 's') viewer.lookBy(180);
    else if (key === 'PageUp' || key === 'PageDown') viewer.lookByKey(event, 0, key === 'PageUp' ? PITCH_STEP : -PITCH_STEP);
    else return false;
    return true;
  }
  function moveAhead() {
    if (moving) wanted = AHEAD;
    else {
      const link = linkAhead(walk.links, viewer.view().heading);
      if (link) move(link);
      else sayNoWay();
    }
  }
  // What screen readers hear is shown to everybody for a moment.
  function sayNoWay() {
    spoken.textContent = 'There is no way ahead. Look around for one.';
    spoken.className = 'walk-note';
    clearTimeout(noteTimer);
    noteTimer = setTimeout(() => { spoken.className = 'hidden-text'; }, NOTE_TIME);
  }
  function markAhead(heading) {
    const ahead = enabled ? linkAhead(walk.links, heading) : null;
    for (const [link, button] of arrows) button.classList.toggle('ahead', link === ahead);
  }

  // Show a place; `direction` is where to look, null for as before.
  function show(next, direction) {
    walk = next;
    arrows = new Map(enabled ? walk.links.map((link) => [link, arrowButton(link, () => move(link))]) : []);
    viewer.setOverlays('walk', [...arrows].map(([link, node]) => ({ node, heading: link.heading, pitch: Math.min(ARROW_PITCH + (link.pitch ?? 0), 0), ground: true })));
    const ways = walk.links.map((link) => compassName(link.heading));
    return viewer.show(pictureId(walk.world, walk.place), direction, `The view around you. Left and right look around, up walks ahead. Ways lead ${ways.join(', ') || 'nowhere'}.`);
  }
  // Fetch the pictures of the next steps, the likeliest ones first.
  async function showAndPrefetch(next, direction) {
    if (!(await show(next, direction)) || walk !== next) return;
    onshown(next);
    const off = (link) => Math.abs(turnBetween(viewer.view().heading, link.heading));
    const nearest = [...next.links].sort((a, b) => off(a) - off(b));
    pictures.prefetch(nearest.map((link) => pictureId(next.world, link.place)));
  }

  // A move ends when its place is seen, at least in small: nobody walks past places that were never shown.
  async function move(link) {
    if (!enabled) return;
    if (moving) {
      wanted = link;
      return;
    }
    moving = true;
    const [before, view] = [walk, viewer.view()];
    show({ ...before, place: link.place, heading: link.heading, links: [] }, [link.heading, 0]);
    try {
      const next = await onmove(link);
      const asExpected = next.place === link.place && next.world === before.world;
      const seen = new Promise((resolve) => { onseen = resolve; });
      const ready = showAndPrefetch(next, asExpected ? null : [next.heading, 0]);
      spoken.className = 'hidden-text';
      spoken.textContent = `You walked ${compassName(link.heading)}. ${next.links.length} ways lead on.`;
      await Promise.race([seen, ready]);
    } catch (error) {
      wanted = null;
      showAndPrefetch(before, [view.heading, view.pitch]);
      onerror(error);
    }
    moving = false;
    const next = wanted;
    wanted = null;
    if (next === AHEAD) moveAhead();
    else if (next && walk.links.includes(next)) move(next);
  }

  showAndPrefetch(walk, [walk.heading, 0]);
  return {
    node: viewer.node, viewer, move,
    walk: () => walk,
    /** Show another state, looking along its heading. */
    setWalk: (next) => showAndPrefetch(next, [next.heading, 0]),
    /** Allow or forbid to walk; looking around stays possible. */
    setEnabled(value) {
      enabled = value;
      show(walk, null);
    },
    dispose() {
      clearTimeout(noteTimer);
      unlisten();
      viewer.release();
    },
  };
}
