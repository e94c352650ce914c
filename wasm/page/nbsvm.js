// Scores texts in the browser. Load wasm_exec.js first, which comes with Go.
//
//   const model = await nbsvm.open(new Uint8Array(await file.arrayBuffer()))
//   model.answer("a lovely film", 2, 5)
//
// answer returns {labels, classes: [{label, score}], contributions: [{name, margin, ...}], of}: the predicted labels, the
// best classes with their scores, here 2, and what n-grams add to the margin of the class "of", here 5 of them.
"use strict";

const nbsvm = (() => {
  let started;

  function start(url) {
    started ??= (async () => {
      const go = new Go();
      const wasm = await WebAssembly.instantiateStreaming(fetch(url), go.importObject);
      go.run(wasm.instance); // returns when the page is closed
    })();
    return started;
  }

  async function open(bytes, url = "nbsvm.wasm") {
    await start(url);
    const model = globalThis.nbsvmOpen(bytes);
    if (model.error) throw new Error(model.error);
    return {
      ...JSON.parse(model.facts),
      answer(text, classes = 1, contributions = 0) {
        const found = model.answer(text, classes, contributions);
        if (found.error) throw new Error(found.error);
        return JSON.parse(found.json);
      },
    };
  }

  return { open };
})();
