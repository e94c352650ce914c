'use strict';
// Asks the server for predictions and explanations, and shows them. Texts and labels become text nodes, never markup.
(() => {
  const mostTexts = 1000; // beyond, the list is no help
  const mostScores = 20; // of a text, so that there is a runner-up beside several labels
  const shownScores = 5, shownNgrams = 15, levels = 4;
  const longestCommand = 100000; // characters; Linux takes 131,071 bytes

  const byId = (id) => document.getElementById(id);
  const make = (tag, className, ...children) => {
    const element = document.createElement(tag);
    if (className) element.className = className;
    element.append(...children);
    return element;
  };
  const bdi = (text, className) => make('bdi', className, text || '(empty)');
  const say = (text, failed) => {
    byId('status').className = failed ? 'failed' : '';
    byId('status').textContent = text;
  };
  const count = (n, noun) => `${n.toLocaleString('en-US')} ${noun}${n === 1 ? '' : 's'}`;

  let model = null; // what GET model says
  const ask = async (path, body) => {
    let answer;
    try {
      answer = await fetch(path, body && { method: 'POST', body: JSON.stringify(body) });
    } catch (err) {
      throw new Error('The server does not answer. Is it running?');
    }
    const got = await answer.json().catch(() => ({}));
    if (!answer.ok) throw new Error(got.error || `The server answers with status ${answer.status}.`);
    return got;
  };

  const signed = (x) => (x < 0 ? '−' : '+') + Math.abs(x).toFixed(4);
  const percent = (x) => (100 * x).toFixed(1) + '\u00a0%'; // in one line
  const score = (x) => ({ probabilities: percent, margins: signed, scores: (n) => n.toFixed(4) })[model.scores](x);
  const gap = (x) => model.scores === 'probabilities' ? (100 * x).toFixed(1) + '\u00a0points' : Math.abs(x).toFixed(4);

  // below tells whether a path of labels is another, or lies below it.
  const below = (path, other) => path === other || (model.path_separator && path.startsWith(other + model.path_separator));

  // judge finds in a prediction the scores, best first, the least sure label given and the surest one that was not.
  const judge = (prediction) => {
    const scores = Object.entries(prediction[model.scores])
      .map(([label, value]) => ({ label, value, given: prediction.labels.includes(label) }));
    scores.sort((a, b) => b.value - a.value);
    const given = scores.filter((s) => s.given).pop();
    const next = scores.find((s) => !prediction.labels.some((l) => below(l, s.label) || below(s.label, l)));
    return { scores, labels: prediction.labels, given, next, margin: given && next ? given.value - next.value : Infinity };
  };

  const closeCall = (j) => {
    const all = model.labels.length;
    if (model.scores === 'scores') return ['The model predicts a number.'];
    if (!j.given && !model.multi_label) return ['The model knows nothing of this text.'];
    if (!j.next) return [all > 1 ? 'No other label comes close.' : 'The model has no other label.'];
    if (!j.given) return ['No label is given. ', bdi(j.next.label, 'label'), ` comes closest, with ${score(j.next.value)}.`];
    if (!model.multi_label) {
      return ['Runner-up: ', bdi(j.next.label, 'label'), `, ${score(j.next.value)}, behind by ${gap(j.margin)}.`];
    }
    return ['Closest call: ', bdi(j.given.label, 'label'), ` is given with ${score(j.given.value)}, `,
      bdi(j.next.label, 'label'), ` is not, with ${score(j.next.value)}: ${gap(j.margin)} apart.`];
  };

  const bars = (j) => {
    const shown = j.scores.filter((s, i) => i < shownScores || s.given);
    const most = model.scores === 'probabilities' ? 1 : Math.max(...shown.map((s) => Math.abs(s.value))) || 1;
    return make('div', 'scores', ...shown.map((s) => {
      const fill = make('span', s.value < 0 ? 'negative' : '');
      fill.style.width = 100 * Math.abs(s.value) / most + '%';
      const bar = make('span', 'bar', fill);
      bar.setAttribute('aria-hidden', 'true');
      return make('div', '', bdi(s.label, s.given ? 'label' : ''), bar, make('span', 'number', score(s.value)));
    }));
  };

  const table = (caption, heads, rows) => {
    const element = make('table', '', make('thead', '', make('tr', '', ...heads.map((h) => {
      const th = make('th', '', h);
      th.scope = 'col';
      return th;
    }))));
    element.setAttribute('aria-label', caption);
    element.append(make('tbody', '', ...rows.map((cells) => make('tr', '', ...cells.map((cell) => make('td', '', bdi(cell)))))));
    return make('div', 'scroll', element);
  };

  // body is a text as it is, which the keyboard can scroll.
  const body = (...children) => {
    const element = make('div', 'text', ...children);
    element.tabIndex = 0;
    return element;
  };

  // shade marks the parts of a text by what they add to the margin of the label.
  const shade = (parts) => {
    const most = Math.max(...parts.map((p) => Math.abs(p.margin)));
    return body(...parts.map((p) => {
      const level = Math.round(Math.abs(p.margin) / (most || 1) * levels);
      if (!level) return p.text;
      const mark = make('mark', (p.margin > 0 ? 'for' : 'against') + level, p.text);
      mark.title = signed(p.margin);
      return mark;
    }));
  };
  const explanation = (x) => {
    const shown = x.contributions.slice(0, shownNgrams);
    const rest = x.contributions.slice(shownNgrams).reduce((sum, c) => sum + c.margin, x.others_margin);
    const others = x.others + x.contributions.length - shown.length;
    const rows = shown.map((c) => [c.name + (c.absent ? ' (absent)' : ''), signed(c.margin)]);
    if (others) rows.push([`(${count(others, 'other')})`, signed(rest)]);
    if (x.bias) rows.push(['(bias)', signed(x.bias)]);
    const all = [
      make('p', 'note legend', 'Shaded by what its n-grams add: ', make('mark', 'for3', 'for'), ' ', bdi(x.label, 'label'), ', or ',
        make('mark', 'against3', 'against'), ` it. ${count(x.unknown, 'n-gram')} unknown to the model.`),
      shade(x.parts),
    ];
    if (rows.length) {
      all.push(make('details', '', make('summary', '', 'What each n-gram adds'),
        table('What each n-gram adds to the margin', ['n-gram', 'adds'], rows)));
    }
    if (x.neighbours) {
      const votes = x.neighbours.slice(0, shownNgrams)
        .map((n) => [String(n.document), (n.labels || []).join(', '), n.similarity.toFixed(4), percent(n.vote)]);
      all.push(make('details', '', make('summary', '', `${count(x.neighbours.length, 'training document')} voted`),
        table('Training documents that voted', ['document', 'labels', 'similarity', 'vote'], votes)));
    }
    return all;
  };

  // command shows a request as a shell takes it, to be copied.
  const command = (title, path, body) => {
    const line = `curl -d '${JSON.stringify(body).replace(/'/g, `'\\''`)}' ${new URL(path, document.baseURI)}`;
    const shown = make('details', 'request', make('summary', '', title));
    if (line.length > longestCommand) {
      shown.append(make('p', 'note', 'Too long for a command line. Put {"texts": […]} into a file, and send it with curl -d @FILE.'));
      return shown;
    }
    const pre = make('pre', '', line);
    pre.tabIndex = 0;
    const button = make('button', '', 'Copy');
    button.type = 'button';
    button.addEventListener('click', async () => {
      let copied = true;
      try {
        await navigator.clipboard.writeText(line);
      } catch (err) { // not over plain HTTP from another host
        getSelection().selectAllChildren(pre);
        copied = document.execCommand('copy');
      }
      button.textContent = copied ? 'Copied' : 'Press Ctrl+C';
      setTimeout(() => { button.textContent = 'Copy'; }, 2000);
    });
    shown.append(pre, button);
    return shown;
  };

  const result = (text, j, number) => {
    const excerpt = text.length > 200 ? text.slice(0, 200) + '…' : text;
    const labels = j.labels.flatMap((label, i) => [i ? ', ' : '', bdi(label, 'label')]);
    const name = make('span', '', ...(labels.length ? labels : ['no label']));
    const details = make('details', 'result', make('summary', '',
      make('span', 'rank', String(number)), name, make('span', 'number', j.given ? score(j.given.value) : ''), bdi(excerpt, 'excerpt')));
    const inside = make('div');
    details.append(inside);
    let asked = false;
    details.addEventListener('toggle', async () => {
      if (!details.open || asked) return;
      asked = true;
      const explained = make('div');
      inside.replaceChildren(bars(j), make('p', '', ...closeCall(j)), explained, command('As a curl command', 'predict', { text }));
      if (!model.explains) {
        explained.append(body(text), make('p', 'note', 'This model takes ready-made features and cannot explain texts.'));
      } else {
        try {
          explained.append(...explanation(await ask('explain', { text })));
          inside.append(command('The explanation as a curl command', 'explain', { text }));
        } catch (err) {
          explained.append(body(text), make('p', 'note', 'No explanation: ' + err.message));
        }
      }
      details.dataset.done = 'yes';
    });
    return details;
  };

  const classify = async () => {
    const value = byId('texts').value;
    const found = (byId('lines').checked ? value.split(/\r?\n/) : [value]).filter((t) => t.trim());
    const texts = found.slice(0, Math.min(mostTexts, model.max_texts));
    byId('results').hidden = true;
    if (!texts.length) {
      say('Type a text first.', true);
      byId('texts').focus();
      return;
    }
    say('Asking the server…');
    const request = { texts, top: mostScores };
    const { predictions } = await ask('predict', request);
    const judged = predictions.map(judge);
    const items = texts.map((text, i) => result(text, judged[i], i + 1));
    byId('list').replaceChildren(...items.map((item) => make('li', '', item)));
    byId('request').replaceChildren(...(texts.length > 1 ? [command('All texts as one curl command', 'predict', request)] : []));

    const close = judged.reduce((best, j, i) => j.margin < judged[best].margin ? i : best, 0);
    byId('closest').replaceChildren();
    if (texts.length > 1 && judged[close].margin < Infinity) {
      const go = make('button', '', `Show text ${close + 1}`);
      go.type = 'button';
      go.addEventListener('click', () => {
        items[close].open = true;
        items[close].querySelector('summary').focus();
      });
      const { given, next, margin } = judged[close];
      byId('closest').append(`The closest call is text ${close + 1}: `, bdi(given.label, 'label'), ` ${score(given.value)}, `,
        bdi(next.label, 'label'), ` ${score(next.value)}, ${gap(margin)} apart. `, go);
    }
    const left = found.length > texts.length ? ` There are ${count(found.length, 'line')}: for all of them, use nbsvm score.` : '';
    say(`${count(texts.length, 'text')} classified.${left}`);
    byId('results').hidden = false;
    items[0].open = true;
  };

  let working = false;
  const submit = async () => {
    if (working || !model) return;
    working = byId('classify').disabled = true;
    try {
      await classify();
    } catch (err) {
      say(err.message, true);
    }
    working = byId('classify').disabled = false;
  };
  byId('form').addEventListener('submit', (event) => { event.preventDefault(); submit(); });
  byId('texts').addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) submit();
  });

  const read = async (file) => {
    if (!file || !model) return;
    if (file.size > model.max_body) {
      say(`${file.name} has more than ${count(model.max_body, 'byte')}: use nbsvm score.`, true);
      return;
    }
    byId('texts').value = await file.text();
    await submit();
  };
  byId('file').addEventListener('change', () => read(byId('file').files[0]));
  const files = (event) => [...event.dataTransfer.types].includes('Files');
  document.addEventListener('dragover', (event) => {
    if (!files(event)) return;
    event.preventDefault();
    byId('texts').classList.add('dropping');
  });
  document.addEventListener('dragleave', () => byId('texts').classList.remove('dropping'));
  document.addEventListener('drop', (event) => {
    byId('texts').classList.remove('dropping');
    if (!files(event)) return;
    event.preventDefault();
    read(event.dataTransfer.files[0]);
  });

  (async () => {
    try {
      model = await ask('model');
    } catch (err) {
      say(err.message, true);
      return;
    }
    const some = model.labels.slice(0, 8).join(', ') + (model.labels.length > 8 ? ', …' : '');
    const each = model.multi_label ? 'any number' : 'one';
    byId('model').textContent = `${count(model.labels.length, 'label')} (${some}), ${each} per text; scores are ${model.scores}.`;
    if (model.takes_features) byId('texts').placeholder = '3:1 17:0.5';
    byId('classify').disabled = false;
    document.documentElement.dataset.ready = 'yes';
  })();
})();
