/* The line that says what was taken for which weight of a stack. */
#ifndef SELFATTN_WEIGHTS_LAYER_NOTE_H
#define SELFATTN_WEIGHTS_LAYER_NOTE_H

#include "weights/layer_applying.h"

/* Whose names, where the layers are, and what each of the first layer's is. */
void layer_note_names(const applying *a, text *note);
/* What the gains of the first layer imply. */
void layer_note_normalized(const applying *a, text *note);
/* What files of names and numbers don't have, and a result depends on. */
void layer_note_hints(const applying *a, text *note);

#endif
