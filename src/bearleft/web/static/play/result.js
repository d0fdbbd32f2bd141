// How an episode went: the paths on the map, and the spot in its panorama, of the person, agents and other people.

import { agentColour, el, setContent } from '../../shared/dom.js';
import { createMapView } from '../../shared/map-view.js';
import { createPanoramaViewer } from '../../shared/panorama-viewer.js';
import { getJson } from '../api.js';
import { createPictures, pictureId } from '../pictures.js';

const result = JSON.parse(document.getElementById('result').textContent);
const scene = document.getElementById('picture');
const boxes = [...document.querySelectorAll('.who input')];
const pictures = createPictures();
const shown = () => result.traces.map((trace, k) => ({ ...trace, colour: agentColour(k) })).filter((trace) => boxes.find((box) => box.value === trace.name)?.checked);

boxes.forEach((box, k) => box.closest('.who').style.setProperty('--of', agentColour(k)));
document.getElementById('next').focus();
const updates = [...(await showMap()), ...showPanorama()];
for (const box of boxes) box.addEventListener('change', () => updates.forEach((update) => update()));
updates.forEach((update) => update());

// What is drawn last lies on top: the person's own.
async function showMap() {
  const leg = result.reference.findIndex((goal) => goal.route);
  if (leg < 0) return [];
  const path = result.world.split('/').map(encodeURIComponent).join('/');
  const { marks, places } = await getJson(`/api/worlds/${path}/map`);
  const index = new Map(places.ids.map((place, k) => [place, k]));
  const point = (place) => [places.x[index.get(place)], places.y[index.get(place)]];
  const route = result.reference[leg].route.map(point);
  const map = createMapView({ label: 'Map, north up: the right way, and the paths that were walked' });
  scene.append(map.node);
  map.update({ marks, route, start: route[0], end: route.at(-1) });
  return [() => map.update({ paths: shown().reverse().map((trace) => ({ points: trace.legs[leg].path.map(point), colour: trace.colour })) })];
}

function showPanorama() {
  const leg = result.reference.findIndex((goal) => goal.target);
  if (leg < 0) return [];
  const goal = result.reference[leg];
  // The spot is seen from neighbouring places, too: the picture is the one in which the person pointed, if it is there.
  const placeOf = (trace) => trace.legs[leg]?.path[0] ?? goal.place;
  const spots = [{ place: goal.place, target: goal.target }, ...goal.propagated];
  const spot = spots.find(({ place }) => place === placeOf(result.traces[0])) ?? spots[0];
  const viewer = createPanoramaViewer({ loadPicture: pictures.loadPicture, readout: false });
  scene.append(viewer.node);
  viewer.show(pictureId(result.world, spot.place), spot.target, 'The panorama with the spot and the answers. Arrow keys look around.');
  const atPlace = (trace) => trace.legs[leg]?.answer && placeOf(trace) === spot.place;
  return [() => viewer.setMarks([
    { kind: 'target', direction: spot.target, colour: '--goal', label: 'the spot' },
    ...shown().reverse().filter(atPlace).map((trace) => ({ kind: 'answer', direction: trace.legs[leg].answer, colour: trace.colour, label: trace.name })),
  ])];
}

if (!scene.children.length) setContent(scene, el('p', {}, 'There is nothing to show.'));
