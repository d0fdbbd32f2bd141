// Send an archive to the server as it is, and say what became of it.

const form = document.getElementById('import');
const message = document.getElementById('message');
const button = form.querySelector('button');

function say(text) {
  message.hidden = !text;
  message.textContent = text;
}

form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const [file] = document.getElementById('file').files;
  if (!file) return;
  if (file.size > Number(form.dataset.most)) {
    say('This file is too large.');
    return;
  }
  say('');
  button.disabled = true;
  button.textContent = 'Importing …';
  try {
    const name = document.getElementById('name').value.trim();
    const response = await fetch(`/admin/import?name=${encodeURIComponent(name)}`, {
      method: 'POST', credentials: 'same-origin', body: file,
      headers: { 'Content-Type': 'application/gzip', 'X-Form-Token': form.dataset.token },
    });
    const content = await response.json();
    if (response.ok) location.assign(content.url);
    else say(content.detail);
  } catch {
    say('The server did not answer. Try again.');
  }
  button.disabled = false;
  button.textContent = 'Import';
});
