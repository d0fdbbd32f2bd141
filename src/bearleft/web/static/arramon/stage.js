// The 3-D view of the city and of the room. It only shows: the server says where a person is and what stands where.
//
// Light is computed once for each corner, so that software renderers are fast enough, and a picture is drawn only when something has changed.

import { el } from '../../shared/dom.js';
import { worldUrl } from '../unit-page.js';
import { loadModel } from './glb.js';

const CELL = 1.5; // metres from cell to cell of the room
const STACK = 0.85; // metres from item to item of a stack
const DOOR_COLUMN = 2;
const GRID_HEADING = 28.79325; // degrees: of items of facing 0 in the city
const ROOM_FACING = 180; // degrees: of items in the room
const SOFTWARE = /swiftshader|llvmpipe|software|basic render/i;
const SOFTWARE_PIXELS = 640 * 360; // what a machine without a GPU draws 30 times a second
// While one moves, a machine without a GPU draws fewer pixels if a picture takes longer than this; at rest it draws all.
const FRAME_TIME = 32; // milliseconds
const [LEAST_SHARE, SHARE_STEP] = [0.5, 0.1]; // of the pixels along a side
const REST = 180; // milliseconds without a motion
const FIELD = 90; // degrees across the longer side of the view
const REACH = { city: 160, room: 30 }; // metres that one sees
const CHUNK = 20; // metres: things of a square of this side are drawn together, where they are in view
// Triangles smaller than the first number of metres are left out beyond the second, where they are a few pixels wide.
const DETAILS = [[0.3, 9], [0.7, 22], [1.6, 50], [Infinity, Infinity]];
const SHARPER = 5; // times these distances, on machines with a GPU
const LINE_COLOUR = 0x1e6bff;
const OUTLINE_OPACITY = 0.45;

// Haze is computed for each corner too: a pixel is one look into the picture, one product and one sum.
const VERTEX = `
in vec3 position; in vec2 uv; in vec3 color;
uniform mat4 modelViewMatrix, projectionMatrix;
uniform float haze;
out vec2 at; out vec2 light;
void main() {
  vec4 seen = modelViewMatrix * vec4( position, 1.0 );
  float thick = 1.0 - exp( - haze * length( seen.xyz ) );
  at = uv;
  light = vec2( color.g * ( 1.0 - thick ), thick );
  gl_Position = projectionMatrix * seen;
}`;
const FRAGMENT = `
precision mediump float;
in vec2 at; in vec2 light;
uniform sampler2D map;
uniform vec3 horizon;
out vec4 colour;
void main() { colour = vec4( texture( map, at ).rgb * light.x + horizon * light.y, 1.0 ); }`;
const SKY_VERTEX = `
in vec3 position; in vec3 color;
uniform mat4 modelViewMatrix, projectionMatrix;
out vec3 light;
void main() { light = color; gl_Position = projectionMatrix * modelViewMatrix * vec4( position, 1.0 ); }`;
const SKY_FRAGMENT = `
precision mediump float;
in vec3 light;
out vec4 colour;
void main() { colour = vec4( light, 1.0 ); }`;
const GROUND_SQUARES = 25; // along each side of the ground, whose haze is computed at their corners

const radians = (degrees) => (degrees * Math.PI) / 180;
/** Return the address of three.js, which `make frontend` installs. */
const THREE_URL = '/static/three/three.module.js';

const LABEL = 'The 3-D view. Arrow keys walk and turn, the space bar picks up or places.';

let three = null;
async function loadThree() {
  try {
    three ??= await import(THREE_URL);
  } catch {
    throw new Error('This page needs three.js, which is not installed on the server. Whoever runs it types: make frontend');
  }
  return three;
}

const models = new Map(); // address -> promise of a model
function model(url) {
  if (!models.has(url)) {
    const loading = loadModel(url);
    loading.catch(() => models.delete(url));
    models.set(url, loading);
  }
  return models.get(url);
}
const itemUrl = (name) => `/api/models/items/${encodeURIComponent(name)}.glb`;
const placeUrl = (scene) => (scene.place === 'room' ? '/api/models/room.glb' : `${worldUrl(scene.world)}/sections/${scene.section}.glb`);

