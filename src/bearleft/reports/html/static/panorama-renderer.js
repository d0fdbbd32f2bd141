// WebGL renderer of panoramas: each pixel of the perspective view is looked up in the equirectangular picture.

import { cameraAxes } from './geometry.js';

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

/** Return a panorama renderer on a canvas: {setPicture, setHeatmap, paint, release}; null without WebGL 2. */
export function createPanoramaRenderer(canvas) {
  const gl = canvas.getContext('webgl2', { alpha: false, antialias: false, depth: false, preserveDrawingBuffer: true });
  const program = gl && linkProgram(gl);
  if (!program) return null;
  const textures = [createTexture(gl, 0), createTexture(gl, 1)];
  const uniform = (name) => gl.getUniformLocation(program, name);
  const transparentPixel = new Uint8Array([0, 0, 0, 0]);
  gl.useProgram(program);
  gl.uniform1i(uniform('picture'), 0);
  gl.uniform1i(uniform('heatmap'), 1);

  function load(unit, source) {
    gl.activeTexture(gl.TEXTURE0 + unit);
    gl.bindTexture(gl.TEXTURE_2D, textures[unit]);
    gl.pixelStorei(gl.UNPACK_PREMULTIPLY_ALPHA_WEBGL, false);
    if (source) gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, gl.RGBA, gl.UNSIGNED_BYTE, fitTexture(source));
    else gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, 1, 1, 0, gl.RGBA, gl.UNSIGNED_BYTE, transparentPixel);
  }

  function fitTexture(source) {
    const limit = gl.getParameter(gl.MAX_TEXTURE_SIZE);
    const width = source.naturalWidth || source.width;
    const height = source.naturalHeight || source.height;
    if (width <= limit) return source;
    const smaller = new OffscreenCanvas(limit, Math.round((height * limit) / width));
    smaller.getContext('2d').drawImage(source, 0, 0, smaller.width, smaller.height);
    return smaller;
  }

  load(0, null);
  load(1, null);
  return {
    setPicture: (image) => load(0, image),
    setHeatmap: (image) => load(1, image),
    paint(view, ratio, heatmap) {
      const pixelWidth = Math.max(Math.round(view.width * ratio), 1);
      const pixelHeight = Math.max(Math.round(view.height * ratio), 1);
      if (canvas.width !== pixelWidth || canvas.height !== pixelHeight) Object.assign(canvas, { width: pixelWidth, height: pixelHeight });
      gl.viewport(0, 0, pixelWidth, pixelHeight);
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
