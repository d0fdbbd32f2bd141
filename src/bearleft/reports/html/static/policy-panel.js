// What an agent's network computed at a step: the probability of each action, attention over views and over words.
// Weights are bytes relative to the largest of their step; a share is a weight divided by the sum of its step.

import { el, formatNumber, nameElement, setContent, svg } from './dom.js';
import { decodeBase64 } from './report-data.js';
import { traceLabel } from './trace-rows.js';

const POLICY_ACTIONS = ['forward', 'left', 'right', 'stop']; // the order of the probabilities; policies of ArraMon have names of their own
const VIEW_NAMES = ['ahead', 'ahead right', 'right', 'behind right', 'behind', 'behind left', 'left', 'ahead left'];
const TOP_WORDS = 5;
const [INNER_RADIUS, OUTER_RADIUS] = [23, 50]; // of the ring of views, in units of its drawing
const MAX_LABELLED_VIEWS = 12;
const [GROUND_TOP, GROUND_BOTTOM] = [17, 25]; // degrees below the horizon: the ring on the ground of a panorama
const [OVERLAY_WIDTH, OVERLAY_HEIGHT] = [1080, 540];
const decodedPolicies = new WeakMap();

// Decode the weights of a leg: {spans, names, steps: [{probabilities, action, words, views}]}.
function decodePolicy(policy) {
  if (decodedPolicies.has(policy)) return decodedPolicies.get(policy);
  const spans = policy.spans ?? [];
  const [words, views] = [policy.words, policy.views].map((text) => decodeBase64(text ?? ''));
  const count = policy.probabilities.length;
  const rows = (bytes, k) => Array.from(bytes.subarray((k * bytes.length) / count, ((k + 1) * bytes.length) / count));
  const steps = policy.probabilities.map((probabilities, k) => ({ probabilities, action: policy.actions[k], words: rows(words, k), views: rows(views, k) }));
  decodedPolicies.set(policy, { spans, steps, names: policy.names ?? POLICY_ACTIONS });
  return decodedPolicies.get(policy);
}

/** Return the share of each weight. */
export function attentionShares(weights) {
  const sum = weights.reduce((a, b) => a + b, 0);
  return weights.map((weight) => (sum ? weight / sum : 0));
}

function percentText(share) {
  return `${formatNumber(100 * share, 0)} %`;
}

function viewName(k, count) {
  const degrees = (360 * k) / count;
  if (degrees % 45 === 0) return VIEW_NAMES[degrees / 45];
  return degrees < 180 ? `${formatNumber(degrees, 0)}° right` : `${formatNumber(360 - degrees, 0)}° left`;
}

/**
 * Return the panel of the followed agent's decisions, or null if no agent has any:
 * {node, update(trace, step) -> {spans, words} | null, describe(trace, step), overlay(trace, step, heading)}.
 * With ontoggle there is a switch for attention on the panorama, which calls it.
 */
export function createPolicyPanel(example, legIndex, ontoggle) {
  const policyOf = (trace) => example.traces[trace]?.legs[legIndex]?.policy;
  const stepOf = (trace, step) => (policyOf(trace) ? decodePolicy(policyOf(trace)).steps[step] : undefined);
  if (!example.traces.some((_, trace) => policyOf(trace))) return null;
  const text = Array.from(example.legs[legIndex].text);
  const title = el('h3', {});
  const parts = el('div', { class: 'policyparts' });
  const ended = el('p', { class: 'soft small' }, 'The walk was cut off here after its last action, so there is no further decision.');
  const onPanorama = el('input', { type: 'checkbox', checked: true, onchange: ontoggle });
  const panoramaControl = ontoggle && el('label', { class: 'small soft policycontrol' }, onPanorama, ' views on the ground of the panorama');
  const node = el('section', { class: 'panel policy', 'aria-label': 'What the network computed' }, el('div', { class: 'policyhead' }, title, panoramaControl), parts, ended);

  return {
    node,
    update(trace, step) {
      const policy = policyOf(trace);
      node.hidden = !policy;
      if (!policy) return null;
      const computed = stepOf(trace, step);
      setContent(title, `Decision at step ${step} `, nameElement(traceLabel(example, example.traces[trace]), 'span', { class: 'soft' }));
      parts.hidden = !computed;
      ended.hidden = Boolean(computed);
      if (!computed) return null;
      const { spans, names } = decodePolicy(policy);
      setContent(parts, actionBars(computed, names), computed.views.length ? viewRing(computed.views) : null, spans.length ? topWords(text, spans, computed.words) : null);
      return spans.length ? { spans, words: computed.words } : null;
    },
    /** Describe a decision in words: ", chose left (87 %)"; '' if there is none. */
    describe(trace, step) {
      const computed = stepOf(trace, step);
      return computed && computed.action >= 0 ? `, chose ${decodePolicy(policyOf(trace)).names[computed.action]} (${percentText(computed.probabilities[computed.action])})` : '';
    },
    /** Return attention over views as a heat map of the viewer, a ring on the ground; null if there is none. */
    overlay(trace, step, heading) {
      const views = stepOf(trace, step)?.views ?? [];
      if (!onPanorama.checked || !views.length || !Number.isFinite(heading)) return null;
      // The first column of a heat map is opposite its yaw; the first sector begins half a sector left of the heading.
      return { canvas: groundRing(views), yaw: heading - 180 / views.length + 180, opacity: 1 };
    },
  };
}