/** Return the point of a pose, or of an item, as [x, y, z] of three.js. */
function pointOf({ position, cell, at }) {
  if (cell) return [(cell[0] - DOOR_COLUMN) * CELL, (cell[1] - 1) * STACK, -cell[2] * CELL];
  const [east, north] = position ?? at;
  return [east, 0, -north];
}

/** Return the heading on the way from one to the other by the shorter turn. */
function between(from, to, share) {
  const turn = ((to - from + 540) % 360) - 180;
  return from + turn * share;
}

/**
 * Create a stage in a node: {node, show, setPose, moveTo, snapshot, pose, dispose}. Rejects where there is no WebGL or no three.js.
 *
 * options:
 *   label   its name for screen readers
 *   acts    whether keys act in it: it takes the focus with each scene (default: true)
 *
 * The canvas tells its state in `data-place`, `data-pose` (x, y, z in metres and the heading), `data-drawn` (pictures so far) and `data-state`.
 */
export async function createStage(parent, { label = LABEL, acts = true } = {}) {
  const THREE = await loadThree();
  const canvas = el('canvas', { class: 'stage', 'aria-label': label, ...(acts ? { tabindex: 0, role: 'application' } : { role: 'img' }) });
  const context = canvas.getContext('webgl2', { antialias: !isSoftware(), alpha: false, powerPreference: 'high-performance' });
  if (!context) throw new Error('This page needs WebGL, which your browser does not have or does not allow.');
  const software = isSoftware(context);
  const renderer = new THREE.WebGLRenderer({ canvas, context });
  renderer.outputColorSpace = THREE.LinearSRGBColorSpace; // colours are computed as they are shown
  const camera = new THREE.PerspectiveCamera(60, 1, 0.05, REACH.city);
  camera.rotation.order = 'YXZ';
  let current = null; // the scene that is shown: {scene, root, items}
  let pose = null;
  let drawn = 0;
  let asked = 0;
  let motion = null;
  let share = 1; // of the pixels along a side, while one moves
  let moving = false;
  let resting = 0;
  let last = null; // when the last picture of a motion was drawn
  let mean = FRAME_TIME; // milliseconds of a picture

  parent.prepend(canvas);
  const observer = new ResizeObserver(resize);
  observer.observe(parent);

  function resize() {
    const [width, height] = [Math.max(parent.clientWidth, 1), Math.max(parent.clientHeight, 1)];
    const ratio = software ? Math.min(1, Math.sqrt(SOFTWARE_PIXELS / (width * height))) : Math.min(devicePixelRatio, 2);
    renderer.setPixelRatio(moving ? ratio * share : ratio);
    renderer.setSize(width, height, false);
    canvas.dataset.share = moving ? share.toFixed(1) : '1';
    camera.aspect = width / height;
    invalidate();
  }
  function invalidate() {
    asked ||= requestAnimationFrame(frame);
  }
  function frame(now) {
    asked = 0;
    if (motion) {
      if (software) pace(now);
      advance(now);
    } else {
      last = null;
    }
    draw();
  }
  // Keep the motion even: fewer pixels where pictures take too long, more where there is time.
  function pace(now) {
    clearTimeout(resting);
    resting = setTimeout(() => setMoving(false), REST);
    if (last !== null) mean += 0.25 * (Math.min(now - last, 250) - mean);
    last = now;
    const before = share;
    if (mean > FRAME_TIME * 1.15) share = Math.max(share - SHARE_STEP, LEAST_SHARE);
    else if (mean < FRAME_TIME * 0.6) share = Math.min(share + SHARE_STEP, 1);
    if (share !== before) mean = FRAME_TIME;
    if (!moving || share !== before) setMoving(true);
  }
  function setMoving(value) {
    moving = value;
    last = value ? last : null;
    if (share < 1) resize();
  }
  function draw() {
    if (!current || !pose) return;
    aim(camera, current.scene, pose);
    current.follow(camera);
    renderer.render(current.root, camera);
    drawn += 1;
    canvas.dataset.drawn = drawn;
    canvas.dataset.pose = [...pose.point, pose.heading].join(' ');
  }
  function aim(eye, scene, { point, heading }) {
    const [height, pitch] = scene.camera;
    const half = Math.tan(radians(FIELD / 2));
    eye.fov = 2 * Math.atan(eye.aspect > 1 ? half / eye.aspect : half) * (180 / Math.PI);
    eye.far = REACH[scene.place];
    eye.position.set(point[0], height, point[2]);
    eye.rotation.set(radians(pitch), -radians(heading), 0);
    eye.updateProjectionMatrix();
  }

  // A motion goes from where the view is now to a pose, evenly, so that a key that is held down moves without a jerk.
  function advance(now) {
    motion.start ??= now;
    const share = Math.min((now - motion.start) / motion.milliseconds, 1);
    pose = {
      point: motion.from.point.map((value, k) => value + (motion.to.point[k] - value) * share),
      heading: between(motion.from.heading, motion.to.heading, share),
    };
    if (share < 1) return invalidate();
    const { done } = motion;
    motion = null;
    return done();
  }
  function moveTo(next, milliseconds) {
    const to = { point: pointOf(next), heading: next.heading };
    if (!pose || milliseconds <= 0 || matchMedia('(prefers-reduced-motion: reduce)').matches) return Promise.resolve(setPose(next));
    motion?.done();
    return new Promise((done) => {
      motion = { from: pose, to, milliseconds, done };
      invalidate();
    });
  }
  function setPose(next) {
    motion?.done();
    motion = null;
    pose = { point: pointOf(next), heading: next.heading };
    invalidate();
  }

  const quality = software ? { minFilter: THREE.LinearMipmapNearestFilter, anisotropy: 1, distance: 1 }
    : { minFilter: THREE.LinearMipmapLinearFilter, anisotropy: renderer.capabilities.getMaxAnisotropy(), distance: SHARPER };
  const places = new Map(); // the meshes of the city and of the room, which are the same before and after a pick
  const build = (scene) => buildScene(THREE, scene, quality, places);

  /** Show a scene from a pose; resolves when it is drawn. The keys then act in it. */
  async function show(scene, at) {
    canvas.dataset.state = 'loading';
    const built = await build(scene);
    if (current) release(current);
    current = built;
    canvas.dataset.place = scene.place;
    setPose(at);
    draw();
    canvas.dataset.state = 'shown';
    if (acts) canvas.focus({ preventScroll: true });
  }

  /** Draw another scene into a canvas, once. */
  async function snapshot(scene, at, target) {
    const built = await build(scene);
    const eye = camera.clone();
    const { width, height } = target;
    eye.aspect = width / height;
    aim(eye, scene, { point: pointOf(at), heading: at.heading });
    built.follow(eye);
    const into = new THREE.WebGLRenderTarget(width, height);
    into.texture.colorSpace = THREE.NoColorSpace;
    renderer.setRenderTarget(into);
    renderer.render(built.root, eye);
    const bytes = new Uint8ClampedArray(width * height * 4);
    renderer.readRenderTargetPixels(into, 0, 0, width, height, bytes);
    renderer.setRenderTarget(null);
    into.dispose();
    release(built);
    current?.root.add(current.place); // if it is the same
    const picture = new ImageData(width, height);
    for (let y = 0; y < height; y += 1) picture.data.set(bytes.subarray(4 * width * y, 4 * width * (y + 1)), 4 * width * (height - 1 - y));
    target.getContext('2d').putImageData(picture, 0, 0);
    invalidate();
  }

  return {
    canvas, show, setPose, moveTo, snapshot, software,
    pose: () => pose,
    dispose() {
      observer.disconnect();
      clearTimeout(resting);
      cancelAnimationFrame(asked);
      if (current) release(current);
      for (const { group } of places.values()) dispose(group);
      renderer.dispose();
    },
  };
}

