// What stands on the screen: whatever shows numbers is a view of nodes, and this list has all of them.
// Nothing else draws numbers, so nothing that is shown can be an old one.

const SCREEN = []; // { element, takes: whether it shows some of these maps, draw }

function addView(element, takes, draw) {
  SCREEN.push({ element, takes, draw });
  if (SIGHT.watch) SIGHT.watch.observe(element);
}

// What is out of sight waits for the frame after, or until it comes into sight: of a large page it is
// much. The browser says what is in sight, frame by frame; asked between two changes, it would lay the
// page out each time.
const STALE = new Set(); // views
const PATIENCE = 8; // milliseconds at a time
const IN_SIGHT = new Set(); // elements
const SIGHT = { watch: null };
let isRefreshing = false;

function bringUp(view) {
  STALE.delete(view);
  view.draw();
}

function watchSight() {
  SIGHT.watch = new IntersectionObserver((seen) => seen.forEach(({ target, isIntersecting }) => {
    if (!isIntersecting) IN_SIGHT.delete(target);
    else {
      IN_SIGHT.add(target);
      [...STALE].filter(({ element }) => element === target).forEach(bringUp);
    }
  }), { rootMargin: '100% 0px' }); // a screen before it comes
  for (const element of new Set(SCREEN.map((view) => view.element))) SIGHT.watch.observe(element);
}

function refreshUntil(end) {
  for (const view of STALE) {
    if (performance.now() > end) break;
    bringUp(view);
  }
}

function refreshAll() {
  refreshUntil(Infinity);
}

function refreshSome() {
  refreshUntil(performance.now() + PATIENCE);
  isRefreshing = STALE.size > 0;
  if (isRefreshing) setTimeout(refreshSome);
}

// After the frame, one slice after the other, however many changes there were.
function refreshLater() {
  if (isRefreshing) return;
  isRefreshing = true;
  requestAnimationFrame(() => setTimeout(refreshSome));
}

// What shows one of these maps is drawn anew, or where the focus has moved, all of it. The map of stages
// is small, and next to whatever is read.
function refresh(maps, isAll) {
  for (const view of SCREEN.filter((one) => isAll || one.takes(maps))) {
    if (IN_SIGHT.has(view.element) || view.element.closest('.map')) bringUp(view);
    else STALE.add(view);
  }
  refreshLater();
}
