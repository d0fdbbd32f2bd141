// Renderers of panoramas: each pixel of the perspective view is looked up in the equirectangular picture, by WebGL or else by plain code.

import { cameraAxes, focalLength } from './geometry.js';

const PLAIN_WIDTH = 480; // pixels of the view that plain code renders; the browser enlarges it
const PLAIN_PICTURE_WIDTH = 2048;

const VERTEX_SHADER = `#version 300 es
out vec2 position;
void main() {
  // One triangle that covers the whole picture.
  vec2 corner = vec2(float((gl_VertexID << 1) & 2), float(gl_VertexID & 2)) * 2.0 - 1.0;
  position = corner;
  gl_Position = vec4(corner, 0.0, 1.0);
}`;

const FRAGMENT_SHADER = `#version 300 es
precision highp float;
in vec2 position;
out vec4 colour;
uniform sampler2D picture;
uniform sampler2D heatmap;
uniform mat3 axes;
uniform vec2 tangent;
uniform float opacity;
uniform float yaw;
const float PI = 3.14159265358979;
void main() {
  vec3 ray = axes * vec3(position.x * tangent.x, -position.y * tangent.y, 1.0);
  float heading = atan(ray.x, ray.y) / (2.0 * PI);
  float row = 0.5 - atan(ray.z, length(ray.xy)) / PI;
  vec3 base = textureLod(picture, vec2(heading + 0.5, row), 0.0).rgb;
  vec4 overlay = textureLod(heatmap, vec2(heading - yaw / 360.0 + 0.5, row), 0.0);
  colour = vec4(mix(base, overlay.rgb, overlay.a * opacity), 1.0);
}`;

function compileShader(gl, kind, source) {
  const shader = gl.createShader(kind);
  gl.shaderSource(shader, source);
  gl.compileShader(shader);
  return shader;
}

function linkProgram(gl) {
  const program = gl.createProgram();
  gl.attachShader(program, compileShader(gl, gl.VERTEX_SHADER, VERTEX_SHADER));
  gl.attachShader(program, compileShader(gl, gl.FRAGMENT_SHADER, FRAGMENT_SHADER));
  gl.linkProgram(program);
  return gl.getProgramParameter(program, gl.LINK_STATUS) ? program : null;
}

function createTexture(gl, unit) {
  const texture = gl.createTexture();
  gl.activeTexture(gl.TEXTURE0 + unit);
  gl.bindTexture(gl.TEXTURE_2D, texture);
  // The picture wraps around horizontally, but not at the poles.
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_S, gl.REPEAT);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.LINEAR);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.LINEAR);
  return texture;
}

function createCanvas() {
  const canvas = document.createElement('canvas');
  canvas.className = 'globe';
  canvas.setAttribute('aria-hidden', 'true');
  return canvas;
}

function sourceSize(source) {
  return [source.naturalWidth || source.width, source.naturalHeight || source.height];
}

// Return a picture as a canvas that is at most so wide.
function fitWidth(source, limit) {
  const [width, height] = sourceSize(source);
  const scale = Math.min(limit / width, 1);
  const smaller = new OffscreenCanvas(Math.round(width * scale), Math.round(height * scale));
  smaller.getContext('2d', { willReadFrequently: true }).drawImage(source, 0, 0, smaller.width, smaller.height);
  return smaller;
}

function resize(canvas, width, height) {
  const [pixelWidth, pixelHeight] = [Math.max(Math.round(width), 1), Math.max(Math.round(height), 1)];
  if (canvas.width !== pixelWidth || canvas.height !== pixelHeight) Object.assign(canvas, { width: pixelWidth, height: pixelHeight });
  return [pixelWidth, pixelHeight];
}

/** Return a panorama renderer: {canvas, webgl, setPicture, setHeatmap, paint, release}. `onlost` is called when the view must be painted again. */
export function createPanoramaRenderer(onlost = () => {}) {
  return createWebGLRenderer(onlost) ?? createPlainRenderer();
}