// Whether a machine draws without a GPU; without an argument, in a canvas of its own.
function isSoftware(context = document.createElement('canvas').getContext('webgl2')) {
  const about = context?.getExtension('WEBGL_debug_renderer_info');
  return !context || SOFTWARE.test(context.getParameter(about ? about.UNMASKED_RENDERER_WEBGL : context.RENDERER));
}

// Meshes of the place are kept for the next scene.
function release({ root, place }) {
  root.remove(place);
  dispose(root);
}

function dispose(node) {
  node.traverse((one) => {
    one.geometry?.dispose();
    if (one.material) {
      one.material.map?.dispose();
      one.material.dispose();
    }
  });
}

/** Return a scene: {scene, root, place, follow}. Items, the guide line and the outline are those that the server named. */
async function buildScene(THREE, scene, { minFilter, anisotropy, distance }, places) {
  const root = new THREE.Scene();
  const names = new Set(scene.items.map(({ item }) => item));
  if (scene.outline) names.add(scene.outline.item);
  const url = placeUrl(scene);
  const [place, ...items] = await Promise.all([url, ...[...names].map(itemUrl)].map(model));
  const itemOf = new Map([...names].map((name, k) => [name, items[k]]));
  if (!places.has(url)) places.set(url, buildPlace(THREE, place, scene.place === 'city', { minFilter, anisotropy }));
  const { group, chunks, light, background, look } = places.get(url);
  root.add(group);
  for (const one of scene.items) {
    const heading = scene.place === 'room' ? ROOM_FACING : GRID_HEADING + 90 * one.facing;
    for (const part of itemOf.get(one.item).parts) {
      const mesh = meshOf(THREE, part, light, heading, look);
      mesh.position.set(...pointOf(one));
      root.add(mesh);
    }
  }
  if (scene.outline) root.add(outlineOf(THREE, itemOf.get(scene.outline.item), scene.outline));
  if (scene.line) root.add(lineOf(THREE, scene.line));
  if (scene.target) root.add(floatingArrow(THREE, scene.target));
  root.background = new THREE.Color(...background);
  let sky = null;
  if (scene.place === 'city') {
    sky = skyOf(THREE, light.at(place.extras.light.zenith), background);
    root.add(sky);
  }
  // What is near is drawn first, so that what it hides costs little.
  function follow({ position: at }) {
    sky?.position.copy(at);
    for (const chunk of chunks) {
      const { center, radius } = chunk.geometry.boundingSphere;
      const away = Math.max(Math.hypot(center.x + chunk.position.x - at.x, center.z + chunk.position.z - at.z) - radius, 0);
      chunk.visible = away < chunk.userData.reach * distance;
      chunk.renderOrder = away / REACH.city;
    }
  }
  return { scene, root, place: group, follow };
}

