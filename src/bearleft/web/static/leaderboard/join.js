// The code of an invitation stands after the #, which browsers send to no server; the form posts it.

const found = location.hash.match(/^#code=([\w-]{1,200})$/);
if (found) {
  const { elements } = document.getElementById('join');
  elements.code.value = found[1];
  elements.name.focus();
  history.replaceState(null, '', location.pathname);
}
