// Another number of heads: the same matrices, cut anew. The program has put the page of each that goes
// into this one, whose sentences, lines and pictures are of it; what was changed is changed there, too.

// all: the numbers that there are; now: the one whose page this is; wanted: the one that the changes ask
// for, at first the one that came; kept: what a page that was left for this one wants to go on with; pinned: what is pinned since another
// page; namesOf: of a number what its page has maps of.
const CUT = { all: [], now: null, wanted: null, kept: null, pinned: null, namesOf: () => null };

function whyNoHeads() {
  if (CUT.all.length > 1) return '';
  return DATA.cutsRefused ? TEXT.headsRefused(DATA.cutsRefused) : TEXT.headsStay;
}

function setHeads(to) {
  const why = whyNoHeads(), from = CUT.wanted;
  if (why) throw new Error(why);
  if (!CUT.all.includes(to)) throw new Error(TEXT.noHeads(to, CUT.all.join(', ')));
  const names = CUT.namesOf(to), lost = EDITS.done.flat().find(({ place }) => place && names && !names.includes(place.map.name));
  if (lost) throw new Error(TEXT.headsLack(lost.place.map.name, to));
  if (EDITS.done.flat().some(({ group }) => group?.isWidth)) throw new Error(TEXT.headsOfWidth);
  return from === to ? [] : [{ what: 'heads', said: 'heads', from, to }];
}

function putHeads(heads) {
  CUT.wanted = heads;
  return [];
}