/** Return what stands always: {group, chunks, light, background, look}. Chunks are shown where they are in view. */
function buildPlace(THREE, place, hazy, sampling) {
  const light = makeLight(place.extras.light);
  const background = light.at(place.extras.light.horizon);
  const uniforms = { haze: { value: hazy ? place.extras.light.fog : 0 }, horizon: { value: new THREE.Color(...background) } };
  const look = (picture) => materialOf(THREE, picture, sampling, uniforms);
  const group = new THREE.Group();
  const chunks = [];
  for (const part of place.parts) {
    const mesh = meshOf(THREE, part.name === 'ground' ? divided(part) : part, light, 0, look);
    if (part.name !== 'things') group.add(mesh);
    else chunks.push(...chunksOf(THREE, mesh));
  }
  if (chunks.length) group.add(...chunks);
  return { group, chunks, light, background, look };
}

/** Return the meshes of a large mesh by squares of the ground and sizes of triangles; they share its corners. */
function chunksOf(THREE, mesh) {
  const { attributes, index } = mesh.geometry;
  const at = attributes.position.array;
  const sorted = new Map(); // square and size -> corners of triangles
  for (let k = 0; k < index.count; k += 3) {
    const low = [Infinity, Infinity, Infinity];
    const high = [-Infinity, -Infinity, -Infinity];
    for (let corner = 0; corner < 3; corner += 1) {
      for (let axis = 0; axis < 3; axis += 1) {
        const value = at[3 * index.array[k + corner] + axis];
        if (value < low[axis]) low[axis] = value;
        if (value > high[axis]) high[axis] = value;
      }
    }
    const size = Math.max(high[0] - low[0], high[1] - low[1], high[2] - low[2]);
    const detail = DETAILS.findIndex(([most]) => size < most);
    const key = `${Math.floor((low[0] + high[0]) / 2 / CHUNK)} ${Math.floor((low[2] + high[2]) / 2 / CHUNK)} ${detail}`;
    if (!sorted.has(key)) sorted.set(key, { detail, corners: [], low: [...low], high: [...high] });
    const chunk = sorted.get(key);
    chunk.corners.push(index.array[k], index.array[k + 1], index.array[k + 2]);
    for (let axis = 0; axis < 3; axis += 1) {
      chunk.low[axis] = Math.min(chunk.low[axis], low[axis]);
      chunk.high[axis] = Math.max(chunk.high[axis], high[axis]);
    }
  }
  return [...sorted.values()].map(({ detail, corners, low, high }) => {
    const geometry = new THREE.BufferGeometry();
    for (const [name, attribute] of Object.entries(attributes)) geometry.setAttribute(name, attribute);
    geometry.setIndex(new THREE.BufferAttribute(new Uint32Array(corners), 1));
    geometry.boundingSphere = new THREE.Box3(new THREE.Vector3(...low), new THREE.Vector3(...high)).getBoundingSphere(new THREE.Sphere());
    const chunk = new THREE.Mesh(geometry, mesh.material);
    chunk.position.copy(mesh.position);
    chunk.userData.reach = DETAILS[detail][1];
    return chunk;
  });
}

