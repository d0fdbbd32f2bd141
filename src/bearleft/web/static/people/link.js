// The key of a private link stands after the #, which browsers send to no server; it is posted when the person says so.

const found = location.hash.match(/^#key=([0-9]+\.[0-9a-f]{64})$/);
if (found) {
  const form = document.getElementById('private-link');
  form.elements.key.value = found[1];
  form.hidden = false;
  history.replaceState(null, '', location.pathname);
}
