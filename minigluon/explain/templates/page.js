"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const $ = (selector, from = document) => from.querySelector(selector);
  const $$ = (selector, from = document) => [...from.querySelectorAll(selector)];
  const canvas = $("#canvas");
  const state = { pass: 0, side: "after", node: null, zoom: null };

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

  const graphOf = () => data.passes[state.pass][state.side] ?? data.passes[state.pass].after;
  const sheet = () => $(`.sheet[data-graph="${graphOf()}"]`);

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
    showGraph(pass);
  }

  function showGraph(pass) {
    const current = sheet(), nodes = $$(".node", current);
    for (const other of $$(".sheet")) other.hidden = other !== current;
    const marked = state.side === "before" ? { removed: pass.removed } : { added: pass.added, changed: pass.changed };
    for (const kind of ["removed", "added", "changed"]) {
      const ids = new Set(marked[kind] ?? []);
      for (const node of nodes) node.classList.toggle(kind, ids.has(node.id));
    }
    const count = nodes.filter(node => data.nodes[node.id].family !== "input").length;
    $("#graph-count").textContent = `${count} operator${count === 1 ? "" : "s"}`;
    const changes = pass.removed.length + pass.added.length + pass.changed.length > 0;
    for (const item of $$(".of-changes")) item.hidden = !changes;
    if (nodes.length && !nodes.some(node => node.getAttribute("tabindex") === "0")) nodes[0].setAttribute("tabindex", 0);
    zoom(state.zoom);
    // The chosen node stays chosen where the graph still has it.
    const chosen = data.nodes[state.node];
    const twin = chosen && nodes.find(({ id }) => data.nodes[id].name === chosen.name && data.nodes[id].title === chosen.title);
    chooseNode(twin ?? null);
  }

  /** Show the graph at a scale, or to fit. At first by its width, unless the text became too small to read. */
  function zoom(scale) {
    const svg = $("svg", sheet()), box = svg.viewBox.baseVal, room = canvas.clientWidth - 30;
    if (scale === "fit") scale = Math.min(room / box.width, (canvas.clientHeight - 30) / box.height, 1.5);
    const used = scale ?? Math.max(Math.min(1, room / box.width), 0.75);
    svg.setAttribute("width", box.width * used);
    svg.setAttribute("height", box.height * used);
    return used;
  }

  function changeZoom(how) {
    const svg = $("svg", sheet()), now = svg.getAttribute("width") / svg.viewBox.baseVal.width;
    state.zoom = how === "fit" ? "fit" : how === "one" ? 1 : Math.min(4, Math.max(0.05, now * (how === "in" ? 1.25 : 0.8)));
    zoom(state.zoom);
  }

  function chooseNode(node, scroll = false) {
    for (const old of $$(".node.chosen, .edge.near", canvas)) old.classList.remove("chosen", "near");
    if (!node) {
      $("#node-details").replaceChildren(element("p", "muted", "No node chosen."));
      return;
    }
    state.node = node.id;
    for (const other of $$(".node[tabindex='0']", sheet())) other.setAttribute("tabindex", -1);
    node.setAttribute("tabindex", 0);
    node.classList.add("chosen");
    for (const edge of $$(`.edge[data-from="${node.id}"], .edge[data-to="${node.id}"]`, sheet())) edge.classList.add("near");
    $("#node-details").replaceChildren(...nodeDetails(data.nodes[node.id]));
    if (scroll) node.scrollIntoView({ block: "center", inline: "center" });
  }

  function nodeDetails(node) {
    const shown = [element("h3", "", element("span", `swatch k-${node.family}`), node.title),
                   element("p", "who", node.name)];
    if (node.family !== "input") shown.push(element("p", "muted", `${node.phase} part`));
    const part = (title, content) => shown.push(element("h4", "", title), content);
    if (node.marks.length) part("What it is for the caller", element("p", "", node.marks.join(", ")));
    if (node.parts.length) part("Operators, line by line", element("ol", "", ...node.parts.map(p => element("li", "mono", p))));
    if (node.attributes.length) {
      const attributes = table(node.attributes.map(([name, value]) => [name, value]));
      node.attributes.forEach(([, , standard], i) => attributes.rows[i].classList.toggle("standard", standard));
      part("Attributes", attributes);
    }
    if (node.inputs.length) {
      part("Inputs", table(node.inputs.map(([argument, source, spec]) => [argument, `${source}\u2003${spec}`])));
    }
    if (node.outputs.length > 1) part("Outputs", table(node.outputs.map(([, spec], i) => [`output ${i}`, spec])));
    else part("Output", element("p", "spec", node.outputs[0][1]));
    return shown;
  }

  function goToNode(id) {
    showPass(data.passes.length - 1);
    $("#passes").scrollIntoView();
    const node = document.getElementById(id);
    chooseNode(node, true);
    node.focus({ preventScroll: true });
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

  // -- what people do --------------------------------------------------------------------------------------------

  /** Click or Enter chooses; arrow keys, Home and End go through things of which Tab reaches one at a time. */
  function choosable(area, selector, choose) {
    area.addEventListener("click", event => {
      const thing = event.target.closest(selector);
      if (thing) choose(thing);
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
    });
  }

  choosable($(".tabs"), "button", tab => showPass(Number(tab.dataset.pass)));
  choosable(canvas, ".node", node => chooseNode(node));
  choosable($(".chart"), ".buffer", chooseBuffer);
  for (const button of $$("#sides button")) button.onclick = () => showPass(state.pass, button.dataset.side);
  for (const button of $$(".zoom button")) button.onclick = () => changeZoom(button.dataset.zoom);
  for (const button of $$("#memories button")) button.onclick = () => showMemory(button.dataset.memory);
  for (const button of $$(".link[data-node]")) button.onclick = () => goToNode(button.dataset.node);
  $(".chart").addEventListener("pointerover", event => {
    if (event.target.matches(".buffer")) showBuffer(event.target);
  });
  $(".chart").addEventListener("pointerleave", () => {
    const chosen = $(".buffer.chosen");
    if (chosen) showBuffer(chosen);
  });

  // As high as the highest graph, so that the page does not jump from pass to pass.
  const highest = Math.max(...$$("svg.graph").map(svg => svg.viewBox.baseVal.height));
  canvas.style.height = `min(74vh, 860px, ${highest + 32}px)`;
  showPass(0);
  showMemory("planned");
})();
