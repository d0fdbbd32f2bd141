// A unit of work and the server: each action is stored when it happens, in order, and sent again until the server has answered.

import { el, setContent } from '../shared/dom.js';

const HEARTBEAT = 30_000; // milliseconds
const FIRST_WAIT = 500;
const LONGEST_WAIT = 15_000;
const PATIENCE = 30_000; // milliseconds until a request is sent again
const NO_LONGER_OURS = [401, 404, 409];
const STATUS_TEXTS = { saved: 'saved', saving: 'saving …', failing: 'server error, retrying', offline: 'offline, retrying', lost: 'not saved' };

/** The server's refusal of a request; `status` is its HTTP status. */
export class RequestError extends Error {
  constructor(message, status) {
    super(message);
    this.name = 'RequestError';
    this.status = status;
  }
}

/** Return the unit of the page: {attempt, token, kind, project, platform, events, view}. */
export function embeddedUnit() {
  return JSON.parse(document.getElementById('unit').textContent);
}

/** Return what is said of a stored answer; people of a platform get one code at the end of all, not one for each answer. */
export function storedText(unit, code) {
  return unit.platform ? 'Your answer is stored.' : ['Your answer is stored. Completion code: ', el('code', { class: 'code' }, code)];
}

async function request(url, options) {
  const response = await fetch(url, { credentials: 'same-origin', ...options, signal: AbortSignal.timeout(PATIENCE) });
  const text = await response.text();
  const content = text ? parseJson(text) : null;
  if (response.ok && content !== undefined) return content;
  throw new RequestError(detailOf(content) ?? `The server answered ${response.status}.`, response.ok ? 502 : response.status);
}

function parseJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function detailOf(content) {
  if (typeof content?.detail === 'string') return content.detail;
  // The fields that a request should have had.
  if (Array.isArray(content?.detail)) return content.detail.map((row) => `${(row.loc ?? []).join('.')}: ${row.msg}`).join('; ');
  return null;
}

// Without an answer, or with one that says that the server is in trouble, the same request may succeed later.
function mayPass(error) {
  return !(error instanceof RequestError) || error.status >= 500 || error.status === 429 || error.status === 408;
}

// Why a request that may pass is sent again: the server answered with an error, or nothing was answered.
function troubleOf(error) {
  return error instanceof RequestError ? 'failing' : 'offline';
}

function pause(milliseconds) {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      window.removeEventListener('online', done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    window.addEventListener('online', done);
  });
}

async function untilAnswered(ask, onfailure = () => {}) {
  for (let wait = FIRST_WAIT; ; wait = Math.min(wait * 2, LONGEST_WAIT)) {
    try {
      return await ask();
    } catch (error) {
      if (!mayPass(error)) throw error;
      onfailure(error);
      await pause(wait * (0.75 + 0.5 * Math.random()));
    }
  }
}

/** Get JSON; asks again until the server has answered. Throws RequestError if it refuses. */
export function getJson(url) {
  return untilAnswered(() => request(url, {}));
}

/** Post JSON once; throws RequestError if the server refuses, and TypeError or DOMException without an answer. */
export function postJson(url, content = {}) {
  return request(url, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(content) });
}

/** Claim the next unit of a project, and go there; returns the reason if there is none. */
export async function claimNext(project, kinds = null) {
  const claimed = await untilAnswered(() => postJson(`/api/projects/${encodeURIComponent(project)}/claim`, kinds ? { kinds } : {}));
  if (!claimed.url) return claimed.reason;
  location.assign(claimed.url);
  return null;
}

// One key for all tries to submit an attempt, also after the page was loaded again. Browsers may forbid the storage.
function submitKey(attempt) {
  const name = `bearleft.submit.${attempt}`;
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const fresh = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  try {
    const key = sessionStorage.getItem(name) ?? fresh;
    sessionStorage.setItem(name, key);
    return key;
  } catch {
    return fresh;
  }
}

/**
 * Open the unit of the page: {...unit, send, submit, giveBack, status, close}.
 *
 * options:
 *   unit         default: the one that is embedded in the page
 *   statusNode   shows the status, such as "saved" or "offline, retrying" (default: #saving)
 *   messageNode  shows why nothing can be saved any more (default: #message)
 *   onstatus(status, message)  "saved", "saving", "failing", "offline" or "lost"
 */
