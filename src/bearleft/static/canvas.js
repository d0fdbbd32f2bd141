// Canvas helpers. A view of a map is {x, y, scale}: its centre in metres, and pixels per metre; north is up.

/** Resize a canvas to its displayed size in device pixels, and clear it; returns {context, width, height, ratio} in CSS pixels. */
export function prepareCanvas(canvas) {
  const ratio = Math.min(window.devicePixelRatio || 1, 2.5);
  const width = canvas.clientWidth || canvas.width;
  const height = canvas.clientHeight || canvas.height;
  const pixelWidth = Math.max(Math.round(width * ratio), 1);
  const pixelHeight = Math.max(Math.round(height * ratio), 1);
  // Setting the size reallocates the canvas, so do it only if it changed.
  if (canvas.width !== pixelWidth || canvas.height !== pixelHeight) Object.assign(canvas, { width: pixelWidth, height: pixelHeight });
  const context = canvas.getContext('2d');
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return { context, width, height, ratio };
}

/** Return whether the dark theme is used. */
export function isDark() {
  const theme = document.documentElement.dataset.theme;
  return theme ? theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
}

/** Paint a 360-degree picture that wraps around horizontally, starting at `left`. */
export function paintWrapped({ context, width }, image, left, top, imageWidth, imageHeight) {
  const pattern = context.createPattern(image, 'repeat-x');
  const [naturalWidth, naturalHeight] = [image.naturalWidth || image.width, image.naturalHeight || image.height];
  pattern.setTransform(new DOMMatrix([imageWidth / naturalWidth, 0, 0, imageHeight / naturalHeight, left, top]));
  context.imageSmoothingQuality = 'high';
  context.fillStyle = pattern;
  context.fillRect(0, top, width, imageHeight);
}

/** Convert metres to pixels. */
export function toPixels(view, size, x, y) {
  return [size.width / 2 + (x - view.x) * view.scale, size.height / 2 - (y - view.y) * view.scale];
}

/** Convert pixels to metres. */
export function toMetres(view, size, x, y) {
  return [view.x + (x - size.width / 2) / view.scale, view.y - (y - size.height / 2) / view.scale];
}

/** Return the view that shows bounds [west, south, east, north] with a margin in pixels. */
export function fitView(bounds, size, margin) {
  const scale = Math.min(
    Math.max(size.width - 2 * margin, 20) / Math.max(bounds[2] - bounds[0], 1e-6),
    Math.max(size.height - 2 * margin, 20) / Math.max(bounds[3] - bounds[1], 1e-6),
  );
  return { x: (bounds[0] + bounds[2]) / 2, y: (bounds[1] + bounds[3]) / 2, scale };
}
