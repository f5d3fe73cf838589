#!/bin/sh
# lecture.sh [FOLDER]: makes all of the lecture that README.md goes through, in FOLDER (made): pages,
# slides, a handout, a sheet, two variants of an exam, and the marks of the answers to it. It takes
# selfattn from the PATH; slides and handout are compiled where pdflatex and pandoc are.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
seeds=$here/../../seeds variants=$here/../../variants
mkdir -p "${1:-made}"
cd "${1:-made}"

# page NAME.ENDING [OPTION]... DOCUMENT...: the ending says what is made.
page() {
    made=$1
    shift
    selfattn --quiet --trace-output "$made" -o /dev/null "$@"
}

page lecture.html --chain "$seeds/000-cat-walks.json" "$seeds/001-walkthrough.json" \
    "$variants/two-jobs.json" "$seeds/003-multi-head.json" "$variants/learning.json"
page scaled.html "$seeds/000-gradient-unscaled.json" "$seeds/000-gradient-scaled.json"
page causal.html "$seeds/004-bidirectional.json" "$seeds/004-causal.json"
page heads.html --trace=softmax,statistics "$variants/two-jobs.json"
page slides.beamer.tex "$seeds/001-walkthrough.json"
page handout.qmd "$seeds/001-walkthrough.json"
page lesson.ipynb "$seeds/001-walkthrough.json"
page sheet.html --blank scores,softmax,sum "$seeds/001-walkthrough.json"
page solutions.md --trace=scores,softmax,sum "$seeds/001-walkthrough.json"

# Each row of seats has a variant, which this line makes again, the same.
for seed in 1 2; do
    selfattn init --seed $seed --exercise scores,softmax "$here/exam.json" -o "exam-$seed.json"
    page "exam-$seed.html" --exam "exam-$seed.json"
done
mkdir -p answers
cp "$here"/answers/*.json answers
# That not all is right is what a table of marks is for.
selfattn check --answers answers --why -o marks.csv exam-1.json exam-2.json >marks.txt || [ $? = 1 ]

if command -v pdflatex >/dev/null; then
    mkdir -p tex
    pdflatex -interaction=nonstopmode -halt-on-error -output-directory tex slides.beamer.tex >tex/said
    mv tex/slides.beamer.pdf slides.pdf
fi
if command -v pandoc >/dev/null; then
    pandoc --from markdown --fail-if-warnings handout.qmd -o handout.docx
fi
