// Comes first: the worker begins while the page is still being made.

// The program stands at the page's end, after the scripts.
function whenWhole(act) {
  if (document.readyState === 'loading') addEventListener('DOMContentLoaded', act);
  else act();
}

function begunWorker() {
  const script = new Blob([document.getElementById('worker').textContent], { type: 'text/javascript' });
  const begun = new Worker(URL.createObjectURL(script));
  begun.onerror = () => say('This browser begins no program in a page, or is too old for it.');
  whenWhole(() => begun.postMessage(document.getElementById('program').textContent));
  return begun;
}

const FIRST_WORKER = begunWorker();
