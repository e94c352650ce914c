// The page: a model from a file or from model.nbm beside the page, a text, and what the model says of it as one types. A
// text behind # in the address is there at the beginning.
"use strict";

const most = 10; // classes and n-grams that are shown
const byId = (id) => document.getElementById(id);
let model;

function row(table, cells) {
  const tr = table.tBodies[0].insertRow();
  for (const cell of cells) {
    const td = tr.insertCell();
    if (cell instanceof Node) td.append(cell);
    else td.textContent = cell;
  }
}

// bar draws a share of 1.
function bar(share) {
  const meter = document.createElement("meter");
  meter.value = share;
  meter.setAttribute("aria-hidden", "true"); // the number stands beside it
  return meter;
}

function show() {
  const text = byId("text").value;
  for (const id of ["classes", "why"]) {
    byId(id).hidden = true;
    byId(id).tBodies[0].replaceChildren();
  }
  byId("labels").textContent = "";
  if (!model || !text.trim()) return;
  const begin = performance.now();
  const found = model.answer(text, most, most);
  const took = performance.now() - begin;
  byId("labels").textContent = (found.labels.join(", ") || "no label") + ` · ${took.toFixed(1)} ms`;
  byId("labels").dataset.labels = found.labels.join(",");
  byId("unit").textContent = model.probabilities ? "probability" : "margin";
  for (const c of found.classes) {
    row(byId("classes"), [c.label, c.score.toFixed(4), model.probabilities ? bar(c.score) : ""]);
  }
  byId("classes").hidden = false;
  if (!found.contributions?.length) return;
  byId("why").caption.textContent = `What speaks for and against ${found.of}`;
  for (const c of found.contributions) row(byId("why"), [c.name, (c.margin > 0 ? "+" : "") + c.margin.toFixed(4)]);
  byId("why").hidden = false;
}

async function use(bytes, name) {
  try {
    const opened = await nbsvm.open(bytes);
    if (opened.takesFeatures) throw new Error("the model takes ready-made features, not texts");
    model = opened;
    byId("state").textContent =
      `${name}: ${model.labels.length} classes, ${(bytes.length / 1024).toLocaleString("en", { maximumFractionDigits: 0 })} KiB`;
    byId("text").disabled = false;
    show();
  } catch (e) {
    byId("state").textContent = `${name}: ${e.message}`;
  }
}

byId("text").addEventListener("input", show);
byId("model").addEventListener("change", async () => {
  const file = byId("model").files[0];
  if (file) await use(new Uint8Array(await file.arrayBuffer()), file.name);
});
byId("text").value = decodeURIComponent(location.hash.slice(1));
fetch("model.nbm").then(async (r) => {
  if (r.ok) await use(new Uint8Array(await r.arrayBuffer()), "model.nbm");
  else byId("state").textContent = "Choose a model file.";
}, () => (byId("state").textContent = "Choose a model file."));