// How the renderer's light falls on surfaces: the sun, and the sky and the ground by how far a surface faces up. Pictures
// hold colours as they are shown, about the square root of what a surface reflects, so the root of the light goes with them.
function makeLight({ sun: [east, north, up], sun_colour: sun, above, below }) {
  const towards = [east, up, -north];
  const shown = (rgb) => rgb.map((value) => Math.sqrt(Math.max(value, 0)));
  return {
    at: (rgb) => shown(rgb).map((value) => Math.min(value, 1)),
    on(x, y, z, out, k) {
      const facing = Math.max(x * towards[0] + y * towards[1] + z * towards[2], 0);
      const share = 0.5 + 0.5 * y;
      for (let c = 0; c < 3; c += 1) out[k + c] = Math.sqrt(sun[c] * facing + below[c] + (above[c] - below[c]) * share);
    },
  };
}

function materialOf(THREE, picture, sampling, uniforms) {
  const map = new THREE.Texture(picture);
  Object.assign(map, { ...sampling, flipY: false, colorSpace: THREE.NoColorSpace, needsUpdate: true });
  map.wrapS = map.wrapT = THREE.ClampToEdgeWrapping;
  const material = new THREE.RawShaderMaterial({ glslVersion: THREE.GLSL3, vertexShader: VERTEX, fragmentShader: FRAGMENT, uniforms: { ...uniforms, map: { value: map } } });
  material.map = map; // to be released with it
  return material;
}

/** Return the square of the ground as many small ones. */
function divided(part) {
  const corners = [0, 1, 3].map((k) => [0, 1, 2].map((axis) => part.position.array[k * part.position.width + axis]));
  const views = [0, 1, 3].map((k) => [0, 1].map((axis) => part.uv.array[k * part.uv.width + axis] * part.uv.scale));
  const [n, position, uv, normal, index] = [GROUND_SQUARES, [], [], [], []];
  const mix = ([at, along, up], u, v) => at.map((value, axis) => value + (along[axis] - value) * u + (up[axis] - value) * v);
  for (let row = 0; row <= n; row += 1) {
    for (let column = 0; column <= n; column += 1) {
      position.push(...mix(corners, column / n, row / n));
      uv.push(...mix(views, column / n, row / n));
      normal.push(0, 1, 0);
      const k = row * (n + 1) + column;
      if (row < n && column < n) index.push(k, k + 1, k + n + 2, k, k + n + 2, k + n + 1);
    }
  }
  const array = (values, width) => ({ array: new Float32Array(values), width, scale: 1 });
  return { ...part, position: array(position, 3), uv: array(uv, 2), normal: array(normal, 3), index: new Uint32Array(index) };
}

