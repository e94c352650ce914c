'use strict';
// Draws the charts from the page's data. Names and texts of documents come in as data alone: they are written with
// textContent, into <option> elements or onto a canvas, and never become markup.
(() => {
  const data = JSON.parse(document.getElementById('data').textContent);
  const byId = (id) => document.getElementById(id);
  const darkness = matchMedia('(prefers-color-scheme: dark)');
  const narrow = () => document.documentElement.clientWidth < 600;

  // Colours that people with any kind of colour blindness tell apart (Okabe and Ito), lighter on a dark ground.
  const colours = () => darkness.matches
    ? { ink: '#e8eaed', soft: '#a8b0ba', line: '#3a414b', ground: '#14171b', panel: '#1d2127',
      blue: '#56b4e9', orange: '#f08c28', green: '#2fbf94', pink: '#d996bb',
      right: ['#1a2b3a', '#56b4e9'], wrong: ['#33261a', '#a85c12', '#ffb057'], ramp: ['#39568c', '#1f968b', '#73d055', '#fde725'] }
    : { ink: '#17191c', soft: '#555b63', line: '#ccd1d8', ground: '#ffffff', panel: '#f5f6f8',
      blue: '#0072b2', orange: '#d55e00', green: '#009e73', pink: '#b8578c',
      right: ['#e3eef6', '#4c97c8'], wrong: ['#fdeee0', '#f0944a', '#8f3d00'], ramp: ['#d3c12b', '#42a36f', '#2d708e', '#440154'] };

  const percent = (x, digits = 1) => (100 * x).toFixed(digits) + ' %';
  const number = (x) => Number.isInteger(x) ? x.toLocaleString('en-US') : String(Number(x.toPrecision(4)));
  const bytes = (n) => {
    const units = ['B', 'KiB', 'MiB', 'GiB'];
    let unit = 0;
    for (; n >= 1024 && unit < 3; unit++) n /= 1024;
    return (unit ? n.toFixed(1) : n) + ' ' + units[unit];
  };
  const label = (k) => k < data.labels.length ? data.labels[k] : '(none)';
  const clip = (text, most) => { const all = Array.from(text); return all.length > most ? all.slice(0, most - 1).join('') + '…' : text; };
  // Braces and bars mean styles in texts of the charts.
  const plain = (text) => String(text).replace(/\{/g, '❴').replace(/\}/g, '❵').replace(/\|/g, '❘').replace(/\s+/g, ' ');

  // table makes a table of columns {name, number} and rows of values.
  const table = (columns, rows) => {
    const element = document.createElement('table');
    const line = (parent, tag, values) => {
      const tr = parent.insertRow();
      values.forEach((value, i) => {
        const cell = document.createElement(tag);
        if (tag === 'th') cell.scope = 'col';
        if (columns[i].number) cell.className = 'number';
        const text = document.createElement('bdi');
        text.textContent = value;
        cell.append(text);
        tr.append(cell);
      });
    };
    line(element.createTHead(), 'th', columns.map((c) => c.name));
    const body = element.createTBody();
    rows.forEach((row) => line(body, 'td', row));
    return element;
  };
  const text = (name) => ({ name });
  const numeric = (name) => ({ name, number: true });

  // charts are by name: make gives the option, the height, a least width, and the table.
  const charts = new Map();
  const chart = (name, make) => {
    const plot = document.querySelector(`[data-chart="${name}"]`);
    if (!plot) return;
    const details = document.querySelector(`[data-table="${name}"]`);
    charts.set(name, { plot, details, make, instance: null, made: null });
    details.addEventListener('toggle', () => fill(charts.get(name)));
  };
  const fill = (c) => {
    if (c.details.open && c.made) c.details.querySelector('.scroll').replaceChildren(table(c.made.columns, c.made.rows()));
  };
  const common = (option, about) => {
    const c = colours();
    return Object.assign({
      animation: false,
      backgroundColor: 'transparent',
      textStyle: { color: c.ink, fontFamily: 'system-ui, "Segoe UI", "DejaVu Sans", sans-serif' },
      aria: { enabled: true, label: { description: about }, decal: { show: true } },
    }, option);
  };
  const draw = (name) => {
    const c = charts.get(name);
    if (!c) return;
    c.made = c.make();
    c.plot.parentElement.parentElement.hidden = !c.made;
    if (!c.made) return;
    c.plot.style.height = c.made.height + 'px';
    c.plot.style.minWidth = (c.made.width || 0) + 'px';
    if (!c.instance) c.instance = echarts.init(c.plot, null, { renderer: 'canvas', locale: 'EN' });
    c.instance.resize();
    c.instance.setOption(common(c.made.option, c.made.about), { notMerge: true });
    fill(c);
  };
  const drawAll = () => {
    for (const name of charts.keys()) draw(name);
    document.documentElement.dataset.drawn = [...charts.values()].filter((c) => c.made).length;
  };

  const tooltip = (formatter, trigger = 'item') => {
    const c = colours();
    return { trigger, renderMode: 'richText', confine: true, formatter, backgroundColor: c.panel, borderColor: c.soft, textStyle: { color: c.ink, fontSize: 13 } };
  };
  const axis = (type, name, more) => {
    const c = colours();
    return Object.assign({
      type, name, nameLocation: 'middle', nameTextStyle: { color: c.soft }, nameGap: 28,
      axisLabel: { color: c.soft, hideOverlap: true }, axisLine: { lineStyle: { color: c.soft } }, splitLine: { lineStyle: { color: c.line } },
    }, more);
  };
  const legend = (more) => { const c = colours(); return Object.assign({ top: 0, textStyle: { color: c.ink }, inactiveColor: c.line }, more); };
  const names = (width) => ({ color: colours().ink, width, overflow: 'truncate', interval: 0, formatter: plain });
  const shareAxis = (name, more) => axis('value', name, Object.assign({ min: 0, max: 1, axisLabel: { color: colours().soft, formatter: (x) => Math.round(100 * x) + ' %', hideOverlap: true } }, more));

  // choices fills a select element, and redraws charts when another is chosen.
  const choices = (name, options, redraw) => {
    const select = document.querySelector(`[data-select="${name}"]`);
    if (!select) return () => undefined;
    options.forEach((o, i) => select.add(new Option(clip(o.name, 80), i)));
    select.closest('p').hidden = options.length < 2;
    select.addEventListener('change', redraw);
    return () => options[select.value];
  };

  // What the model was trained on.
  if (data.trained) {
    const rows = data.trained.map((n, k) => [k, n]).sort((a, b) => b[1] - a[1]);
    const views = rows.length > 25 ? [{ name: 'the 25 most frequent', rows: rows.slice(0, 25) }, { name: 'the 25 least frequent', rows: rows.slice(-25) }] : [{ name: 'all', rows }];
    const chosen = choices('trained', views, () => draw('trained'));
    chart('trained', () => {
      const c = colours(), shown = chosen().rows.slice().reverse();
      return {
        height: 24 * shown.length + 60, about: `Training documents by class, as bars.`,
        option: {
          grid: { left: 8, right: 80, top: 8, bottom: 24, containLabel: true },
          tooltip: tooltip((p) => `${plain(clip(label(shown[p.dataIndex][0]), 50))}\n${number(shown[p.dataIndex][1])} documents`),
          xAxis: axis('value', ''),
          yAxis: axis('category', '', { data: shown.map(([k]) => label(k)), axisLabel: names(narrow() ? 130 : 260) }),
          series: [{ type: 'bar', data: shown.map(([, n]) => n), itemStyle: { color: c.green, decal: { symbol: 'none' } }, label: { show: true, position: 'right', color: c.ink, formatter: (p) => number(p.value) } }],
        },
        columns: [text('class'), numeric('documents')],
        rows: () => rows.slice(0, 2000).map(([k, n]) => [label(k), number(n)]),
      };
    });
  }

  // Metrics by class.
  {
    const rows = data.classes || [];
    const by = (compare) => rows.slice().sort(compare).slice(0, 25);
    const some = rows.length > 25;
    const views = some ? [
      { name: 'the 25 with the lowest F1', rows: by((a, b) => a.f1 - b.f1 || b.support - a.support) },
      { name: 'the 25 with the highest F1', rows: by((a, b) => b.f1 - a.f1 || b.support - a.support) },
      { name: 'the 25 most frequent', rows: by((a, b) => b.support - a.support) },
    ] : [{ name: 'all', rows }];
    if (some && views[0].rows.every((r) => r.f1 === 0)) views.reverse(); // nothing would be seen
    const chosen = choices('classes', views, () => draw('classes'));
    chart('classes', () => {
      const c = colours(), shown = chosen().rows.slice().reverse();
      const bar = (name, key, color) => ({ name, type: 'bar', data: shown.map((r) => r[key]), itemStyle: { color }, barGap: '10%', barCategoryGap: '30%' });
      return {
        height: 34 * shown.length + 90,
        about: `Precision, recall and F1 of ${shown.length} classes as bars; the table has ${data.left ? '' : 'all '}${rows.length}.`,
        option: {
          legend: legend({ data: ['precision', 'recall', 'F1'] }),
          grid: { left: 8, right: 24, top: 36, bottom: 24, containLabel: true },
          tooltip: tooltip((ps) => {
            const r = shown[ps[0].dataIndex];
            return `${plain(clip(label(r.class), 50))}\nprecision ${percent(r.precision)}\nrecall ${percent(r.recall)}\nF1 ${percent(r.f1)}\ndocuments ${number(r.support)}\npredicted ${number(r.predicted)}`;
          }, 'axis'),
          xAxis: shareAxis('', {}),
          yAxis: axis('category', '', { data: shown.map((r) => some ? `${clip(label(r.class), narrow() ? 12 : 30)} (${number(r.support)})` : label(r.class)), axisLabel: names(narrow() ? 110 : 280) }),
          series: [bar('precision', 'precision', c.blue), bar('recall', 'recall', c.orange), bar('F1', 'f1', c.green)],
        },
        columns: [text('class'), numeric('documents'), numeric('predicted'), numeric('precision'), numeric('recall'), numeric('F1')],
        rows: () => rows.slice().sort((a, b) => a.f1 - b.f1).map((r) => [label(r.class), number(r.support), number(r.predicted), percent(r.precision), percent(r.recall), percent(r.f1)]),
      };
    });
  }

  // Predicted numbers.
  if (data.numbers) {
    const r = data.numbers, columns = r.density, levels = columns.every((d) => d.from === d.to);
    const small = { left: 64, right: 24, top: 16, bottom: 44 };
    const short = (x) => x !== 0 && (Math.abs(x) < 1e-3 || Math.abs(x) >= 1e5) ? x.toExponential(1).replace('.0e', 'e') : String(Number(x.toPrecision(3)));
    // wideIn returns the pixels of a part of a chart's x-axis.
    const wideIn = (name, part) => part * (document.querySelector(`[data-chart="${name}"]`).parentElement.clientWidth - small.left - small.right);
    // span is the range of an axis; a range of one number gets some room.
    const span = (low, high) => low < high ? [low, high] : [low - 0.5, low + 0.5];
    const valueAxis = (name, [min, max], more) => axis('value', name, Object.assign({ min, max, axisLabel: { color: colours().soft, hideOverlap: true, formatter: short, showMinLabel: false, showMaxLabel: false }, axisLine: { onZero: false, lineStyle: { color: colours().soft } } }, more));
    const diagonal = (from, to) => ({ name: 'agreement', type: 'line', data: from < to ? [[from, from], [to, to]] : [], symbol: 'none', silent: true, z: 4, lineStyle: { color: colours().ink, type: 'dashed', width: 1.5 } });
    const range = (low, high) => low === high ? number(low) : `${number(low)} to ${number(high)}`;
    chart('density', () => {
      const c = colours(), first = columns[0], last = columns[columns.length - 1];
      const step = levels ? Math.min(...columns.slice(1).map((d, i) => d.from - columns[i].from)) : first.to - first.from;
      const wide = Number.isFinite(step) ? step : 1; // of a column
      const x = levels ? [first.from - wide / 2, last.to + wide / 2] : [first.from, last.to];
      const y = span(first.low, first.high), tall = (y[1] - y[0]) / first.counts.length;
      const height = 420;
      const size = [Math.max(3, wideIn('density', (levels ? 0.8 : 1) * wide / (x[1] - x[0]))), (height - small.top - small.bottom) * tall / (y[1] - y[0])];
      const most = Math.max(...columns.flatMap((d) => d.counts));
      const cells = columns.flatMap((d) => {
        const sum = d.counts.reduce((a, n) => a + n, 0);
        const strength = (n) => levels ? n / Math.max(...d.counts) : Math.sqrt(n / most);
        return d.counts.map((n, i) => ({ value: [(d.from + d.to) / 2, y[0] + (i + 0.5) * tall], n, sum, d, itemStyle: { color: c.blue, opacity: 0.06 + 0.94 * strength(n) } }));
      }).filter((cell) => cell.n > 0);
      const means = (r.levels || []).map((l) => [l.wanted, l.mean_predicted]).filter(() => levels);
      return {
        height, about: `Predictions by wanted number, as shades; the table has the wanted numbers.`,
        option: {
          grid: small,
          tooltip: tooltip((p) => p.seriesName === 'mean' ? `wanted ${number(p.value[0])}\nmean prediction ${number(p.value[1])}`
            : `wanted ${range(p.data.d.from, p.data.d.to)}\npredicted ${range(p.value[1] - tall / 2, p.value[1] + tall / 2)}\n${number(p.data.n)} of ${number(p.data.sum)} documents`),
          xAxis: valueAxis('wanted', x, { splitLine: { show: false } }), yAxis: valueAxis('predicted', y, { nameGap: 44 }),
          series: [{ name: 'documents', type: 'scatter', symbol: 'rect', symbolSize: size, data: cells },
            { name: 'mean', type: 'scatter', symbol: 'diamond', symbolSize: 12, data: means, z: 5, itemStyle: { color: c.pink, borderColor: c.ink, borderWidth: 1 } },
            diagonal(Math.max(x[0], y[0]), Math.min(x[1], y[1]))],
        },
        ...(levels && r.levels ? {
          columns: [numeric('wanted'), numeric('documents'), numeric('mean prediction'), numeric('mean absolute error'), numeric('nearest to it')],
          rows: () => r.levels.map((l) => [number(l.wanted), number(l.n), number(l.mean_predicted), number(l.mae), percent(l.nearest)]),
        } : {
          columns: [numeric('wanted'), numeric('documents')],
          rows: () => columns.map((d) => [range(d.from, d.to), number(d.counts.reduce((a, n) => a + n, 0))]),
        }),
      };
    });
    chart('residuals', () => {
      const c = colours(), h = r.residuals, [low, high] = span(h.low, h.high), wide = (high - low) / h.counts.length;
      const share = (n) => n / h.counts.reduce((a, m) => a + m, 0), edge = (i) => low + i * wide;
      return {
        height: 320, about: 'Distribution of predicted minus wanted numbers, as bars.',
        option: {
          grid: small,
          tooltip: tooltip((p) => `${range(edge(p.dataIndex), edge(p.dataIndex + 1))}\n${number(h.counts[p.dataIndex])} documents (${percent(share(h.counts[p.dataIndex]))})`),
          xAxis: valueAxis('predicted − wanted', [low, high]), yAxis: axis('value', 'share', { nameGap: 44, axisLine: { onZero: false, lineStyle: { color: c.soft } }, axisLabel: { color: c.soft, formatter: (s) => Number((100 * s).toPrecision(2)) + ' %' } }),
          series: [{
            name: 'documents', type: 'bar', barWidth: wideIn('residuals', 1 / h.counts.length) - 1, data: h.counts.map((n, i) => [edge(i + 0.5), share(n)]), itemStyle: { color: c.blue, decal: { symbol: 'none' } },
            markLine: { symbol: 'none', silent: true, label: { show: false }, lineStyle: { color: c.ink, type: 'dashed', width: 1.5 }, data: low < 0 && high > 0 ? [{ xAxis: 0 }] : [] },
          }],
        },
        columns: [numeric('predicted − wanted'), numeric('documents')],
        rows: () => h.counts.map((n, i) => [range(edge(i), edge(i + 1)), number(n)]),
      };
    });
    chart('bins', () => {
      const c = colours(), bins = r.calibration, points = bins.map((b) => [b.mean_predicted, b.mean_wanted]), all = points.flat();
      const least = Math.min(...all), most = Math.max(...all), margin = (most - least) / 20 || 0.5, both = [least - margin, most + margin];
      return {
        height: 320, about: 'Mean wanted number by mean prediction, of bins with as many documents each; on the dashed line the two are equal.',
        option: {
          grid: small,
          tooltip: tooltip((p) => `mean prediction ${number(p.value[0])}\nmean wanted ${number(p.value[1])}\n${number(bins[p.dataIndex].n)} documents`),
          xAxis: valueAxis('mean prediction', both), yAxis: valueAxis('mean wanted', both, { nameGap: 44 }),
          series: [{ name: 'bins', type: 'line', data: points, symbol: 'circle', symbolSize: 8, lineStyle: { color: c.blue, width: 2 }, itemStyle: { color: c.blue } }, diagonal(...both)],
        },
        columns: [numeric('documents'), numeric('mean prediction'), numeric('mean wanted')],
        rows: () => bins.map((b) => [number(b.n), number(b.mean_predicted), number(b.mean_wanted)]),
      };
    });
  }

  // Confusions.
  if (data.confusion) {
    const all = data.confusion.labels, none = data.labels.length;
    const cells = data.confusion.cells;
    const sums = new Map(); // of rows
    data.confusion.sums.forEach((n, i) => sums.set(i < all.length ? all[i] : none, n));
    const errors = new Map(), pairs = cells.filter(([want, got]) => want !== got);
    for (const [want, got, n] of pairs) for (const k of [want, got]) errors.set(k, (errors.get(k) || 0) + n);
    pairs.sort((a, b) => b[2] - a[2]);
    const most = new Set(all.slice().sort((a, b) => (errors.get(b) || 0) - (errors.get(a) || 0)).slice(0, 25));
    const around = (k) => {
      const with_ = new Map();
      for (const [want, got, n] of pairs) {
        if (want === k) with_.set(got, (with_.get(got) || 0) + n);
        if (got === k) with_.set(want, (with_.get(want) || 0) + n);
      }
      return [k, ...[...with_.keys()].filter((j) => j !== none).sort((a, b) => with_.get(b) - with_.get(a)).slice(0, 14)];
    };
    const views = [];
    if (all.length > 30) views.push({ name: `the 25 classes with the most errors`, labels: all.filter((k) => most.has(k)) });
    views.push({ name: (data.confusion.left ? `the ${all.length} classes with the most errors` : `all ${all.length} classes`), labels: all });
    if (all.length > 5) {
      for (const k of all.slice().sort((a, b) => (errors.get(b) || 0) - (errors.get(a) || 0))) {
        if (errors.get(k)) views.push({ name: label(k) + ' and what it is confused with', labels: around(k) });
      }
    }
    const chosen = choices('confusion', views, () => draw('confusion'));
    chart('confusion', () => {
      const c = colours(), shown = chosen().labels, n = shown.length;
      const position = new Map(shown.map((k, i) => [k, i]));
      const multi = data.confusion.multi;
      const columns = multi ? [...shown, none] : shown;
      const rows = multi ? [...shown, none] : shown;
      if (multi) position.set(none, n);
      const right = [], wrong = [];
      for (const [want, got, count] of cells) {
        if (!position.has(want) || !position.has(got)) continue;
        const share = count / sums.get(want);
        (want === got ? right : wrong).push({ value: [position.get(got), position.get(want), share], count });
      }
      const room = n <= 12 && !narrow() || n <= 4;
      const labels = { show: room, color: c.ink, textBorderColor: c.ground, textBorderWidth: 3, fontSize: 13, lineHeight: 17, formatter: (p) => number(p.data.count) + '\n' + percent(p.data.value[2], 0) };
      const wide = document.querySelector('[data-chart="confusion"]').parentElement.clientWidth;
      const side = narrow() ? 90 : Math.min(220, wide / 4);
      const lines = columns.length;
      const cell = Math.floor(Math.max(n > 60 ? 7 : 18, Math.min(lines <= 6 ? 90 : 56, (wide - side - 24) / lines)));
      const every = cell < 12 ? 'auto' : 0;
      const titles = (list, width, more) => ({ data: list.map((k) => k === none ? '(none)' : label(k)), splitArea: { show: false }, splitLine: { show: false }, axisLabel: { color: c.ink, width, overflow: 'truncate', interval: every, formatter: plain, fontSize: cell < 15 ? 10 : 12, ...more } });
      const slanted = lines > 4 || narrow(), top = 60, bottom = slanted ? 130 : 60;
      const scale = (index, color, high, show) => ({
        type: 'continuous', seriesIndex: index, min: 0, max: high, show, dimension: 2, inRange: { color },
        orient: 'horizontal', top: 0, left: 0, itemWidth: 12, itemHeight: 110, text: [percent(high, 0) + ' of the row', ''], textStyle: { color: c.soft }, calculable: false,
      });
      return {
        height: top + bottom + cell * lines,
        width: Math.round(side + 24 + cell * lines),
        about: `Confusion matrix of ${n} classes; the table lists the confusions, the most frequent first.`,
        option: {
          grid: { left: side + 10, top, width: cell * lines, height: cell * lines },
          tooltip: tooltip((p) => `true: ${plain(clip(label(rows[p.data.value[1]]), 50))}\npredicted: ${plain(clip(label(columns[p.data.value[0]]), 50))}\n${number(p.data.count)} documents, ${percent(p.data.value[2])} of the row`),
          visualMap: [scale(0, c.wrong, Math.max(0.2, ...wrong.map((w) => w.value[2])), wrong.length > 0), scale(1, c.right, 1, false)],
          xAxis: Object.assign(axis('category', 'predicted', { nameGap: slanted ? 110 : 36 }), titles(columns, slanted ? 100 : cell - 4, { rotate: slanted ? 60 : 0 })),
          yAxis: Object.assign(axis('category', '', { inverse: true }), titles(rows, side, {})),
          series: [
            { type: 'heatmap', name: 'confusions', data: wrong, label: labels, itemStyle: { borderColor: c.ground, borderWidth: cell < 10 ? 0.5 : 1, decal: cell < 15 || room ? { symbol: 'none' } : undefined } },
            { type: 'heatmap', name: 'correct', data: right, label: labels, itemStyle: { borderColor: c.ground, borderWidth: cell < 10 ? 0.5 : 1, decal: { symbol: 'none' } } },
          ],
        },
        columns: [text('true label'), text('predicted'), numeric('documents'), numeric('share of the true label')],
        rows: () => [...pairs, ...cells.filter(([want, got]) => want === got)].slice(0, 500).map(([want, got, n]) => [label(want), label(got), number(n), percent(n / sums.get(want))]),
      };
    });
  }

  // Thresholds.
  if (data.curves && data.curves.length) {
    const slider = byId('threshold'), kept = byId('kept');
    const point = (curve, i) => {
      const [score, tp, fp] = curve.points[i];
      return {
        score, tp, fp, kept: tp + fp,
        precision: tp / (tp + fp), recall: curve.wanted ? tp / curve.wanted : 0,
        tpr: curve.positives ? tp / curve.positives : 0, fpr: curve.decisions > curve.positives ? fp / (curve.decisions - curve.positives) : 0,
      };
    };
    const perCurve = ['pr', 'roc', 'scores', 'calibration'];
    const chosen = choices('curve', data.curves.map((c) => ({ name: c.name, curve: c })), () => { start(); perCurve.forEach(draw); });
    const curve = () => chosen().curve;
    const all = () => curve().points.map((_, i) => point(curve(), i));
    // start puts the slider where documents are in doubt: at the highest sum of precision and recall.
    const start = () => {
      slider.max = curve().points.length - 1;
      let best = 0, most = -1;
      all().forEach((p, i) => { const f = p.precision * p.recall / (p.precision + p.recall || 1); if (f > most) [best, most] = [i, f]; });
      slider.value = slider.max - best;
      byId('about').textContent = 'The charts below show ' + curve().about + '. The threshold starts where F1, the harmonic mean of precision and recall, is highest.';
      byId('uncalibrated').hidden = data.probable;
      tell();
    };
    const at = () => point(curve(), slider.max - slider.value);
    const tell = () => {
      const p = at();
      kept.textContent = `${number(p.score)}: keeps ${number(p.kept)} of ${number(curve().decisions)} ${curve().of} (${percent(p.kept / curve().decisions)}), ` +
        `precision ${percent(p.precision)}, recall ${percent(p.recall)}`;
      slider.setAttribute('aria-valuetext', kept.textContent);
    };
    const mark = (value) => ({ name: 'threshold', type: 'scatter', data: [value], symbol: 'diamond', symbolSize: 16, itemStyle: { color: colours().pink, borderColor: colours().ink, borderWidth: 1 }, z: 5 });
    const line = (name, points, color, more) => Object.assign({ name, type: 'line', data: points, showSymbol: points.length < 3, lineStyle: { color, width: 2 }, itemStyle: { color } }, more);
    const marks = { pr: () => mark([at().recall, at().precision]), roc: () => mark([at().fpr, at().tpr]) };
    const position = () => ({ symbol: 'none', silent: true, lineStyle: { color: colours().pink, width: 2, type: 'solid' }, label: { show: false }, data: [{ xAxis: at().score }] });
    slider.addEventListener('input', () => {
      tell();
      for (const name of ['pr', 'roc']) charts.get(name).instance.setOption({ series: [{}, marks[name]()] });
      charts.get('scores').instance.setOption({ series: [{ markLine: position() }] });
    });
    const small = { left: 50, right: 16, top: 34, bottom: 44 };
    const rowsOf = () => all().map((p) => [number(p.score), number(p.kept), percent(p.kept / curve().decisions), percent(p.precision), percent(p.recall), percent(p.fpr)]);
    const columns = [numeric('threshold'), numeric('kept'), numeric('share kept'), numeric('precision'), numeric('recall'), numeric('false positive rate')];
    const told = (p) => { const q = all()[p.dataIndex]; return p.seriesName === 'threshold' ? kept.textContent : `at ${number(q.score)}: precision ${percent(q.precision)}\nrecall ${percent(q.recall)}\nkept ${percent(q.kept / curve().decisions)}`; };
    chart('pr', () => ({
      height: 320, about: `Precision by recall of ${curve().name}, as a line.`, columns, rows: rowsOf,
      option: {
        grid: small, tooltip: tooltip(told), xAxis: shareAxis('recall'), yAxis: shareAxis('precision', { nameGap: 40 }),
        series: [line('precision', all().map((p) => [p.recall, p.precision]), colours().blue), marks.pr()],
      },
    }));
    chart('roc', () => ({
      height: 320, about: `True positive rate by false positive rate of ${curve().name}, as a line.`, columns, rows: rowsOf,
      option: {
        grid: small, tooltip: tooltip(told), xAxis: shareAxis('false positive rate'), yAxis: shareAxis('true positive rate', { nameGap: 40 }),
        series: [line('ROC', [[0, 0], ...all().map((p) => [p.fpr, p.tpr])].slice(1), colours().blue), marks.roc(),
          line('chance', [[0, 0], [1, 1]], colours().soft, { lineStyle: { color: colours().soft, type: 'dashed', width: 1 }, silent: true, symbol: 'none' })],
      },
    }));
    chart('scores', () => {
      const c = colours(), v = curve(), width = (v.high - v.low) / v.positive.length;
      const negatives = v.decisions - v.positives;
      const steps = (counts, sum) => [...counts.map((n, i) => [v.low + i * width, sum ? n / sum : 0]), [v.high, sum ? counts[counts.length - 1] / sum : 0]];
      const area = (name, counts, sum, color, type) => line(name, steps(counts, sum), color, { step: 'end', symbol: 'none', lineStyle: { color, width: 2, type }, areaStyle: { color, opacity: 0.18 } });
      return {
        height: 320, about: `Distribution of the scores of ${v.name}, correct and wrong.`,
        option: {
          legend: legend({ data: ['correct', 'wrong'] }), grid: small,
          tooltip: tooltip((ps) => {
            const i = Math.min(ps[0].dataIndex, v.positive.length - 1);
            return `${number(v.low + i * width)} to ${number(v.low + (i + 1) * width)}\ncorrect: ${number(v.positive[i])}\nwrong: ${number(v.negative[i])}`;
          }, 'axis'),
          xAxis: axis('value', 'score', { min: v.low, max: v.high, axisLabel: { color: c.soft, hideOverlap: true, formatter: (x) => String(Number(x.toPrecision(3))), showMaxLabel: false } }),
          yAxis: axis('value', 'share', { nameGap: 40, axisLine: { onZero: false, lineStyle: { color: c.soft } }, axisLabel: { color: c.soft, formatter: (x) => Math.round(100 * x) + ' %' } }),
          series: [Object.assign(area('correct', v.positive, v.positives, c.blue, 'solid'), { markLine: position() }), area('wrong', v.negative, negatives, c.orange, 'dashed')],
        },
        columns: [numeric('from'), numeric('to'), numeric('correct'), numeric('wrong')],
        rows: () => v.positive.map((n, i) => [number(v.low + i * width), number(v.low + (i + 1) * width), number(n), number(v.negative[i])]),
      };
    });
    chart('calibration', () => {
      const c = colours(), bins = (curve().calibration || []).filter((b) => b[0] > 0);
      if (!curve().calibration) return null;
      const most = Math.max(...bins.map((b) => b[0]));
      return {
        height: 320, about: `Share of correct predictions by probability of ${curve().name}; on the dashed line the two are equal.`,
        option: {
          grid: small,
          tooltip: tooltip((p) => p.seriesName === 'share' ? `probability ${percent(bins[p.dataIndex][1])}\ncorrect ${percent(bins[p.dataIndex][2])}\n${number(bins[p.dataIndex][0])} ${curve().of}` : ''),
          xAxis: shareAxis('mean probability'), yAxis: shareAxis('share that is correct', { nameGap: 40 }),
          series: [line('share', bins.map((b) => [b[1], b[2]]), c.blue, { showSymbol: true, symbol: 'circle', symbolSize: (_, p) => 5 + 15 * Math.sqrt(bins[p.dataIndex][0] / most) }),
            line('agreement', [[0, 0], [1, 1]], c.soft, { lineStyle: { color: c.soft, type: 'dashed', width: 1 }, silent: true, symbol: 'none' })],
        },
        columns: [numeric(curve().of), numeric('mean probability'), numeric('share that is correct')],
        rows: () => bins.map((b) => [number(b[0]), percent(b[1]), percent(b[2])]),
      };
    });
    start();
  }

  // What speaks for a class.
  if (data.features) {
    const chosen = choices('features', data.features.map((f) => ({ name: label(f.class), features: f })), () => draw('features'));
    chart('features', () => {
      const c = colours(), f = chosen().features, order = f.names.map((_, i) => i).reverse();
      return {
        height: 24 * order.length + 60, about: `The ${order.length} strongest n-grams of class ${label(f.class)}, as bars.`,
        option: {
          grid: { left: 8, right: 24, top: 8, bottom: 24, containLabel: true },
          tooltip: tooltip((p) => `${plain(f.names[order[p.dataIndex]])}\n${number(f.weights[order[p.dataIndex]])}`),
          xAxis: axis('value', ''),
          yAxis: axis('category', '', { data: order.map((i) => f.names[i]), axisLabel: names(narrow() ? 130 : 260) }),
          series: [{ type: 'bar', data: order.map((i) => f.weights[i]), itemStyle: { color: c.blue, decal: { symbol: 'none' } } }],
        },
        columns: [text('class'), text('n-gram'), numeric('weight')],
        rows: () => f.names.map((_, i) => [label(f.class), f.names[i], f.weights[i].toFixed(4)]),
      };
    });
  }

  // Sizes.
  chart('sizes', () => {
    if (!data.sizes) return null;
    const c = colours(), shown = data.sizes.slice().sort((a, b) => a.bytes - b.bytes);
    return {
      height: 26 * shown.length + 60, about: 'Bytes of the parts of the model, as bars.',
      option: {
        grid: { left: 8, right: 80, top: 8, bottom: 24, containLabel: true },
        tooltip: tooltip((p) => `${plain(shown[p.dataIndex].name)}\n${number(shown[p.dataIndex].bytes)} bytes`),
        xAxis: axis('value', '', { axisLabel: { color: c.soft, hideOverlap: true, formatter: bytes } }),
        yAxis: axis('category', '', { data: shown.map((s) => s.name), axisLabel: names(150) }),
        series: [{ type: 'bar', data: shown.map((s) => s.bytes), itemStyle: { color: c.green }, label: { show: true, position: 'right', color: c.ink, formatter: (p) => bytes(p.value) } }],
      },
      columns: [text('part of the model'), numeric('bytes')],
      rows: () => data.sizes.map((s) => [s.name, number(s.bytes)]),
    };
  });

  drawAll();
  darkness.addEventListener('change', drawAll);
  let width = document.documentElement.clientWidth;
  addEventListener('resize', () => {
    if (width === document.documentElement.clientWidth) return;
    width = document.documentElement.clientWidth;
    drawAll();
  });
})();
