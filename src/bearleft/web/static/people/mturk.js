// While tasks are done in another window, look again how far they are whenever this one is back in view.

if (document.getElementById('waiting')) {
  document.addEventListener('visibilitychange', () => document.visibilityState === 'visible' && location.reload());
}