export function openAttempt({ unit = embeddedUnit(), statusNode = document.getElementById('saving'), messageNode = document.getElementById('message'), onstatus = () => {} } = {}) {
  const base = `/api/attempts/${encodeURIComponent(unit.attempt)}`;
  const key = submitKey(unit.attempt);
  let number = unit.events;
  let last = Promise.resolve(); // what was asked last; everything is asked in order
  let waiting = 0;
  let status = 'saved';
  let loss = null;
  let submission = null;
  let over = false; // the answer is stored, or the unit given back
  const end = () => { over = true; };
  const unanswered = () => new Promise(() => {});

  function setStatus(name, message = '') {
    if (name === status) return;
    status = name;
    if (statusNode) {
      statusNode.textContent = STATUS_TEXTS[name];
      statusNode.dataset.state = name;
    }
    onstatus(name, message);
  }

  function lose(error) {
    if (loss) return;
    loss = error;
    clearInterval(heart);
    setStatus('lost', error.message);
    if (!messageNode) return;
    const next = unit.project ? `/next/${encodeURIComponent(unit.project)}` : '/';
    messageNode.hidden = false;
    setContent(messageNode, 'This page can no longer save what you do. ', error.message, ' What was saved before is not lost. ',
      el('button', { type: 'button', class: 'button', onclick: () => location.reload() }, 'Load again'), ' ', el('a', { class: 'button', href: next }, 'Go to the next task'));
  }

  // Ask after everything that was asked before; `content` is called then. What comes after the end is not sent, and stays without an answer.
  function ask(path, content, onanswer = () => {}) {
    if (over) return unanswered();
    let sent = true;
    waiting += 1;
    if (!loss) setStatus(['failing', 'offline'].includes(status) ? status : 'saving');
    const answer = last.then(async () => {
      if (loss) throw loss;
      sent = !over;
      if (over) return null;
      const body = content();
      const answered = await untilAnswered(() => (loss ? Promise.reject(loss) : postJson(`${base}/${path}`, { token: unit.token, ...body })), (error) => !loss && setStatus(troubleOf(error)));
      onanswer(answered);
      return answered;
    });
    const settled = () => {
      waiting -= 1;
      if (!loss) setStatus(waiting ? 'saving' : 'saved');
    };
    last = answer.then(settled, (error) => {
      if (NO_LONGER_OURS.includes(error.status)) lose(error);
      settled();
    });
    // Whoever gets the answer finds the new status.
    return last.then(() => (sent ? answer : unanswered()));
  }

  async function beat() {
    if (loss || submission || over) return;
    try {
      await postJson(`${base}/heartbeat`, { token: unit.token });
      if (!waiting && !loss) setStatus('saved');
    } catch (error) {
      if (submission || over) return;
      if (NO_LONGER_OURS.includes(error.status)) lose(error);
      else if (mayPass(error) && !loss) setStatus(troubleOf(error));
    }
  }
  const heart = setInterval(beat, HEARTBEAT);
  // Timers of a page in the background stand still.
  const onVisible = () => document.visibilityState === 'visible' && beat();
  document.addEventListener('visibilitychange', onVisible);

  const onLeave = (event) => {
    if (waiting && !loss) event.preventDefault();
  };
  window.addEventListener('beforeunload', onLeave);

  function close() {
    clearInterval(heart);
    document.removeEventListener('visibilitychange', onVisible);
    window.removeEventListener('beforeunload', onLeave);
  }

  return {
    ...unit,
    /**
     * Send an action; resolves to its result, rejects with RequestError if the server refuses it. Behind an answer that is
     * on its way it waits: if the answer is stored, it is not sent and never resolves.
     */
    async send(kind, data = {}) {
      const { result } = await ask('events', () => ({ number, kind, data }), () => { number += 1; });
      return result;
    },
    /** Submit the answer; resolves to {answer, code, accepted, feedback}. Asked twice, it is sent once, unless the server refused it. */
    submit(data = {}) {
      submission ??= ask('submit', () => ({ key, data }), end).then((answer) => {
        close();
        return answer;
      }, (error) => {
        submission = null;
        throw error;
      });
      return submission;
    },
    /** Give the unit back, so that somebody else gets it. */
    async giveBack() {
      await ask('return', () => ({}), end);
      close();
    },
    status: () => status,
    close,
  };
}