function meshOf(THREE, part, light, heading, look) {
  const { position, normal, uv, index, picture, offset } = part;
  const count = position.array.length / position.width;
  const [sine, cosine] = [Math.sin(-radians(heading)), Math.cos(-radians(heading))];
  const colours = new Float32Array(3 * count);
  for (let k = 0; k < count; k += 1) {
    const [x, y, z] = [0, 1, 2].map((c) => normal.array[k * normal.width + c] * normal.scale);
    light.on(cosine * x + sine * z, y, -sine * x + cosine * z, colours, 3 * k);
  }
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute('position', new THREE.BufferAttribute(position.array, 3));
  geometry.setAttribute('uv', new THREE.BufferAttribute(uv.array, 2, uv.scale !== 1));
  geometry.setAttribute('color', new THREE.BufferAttribute(colours, 3));
  geometry.setIndex(new THREE.BufferAttribute(index, 1));
  const mesh = new THREE.Mesh(geometry, look(picture));
  mesh.position.set(...offset);
  mesh.rotation.y = -radians(heading);
  return mesh;
}

// The item where it belongs, as a dark shape that one sees through.
function outlineOf(THREE, { parts }, outline) {
  const group = new THREE.Group();
  const material = new THREE.MeshBasicMaterial({ color: 0x000000, transparent: true, opacity: OUTLINE_OPACITY, depthWrite: false });
  for (const { position, index } of parts) {
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute('position', new THREE.BufferAttribute(position.array, 3));
    geometry.setIndex(new THREE.BufferAttribute(index, 1));
    group.add(new THREE.Mesh(geometry, material));
  }
  group.position.set(...pointOf(outline));
  group.rotation.y = -radians(ROOM_FACING);
  return group;
}

// The way that a writer walks: a band on the ground with a ball at every metre.
function lineOf(THREE, line) {
  const group = new THREE.Group();
  const material = new THREE.MeshBasicMaterial({ color: new THREE.Color().setHex(LINE_COLOUR, THREE.LinearSRGBColorSpace) });
  const balls = new THREE.InstancedMesh(new THREE.SphereGeometry(0.11, 10, 6), material, line.length);
  line.forEach(([east, north], k) => balls.setMatrixAt(k, new THREE.Matrix4().makeTranslation(east, 0.14, -north)));
  balls.frustumCulled = false;
  group.add(balls);
  for (let k = 1; k < line.length; k += 1) {
    const [[x0, y0], [x1, y1]] = [line[k - 1], line[k]];
    const band = new THREE.Mesh(new THREE.BoxGeometry(0.16, 0.02, Math.hypot(x1 - x0, y1 - y0)), material);
    band.position.set((x0 + x1) / 2, 0.05, -(y0 + y1) / 2);
    band.rotation.y = -Math.atan2(x1 - x0, y1 - y0);
    group.add(band);
  }
  return group;
}

function floatingArrow(THREE, target) {
  const arrow = new THREE.Mesh(new THREE.ConeGeometry(0.3, 0.7, 12), new THREE.MeshBasicMaterial({ color: new THREE.Color().setHex(LINE_COLOUR, THREE.LinearSRGBColorSpace) }));
  const [x, , z] = pointOf(target);
  arrow.position.set(x, 1.75, z);
  arrow.rotation.x = Math.PI;
  return arrow;
}

// A half sphere from the horizon's colour to the zenith's, around the camera.
function skyOf(THREE, zenith, horizon) {
  const geometry = new THREE.SphereGeometry(REACH.city * 0.9, 24, 12);
  const { array } = geometry.getAttribute('position');
  const colours = new Float32Array(array.length);
  for (let k = 0; k < array.length; k += 3) {
    const share = Math.sqrt(Math.max(array[k + 1] / (REACH.city * 0.9), 0));
    for (let c = 0; c < 3; c += 1) colours[k + c] = horizon[c] + (zenith[c] - horizon[c]) * share;
  }
  geometry.setAttribute('color', new THREE.BufferAttribute(colours, 3));
  const sky = new THREE.Mesh(geometry, new THREE.RawShaderMaterial({ glslVersion: THREE.GLSL3, vertexShader: SKY_VERTEX, fragmentShader: SKY_FRAGMENT, side: THREE.BackSide, depthWrite: false }));
  sky.renderOrder = 2; // after what hides it
  return sky;
}
