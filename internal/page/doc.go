// Package page makes one self-contained HTML page of a model and of what it says about labelled documents.
//
// The page asks nothing of the network. Its charts are drawn by Apache ECharts, of which assets has a build with the
// charts that are needed alone; scripts/echarts.sh makes it. Tables, texts and headings are in the page itself and can
// be read without scripts.
//
// What comes from documents and models is not trusted: a template escapes what becomes markup, encoding/json what
// the scripts read, these write it as text alone, and the page's Content-Security-Policy lets nothing run but its own
// scripts, which are named by their hashes. The same model, documents and options give the same bytes.
package page
