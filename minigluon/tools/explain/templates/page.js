(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const $ = (selector, from = document) => from.querySelector(selector);
  const $$ = (selector, from = document) => [...from.querySelectorAll(selector)];
  const canvas = $("#canvas");
  const state = { pass: 0, side: "after", chosen: null, zoom: null };

  /** An element with a class, and with text or children. */
  function element(tag, kind = "", ...content) {
    const made = document.createElement(tag);
    if (kind) made.className = kind;
    made.append(...content);
    return made;
  }

  function table(rows) {
    return element("table", "", ...rows.map(cells => element("tr", "", ...cells.map((text, i) =>
      element("td", i ? "mono" : "", text)))));
  }

  // -- graphs ----------------------------------------------------------------------------------------------------

  const drawing = new Drawing(data.picture, $("#graph"));
  const graphOf = () => data.passes[state.pass][state.side] ?? data.passes[state.pass].after;

  function showPass(number, side = "after") {
    Object.assign(state, { pass: number, side });
    const pass = data.passes[number];
    $$(".tabs button").forEach((tab, i) => {
      tab.setAttribute("aria-selected", i === number);
      tab.tabIndex = i === number ? 0 : -1;
    });
    $("#viewer").setAttribute("aria-labelledby", `tab${number}`);
    $("#sides").hidden = pass.before === null;
    for (const button of $$("#sides button")) button.setAttribute("aria-pressed", button.dataset.side === side);
    $("#pass-name").textContent = pass.name;
    $("#pass-what").textContent = pass.what;
    $("#pass-notes").replaceChildren(...pass.notes.map(note => element("li", "", note)));
    const changes = pass.removed.length + pass.added.length + pass.changed.length > 0;
    for (const item of $$(".of-changes")) item.hidden = !changes;
    showGraph();
    if (state.chosen === null) scrollToNodes();
  }

  function showGraph() {
    const pass = data.passes[state.pass], focused = document.activeElement?.closest("#graph .node")?.id;
    const marked = state.side === "before" ? { removed: pass.removed } : { added: pass.added, changed: pass.changed };
    drawing.shapes = graphOf() !== data.passes[0].after;            // the trace has none
    drawing.show(graphOf(), Object.fromEntries(Object.entries(marked).map(([kind, places]) => [kind, new Set(places)])));
    const count = [...drawing.nodes.values()].filter(([number]) => drawing.variants[number].family !== "input").length;
    $("#graph-count").textContent = `${count} operator${count === 1 ? "" : "s"}`;
    zoom(state.zoom);
    search();
    choose(state.chosen);
    if (!$("#graph .node[tabindex='0']")) $("#graph .node")?.setAttribute("tabindex", 0);
    if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
  }

  /** Show the graph at a scale, or fitted. At first, fit the width, unless the text would be too small to read. */
  function zoom(scale) {
    const room = canvas.clientWidth - 30;
    if (scale === "fit") scale = Math.min(room / drawing.width, (canvas.clientHeight - 30) / drawing.height, 1.5);
    const used = scale ?? Math.max(Math.min(1, room / drawing.width), room < 500 ? 0.6 : 0.75);
    drawing.svg.setAttribute("width", drawing.width * used);
    drawing.svg.setAttribute("height", drawing.height * used);
  }

  /** If the drawing is wider than the panel, scroll sideways to where the panel shows most nodes. */
  function scrollToNodes() {
    canvas.scrollTo(0, 0);
    const panel = canvas.getBoundingClientRect(), margin = 12;
    const boxes = $$(".node", drawing.svg).map(node => node.getBoundingClientRect()).filter(box => box.bottom < panel.bottom);
    const seen = left => boxes.filter(box => box.left >= left && box.right <= left + panel.width - margin).length;
    const starts = [panel.left, ...boxes.map(box => box.left - margin).sort((a, b) => a - b)];
    canvas.scrollLeft = starts.reduce((best, left) => seen(left) > seen(best) ? left : best) - panel.left;
  }

  function changeZoom(how) {
    const now = drawing.svg.getAttribute("width") / drawing.width;
    state.zoom = how === "fit" ? "fit" : how === "one" ? 1 : Math.min(4, Math.max(0.05, now * (how === "in" ? 1.25 : 0.8)));
    zoom(state.zoom);
  }

  /** Open or close a group; its head stays where it is on the screen. */
  function toggle(group) {
    const before = document.getElementById(`group${group}`).getBoundingClientRect();
    drawing.toggle(group);
    showGraph();
    const shape = document.getElementById(`group${group}`), after = shape.getBoundingClientRect();
    canvas.scrollBy(after.left - before.left, after.top - before.top);
    shape.focus({ preventScroll: true });
  }

  function openAll(all) {
    drawing.openAll(all);
    showGraph();
  }

  /** Select the node at a place. It stays selected from pass to pass, as long as the graph has it. */
  function choose(place) {
    state.chosen = place;
    for (const old of $$(".node.chosen, .edge.near", canvas)) old.classList.remove("chosen", "near");
    const known = place === null ? undefined : drawing.nodes.get(place);
    const item = known && drawing.seen(place);
    const shape = known && (item >= 0 ? $(`#graph .node[data-place="${item}"]`) : document.getElementById(`group${~item}`));
    if (!shape) {
      $("#node-details").replaceChildren(element("p", "muted", "No node selected."));
      return;
    }
    point(shape);
    shape.classList.add("chosen");
    for (const edge of $$(`.edge[data-from="${item}"], .edge[data-to="${item}"]`, drawing.svg)) edge.classList.add("near");
    const [number, detail] = known;
    $("#node-details").replaceChildren(...nodeDetails(drawing.variants[number], place, drawing.details[detail]));
  }

  /** Make this the one shape that Tab reaches. */
  function point(shape) {
    for (const other of $$(".node[tabindex='0']", drawing.svg)) other.setAttribute("tabindex", -1);
    shape.setAttribute("tabindex", 0);
  }

  /** Select a place, even if it is folded away, and scroll to it. */
  function goTo(place) {
    drawing.reveal(place);
    state.chosen = place;
    if (drawing.svg.getAttribute("width") / drawing.width < 0.6) state.zoom = null;         // too small to read
    showGraph();
    const shape = $(`#graph .node[data-place="${place}"]`);
    if (!shape) return;
    $("#passes").scrollIntoView();
    shape.scrollIntoView({ block: "center", inline: "center" });
    shape.focus({ preventScroll: true });
  }

  const nameOf = place => drawing.places[place][0];

  function nodeDetails(node, place, [inputs, outputs, marks]) {
    const shown = [element("h3", "", element("span", `swatch k-${node.family}`), node.title),
                   element("p", "who", nameOf(place))];
    if (node.family !== "input") shown.push(element("p", "muted", `${node.phase} part`));
    const part = (title, ...content) => shown.push(element("h4", "", title), ...content);
    const shape = spec => drawing.shapes ? spec : "?";
    if (marks.length) part("Meaning for the caller", element("p", "", marks.join(", ")));
    if (node.parts.length) part("Operators, line by line", element("ol", "", ...node.parts.map(p => element("li", "mono", p))));
    if (node.attributes.length) {
      const attributes = table(node.attributes.map(([name, value]) => [name, value]));
      node.attributes.forEach(([, , standard], i) => attributes.rows[i].classList.toggle("standard", standard));
      part("Attributes", attributes);
    }
    if (inputs.length) {
      const named = (from, text) => (from === null ? "" : nameOf(from)) + text;
      part("Inputs", table(inputs.map(([argument, from, text, spec]) =>
        [argument, `${named(from, text)}\u2003${shape(spec)}`])));
    }
    if (outputs.length > 1) part("Outputs", table(outputs.map((spec, i) => [`output ${i}`, shape(spec)])));
    else part("Output", element("p", "spec", shape(outputs[0])));
    const lines = data.stacks[node.source];
    if (lines.length) part("Lines", ...lines.map(number => fileLine(data.lines[number])));
    if (node.operator !== null) part("Operator", fileLine(data.operators[node.operator]));
    return shown;
  }

  /** A place in a file, linked to the line on this page if the page shows it. */
  function fileLine([where, anchor, code]) {
    const link = element(anchor ? "a" : "span", "where", where);
    if (anchor) {
      link.href = `#${anchor}`;
      link.onclick = event => { event.preventDefault(); goToLine(anchor); };
    }
    return element("p", "line-of", link, ...(code ? [element("code", "", code)] : []));
  }

  function goToLine(anchor) {
    for (const old of $$("pre span.chosen")) old.classList.remove("chosen");
    const line = document.getElementById(anchor);
    for (let around = line.closest("details"); around; around = around.parentElement.closest("details")) around.open = true;
    line.classList.add("chosen");
    line.scrollIntoView({ block: "center" });
    line.closest("pre").focus({ preventScroll: true });
  }

  // -- search ----------------------------------------------------------------------------------------------------

  const MOST = 40;              // results in the list

  /** Mark and list the nodes of this graph whose name or operator contains the text. */
  function search() {
    const text = $("#search").value.trim().toLowerCase(), list = $("#found");
    for (const old of $$(".node.match", drawing.svg)) old.classList.remove("match");
    drawing.svg.classList.toggle("searched", text !== "");
    list.hidden = text === "";
    if (!text) return $("#found-count").replaceChildren();
    const found = [...drawing.nodes].filter(([place, [number]]) =>
      nameOf(place).toLowerCase().includes(text) || drawing.variants[number].title.toLowerCase().includes(text));
    for (const [place] of found) {
      const item = drawing.seen(place);
      const shape = item >= 0 ? $(`#graph .node[data-place="${item}"]`) : document.getElementById(`group${~item}`);
      shape.classList.add("match");
    }
    $("#found-count").textContent = `${found.length} found`;
    list.replaceChildren(...found.slice(0, MOST).map(([place, [number]]) => {
      const variant = drawing.variants[number], button = element("button", "", element("span", `swatch k-${variant.family}`),
        element("b", "", variant.title), ` ${nameOf(place)}`);
      button.onclick = () => goTo(place);
      return element("li", "", button);
    }));
    if (found.length > MOST) list.append(element("li", "muted", `and ${found.length - MOST} more`));
  }

  // -- memory ----------------------------------------------------------------------------------------------------

  function showMemory(which) {
    for (const chart of $$("[data-chart]")) chart.hidden = chart.dataset.chart !== which;
    for (const button of $$("#memories button")) button.setAttribute("aria-pressed", button.dataset.memory === which);
    const chart = $(`[data-chart="${which}"]`);
    if (!$(".buffer[tabindex='0']", chart)) $(".buffer", chart)?.setAttribute("tabindex", 0);
  }

  function showBuffer(rect) {
    const b = data.buffers[rect.closest("[data-chart]").dataset.chart][rect.dataset.buffer];
    const rows = [["size", b.text], ["place", b.place], ["from", `step ${b.first}: ${data.steps[b.first]}`],
                  ["to", `step ${b.last}: ${data.steps[b.last]}`]];
    if (b.then.length) rows.push(["then, in place", b.then.join(", ")]);
    $("#buffer-details").replaceChildren(element("h3", "", element("span", `swatch k-${b.family}`), b.name), table(rows));
  }

  function chooseBuffer(rect) {
    for (const old of $$(".buffer.chosen")) old.classList.remove("chosen");
    for (const other of $$(".buffer[tabindex='0']", rect.ownerSVGElement)) other.setAttribute("tabindex", -1);
    rect.setAttribute("tabindex", 0);
    rect.classList.add("chosen");
    showBuffer(rect);
  }

  // -- user actions ------------------------------------------------------------------------------------------

  /** Click or Enter selects and acts; arrow keys, Home and End move through things of which Tab reaches only one. */
  function choosable(area, selector, choose, act = () => {}) {
    area.addEventListener("click", event => {
      const thing = event.target.closest(selector);
      if (!thing) return;
      choose(thing);
      act(thing);
    });
    area.addEventListener("keydown", event => {
      const all = $$(selector, area).filter(thing => !thing.closest("[hidden]"));
      const now = all.indexOf(document.activeElement);
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      let next = null;
      if (event.key === "Enter" || event.key === " ") next = now;
      else if (event.key === "Home") next = 0;
      else if (event.key === "End") next = all.length - 1;
      else if (step && now >= 0) next = Math.min(all.length - 1, Math.max(0, now + step));
      else if (step) next = all.findIndex(thing => thing.getAttribute("tabindex") === "0");
      if (next === null || !all[next]) return;
      event.preventDefault();
      choose(all[next]);
      all[next].focus();
      if (event.key === "Enter" || event.key === " ") act(all[next]);
    });
  }

  choosable($(".tabs"), "button", tab => showPass(Number(tab.dataset.pass)));
  choosable(canvas, ".node", shape => shape.dataset.group ? point(shape) : choose(Number(shape.dataset.place)),
            shape => shape.dataset.group && toggle(Number(shape.dataset.group)));
  choosable($(".chart"), ".buffer", chooseBuffer);
  for (const button of $$("#sides button")) button.onclick = () => showPass(state.pass, button.dataset.side);
  for (const button of $$(".zoom button")) button.onclick = () => changeZoom(button.dataset.zoom);
  for (const button of $$("#memories button")) button.onclick = () => showMemory(button.dataset.memory);
  for (const button of $$("#folds button")) button.onclick = () => openAll(button.dataset.open === "all");
  for (const button of $$(".link[data-place]")) {
    button.onclick = () => {
      showPass(data.passes.length - 1);
      goTo(Number(button.dataset.place));
    };
  }
  $("#search").addEventListener("input", search);
  $("#search").addEventListener("keydown", event => {
    if (event.key === "Enter") $("#found button")?.click();
    if (event.key === "Escape") {
      $("#search").value = "";
      search();
    }
  });
  $(".chart").addEventListener("pointerover", event => {
    if (event.target.matches(".buffer")) showBuffer(event.target);
  });
  $(".chart").addEventListener("pointerleave", () => {
    const chosen = $(".buffer.chosen");
    if (chosen) showBuffer(chosen);
  });

  $("#folds").hidden = drawing.groups.length === 1;
  showPass(data.passes.length - 1);
  canvas.style.height = `min(74vh, 860px, ${drawing.height + 32}px)`;       // the same for all passes
  showPass(0);
  showMemory("planned");
})();
