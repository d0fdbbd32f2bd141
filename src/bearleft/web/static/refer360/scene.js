// What the tasks of Refer360 share: a viewer without a compass, the bear, and the recorded views.

import { bearIcon } from '../../shared/bear.js';
import { el } from '../../shared/dom.js';
import { angleBetween } from '../../shared/geometry.js';
import { createPanoramaViewer } from '../../shared/panorama-viewer.js';
import { createPictures, pictureId } from '../pictures.js';
import { byId } from '../unit-page.js';

const REST = 400; // milliseconds without a change until a view is recorded
const MIN_CHANGE = 2; // degrees from the view that was recorded last

/**
 * Show the panorama of an attempt in #scene: {viewer, stop}. Views in which the person rests are recorded.
 *
 * Scenes of photographs have no north, so there is neither a compass nor a readout of degrees.
 */
export function openScene(attempt, label) {
  const { world, place, start, look } = attempt.view;
  const viewer = createPanoramaViewer({ loadPicture: createPictures().loadPicture, compass: false, readout: false, pageKeys: true });
  byId('scene').append(viewer.node);
  viewer.show(pictureId(world, place), start, label);
  viewer.look([look.heading, look.pitch]);
  viewer.setCrosshair(true);
  viewer.node.focus({ preventScroll: true });

  let recorded = [look.heading, look.pitch];
  let timer = 0;
  const unlisten = viewer.listen({
    onview() {
      clearTimeout(timer);
      timer = setTimeout(() => {
        const view = viewer.view();
        if (angleBetween(recorded, [view.heading, view.pitch]) < MIN_CHANGE) return;
        recorded = [view.heading, view.pitch];
        attempt.send('look', view).catch(() => {}); // api.js says what went wrong
      }, REST);
    },
  });
  return {
    viewer,
    /** Record no more views. */
    stop() {
      clearTimeout(timer);
      unlisten();
    },
  };
}

/** Show a bear at a direction [heading, pitch], as large as `radius` degrees. */
export function showBear(viewer, direction, radius, label) {
  const node = el('div', { class: 'hidden-bear', role: 'img', 'aria-label': label }, bearIcon());
  const resize = (view) => {
    const focal = view.height / 2 / Math.tan((view.vfov * Math.PI) / 360);
    node.style.setProperty('--size', `${2 * focal * Math.tan((radius * Math.PI) / 180)}px`);
  };
  resize(viewer.view());
  viewer.listen({ onview: resize });
  viewer.setOverlays('bear', [{ node, heading: direction[0], pitch: direction[1] }]);
}

/** Return the answer of a point of the viewer: the middle of the view as it is, or a click. */
export function answerOf({ heading, pitch, view, x, y }) {
  const inMiddle = x === view.width / 2 && y === view.height / 2;
  return inMiddle ? { heading: view.heading, pitch: view.pitch, by: 'centre', view } : { heading, pitch, by: 'click', view };
}

/** Return whether a key presses a control of the page, or types. */
export function isForControl(event) {
  return Boolean(event.target.closest?.('button, a, summary, input, textarea, select'));
}
