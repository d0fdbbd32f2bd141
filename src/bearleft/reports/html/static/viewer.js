// The viewer of the report, one for the page, since browsers limit WebGL contexts.

import { loadPicture } from './report-data.js';
import { angleBetween, fromFlat, project, toFlat, turnBetween, unproject } from './geometry.js';
import { createPanoramaViewer } from './panorama-viewer.js';

let sharedViewer = null;

/** Return the page's viewer. */
export function getViewer() {
  sharedViewer ??= createPanoramaViewer({ loadPicture });
  return sharedViewer;
}

// For tests and for the browser's console.
window.bearleftReport = Object.freeze({ project, unproject, toFlat, fromFlat, angleBetween, turnBetween, viewer: getViewer });
