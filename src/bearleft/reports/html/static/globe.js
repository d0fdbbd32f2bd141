// The drawing of the 360 viewer: each pixel of a perspective picture is looked up in the equirectangular one.

import { axesOf } from './sphere.js';

const CORNERS = `#version 300 es
out vec2 at;
void main() {
  // One triangle that covers the whole picture.
  vec2 corner = vec2(float((gl_VertexID << 1) & 2), float(gl_VertexID & 2)) * 2.0 - 1.0;
  at = corner;
  gl_Position = vec4(corner, 0.0, 1.0);
}`;

const LOOKUP = `#version 300 es
precision highp float;
in vec2 at;
out vec4 colour;
uniform sampler2D picture;
uniform sampler2D heat;
uniform mat3 axes;
uniform vec2 tangent;
uniform float strength;
uniform float yaw;
const float PI = 3.14159265358979;
void main() {
  vec3 ray = axes * vec3(at.x * tangent.x, -at.y * tangent.y, 1.0);
  float heading = atan(ray.x, ray.y) / (2.0 * PI);
  float row = 0.5 - atan(ray.z, length(ray.xy)) / PI;
  vec3 seen = textureLod(picture, vec2(heading + 0.5, row), 0.0).rgb;
  vec4 hot = textureLod(heat, vec2(heading - yaw / 360.0 + 0.5, row), 0.0);
  colour = vec4(mix(seen, hot.rgb, hot.a * strength), 1.0);
}`;

function compiled(gl, kind, source) {
  const shader = gl.createShader(kind);
  gl.shaderSource(shader, source);
  gl.compileShader(shader);
  return shader;
}

function linked(gl) {
  const program = gl.createProgram();
  gl.attachShader(program, compiled(gl, gl.VERTEX_SHADER, CORNERS));
  gl.attachShader(program, compiled(gl, gl.FRAGMENT_SHADER, LOOKUP));
  gl.linkProgram(program);
  return gl.getProgramParameter(program, gl.LINK_STATUS) ? program : null;
}

function textured(gl, unit) {
  const texture = gl.createTexture();
  gl.activeTexture(gl.TEXTURE0 + unit);
  gl.bindTexture(gl.TEXTURE_2D, texture);
  // Around the circle the picture goes on at its other edge; at the poles it ends.
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_S, gl.REPEAT);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.LINEAR);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.LINEAR);
  return texture;
}

/** A globe seen from inside on a canvas: {setPicture, setHeat, paint, release}; null where there is no WebGL 2. */
export function makeGlobe(canvas) {
  const gl = canvas.getContext('webgl2', { alpha: false, antialias: false, depth: false, preserveDrawingBuffer: true });
  const program = gl && linked(gl);
  if (!program) return null;
  const textures = [textured(gl, 0), textured(gl, 1)];
  const where = (name) => gl.getUniformLocation(program, name);
  const clearPixel = new Uint8Array([0, 0, 0, 0]);
  gl.useProgram(program);
  gl.uniform1i(where('picture'), 0);
  gl.uniform1i(where('heat'), 1);

  function load(unit, source) {
    gl.activeTexture(gl.TEXTURE0 + unit);
    gl.bindTexture(gl.TEXTURE_2D, textures[unit]);
    gl.pixelStorei(gl.UNPACK_PREMULTIPLY_ALPHA_WEBGL, false);
    if (source) gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, gl.RGBA, gl.UNSIGNED_BYTE, smallEnough(source));
    else gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, 1, 1, 0, gl.RGBA, gl.UNSIGNED_BYTE, clearPixel);
  }

  function smallEnough(source) {
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
    setHeat: (image) => load(1, image),
    paint(view, ratio, heat) {
      const wide = Math.max(Math.round(view.width * ratio), 1);
      const high = Math.max(Math.round(view.height * ratio), 1);
      if (canvas.width !== wide || canvas.height !== high) Object.assign(canvas, { width: wide, height: high });
      gl.viewport(0, 0, wide, high);
      const across = Math.tan((view.fov * Math.PI) / 360);
      gl.uniformMatrix3fv(where('axes'), false, axesOf(view).flat());
      gl.uniform2f(where('tangent'), across, (across * view.height) / view.width);
      gl.uniform1f(where('strength'), heat ? heat.opacity : 0);
      gl.uniform1f(where('yaw'), heat ? heat.yaw : 0);
      gl.drawArrays(gl.TRIANGLES, 0, 3);
    },
    release: () => [0, 1].forEach((unit) => load(unit, null)),
  };
}
