// The data in the HTML file: the summary is parsed at once, the examples after the first paint, maps and pictures on demand.

import { wellFormed } from './dom.js';

const MAX_PICTURE_URLS = 400;

/** Datasets, agents, metrics, scores, paired tests, groups and notes. */
export const summary = JSON.parse(document.getElementById('summary').textContent);

let reportPromise = null;
let exampleIndices = null;
const mapPromises = new Map();
const pictureUrls = new Map();
const pendingBlocks = new Set();
let pollTimer = 0;

/** Return a promise of {examples, places}, decoded once. */
export function loadReport() {
  reportPromise ??= readBlock('examples').then(decodeBlock);
  return reportPromise;
}

/** Return a promise of a world's map {marks: [...]}, empty if the file has none. */
export function loadMap(world) {
  if (!mapPromises.has(world)) mapPromises.set(world, readBlock(`map${world}`).then(decodeBlock, () => ({ marks: [] })));
  return mapPromises.get(world);
}

/** Return a promise of a picture's object URL; the oldest URLs are revoked to limit memory. */
export function pictureUrl(id) {
  const url = pictureUrls.get(id) ?? readBlock(`picture${id}`).then((text) => URL.createObjectURL(new Blob([decodeBase64(text)], { type: 'image/webp' })));
  pictureUrls.delete(id);
  pictureUrls.set(id, url);
  url.catch(() => pictureUrls.delete(id));
  if (pictureUrls.size > MAX_PICTURE_URLS) revokePicture(pictureUrls.keys().next().value);
  return url;
}

/** Load a picture as an image. */
export async function loadPicture(id) {
  const image = new Image();
  image.src = await pictureUrl(id);
  await image.decode();
  return image;
}

function revokePicture(id) {
  const promise = pictureUrls.get(id);
  pictureUrls.delete(id);
  promise.then((url) => URL.revokeObjectURL(url), () => {});
}

/** Return the index of an example, or -1. The report must have been loaded. */
export function exampleIndex(dataset, id) {
  return exampleIndices?.get(`${dataset}/${wellFormed(id)}`) ?? -1;
}

/** Decode base64 to bytes. */
export function decodeBase64(text) {
  const binary = atob(text.trim());
  const decoded = new Uint8Array(binary.length);
  for (let i = 0; i < decoded.length; i += 1) decoded[i] = binary.charCodeAt(i);
  return decoded;
}

async function decodeBlock(text) {
  const stream = new Blob([decodeBase64(text)]).stream().pipeThrough(new DecompressionStream('gzip'));
  const value = JSON.parse(await new Response(stream).text());
  if (value.examples) exampleIndices = new Map(value.examples.map((example, i) => [`${example.dataset}/${wellFormed(example.id)}`, i]));
  return value;
}

// A block is complete if a node follows it or the file has been parsed: until then the parser may still append to it.
function completeText(id) {
  const node = document.getElementById(id);
  if (node && (node.nextSibling || document.readyState !== 'loading')) return node.textContent;
  return null;
}

function readBlock(id) {
  return new Promise((resolve, reject) => {
    const request = { id, resolve, reject };
    if (settleBlock(request)) return;
    pendingBlocks.add(request);
    pollTimer ||= setInterval(pollBlocks, 120);
  });
}

function settleBlock(request) {
  const text = completeText(request.id);
  if (text !== null) request.resolve(text);
  else if (document.readyState !== 'loading') request.reject(new Error(`The report has no part ${request.id}.`));
  else return false;
  return true;
}

function pollBlocks() {
  for (const request of pendingBlocks) if (settleBlock(request)) pendingBlocks.delete(request);
  if (pendingBlocks.size) return;
  clearInterval(pollTimer);
  pollTimer = 0;
}
