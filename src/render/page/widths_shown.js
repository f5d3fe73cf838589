// Where a width is chosen: in the step that its matrix is given in.

const MOST_NAMES = 6; // of matrices that one width is of

function namesAlong(group, axis) {
  const names = [...new Set(MAPS.filter((map) => isInput(map) && group.axes.get(map)[axis] !== undefined).map((map) => map.name))];
  return [...names.slice(0, MOST_NAMES), ...names.length > MOST_NAMES ? ['…'] : []].join(', ');
}

function addWidth(section, group) {
  const select = makeElement('select', 'width-chosen'), [columns, rows] = ['columns', 'rows'].map((axis) => namesAlong(group, axis));
  const isInHeads = MAPS.some((map) => ['columns', 'rows'].some((axis) => groupOf(map, axis) === group && timesAlong(map, axis) > 1));
  const words = (rows ? TEXT.widthsWithRows : TEXT.widths)(columns, isInHeads ? TEXT.widthsInHeads : '', rows);
  select.append(...range(1, MOST_WIDTH + 1, (width) => new Option(width)));
  select.addEventListener('change', () => {
    const isMore = select.value > group.order.length;
    attempt(() => edit(setWidth(group.name, Number(select.value))), isMore ? TEXT.widened : '');
  });
  addControl(section, () => { select.value = group.order.length; }, makeElement('span', '', ...mathematics(words)), select);
}

// Once all is taken that came.
function startWidths() {
  const groups = widthsHere(), refused = new Set(groups.map(whyNoWidth).filter((why) => why));
  for (const group of groups.filter((one) => whyNoWidth(one) === '')) {
    const section = document.getElementById(`step-${MAPS.find((map) => fullName(map) === group.name).step}`);
    if (section) addWidth(section, group);
  }
  if (groups.length > refused.size) addHelp(TEXT.aboutWidths);
  refused.forEach(addHelp);
}
