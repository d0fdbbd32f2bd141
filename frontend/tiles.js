// Looks into a folder of tiles: tiles.html?tiles=FOLDER&place=&east=&north=&up=&heading=&pitch=&fov=&reach=
// Drag to turn, W and S to go, click to name a thing. `window.bearleft` is the same for programs.
import * as THREE from 'three';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
import { Light } from './light.js';

const asked = new URLSearchParams(location.search);
const number = (name, otherwise) => (asked.has(name) ? Number(asked.get(name)) : otherwise);
const label = document.querySelector('output');
const renderer = new THREE.WebGLRenderer({ antialias: true, preserveDrawingBuffer: true });
const scene = new THREE.Scene();
const camera = new THREE.PerspectiveCamera(60, 1, 0.1, 1500);
const pose = { fov: number('fov', 90), heading: number('heading', 0), pitch: number('pitch', 0) };
const things = new Map(); // instance -> { instance, class, parts }
let light;
document.body.prepend(renderer.domElement);

// Every instance in a colour of its own: its number plus 1 in red, green and blue (the sky is 0), its part in alpha.
const numbered = new THREE.ShaderMaterial({
  glslVersion: THREE.GLSL3,
  blending: THREE.NoBlending,
  vertexShader: `in float instance; in float part; flat out vec2 mark;
    void main() { mark = vec2( instance, part ); gl_Position = projectionMatrix * modelViewMatrix * vec4( position, 1.0 ); }`,
  fragmentShader: `flat in vec2 mark; out vec4 colour;
    void main() { uint n = uint( mark.x + 1.5 ); colour = vec4( n & 255u, n >> 8 & 255u, n >> 16, uint( mark.y + 0.5 ) ) / 255.0; }`,
});
const numbers = new THREE.WebGLRenderTarget(1, 1, { samples: 0, minFilter: THREE.NearestFilter, magFilter: THREE.NearestFilter });

function adopt(mesh) {
  const { instances, class_of, classes, parts } = mesh.userData;
  const given = mesh.geometry.getAttribute('_feature_id_0');
  const part = mesh.geometry.getAttribute('_feature_id_1');
  const count = mesh.geometry.getAttribute('position').count;
  const own = new Float32Array(count);
  if (given) for (let k = 0; k < count; k++) own[k] = instances[given.getX(k)];
  mesh.geometry.setAttribute('instance', new THREE.BufferAttribute(own, 1));
  mesh.geometry.setAttribute('part', part ?? new THREE.BufferAttribute(new Float32Array(count), 1));
  instances.forEach((instance, k) => things.set(instance, { instance, class: classes[class_of[k]], parts: parts[class_of[k]] }));
  const { map, emissive, emissiveMap } = mesh.material;
  map.anisotropy = 8;
  mesh.material = new THREE.MeshLambertMaterial({ map, emissive, emissiveMap });
  mesh.castShadow = mesh.receiveShadow = true;
  mesh.customDepthMaterial = light.shadow;
}

function farGround() {
  const ground = new THREE.Mesh(
    new THREE.PlaneGeometry(4000, 4000).rotateX(-Math.PI / 2),
    new THREE.MeshLambertMaterial({ color: new THREE.Color(0.2, 0.2, 0.19) }),
  );
  ground.position.y = -0.1;
  for (const name of ['instance', 'part']) ground.geometry.setAttribute(name, new THREE.BufferAttribute(new Float32Array(4), 1));
  return ground;
}

async function load() {
  const folder = new URL(asked.get('tiles') ?? 'tiles', location.href).href.replace(/\/?$/, '/');
  const list = await (await fetch(folder + 'tiles.json')).json();
  const place = asked.get('place') ?? Object.keys(list.places)[0];
  if (asked.has('place') && !list.places[place]) throw new Error(`no place ${place} in tiles.json`);
  const [west, south, , east, north] = list.tiles[0].bounds;
  const [x, y, heading] = list.places[place] ?? [(west + east) / 2, (south + north) / 2, 0];
  Object.assign(pose, { east: number('east', x), north: number('north', y), up: number('up', list.eye), heading: number('heading', heading) });
  light = new Light(scene, renderer, list.light);
  scene.add(farGround());
  const near = list.tiles.filter(({ bounds: [w, s, , e, n] }) => {
    const off = Math.hypot(Math.max(w - pose.east, pose.east - e, 0), Math.max(s - pose.north, pose.north - n, 0));
    return off <= number('reach', 300);
  });
  const loader = new GLTFLoader();
  await Promise.all(near.map(async ({ file }) => {
    const tile = (await loader.loadAsync(folder + file)).scene;
    tile.traverse((one) => one.isMesh && adopt(one));
    scene.add(tile);
  }));
  resize();
  return near.length;
}

