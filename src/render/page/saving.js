// Out of the page: a table as words for a spreadsheet, CSV, Markdown or LaTeX, and a picture as SVG or
// PNG, as it stands on the screen. An image of an SVG may not be loaded here, so it is drawn anew.

function saveFile(part, name, type) {
  const file = new Blob([part], { type });
  Object.assign(document.createElement('a'), { href: URL.createObjectURL(file), download: name }).click();
}

function inFileName(words) {
  return words.replace(/[^\p{L}\p{N}._-]+/gu, '-');
}

function nameOfFile() {
  return inFileName(DATA.document);
}

// Where a browser forbids the clipboard, it is a file.
function copyWords(words, name, type) {
  const save = () => saveFile(`${words}\n`, name, type);
  return navigator.clipboard ? navigator.clipboard.writeText(words).then(() => true, save)
    : Promise.resolve(save());
}

// ---- tables ----

// Of the head that a number is in, with its labels.
function linesOfTable({ map, head }) {
  return [['', ...map.columns], ...map.rows.map((label, row) => [label, ...rowOf(map, head, row) || []])];
}

function asCsv(word) {
  return /[",\n]/.test(word) ? `"${word.replaceAll('"', '""')}"` : word;
}

const LATEX_MARKS = { '\\': '\\textbackslash{}', '~': '\\textasciitilde{}', '^': '\\textasciicircum{}' };

// Numbers stand between dollars, where a minus is one.
function asLatex(word) {
  if (/^-?(\d|inf)/.test(word)) return `$${word.replace('inf', '\\infty')}$`;
  return word.replace(/[\\~^]|[&%$#_{}]/g, (mark) => LATEX_MARKS[mark] || `\\${mark}`);
}

const TABLES = {
  sheet: (lines) => lines.map((line) => line.join('\t')).join('\n'),
  csv: (lines) => lines.map((line) => line.map(asCsv).join(',')).join('\n'),
  md: (lines) => [lines[0], ['', ...lines[0].slice(1).fill('--:')].map((mark) => mark || ':--'), ...lines.slice(1)]
    .map((line) => `| ${line.map((word) => word.replace(/[|\\*_<`]/g, '\\$&')).join(' | ')} |`).join('\n'),
  tex: (lines) => [`\\begin{tabular}{l${'r'.repeat(lines[0].length - 1)}}`,
    ...lines.map((line) => `${line.map(asLatex).join(' & ')} \\\\`), '\\end{tabular}'].join('\n'),
};

function copyingOf(place) {
  const act = (form) => copyWords(TABLES[form](linesOfTable(place)),
    `${nameOfFile()}-${fullName(place.map)}.${form === 'sheet' ? 'txt' : form}`, 'text/plain');
  return makeElement('p', 'saving', `${TEXT.copyTable} `,
    ...Object.keys(TABLES).map((form) => makeButton(TEXT[form], () => act(form))));
}

// ---- pictures ----

const DRAWN = 'rect, circle, line, path, text';
const LOOKS = ['fill', 'fill-opacity', 'stroke', 'stroke-width', 'stroke-opacity', 'stroke-dasharray',
  'stroke-linecap', 'opacity', 'font-family', 'font-size', 'font-style', 'font-weight', 'text-anchor'];

function sizeOfPicture(svg) {
  const { width, height } = svg.getBoundingClientRect();
  return { width: Math.ceil(width), height: Math.ceil(height) };
}

function groundOf() {
  return getComputedStyle(document.body).backgroundColor;
}

// With what the page's style says of each part.
function svgOf(svg) {
  const copy = svg.cloneNode(true), parts = copy.querySelectorAll(DRAWN), { x, y, width, height } = svg.viewBox.baseVal;
  svg.querySelectorAll(DRAWN).forEach((part, i) => {
    const looks = getComputedStyle(part);
    for (const look of LOOKS) parts[i].setAttribute(look, looks.getPropertyValue(look));
  });
  copy.prepend(makeSvg('rect', { x, y, width, height, fill: groundOf() }));
  for (const [name, value] of Object.entries(sizeOfPicture(svg))) copy.setAttribute(name, value);
  return new XMLSerializer().serializeToString(copy);
}

function outlineOf(part) {
  const at = (name) => Number(part.getAttribute(name) || 0), path = new Path2D(part.getAttribute('d') || '');
  if (part.tagName === 'rect') path.roundRect(at('x'), at('y'), at('width'), at('height'), at('rx'));
  if (part.tagName === 'circle') path.arc(at('cx'), at('cy'), at('r'), 0, 2 * Math.PI);
  if (part.tagName === 'line') {
    path.moveTo(at('x1'), at('y1'));
    path.lineTo(at('x2'), at('y2'));
  }
  return path;
}

function paint(brush, part) {
  const looks = getComputedStyle(part), number = (name) => parseFloat(looks.getPropertyValue(name));
  const all = [['fill', number('fill-opacity')], ['stroke', number('stroke-opacity')]];
  const isText = part.tagName === 'text', outline = isText || outlineOf(part);
  brush.font = `${looks.fontStyle} ${looks.fontWeight} ${looks.fontSize} ${looks.fontFamily}`;
  brush.textAlign = { middle: 'center' }[looks.textAnchor] || looks.textAnchor;
  brush.lineWidth = number('stroke-width');
  brush.lineCap = looks.strokeLinecap;
  brush.setLineDash(looks.strokeDasharray.match(/[\d.]+/g)?.map(Number) || []);
  for (const [way, opacity] of all.filter(([name]) => looks[name] !== 'none')) {
    brush.globalAlpha = opacity * number('opacity');
    brush[`${way}Style`] = looks[way];
    if (isText) brush[`${way}Text`](part.textContent, part.getAttribute('x'), part.getAttribute('y'));
    else brush[way](outline);
  }
}

const SHARPNESS = 2; // points a pixel

function canvasOf(svg) {
  const canvas = document.createElement('canvas'), brush = canvas.getContext('2d');
  const { width, height } = sizeOfPicture(svg);
  Object.assign(canvas, { width: width * SHARPNESS, height: height * SHARPNESS });
  brush.fillStyle = groundOf();
  brush.fillRect(0, 0, canvas.width, canvas.height);
  for (const part of svg.querySelectorAll(DRAWN)) {
    const { a, b, c, d, e, f } = part.getCTM();
    brush.setTransform(...[a, b, c, d, e, f].map((one) => one * SHARPNESS));
    paint(brush, part);
  }
  return canvas;
}

function savingOf(svg, name) {
  const file = (ending) => `${nameOfFile()}-${name}.${ending}`;
  return makeElement('p', 'saving screen', `${TEXT.savePicture} `,
    makeButton('SVG', () => saveFile(svgOf(svg), file('svg'), 'image/svg+xml')),
    makeButton('PNG', () => canvasOf(svg).toBlob((blob) => saveFile(blob, file('png'), 'image/png'))));
}

function startSaving() {
  document.querySelectorAll('.picture').forEach((picture, i) => {
    picture.append(savingOf(picture.querySelector('svg'), i > 0 ? `stages-${i}` : 'stages'));
  });
}
