// Pointing in a panorama: by click or tap, or by looking so that the crosshair is on the spot and pressing Enter or Space.

import { bearMarker } from '../shared/bear.js';

/**
 * Let somebody point in a viewer: {answer, place, clear, setEnabled, dispose}. Clear the marker when the viewer shows another place.
 *
 * options:
 *   onpoint(point)  is called when the marker is placed: {heading, pitch, view: {heading, pitch, vfov, width, height}, x, y}
 *   marker          the element that is placed (default: a bear)
 *   crosshair       whether the middle of the view is marked (default: true)
 */
export function createPointView(viewer, { onpoint = () => {}, marker = bearMarker(), crosshair = true } = {}) {
  let answer = null;
  let enabled = true;

  const unlisten = viewer.listen({
    onpoint(point) {
      if (!enabled) return;
      place(point);
      onpoint(point);
    },
    onkey(event) {
      if (!enabled || event.repeat || !['Enter', ' '].includes(event.key) || event.target.closest?.('button, a')) return false;
      viewer.pointAtMiddle();
      return true;
    },
  });
  viewer.setCrosshair(crosshair);

  function place(point) {
    answer = point;
    viewer.setOverlays('point', [{ node: marker, heading: point.heading, pitch: point.pitch }]);
  }

  return {
    /** Return where the marker is, or null. */
    answer: () => answer,
    /** Put the marker at a direction {heading, pitch}, as after a reload. */
    place,
    clear() {
      answer = null;
      viewer.setOverlays('point', []);
    },
    setEnabled(value) {
      enabled = value;
      viewer.setCrosshair(value && crosshair);
    },
    dispose() {
      unlisten();
      viewer.setOverlays('point', []);
      viewer.setCrosshair(false);
    },
  };
}
