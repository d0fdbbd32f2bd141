// Task II: place the bear in a neighbouring panorama, beside the one in which it was placed.

import { bearMarker } from '../../shared/bear.js';
import { el } from '../../shared/dom.js';
import { createPanoramaViewer } from '../../shared/panorama-viewer.js';
import { openAttempt } from '../api.js';
import { createPictures, pictureId } from '../pictures.js';
import { createPointView } from '../point-view.js';
import { byId, finish, isShown, showKeys, showMessage } from '../unit-page.js';

const unit = openAttempt();
const { view } = unit;
const { original } = view;
const pictures = createPictures();
const state = { bear: view.bear, occluded: view.occluded };

function addViewer(caption, pageKeys) {
  const viewer = createPanoramaViewer({ loadPicture: pictures.loadPicture, readout: false, pageKeys });
  byId('scene').append(el('figure', { class: 'half' }, viewer.node, el('figcaption', {}, caption)));
  return viewer;
}

const upper = addViewer('Here is the bear', false);
const lower = addViewer('Put it on the same spot here', true);
upper.show(pictureId(view.world, original.place), [original.heading, original.pitch], 'The picture with the bear. Arrow keys look around.');
upper.setOverlays('bear', [{ node: bearMarker('The bear'), heading: original.heading, pitch: original.pitch }]);
lower.show(pictureId(view.world, view.place), [original.heading, original.pitch], 'The picture without the bear. Arrow keys look around, Enter places the bear under the cross.');

const pointView = createPointView(lower, { onpoint: place });
if (state.bear) pointView.place(state.bear);

async function place({ heading, pitch, view: seen }) {
  if (isShown(lower, view.world, view.place)) await act('place', { heading, pitch, view: seen });
  else showBear();
}

function showBear() {
  if (state.bear) pointView.place(state.bear);
  else pointView.clear();
}

async function act(kind, data) {
  try {
    Object.assign(state, await unit.send(kind, data));
    showMessage(null);
  } catch (error) {
    showMessage(error.message);
  }
  showBear();
  showState();
}

function showState() {
  byId('submit').disabled = !state.bear && !state.occluded;
  byId('occluded').setAttribute('aria-pressed', String(state.occluded));
  let words = 'Look around in both pictures to compare them.';
  if (state.occluded) words = 'You said that the spot is hidden. Submit, or click it if you see it after all.';
  else if (state.bear) words = 'The bear is placed. Submit, or click another spot.';
  byId('state').textContent = words;
}

byId('text').textContent = view.text;
byId('occluded').addEventListener('click', () => act('occluded', {}));
byId('submit').addEventListener('click', async () => {
  if (await finish(unit)) pointView.setEnabled(false);
});
showKeys([[['←', '→', '↑', '↓'], 'look around'], [['+', '−'], 'zoom'], [['0'], 'look as at first'], [['Enter'], 'put the bear under the cross']]);
showState();