// Looks from a pose as bearleft has it: metres east, north and up, degrees clockwise from north, degrees up, degrees across.
function look(given = {}) {
  Object.assign(pose, given);
  const [heading, pitch] = [THREE.MathUtils.degToRad(pose.heading), THREE.MathUtils.degToRad(pose.pitch)];
  camera.fov = THREE.MathUtils.radToDeg(2 * Math.atan(Math.tan(THREE.MathUtils.degToRad(pose.fov) / 2) / camera.aspect));
  camera.position.set(pose.east, pose.up, -pose.north);
  camera.rotation.set(pitch, -heading, 0, 'YXZ');
  camera.updateProjectionMatrix();
  light.follow(camera.position);
  renderer.render(scene, camera);
}

// Four bytes for each pixel from the lower left: see `numbered`.
function marks() {
  const { width, height } = renderer.getDrawingBufferSize(new THREE.Vector2());
  numbers.setSize(width, height);
  [scene.overrideMaterial, light.sky.visible] = [numbered, false];
  renderer.shadowMap.autoUpdate = false;
  renderer.setRenderTarget(numbers);
  renderer.setClearColor(0, 0);
  renderer.clear();
  renderer.render(scene, camera);
  renderer.setRenderTarget(null);
  renderer.shadowMap.autoUpdate = true;
  [scene.overrideMaterial, light.sky.visible] = [null, true];
  const bytes = new Uint8Array(width * height * 4);
  renderer.readRenderTargetPixels(numbers, 0, 0, width, height, bytes);
  return { width, height, bytes };
}

const instance = (bytes, k) => bytes[k] + 256 * bytes[k + 1] + 65536 * bytes[k + 2] - 1;

// The instance of every pixel, row by row from the upper left: -1 sky, 0 ground.
function instances() {
  const { width, height, bytes } = marks();
  return Array.from({ length: width * height }, (_, k) => instance(bytes, 4 * ((height - 1 - Math.floor(k / width)) * width + (k % width))));
}

// What a pixel shows: its instance, class and part.
function pick(x, y) {
  const { width, height, bytes } = marks();
  const scale = width / renderer.domElement.clientWidth;
  const k = 4 * ((height - 1 - Math.floor(y * scale)) * width + Math.floor(x * scale));
  const thing = things.get(instance(bytes, k));
  return thing ? { instance: thing.instance, class: thing.class, part: thing.parts[bytes[k + 3]] ?? '' } : { instance: -1, class: 'sky', part: '' };
}

// Instances as colours, to be looked at: the numbers' bits, well mixed.
function showInstances() {
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [renderer.domElement.width, renderer.domElement.height];
  const picture = canvas.getContext('2d').createImageData(canvas.width, canvas.height);
  instances().forEach((n, k) => {
    const mixed = Math.imul(n + 2, 2654435761) >>> 0;
    picture.data.set(n < 1 ? [n < 0 ? 255 : 90, n < 0 ? 255 : 90, n < 0 ? 255 : 90, 255] : [mixed >>> 24, mixed >>> 16 & 255, mixed >>> 8 & 255, 255], 4 * k);
  });
  canvas.getContext('2d').putImageData(picture, 0, 0);
  renderer.domElement.replaceWith(canvas);
}

function resize() {
  camera.aspect = innerWidth / innerHeight;
  renderer.setSize(innerWidth, innerHeight);
  look();
}

let pressed = null;
addEventListener('resize', resize);
renderer.domElement.addEventListener('pointerdown', (event) => { pressed = { x: event.clientX, y: event.clientY, ...pose }; });
addEventListener('pointermove', (event) => {
  if (!pressed || !event.buttons) return;
  const step = pose.fov / innerWidth;
  const pitch = Math.min(Math.max(pressed.pitch + (event.clientY - pressed.y) * step, -89), 89);
  look({ heading: pressed.heading - (event.clientX - pressed.x) * step, pitch });
});
renderer.domElement.addEventListener('click', (event) => {
  if (pressed && Math.hypot(event.clientX - pressed.x, event.clientY - pressed.y) > 4) return;
  const found = pick(event.clientX, event.clientY);
  label.textContent = `${found.class}${found.part && `, ${found.part}`} (${found.instance})`;
  label.dataset.instance = found.instance;
});
addEventListener('keydown', (event) => {
  const step = { w: 1, s: -1 }[event.key.toLowerCase()];
  if (!step) return;
  const heading = THREE.MathUtils.degToRad(pose.heading);
  look({ east: pose.east + step * Math.sin(heading), north: pose.north + step * Math.cos(heading) });
});

const ready = load().then((count) => (asked.get('mode') === 'instances' && showInstances(), count));
ready.catch((error) => { label.textContent = `No tiles: ${error.message}`; });
window.bearleft = { ready, pose, look, instances, pick };
