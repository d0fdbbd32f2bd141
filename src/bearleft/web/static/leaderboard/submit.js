// Send the files of a submission one after the other, with progress, and then the submission itself. The key of the form makes sure that pressing the
// button again after an interruption submits nothing twice; the server keeps files that have arrived.

const form = document.getElementById('submit');
const field = (id) => document.getElementById(id);
const button = form.querySelector('button');
const base = `/leaderboard/${encodeURIComponent(form.dataset.track)}`;

function say(text) {
  field('message').hidden = !text;
  field('message').textContent = text;
}

function showProgress(text, part) {
  field('sending').hidden = !text;
  field('sending-text').textContent = text;
  field('progress').value = part;
}

// One row for each file, with its seed.
field('files').addEventListener('change', () => {
  say('');
  const rows = [...field('files').files].map((file, number) => {
    const row = document.createElement('li');
    const label = document.createElement('label');
    label.className = 'field inline';
    const seed = document.createElement('input');
    Object.assign(seed, { type: 'number', min: 0, step: 1, value: number, required: true });
    seed.className = 'seed box';
    const word = document.createElement('span');
    word.textContent = 'Seed';
    label.append(word, seed, `${file.name} (${(file.size / 1e6).toFixed(1)} MB)`);
    row.append(label);
    return row;
  });
  field('chosen').replaceChildren(...rows);
  field('chosen').hidden = rows.length < 2;
});

function send(method, url, body, type, onProgress) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open(method, url);
    request.responseType = 'json';
    request.setRequestHeader('Content-Type', type);
    request.setRequestHeader('Accept', 'application/json');
    request.setRequestHeader('X-Form-Token', form.dataset.token);
    if (onProgress) request.upload.addEventListener('progress', (event) => onProgress(event.loaded));
    request.addEventListener('load', () => {
      if (request.status >= 200 && request.status < 300 && request.response) resolve(request.response);
      else reject(new Error(request.response?.detail ?? `The server answered with ${request.status}.`));
    });
    request.addEventListener('error', () => reject(new Error('The connection broke. Press Submit again: what has arrived is kept.')));
    request.send(body);
  });
}

async function submitAll() {
  const files = [...field('files').files];
  if (files.length > Number(form.dataset.most)) throw new Error(`expected at most ${form.dataset.most} files, got ${files.length}.`);
  const seeds = [...form.querySelectorAll('.seed')].map((input) => Number(input.value));
  if (new Set(seeds).size < seeds.length) throw new Error('expected another seed for each file, got one twice.');
  const all = files.reduce((sum, file) => sum + file.size, 0) || 1;
  let before = 0;
  const rows = [];
  for (const [number, file] of files.entries()) {
    const show = (sent) => showProgress(sent < file.size ? `Sending ${file.name} …` : `Checking ${file.name} …`, (before + sent) / all);
    show(0);
    const stored = await send('PUT', `${base}/files`, file, 'application/octet-stream', show);
    rows.push({ seed: seeds[number] ?? 0, sha256: stored.sha256 });
    before += file.size;
  }
  const texts = Object.fromEntries(['title', 'cost', 'code_url', 'paper_url', 'note'].map((id) => [id, field(id).value.trim()]));
  const tags = [...form.querySelectorAll('[name=tag]:checked')].map((box) => box.value);
  const body = JSON.stringify({ ...texts, tags, files: rows, key: form.dataset.key });
  return send('POST', `${base}/submissions`, body, 'application/json');
}

form.addEventListener('submit', async (event) => {
  event.preventDefault();
  say('');
  button.disabled = true;
  try {
    const submission = await submitAll();
    location.assign(`${base}/entries/${submission.id}?said=submitted`);
  } catch (error) {
    showProgress('', 0);
    say(error.message);
    button.disabled = false;
  }
});