function createWebGLRenderer(onlost) {
  const canvas = createCanvas();
  const gl = canvas.getContext('webgl2', { alpha: false, antialias: false, depth: false, preserveDrawingBuffer: true });
  const transparentPixel = new Uint8Array([0, 0, 0, 0]);
  const sources = [null, null];
  let [program, textures] = [null, null];

  function setUp() {
    program = linkProgram(gl);
    if (!program) return false;
    textures = [createTexture(gl, 0), createTexture(gl, 1)];
    gl.useProgram(program);
    gl.uniform1i(uniform('picture'), 0);
    gl.uniform1i(uniform('heatmap'), 1);
    sources.forEach((source, unit) => load(unit, source));
    return true;
  }
  const uniform = (name) => gl.getUniformLocation(program, name);

  function load(unit, source) {
    sources[unit] = source;
    if (gl.isContextLost()) return;
    gl.activeTexture(gl.TEXTURE0 + unit);
    gl.bindTexture(gl.TEXTURE_2D, textures[unit]);
    gl.pixelStorei(gl.UNPACK_PREMULTIPLY_ALPHA_WEBGL, false);
    if (source) gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, gl.RGBA, gl.UNSIGNED_BYTE, fitTexture(source));
    else gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, 1, 1, 0, gl.RGBA, gl.UNSIGNED_BYTE, transparentPixel);
  }
  function fitTexture(source) {
    const limit = gl.getParameter(gl.MAX_TEXTURE_SIZE);
    return sourceSize(source)[0] > limit ? fitWidth(source, limit) : source;
  }

  if (!gl || !setUp()) return null;
  // Phones take the context away from pages in the background.
  canvas.addEventListener('webglcontextlost', (event) => event.preventDefault());
  canvas.addEventListener('webglcontextrestored', () => setUp() && onlost());
  return {
    canvas,
    webgl: true,
    setPicture: (image) => load(0, image),
    setHeatmap: (image) => load(1, image),
    paint(view, ratio, heatmap) {
      if (gl.isContextLost()) return;
      gl.viewport(0, 0, ...resize(canvas, view.width * ratio, view.height * ratio));
      const tangent = Math.tan((view.fov * Math.PI) / 360);
      gl.uniformMatrix3fv(uniform('axes'), false, cameraAxes(view).flat());
      gl.uniform2f(uniform('tangent'), tangent, (tangent * view.height) / view.width);
      gl.uniform1f(uniform('opacity'), heatmap ? heatmap.opacity : 0);
      gl.uniform1f(uniform('yaw'), heatmap ? heatmap.yaw : 0);
      gl.drawArrays(gl.TRIANGLES, 0, 3);
    },
    release: () => [0, 1].forEach((unit) => load(unit, null)),
  };
}

function createPlainRenderer() {
  const canvas = createCanvas();
  const context = canvas.getContext('2d');
  const layers = [null, null]; // pixels of the picture and of the heat map

  function load(layer, source) {
    if (!source) return void (layers[layer] = null);
    const copy = fitWidth(source, PLAIN_PICTURE_WIDTH);
    layers[layer] = copy.getContext('2d').getImageData(0, 0, copy.width, copy.height);
  }

  return {
    canvas,
    webgl: false,
    setPicture: (image) => load(0, image),
    setHeatmap: (image) => load(1, image),
    paint(view, ratio, heatmap) {
      const scale = Math.min(ratio, PLAIN_WIDTH / view.width);
      const image = context.createImageData(...resize(canvas, view.width * scale, view.height * scale));
      paintPixels(image, view, layers[0], heatmap && layers[1] ? { ...heatmap, pixels: layers[1] } : null);
      context.putImageData(image, 0, 0);
    },
    release: () => layers.fill(null),
  };
}

// Return the index of the pixel of a picture at shares of its width and height.
function pixelIndex(picture, x, y) {
  const column = Math.floor((x - Math.floor(x)) * picture.width);
  return 4 * (Math.min(Math.floor(y * picture.height), picture.height - 1) * picture.width + Math.min(column, picture.width - 1));
}

function paintPixels(image, view, picture, heatmap) {
  const [right, down, ahead] = cameraAxes(view);
  const focal = focalLength(view);
  const { data, width, height } = image;
  for (let row = 0, k = 0; row < height; row += 1) {
    const y = ((row + 0.5) / height - 0.5) * view.height;
    for (let column = 0; column < width; column += 1, k += 4) {
      const x = ((column + 0.5) / width - 0.5) * view.width;
      const east = x * right[0] + y * down[0] + focal * ahead[0];
      const north = x * right[1] + y * down[1] + focal * ahead[1];
      const up = x * right[2] + y * down[2] + focal * ahead[2];
      const heading = Math.atan2(east, north) / (2 * Math.PI) + 0.5;
      const pitch = 0.5 - Math.atan2(up, Math.hypot(east, north)) / Math.PI;
      const from = picture ? pixelIndex(picture, heading, pitch) : 0;
      const over = heatmap ? pixelIndex(heatmap.pixels, heading - heatmap.yaw / 360, pitch) : 0;
      const share = heatmap ? (heatmap.pixels.data[over + 3] / 255) * heatmap.opacity : 0;
      for (let c = 0; c < 3; c += 1) {
        const base = picture ? picture.data[from + c] : 0;
        data[k + c] = share ? base + (heatmap.pixels.data[over + c] - base) * share : base;
      }
      data[k + 3] = 255;
    }
  }
}
