// Keys that are chosen above a table of weights: a last column says what each query gives to them
// together.

// The key that a label above is of; null where it is of none.
function keyAt(element) {
  const label = element.closest?.('.matrix:not(.part) thead th:not(.total)');
  const body = label && label.closest('table').tBodies[0], map = body && MAPS[body.dataset.map];
  if (!map || !map.share || map.blank || map.columns.length < 2) return null;
  const shown = tablesOf(map).find((one) => one.body === body);
  const column = shown ? indexAt(shown.columns, label.cellIndex - labelsIn(body.rows[0])) : -1;
  return column >= 0 ? { label, map, shown, column } : null;
}

function totalIn(line, tag) {
  return line.querySelector('.total') || line.appendChild(makeElement(tag, 'total'));
}

function showSums(map, shown) {
  const { body, table, head, summed } = shown, above = table.tHead.rows[0];
  if (summed.size === 0) table.querySelectorAll('.total').forEach((cell) => cell.remove());
  if (summed.size === 0) return;
  totalIn(above, 'th').textContent = `Σ ${[...summed].map((column) => map.columns[column]).join(', ')}`;
  [...body.rows].forEach((line, slot) => {
    const row = numbersOfRow(map, head, indexAt(shown.rows, slot));
    totalIn(line, 'td').textContent =
      textOfNumber([...summed].reduce((sum, column) => sum + row[column], 0));
  });
}

function chooseKey(event) {
  const at = keyAt(event.target), isKey = event.type === 'keydown';
  if (!at || (isKey && event.key !== 'Enter' && event.key !== ' ')) return;
  const { label, map, shown, column } = at;
  shown.summed ||= new Set();
  if (!shown.summed.delete(column)) shown.summed.add(column);
  label.setAttribute('aria-selected', shown.summed.has(column));
  showSums(map, shown);
  if (isKey) event.preventDefault();
}

function markKeys(root) {
  for (const label of root.querySelectorAll('.matrix thead th')) {
    if (!keyAt(label)) continue;
    label.setAttribute('aria-selected', false);
    label.title = TEXT.sums;
  }
}

function startSums() {
  const main = document.querySelector('main');
  markKeys(main);
  main.addEventListener('click', chooseKey);
  main.addEventListener('keydown', chooseKey);
}