function actionBars({ probabilities, action }, names) {
  const rows = names.map((name, k) => el('li', { class: k === action ? 'chance chosen' : 'chance', dataset: { action: name } },
    el('span', {}, name), barElement(probabilities[k]), el('span', { class: 'share' }, percentText(probabilities[k])),
    el('span', { class: 'pick' }, k === action ? '◂ chosen' : '')));
  return el('div', {}, el('h4', {}, 'Probability of each action'), el('ul', { class: 'chances' }, rows));
}

function barElement(share) {
  return el('span', { class: 'sharebar', 'aria-hidden': 'true' }, el('i', { style: { width: `${100 * Math.min(share, 1)}%` } }));
}

function topWords(text, spans, words) {
  const shares = attentionShares(words);
  const wordAt = (k) => text.slice(...spans[k]).join('').trim();
  const order = [...shares.keys()].filter((k) => shares[k] > 0 && wordAt(k)).sort((a, b) => shares[b] - shares[a] || a - b).slice(0, TOP_WORDS);
  const highest = Math.max(...shares, 1e-9);
  const outside = shares.reduce((sum, share, k) => (wordAt(k) ? sum : sum + share), 0);
  const rows = order.map((k) => el('li', { class: 'chance', dataset: { token: k } }, nameElement(wordAt(k), 'span', { dir: 'auto' }), barElement(shares[k] / highest), el('span', { class: 'share' }, percentText(shares[k]))));
  return el('div', {}, el('h4', {}, 'Attention over words (shaded)'), el('ul', { class: 'chances words' }, rows),
    outside < 0.005 ? null : el('p', { class: 'soft small' }, `${percentText(outside)} on tokens that stand for no word`));
}

function viewRing(views) {
  const shares = attentionShares(views);
  const highest = Math.max(...views, 1);
  const order = [...shares.keys()].sort((a, b) => shares[b] - shares[a] || a - b);
  const words = order.slice(0, MAX_LABELLED_VIEWS).map((k) => `${viewName(k, views.length)} ${percentText(shares[k])}`).join(', ');
  const sectors = views.map((weight, k) => svg('path', { d: sectorPath(k, views.length), class: 'sector', 'fill-opacity': (0.85 * weight) / highest }));
  const labels = views.length > MAX_LABELLED_VIEWS ? [] : shares.map((share, k) => {
    const [x, y] = ringPoint((360 * k) / views.length, (INNER_RADIUS + OUTER_RADIUS) / 2);
    return share < 0.005 ? null : svg('text', { x, y }, formatNumber(100 * share, 0));
  });
  const ring = svg('svg', { class: 'viewring', viewBox: '-54 -66 108 120', role: 'img', 'aria-label': `Attention over views: ${words}` },
    svg('text', { x: 0, y: -59, class: 'ahead' }, 'ahead'), sectors, svg('path', { d: 'M0 -11 L8 9 L0 4 L-8 9 Z', class: 'walker' }), labels);
  const labelled = views.length <= MAX_LABELLED_VIEWS;
  return el('div', {}, el('h4', {}, `Attention over views${labelled ? ', %' : ''}`), ring,
    labelled ? null : el('p', { class: 'soft small' }, `most: ${viewName(order[0], views.length)}, ${percentText(shares[order[0]])}`));
}

// Return the point of the ring at an angle clockwise from ahead.
function ringPoint(degrees, radius) {
  const angle = (degrees * Math.PI) / 180;
  return [radius * Math.sin(angle), -radius * Math.cos(angle)].map((x) => x.toFixed(2));
}

function sectorPath(k, count) {
  const width = 360 / count;
  const pieces = Math.ceil(width / 5);
  const angles = Array.from({ length: pieces + 1 }, (_, i) => (k - 0.5) * width + (i * width) / pieces);
  const outline = [...angles.map((angle) => ringPoint(angle, OUTER_RADIUS)), ...angles.reverse().map((angle) => ringPoint(angle, INNER_RADIUS))];
  return `M${outline.map((point) => point.join(' ')).join('L')}Z`;
}

function groundRing(views) {
  const canvas = el('canvas', { width: OVERLAY_WIDTH, height: OVERLAY_HEIGHT });
  const context = canvas.getContext('2d');
  const highest = Math.max(...views, 1);
  const [top, bottom] = [GROUND_TOP, GROUND_BOTTOM].map((degrees) => ((90 + degrees) / 180) * OVERLAY_HEIGHT);
  const width = OVERLAY_WIDTH / views.length;
  context.lineWidth = 2;
  context.strokeStyle = 'rgba(255, 255, 255, 0.75)';
  for (const [k, weight] of views.entries()) {
    context.fillStyle = `rgba(245, 140, 10, ${(0.9 * weight) / highest})`;
    context.fillRect(k * width, top, width, bottom - top);
    context.strokeRect(k * width, top, width, bottom - top);
  }
  return canvas;
}
