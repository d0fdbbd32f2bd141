// An episode that is played: walk, point, or look sentence by sentence, by the rules and the scores of agents.

import { el, setContent } from '../../shared/dom.js';
import { createPanoramaViewer } from '../../shared/panorama-viewer.js';
import { openAttempt } from '../api.js';
import { createPictures, pictureId } from '../pictures.js';
import { createPointView } from '../point-view.js';
import { createWalkView, WALK_KEYS } from '../walk-view.js';

const LOOK_KEYS = [[['←', '→', '↑', '↓'], 'look around; or drag the picture'], [['+', '−'], 'zoom'], [['0'], 'look as at first']];
const POINT_KEYS = [...LOOK_KEYS, [['Enter'], 'mark the spot in the middle; or click it']];
const SENTENCE_KEYS = [...LOOK_KEYS, [['Enter'], 'read on']];

const attempt = openAttempt();
const pictures = createPictures();
const BEAR_NAMES = ['Touchdown', 'Waldo']; // as the texts of the papers call what is to be found

const [scene, text, note, earlier, progress, controls, keys, message, skip] = ['scene', 'text', 'note', 'earlier', 'progress', 'controls', 'keys', 'message', 'skip'].map((id) => document.getElementById(id));
const { world, dataset } = attempt.view;
let state = attempt.view;
let stage = null; // what is shown of the leg: {update, dispose}

skip.addEventListener('click', guarded(async () => {
  await attempt.giveBack();
  location.replace(`/play/${encodeURIComponent(attempt.project)}`);
}));
show();

async function act(kind, data) {
  message.hidden = true;
  state = await attempt.send(kind, data);
  return state;
}

// An action that is not possible changes nothing; what it was refused for is said.
function showError(error) {
  message.textContent = error.message;
  message.hidden = false;
}

async function show() {
  if (state.done) return finish();
  if (stage?.leg !== state.leg) {
    stage?.dispose();
    stage = { reach: walkStage, point: pointStage, look: lookStage }[state.kind]();
    stage.leg = state.leg;
  }
  text.textContent = state.text;
  setContent(earlier, (state.earlier ?? []).map((sentence) => el('li', {}, sentence)));
  earlier.hidden = !state.earlier?.length;
  const name = BEAR_NAMES.find((bear) => state.text.toLowerCase().includes(bear.toLowerCase()));
  note.textContent = name ? `${name} is the bear that hides there; you do not see it.` : '';
  note.hidden = !name;
  stage.update();
}

async function finish() {
  setContent(controls);
  skip.hidden = true;
  progress.textContent = 'storing your answer …';
  try {
    await attempt.submit();
    location.replace(`/play/${encodeURIComponent(attempt.project)}/result/${encodeURIComponent(attempt.attempt)}`);
  } catch (error) {
    showError(error);
  }
}

function button(label, onclick, primary = true) {
  return el('button', { type: 'button', class: primary ? 'button primary' : 'button', onclick }, label);
}

function showKeys(rows) {
  setContent(keys, rows.flatMap(([names, meaning]) => [el('dt', {}, names.flatMap((name) => [el('kbd', {}, name), ' '])), el('dd', {}, meaning)]));
}

// Do something once at a time; buttons do nothing until the server has answered.
function guarded(work) {
  let busy = false;
  return async (...args) => {
    if (busy) return;
    busy = true;
    try {
      await work(...args);
    } catch (error) {
      showError(error);
    }
    busy = false;
  };
}

function walkStage() {
  const walk = createWalkView({
    walk: state.walk,
    pictures,
    onmove: async (link) => {
      const after = await act('walk', { action: link.place });
      if (after.done || !after.walk) show();
      else stage?.update();
      return after.walk ?? walk.walk();
    },
    onerror: showError,
  });
  setContent(scene, walk.node);
  walk.node.focus({ preventScroll: true });
  showKeys(WALK_KEYS);
  const stop = guarded(async () => {
    await act('walk', { action: 'stop' });
    await show();
  });
  setContent(controls, button(state.legs > 1 ? 'I am there: point next' : 'I am there: stop here', stop));
  return {
    update: () => { progress.textContent = `${state.step} steps, ${state.horizon - state.step} left`; },
    dispose: () => walk.dispose(),
  };
}

function panorama(options = {}) {
  const viewer = createPanoramaViewer({ loadPicture: pictures.loadPicture, readout: false, pageKeys: true, ...options });
  setContent(scene, viewer.node);
  viewer.show(pictureId(world, state.place), [state.heading, state.pitch], 'The view around you. Arrow keys look around, plus and minus zoom.');
  viewer.node.focus({ preventScroll: true });
  return viewer;
}

function pointStage() {
  const viewer = panorama();
  const done = button('This is the spot', guarded(async () => {
    const { heading, pitch, view } = point.answer();
    await act('point', { heading, pitch, view });
    await show();
  }));
  done.disabled = true;
  const point = createPointView(viewer, { onpoint: () => { done.disabled = false; } });
  showKeys(POINT_KEYS);
  setContent(controls, done);
  return {
    update: () => { progress.textContent = 'Click the spot; another click moves the bear.'; },
    dispose() {
      point.dispose();
      viewer.release();
    },
  };
}

function lookStage() {
  const viewer = panorama();
  viewer.setCrosshair(true);
  const next = guarded(async () => {
    const { heading, pitch, ...view } = viewer.view();
    await act('next', { heading, pitch, view });
    await show();
  });
  const unlisten = viewer.listen({
    onpoint: ({ heading, pitch }) => viewer.look([heading, pitch]), // what is clicked comes to the middle
    onkey(event) {
      if (event.key !== 'Enter' || event.repeat || event.target.closest?.('button, a')) return false;
      next();
      return true;
    },
  });
  const nextButton = button('', next);
  showKeys(SENTENCE_KEYS);
  setContent(controls, nextButton);
  return {
    update() {
      progress.textContent = `Sentence ${state.sentence + 1} of ${state.sentences}. ${state.sentence ? '' : 'You look straight up: drag the picture, or use the arrow keys. '}Turn the view until what it says is in the middle; a click brings it there.`;
      nextButton.textContent = state.sentence + 1 < state.sentences ? 'Next sentence' : 'This is the spot';
    },
    dispose() {
      unlisten();
      viewer.release();
    },
  };
}

document.documentElement.dataset.dataset = dataset;
