import { wellFormed } from './dom.js';

// What the file holds: the head at once, rows after the first paint, grounds and pictures when they are looked at.

const KEPT = 400;

/** Scores, pairs, groups: small, and there before the script. */
export const head = JSON.parse(document.getElementById('head').textContent);

let decoding = null;
let byId = null;
const grounds = new Map();
const urls = new Map();
const waiting = new Set();
let ticking = 0;

/** All examples, decoded once. */
export function rows() {
  decoding ??= block('rows').then(unpack);
  return decoding;
}

/** The marks of a world's map: {marks: [...]}; none where the file has none. */
export function ground(world) {
  if (!grounds.has(world)) grounds.set(world, block(`g${world}`).then(unpack, () => ({ marks: [] })));
  return grounds.get(world);
}

/** An object URL of a picture; the oldest are given back, so that a long walk through a report stays small. */
export function picture(id) {
  const kept = urls.get(id) ?? block(`p${id}`).then((text) => URL.createObjectURL(new Blob([bytes(text)], { type: 'image/webp' })));
  urls.delete(id);
  urls.set(id, kept);
  kept.catch(() => urls.delete(id));
  if (urls.size > KEPT) forget(urls.keys().next().value);
  return kept;
}

function forget(id) {
  const old = urls.get(id);
  urls.delete(id);
  old.then((url) => URL.revokeObjectURL(url), () => {});
}

/** Where in rows.examples an example stands, -1 where there is none. Rows must have been decoded. */
export function exampleIndex(dataset, id) {
  return byId?.get(`${dataset}/${wellFormed(id)}`) ?? -1;
}

/** Base64 as bytes. */
export function bytes(text) {
  const binary = atob(text.trim());
  const out = new Uint8Array(binary.length);
  for (let i = 0; i < out.length; i += 1) out[i] = binary.charCodeAt(i);
  return out;
}

async function unpack(text) {
  const stream = new Blob([bytes(text)]).stream().pipeThrough(new DecompressionStream('gzip'));
  const read = JSON.parse(await new Response(stream).text());
  if (read.examples) byId = new Map(read.examples.map((example, i) => [`${example.dataset}/${wellFormed(example.id)}`, i]));
  return read;
}

// A block is whole when something stands behind it, or when the file has been read to its end: until then the parser
// may still be appending to it.
function whole(id) {
  const node = document.getElementById(id);
  if (node && (node.nextSibling || document.readyState !== 'loading')) return node.textContent;
  return null;
}

function block(id) {
  return new Promise((resolve, reject) => {
    const job = { id, resolve, reject };
    if (settle(job)) return;
    waiting.add(job);
    ticking ||= setInterval(tick, 120);
  });
}

function settle(job) {
  const text = whole(job.id);
  if (text !== null) job.resolve(text);
  else if (document.readyState !== 'loading') job.reject(new Error(`The report has no part ${job.id}.`));
  else return false;
  return true;
}

function tick() {
  for (const job of waiting) if (settle(job)) waiting.delete(job);
  if (waiting.size) return;
  clearInterval(ticking);
  ticking = 0;
}
