// Comes first: the program is unpacked and compiled in its worker while the page is still being made.

function begunWorker() {
  const script = new Blob([document.getElementById('worker').textContent], { type: 'text/javascript' });
  const begun = new Worker(URL.createObjectURL(script));
  begun.onerror = () => say('This browser begins no program in a page, or is too old for it.');
  begun.postMessage(document.getElementById('program').textContent);
  return begun;
}

const FIRST_WORKER = begunWorker();
