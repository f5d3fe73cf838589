/* All that a page says in its own words, in the program and in its script (texts.js): what
 * stands in {1}, {2}, … is put in. What the steps say is the trace's. */
#include "render/html_english.h"

#include "base/named.h"
#include "io/json_write.h"
#include "render/renderer.h"
#include "render/asked.h"
#include "render/html_words.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

static const named ROWS[] = {
    /* the page as it comes */
    {"untitled", RENDER_UNTITLED},
    {"long", "{1} long"},
    {"pipeline", "The pipeline: each stage leads to its step"},
    {"pipelineOf", "The pipeline of {1}, {2}: each stage leads to its step"},
    {"stages", "Stages and their shapes"},
    {"house", "The house: each room leads to its steps"},
    {"floors", "Floors, the first layer at the bottom, and their rooms"},
    {"oneHead", "1 head"},
    {"manyHeads", "{1} heads"},
    {"overMemory", "{1}, memory"},
    {"map", "A map of the whole matrix"},
    {"squares", "Each square stands for {1} × {2} numbers and shows the one of the greatest "
                "magnitude."},
    {"focusRow", "Row {1} with all its {2} columns."},
    /* the index of examples */
    {"examples", "Attention, worked examples"},
    {"aboutExamples", "Each page shows every step of a small example with its numbers; a number on "
                      "it leads to the arithmetic that made it. The pictures are the attention "
                      "weights: a row is a query, a column a key."},
    {"weightsOf", "The attention weights of {1}, a heat map a head"},
    {"everyStep", "Every step of {1}"},
    {"itsDocument", "its document"},
    /* the script: the bar of steps */
    {"step", "Step"},
    {"stepOf", "{1}/{2} {3}"},
    {"previous", "Previous step"},
    {"next", "Next step"},
    {"menu", "More"},
    {"about", "About this document"},
    {"stops", "The stages with their numbers: each leads to its step"},
    {"single", "one step at a time"},
    {"ask", "ask first"},
    {"present", "present"},
    {"rowsShown", "Rows {1} to {2} of {3}."},
    {"backward", "backward"},
    {"backwardKey", "Below each number its gradient, and the arrows turned round: the key b"},
    {"goingBack", "“backward”, or the key b, turns the arrows round and puts its gradient below "
                  "each number: how much the loss grows for each 1 that the number grows."},
    {"notes", "notes"},
    {"notesKey", "What to say, in a window of its own: the key n"},
    {"notesOf", "Notes: {1}"},
    {"then", "Then: {1}"},
    {"last", "This is the last step."},
    {"question", "Next comes “{1}”. What will its numbers be? Think of it, then look."},
    {"show", "Show"},
    {"pointing",
     "Point at a number, and its arithmetic opens; the arrow keys lead from step to step."},
    {"shownWith", "Shown with {1} decimals, computed with all digits: last digits may differ."},
    {"legend", "Colours: orange is above zero, blue below, green a share of 1; the stronger, the "
               "larger."},
    /* heads, and the panel */
    {"heads", "Heads of {1}"},
    {"head", "head {1}"},
    {"inHead", " in head {1}"},
    {"headOf", ", head {1} of {2}"},
    {"allHeads", "all heads"},
    {"otherHeads", "The tabs show the other heads."},
    {"close", "Close"},
    {"panel", "The arithmetic of a number"},
    {"madeOf", "made of"},
    {"blamedFor", "blamed for"},
    {"wentInto", "It went into"},
    {"nudge", "nudge"},
    {"nudgeHelp", "A little more and a little less of it: what the loss does"},
    {"nudged", "{1} ± {2}: {3} is {4} and {5}, and their difference, divided by {6}, is"},
    {"theLoss", "the loss"},
    {"theProduct", "the sum of results times their gradients"},
    {"besides", "The gradient is"},
    {"nudgedHere", "In this layer alone it was another number, as its gradient is "
                   "what this layer adds."},
    {"nudgeDigits", "Numbers have some {1} digits here, and a difference of two has fewer: the "
                    "last ones may differ. The page is as it was."},
    {"copyTable", "Copy the table for"},
    {"sheet", "a spreadsheet"},
    {"csv", "CSV"},
    {"md", "Markdown"},
    {"tex", "LaTeX"},
    {"savePicture", "Save the picture as"},
    {"given", "an input: this number was given"},
    {"hidden", "this key may not be seen: −∞, so that its weight is 0"},
    {"maskedHere", "masked[i,j] is {1}[i,j], or −∞ where query i may not see key j:"},
    {"empty", "this query may attend to nothing: 0"},
    {"zeros", "a row of zeros, which stands after the others"},
    {"noDirection", "a row of zeros has no direction: 0"},
    {"tooLarge", "what it is made of is too large to be on this page"},
    {"beyond", "what it is made of is too large for any page"},
    {"unseen", "{1} ({2} × {3}) is too large to be shown here."},
    {"row", ", row {1}"},
    {"rowLabel", "row {1}"},
    {"columnLabel", "column {1}"},
    {"terms", "({1} terms)"},
    {"numbers", "({1} numbers)"},
    {"sums", "Choose keys by their labels: the last column adds up what each query gives them"},
    /* the token view */
    {"tokens", "Who looks at whom"},
    {"tokensHelp", "From each query at the left to its keys at the right; a wider line is a larger "
                   "weight."},
    {"headsHelp",
     "Each small picture is a head, a row a query, and the strongest colour the greatest "
     "weight of all: point at it, and the others fade; click it, and it is worked out."},
    {"tokensOf", "Lines from queries to keys, as wide as their {1}"},
    {"whichHead", "Heads"},
    {"threshold", "Only weights from"},
    /* all heads at a look */
    {"overview", "All heads at a look"},
    {"overviewDrawn",
     "A row is a layer, a picture a head. In it queries go down and keys to the right, "
     "and a darker square is a larger weight: its root is drawn, since each of "
     "many keys has little. A click makes a picture large."},
    {"spread", "The line below a picture is the entropy of each query, at the bottom where one key "
               "takes all, at the top where all get the same; the number is their mean."},
    {"tokensGet", "Point at a token to see its row and its column in all heads. Choose tokens, and "
                  "the numbers say what all queries give them together."},
    {"entropyOf", "entropy {1}"},
    {"getsOf", "the chosen tokens get {1} of {2}"},
    {"itsSteps", "its steps"},
    {"eachSquare", "Each square stands for {1} × {2} weights, and shows the greatest."},
    /* changing numbers */
    {"change", "change by a click"},
    {"changing",
     "A number that was given can be changed: double-click it, or type while it has the focus. All "
     "that follows from it is computed again, as the program would. A click on the label of a row, "
     "a head or a sequence works that one out."},
    {"moving",
     "A row can be moved: drag its label, or go to the label with the arrow keys and "
     "press Alt with an arrow. A number is marked where the token had another one before."},
    {"moved", "“{1}” is now row {2} of {3}"},
    {"worked", "worked out now: query {1}{2}"},
    {"sequences", "Sequences of the batch"},
    {"sequence", "sequence {1}"},
    {"newNumber", "a new number for {1}"},
    {"undo", "Undo"},
    {"redo", "Redo"},
    {"reset", "As it came"},
    {"pin", "Pin"},
    {"copy", "Copy as document"},
    {"copied", "copied"},
    {"edited", "Edited: numbers and lines follow; sentences still describe the page as it came."},
    {"was", "it was {1}"},
    {"pinnedAs", "pinned: {1}"},
    {"causal", "causal: a query sees no key after it"},
    {"base", "base of the frequencies"},
    {"round", "decimals that weights are rounded to"},
    {"noLength", "a length goes from 0 to {1} keys"},
    {"noDecimals", "weights are rounded to 0 to 15 decimals"},
    {"temperature", "temperature: the scores are divided by it ({1} changes)"},
    {"headsChosen", "number of heads, of the same matrices: "},
    {"headsStay",
     "The number of heads stays here: a page has others where there are few numbers, and "
     "all layers are said to have as many."},
    {"headsRefused", "The number of heads stays here, as another is refused: {1}."},
    {"headsLack",
     "{1} was changed, and with {2} heads there is no such step: take that back first"},
    {"noHeads", "there is no cut into {1} heads: there are {2}"},
    {"headsOfWidth", "another number of heads cuts the matrices as they came: take the change of a "
                     "width back first"},
    {"widths", "number of columns of {1}{2}: "},
    {"widthsWithRows", "number of columns of {1}, and of rows of {3}{2}: "},
    {"widthsInHeads", ", in each head"},
    {"aboutWidths",
     "The number of columns of a matrix is raised or lowered below it. The last one goes, in each "
     "head, with what it is multiplied by; a new one has zeros, or ones where it is of a gain."},
    {"widened", "new numbers are 0, or 1 of a gain, until you change them"},
    {"noWidth", "a width goes from 1 to {1} columns"},
    {"noWidthOf", "there is no width {1}: there are {2}"},
    {"widthOfBatch", "The sequences of a batch are as wide each: that stays as it is."},
    {"widthOfPart",
     "{1} has a part of the columns that are {2} wide here: that width stays as it is."},
    {"widthOfPairs", "{1} turns columns in pairs, by angles that follow from how many there are: "
                     "that width stays as it is."},
    {"widthUnscaled",
     "scores of width {1} are divided by its root, and this page came with width 1, "
     "without such a step"},
    {"widthOfOne",
     "of width 1 there is nothing to divide scores by, and this page has such a step"},
    {"headCounts", "head {1} counts"},
    {"notAnInput", "{1} is computed: change what it is made of"},
    {"notTyped", "“{1}” is not a number; 0.5, 0,5, 1/2, 5e-1, −2, sqrt(2) and exp(1) are"},
    {"notFinite", "that is not a finite number"},
    {"notANumber", "{1} is not a number"},
    {"notABoolean", "{1} is neither true nor false"},
    {"from0", "{1} must be a number from 0"},
    {"above0", "{1} must be a number above 0"},
    {"noRope", "there are no rotary positions here, and so no base"},
    {"noRounding", "the weights are not rounded here"},
    {"noTemperature", "some of what the temperature divides is computed here"},
    {"noSwitch", "there is no switch {1}: there are {2}"},
    {"noGradients", "there are no gradients here"},
    {"noKey", "there is no query {1} with a key {2}: queries go from 0 to {3}, keys from 0 to {4}"},
    {"noPart", "there is no part “{1}” with a softmax: name one of {2}"},
    {"tooManyEdits", "the address has {1} changes, and {2} is the most: the page is as it came"},
    {"notTheSame", "This browser computes other numbers than the page shows, so they stay as they "
                   "are."},
    /* why nothing can be changed */
    {"stillStop", "Words can't be chosen here: with --stop, how many there are follows from them; "
                  "without it they can."},
    {"stillWords", "Words can't be chosen here: all their rows are too many for a page."},
    {"choosing", "Put another word anywhere: the steps after it choose anew."},
    {"wordAt", "word {1} of the sequence"},
    {"putHere", "chosen:"},
    {"nextGreatest", "The greatest logit is that of {1}."},
    {"nextDrawn", "The number that was drawn falls on {1}."},
    {"nextPut", "{1} was put here."},
    {"wordsOnly", "here words can be changed, and not numbers"},
    {"noWord", "there is no word “{1}”: they go from {2} to {3}"},
    {"noId", "there is no id {1}: they go from 0 to {2}"},
    {"noPlace", "there is no word {1} in the sequence: they go from 0 to {2}"},
    {"stillSegments", "Numbers can't be changed here: each sequence has segments of its own."},
    {"stillExercise", "Numbers can't be changed here: they are asked for."},
    {"stillUnsolved", "Numbers can be changed here once all answers are right."},
    {"stillUnseen", "Numbers can't be changed here: up to {1} it takes {2} numbers that no table "
                    "shows, and a page holds {3}; fewer layers or columns make one that does."},
    {"stillMany", "Numbers can't be changed here: {1} has {2} numbers, and a page holds {3}; one "
                  "made with --full holds all of them."},
    {"stillBeyond", "Numbers can't be changed here: {1} is too large for any page."},
    {"stillUnknown", "Numbers can't be changed here: how {1} is made ({2}) is known to the program "
                     "alone."},
    {"before", "This can't be changed here: the places of the queries and what they see both "
               "follow from the number of keys."},
    {"growing",
     "On a label of these rows, Insert adds a copy of the row below it, Delete takes the row "
     "out, and F2 or a double click gives it a name. A word that the page knows has its own "
     "numbers. Start anew begins a sentence with the word, or the first row, alone."},
    {"growingKeys",
     "On a label of these rows, Insert adds a copy of the row below it, Delete takes the key out, "
     "with its value and its column of a mask or a bias, and F2 or a double click gives it a "
     "name. A word that the page knows has its own numbers."},
    {"addKey", "Add a key"},
    {"nameOfKey", "The name of a new key"},
    {"addedKey", "key {1} has the numbers of key {2} until you change them"},
    {"addedKeyWord", "key {1} has the numbers of “{2}”"},
    {"lastKey", "one key has to stay"},
    {"noKeyName", "a key has a name"},
    {"manyKeys", "{1} keys are too many to change: a page shows all rows of up to {2}."},
    {"keysOfBatch", "The sequences of a batch have as many keys each: that stays as it is."},
    {"eachKey",
     "{1} is given for each key, and a new key has none: give the document another row."},
    {"noKeys", "The keys are no rows of their own here: add a token."},
    {"addToken", "Add a token"},
    {"removeToken", "Take the last one out"},
    {"nameOfToken", "The name of a new token"},
    {"newName", "a new name for {1}"},
    {"added", "token {1} has the numbers of token {2} until you change them"},
    {"addedWord", "token {1} has the numbers of “{2}”"},
    {"startAnew", "Start anew"},
    {"started", "one token is left: say the others word by word"},
    {"removed", "“{1}” is taken out"},
    {"isNew", "it was not there"},
    {"newToken", "new"},
    {"noName", "a token has a name"},
    {"lastToken", "one token has to stay"},
    {"manyTokens", "{1} tokens are too many to change: a page shows all rows of up to {2}."},
    {"noTokens", "x is not given here, and tokens are its rows."},
    {"tokensOfBatch", "The sequences of a batch have as many tokens each: that stays as it is."},
    {"eachToken",
     "{1} is given for each token, and a new token has none: give the document another "
     "row."},
    {"noRow", "there is no row {1}: they go from 0 to {2}"},
    {"noNode", "there is no node {1}"},
    /* steps of learning */
    {"learning", "Learning"},
    {"aboutLearning",
     "A step goes against the gradient: each number that learns becomes less by the rate times its "
     "gradient, as by selfattn train. Undo takes back a step, or 10 or 100 of them at once."},
    {"steps", "{1} steps"},
    {"stop", "Stop"},
    {"rate", "rate"},
    {"rateTyped", "rate, typed"},
    {"whatLearns", "What learns:"},
    {"lossAfter", "after {1} steps the loss is {2}"},
    {"lossLine", "The loss before the first step and after each"},
    {"stepAxis", "steps"},
    {"lossOfBatch", "No step of learning can be taken here: it adds up what all sequences of the "
                    "batch learn, and the page has the part of one. selfattn train takes it."},
    {"lossOfTables",
     "No step of learning can be taken here: a table learns as a whole, and the page "
     "has the rows that are looked up. selfattn train takes it."},
    {"noSlopes", "there are no gradients on this page: selfattn train takes a step"},
    {"noLoss", "there is no loss here that could become less"},
    {"noSteps", "{1} is not a number of steps: they go from 0"},
    {"noRate", "{1} is not a rate: it is a number from 0"},
    {"noLearner", "there is no matrix {1} here that could learn: there are {2}"},
    {"nothingLearns", "nothing is chosen that learns: there are {1}"},
    {"rateTooLarge", "after step {1} {2} is not finite: a rate below {3} goes less far each time"},
    {"noCell", "{1} has no such number: it is {2}"},
    /* exercises */
    {"check", "Check"},
    {"rightOf", "{1} of {2} right"},
    {"hint", "Hint {1} of {2} for {3}:"},
    {"first", "Compute {1} first."},
    {"noNumber", "{1} is not a number."},
    /* what a wrong answer is: {1} is the answer, {2} a cell, {5} its row, {6} its column, {3} what
     * is done with it, {4} the number without the slip */
    {"slip", "{1}: {2}."},
    {"slipSign", "that is {4} with its sign turned"},
    {"slipPercent", "it is a share of 1: {1} % is {4}"},
    {"slipTurned", "that is {2}, row {5} with column {6}: the two are exchanged"},
    {"slipRow", "that is {2}, of another row"},
    {"slipColumn", "that is {2}, of another column"},
    {"slipHead", "that is {2}, of another head"},
    {"slipBefore", "that is {2}, and something is still to be done with it"},
    {"slipNotYet", "that is {2}, not yet {3}"},
    {"slipAfter", "that is {2}, which comes later"},
    {"slipLater", "that is {2}, {3}, which comes later"},
    {"slipOther", "that is {2}"},
    {"slipUnscaled", "that is the softmax of the unscaled scores"},
    {"slipDecimals", "right to {1}, and {2} decimals count"},
    {"opened", "Open now: {1}."},
    {"comesFrom", ASKED_HINT},
    {"leftOut", "This step goes on with what you are asked for."},
    {"closed", "This step goes on with what you are asked for, and opens once that is right."},
    {"answer", "your answer for {1}"},
    {"solved", "All is right: numbers can be changed now."},
    {"digits", "{1} decimals count"},
    {"student", "Name:"},
    {"save", "Save answers"},
    {"answersFile", "{1}-answers.json"},
    /* several documents */
    {"beside", "Documents side by side"},
    {"chained", "A chain of documents"},
    {"documents", "Documents"},
    {"documentOf", "{1} of {2}"},
    {"previousDocument", "Previous document"},
    {"nextDocument", "Next document"},
    {"chainKeys",
     "Shift with an arrow leads from document to document; so do the arrows alone, from "
     "the last step of one to the first of the next."},
    {"differsMark", "◥ differs from the other document"},
    {"differsMarkOfMany", "◥ differs from the first document, there from any"},
    {"comparing",
     "◥ marks a number that differs, as both are shown, from the same one of the other "
     "document. Steps go together."},
    {"reachesAll", "A number that is the same in each is changed in each."},
    {"differ", "{1} differ."},
    {"differFrom", "{1} differ from “{2}”."},
    {"someOf", "{1} of {2} {3}"},
    {"otherSize", "{1} is {2} here, {3} there."},
    {"otherSizeIn", "{1} is {2} here, {3} in “{4}”."},
    {"nothingDiffers", "Nothing differs."},
    {"nothingDiffersFrom", "Nothing differs from “{1}”."},
    {"sameAs", "The same in “{1}”."},
    {"elsewhere", "In “{1}” it is {2}."},
    {"noStep", "“{1}” has no such step."},
    /* on paper */
    {"columns", "columns {1} to {2} of {3}"},
};

