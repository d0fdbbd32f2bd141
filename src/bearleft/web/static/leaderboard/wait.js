// Load the page again once the submission is scored.

const state = document.getElementById('state').dataset.state;
let delay = 1000;

async function look() {
  try {
    const response = await fetch(`${location.pathname}/state`, { headers: { Accept: 'application/json' } });
    if (response.ok && (await response.json()).state !== state) {
      location.reload();
      return;
    }
  } catch {
    // The next look may succeed.
  }
  delay = Math.min(delay * 1.3, 15000);
  setTimeout(look, delay);
}

setTimeout(look, delay);
