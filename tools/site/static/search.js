// Search in the sections of all pages, which search-index.js holds. It is loaded when the field is first used.
const root = new URL(".", document.currentScript.src);
const field = document.querySelector("#search input");
const list = document.querySelector("#search ol");
const most = 20; // results that are shown

let loading;
function load() {
  loading ??= new Promise((resolve) => {
    const script = document.createElement("script");
    script.src = new URL("search-index.js", root);
    script.onload = resolve;
    document.head.append(script);
  });
  return loading;
}

// weigh returns how well a section fits, 0 if a word is in none of its parts. A title counts more than text, a whole
// word more than a part of one, and words that stand together more than others.
function weigh(section, words, phrase) {
  const parts = [[section.page, 40], [section.title, 60], [section.text, 10]];
  let sum = 0;
  for (const word of words) {
    let weight = 0;
    for (const [part, value] of parts) {
      const at = part.toLowerCase().indexOf(word);
      if (at < 0) continue;
      const starts = !/[\p{L}\p{N}]/u.test(part[at - 1] ?? "");
      const ends = !/[\p{L}\p{N}]/u.test(part[at + word.length] ?? "");
      weight += value * (1 + starts + ends);
    }
    if (weight === 0) return 0;
    sum += weight;
  }
  return parts.reduce((sum, [part, value]) => phrase.test(part) ? sum + 200 + 5 * value : sum, sum);
}

// excerpt returns the text around the phrase or the first of its words, which is marked.
function excerpt(text, words, phrase) {
  const span = document.createElement("span");
  const found = text.match(phrase) ?? text.match(new RegExp(words.join("|"), "iu"));
  const at = found?.index ?? 0;
  const from = at > 60 ? text.indexOf(" ", at - 60) + 1 : 0;
  const mark = document.createElement("mark");
  mark.textContent = found?.[0] ?? "";
  span.append(from > 0 ? "… " : "", text.slice(from, at), mark, text.slice(at + mark.textContent.length, from + 160));
  return span;
}

async function search() {
  const words = field.value.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const phrase = new RegExp(words.join("[^\\p{L}\\p{N}]+"), "iu");
  list.replaceChildren();
  list.hidden = words.length === 0;
  if (list.hidden) return;
  await load();
  const option = field.value.trim().startsWith("-"); // the reference has the rule of an option
  const found = sections.map((section) => [weigh(section, words, phrase), section]).filter(([weight]) => weight > 0)
    .map(([weight, section]) => [weight + (option && section.url.startsWith("docs/reference/") ? 500 : 0), section]);
  found.sort((a, b) => b[0] - a[0]);
  list.replaceChildren(...found.slice(0, most).map(([, section]) => {
    const item = document.createElement("li");
    const link = document.createElement("a");
    link.href = new URL(section.url, root);
    const title = section.title === section.page ? section.page : `${section.page}: ${section.title}`;
    link.append(title, excerpt(section.text, words, phrase));
    item.append(link);
    return item;
  }));
  if (found.length === 0) {
    list.innerHTML = "<li><p>No section has all of these words.</p></li>";
  }
}

field.addEventListener("focus", load);
field.addEventListener("input", search);
list.addEventListener("click", () => { list.hidden = true; });
document.addEventListener("click", (event) => { list.hidden ||= !event.target.closest("#search"); });
document.addEventListener("keydown", (event) => {
  const links = [...list.querySelectorAll("a")];
  const at = links.indexOf(document.activeElement);
  if (event.key === "/" && !event.target.closest("input")) {
    document.querySelector("#shelves").hidePopover();
    field.focus();
  } else if (event.key === "Escape" && !list.hidden) {
    list.hidden = true;
  } else if (event.key === "Enter" && event.target === field) {
    links[0]?.click();
    return;
  } else if (event.key === "ArrowDown" && event.target.closest("#search")) {
    links[at + 1]?.focus();
  } else if (event.key === "ArrowUp" && at >= 0) {
    (links[at - 1] ?? field).focus();
  } else {
    return;
  }
  event.preventDefault();
});