static const named_table ENGLISH = NAMED_TABLE("words", ROWS);

const char *html_english(const char *which)
{
    const named *row = named_find(&ENGLISH, which, strlen(which));
    assert(row != NULL);
    return row->help;
}

static void say(text *out, const char *which, const char *const *about,
                void (*add)(text *out, const char *words))
{
    for (const char *at = html_english(which); *at != '\0';) {
        size_t plain = strcspn(at, "{");
        text_add(out, at, plain);
        at += plain;
        if (*at == '{') {
            add(out, about[at[1] - '1']);
            at += strlen("{1}");
        }
    }
}

void html_say(text *out, const char *which, const char *const *about)
{
    say(out, which, about, html_add_words);
}

void html_say_plain(text *out, const char *which, const char *const *about)
{
    say(out, which, about, text_add_string);
}

void html_say_numbers(text *out, const char *which, size_t first, size_t second)
{
    char one[24], two[24];
    snprintf(one, sizeof one, "%zu", first);
    snprintf(two, sizeof two, "%zu", second);
    html_say(out, which, (const char *const[]){one, two});
}

void html_add_english(text *out)
{
    for (size_t i = 0; i < ENGLISH.count; i++) {
        const named *row = named_row(&ENGLISH, i);
        text_add_format(out, "%s\"%s\":", i > 0 ? "," : "{", row->name);
        json_string_write(out, row->help);
    }
    text_add_string(out, "}");
}
