"use strict";
/** The drawing of the graphs: one layout for all passes, with groups that open. See picture.py for the data. */
class Drawing {
  static HEAD = 30;             // the line above an open group
  static PAD = 14;

  constructor(picture, svg) {
    Object.assign(this, picture);
    this.svg = svg;
    Drawing.namespace = svg.namespaceURI;
    this.opened = new Set(picture.open);
  }

  // -- groups ----------------------------------------------------------------------------------------------------

  /** The visible item for a place: itself, or ~index of the outermost closed group around it. */
  seen(place) {
    let item = place;
    for (let group = this.places[place][1]; group !== null; group = this.groups[group].parent) {
      if (!this.opened.has(group)) item = ~group;
    }
    return item;
  }

  /** Open all groups around a place. */
  reveal(place) {
    for (let group = this.places[place][1]; group !== null; group = this.groups[group].parent) this.opened.add(group);
  }

  toggle(group) {
    if (!this.opened.delete(group)) this.opened.add(group);
  }

  openAll(all) {
    this.opened = new Set(all ? this.groups.keys() : [0]);
  }

  parent(item) {
    return item >= 0 ? this.places[item][1] : this.groups[~item].parent;
  }

  // -- positions --------------------------------------------------------------------------------------

  /** Size of an open group, and how its layout is stretched: open groups inside push their surroundings apart. */
  measure(number) {
    const group = this.groups[number], layout = this.layouts[group.layout];
    const inner = new Map(), wide = [], high = [];
    group.items.forEach((item, i) => {
      if (item >= 0 || !this.opened.has(~item)) return;
      const closed = this.groups[~item], size = this.measure(~item), [x, y] = layout.at[i];
      inner.set(item, size);
      wide.push([x - closed.width / 2, x + closed.width / 2, size.width]);
      high.push([y - closed.height / 2, y + closed.height / 2, size.height]);
    });
    const x = Drawing.stretched(wide), y = Drawing.stretched(high);
    const frame = number ? Drawing.PAD : 0, head = number ? Drawing.HEAD : 0;
    return { layout, inner, x, y, frame, head, width: Math.max(x(layout.width) + 2 * frame, number ? group.width : 0),
             height: y(layout.height) + head + frame };
  }

  /** A function from old to new coordinates that makes [from, to, size] intervals at least `size` long. */
  static stretched(intervals) {
    const cuts = [...new Set(intervals.flatMap(([from, to]) => [from, to]))].sort((a, b) => a - b);
    const more = cuts.slice(1).map((end, i) => Math.max(1, ...intervals
      .filter(([from, to]) => from <= cuts[i] && to >= end).map(([from, to, size]) => size / (to - from))) - 1);
    return value => more.reduce((sum, factor, i) =>
      sum + factor * Math.min(Math.max(value - cuts[i], 0), cuts[i + 1] - cuts[i]), value);
  }

  /** Fill `this.boxes`: item -> {x, y, width, height}, its center and size, including the contents of open groups. */
  arrange(number, measured, left, top) {
    const { layout, inner, x, y, frame, head } = measured;
    this.frames.set(number, { measured, left: left + frame, top: top + head });
    this.groups[number].items.forEach((item, i) => {
      const [cx, cy] = layout.at[i], own = item >= 0 ? this.sizes.get(item) ?? { width: 0, height: 0 } : this.groups[~item];
      const middle = (at, map, size) => (map(at - size / 2) + map(at + size / 2)) / 2;
      const box = { x: left + frame + middle(cx, x, own.width), y: top + head + middle(cy, y, own.height),
                    width: own.width, height: own.height };
      const open = inner.get(item);
      if (open) {
        const start = top + head + y(cy - own.height / 2);          // groups side by side begin at one height
        Object.assign(box, { width: open.width, height: open.height, y: start + open.height / 2 });
        this.arrange(~item, open, box.x - box.width / 2, box.y - box.height / 2);
      }
      this.boxes.set(item, box);
    });
  }

  // -- drawing ---------------------------------------------------------------------------------------------------

  /** Draw a graph. changes: {kind: Set of places}; a group is marked new if all of it is new, otherwise changed. */
  show(graph, changes) {
    this.nodes = new Map();             // place -> [variant, detail] of this graph
    this.sizes = new Map();
    for (const [number, detail] of this.graphs[graph]) {
      const variant = this.variants[number];
      this.nodes.set(variant.place, [number, detail]);
      this.sizes.set(variant.place, variant);
    }
    this.boxes = new Map();
    this.frames = new Map();
    const whole = this.measure(0), frames = [], shapes = [];
    this.arrange(0, whole, 0, 0);
    this.members = this.membersOf();
    const drawn = new Set();
    for (const place of this.nodes.keys()) {
      for (const item of this.chain(place)) {
        if (drawn.has(item)) continue;
        drawn.add(item);
        if (item >= 0) shapes.push(this.node(place, changes));
        else shapes.push(this.group(~item, changes, frames));
      }
    }
    const margin = 8;
    this.width = whole.width + 2 * margin;
    this.height = whole.height + 2 * margin;
    this.svg.setAttribute("viewBox", `${-margin} ${-margin} ${this.width} ${this.height}`);
    this.svg.dataset.graph = graph;
    this.svg.replaceChildren(Drawing.arrows(), ...frames, ...this.edges(), ...shapes);
  }

  /** The open groups around a place, and the visible item in the innermost one. */
  chain(place) {
    const around = [], seen = this.seen(place);
    for (let group = this.parent(seen); group; group = this.groups[group].parent) around.unshift(~group);
    return [...around, seen];
  }

  /** group -> places of this graph in it. */
  membersOf() {
    const members = new Map();
    for (const place of this.nodes.keys()) {
      for (let group = this.places[place][1]; group !== null; group = this.groups[group].parent) {
        if (!members.has(group)) members.set(group, []);
        members.get(group).push(place);
      }
    }
    return members;
  }

  static make(tag, attributes, ...content) {
    const made = document.createElementNS(Drawing.namespace, tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    made.append(...content);
    return made;
  }

  static arrows() {
    return Drawing.make("defs", {}, ...["forward", "backward"].map(phase => Drawing.make("marker", {
      id: `arrow-${phase}`, class: `head ${phase}`, viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 8, markerHeight: 8,
      markerUnits: "userSpaceOnUse", orient: "auto" }, Drawing.make("path", { d: "M 0 1 L 7.5 4 L 0 7 z" }))));
  }

  static texts(lines, x, top) {
    return lines.map(([text, kind, size], i) =>
      Drawing.make("text", { class: kind, x: x.toFixed(1), y: (top + 18 + 15 * i).toFixed(1), "font-size": size }, text));
  }

  static rect(box, radius, kind = "") {
    return Drawing.make("rect", { class: kind, x: (box.x - box.width / 2).toFixed(1), y: (box.y - box.height / 2).toFixed(1),
                                  width: box.width.toFixed(1), height: box.height.toFixed(1), rx: radius });
  }

  node(place, changes) {
    const [number] = this.nodes.get(place), variant = this.variants[number], box = this.boxes.get(place);
    const mark = Object.keys(changes).find(kind => changes[kind].has(place)) ?? "";
    const lines = variant.lines.filter(([, kind]) => this.shapes || kind !== "spec");
    const top = box.y - box.height / 2 + 7.5 * (variant.lines.length - lines.length);
    return Drawing.make("g", { class: `node k-${variant.family} ${variant.phase} ${mark}`.trim(), id: `n${number}`, role: "button",
        tabindex: -1, "data-place": place, "aria-label": variant.lines.map(([text]) => text).join(", ") },
      Drawing.rect(box, variant.family === "input" ? box.height / 2 : 7), ...Drawing.texts(lines, box.x, top));
  }

  /** Draw a group: closed, a stack of cards with the colors of its contents; open, a frame below the edges. */
  group(number, changes, frames) {
    const group = this.groups[number], box = this.boxes.get(~number), open = this.opened.has(number);
    const places = this.members.get(number);
    const touched = Object.keys(changes).filter(kind => places.some(place => changes[kind].has(place)));
    const whole = touched.find(kind => kind !== "changed" && places.every(place => changes[kind].has(place)));
    const mark = open || !touched.length ? "" : whole ?? "changed";
    const kind = ["node", "group", open ? "open" : "closed", group.phase, mark].filter(Boolean).join(" ");
    const attributes = { class: kind, id: `group${number}`, role: "button", tabindex: -1, "aria-expanded": open,
                         "data-group": number, "aria-label": `${group.title} ${group.name}, ${places.length} operators` };
    if (open) {
      frames.push(Drawing.rect(box, 10, `frame ${group.phase}`));
      const head = { ...box, y: box.y - box.height / 2 + Drawing.HEAD / 2, height: Drawing.HEAD - 4 };
      const label = Drawing.fitted(`− ${group.title}`, `  ${group.name}`, box.width - 20);
      return Drawing.make("g", attributes, Drawing.rect(head, 8, "head-line"),
        Drawing.make("text", { class: "title", x: box.x - box.width / 2 + 12, y: head.y + 4.5, "font-size": 12.5 },
          label[0], Drawing.make("tspan", { class: "name", "font-size": 10.5 }, label[1])));
    }
    const lines = [...group.lines.slice(0, 2), [`${places.length} operator${places.length === 1 ? "" : "s"}`, "spec", 10.5]];
    const behind = [6, 3].map(shift => Drawing.rect({ ...box, x: box.x + shift, y: box.y + shift }, 7, "card"));
    return Drawing.make("g", attributes, ...behind, Drawing.rect(box, 7), ...this.strip(places, box),
      ...Drawing.texts(lines, box.x, box.y - box.height / 2));
  }

  /** Two texts cut to fit a width, in a monospaced font of 12.5 and 10.5 pixels. */
  static fitted(title, name, width) {
    const room = Math.floor((width - title.length * 7.6) / 6.4);
    return [title, name.length <= room ? name : room > 8 ? "  …" + name.slice(3 - room) : ""];
  }

  /** A line with the colors of a group's operators, in proportion. */
  strip(places, box) {
    const counts = new Map();
    for (const place of places) {
      const family = this.variants[this.nodes.get(place)[0]].family;
      counts.set(family, (counts.get(family) ?? 0) + 1);
    }
    let left = box.x - box.width / 2 + 8;
    return [...counts].map(([family, count]) => {
      const width = (box.width - 16) * count / places.length, x = left;
      left += width;
      return Drawing.make("rect", { class: `strip k-${family}`, x: x.toFixed(1), y: (box.y + box.height / 2 - 6).toFixed(1),
                                    width: width.toFixed(1), height: 3 });
    });
  }

  // -- edges -----------------------------------------------------------------------------------------------------

  edges() {
    const found = new Map();
    for (const [place, [number, detail]] of this.nodes) {
      const end = this.seen(place), phase = this.variants[number].phase;
      for (const [, from] of this.details[detail][0]) {
        if (from === null || !this.nodes.has(from)) continue;
        const start = this.seen(from), key = `${start},${end}`;
        if (start !== end && !found.has(key)) found.set(key, this.edge(start, end, phase));
      }
    }
    this.fadeFans([...found.values()].filter(edge => edge.classList.contains("far")));
    return [...found.values()];
  }

  /** Draw the edges paler where a node has edges to, or from, each of many steps. */
  fadeFans(edges) {
    for (const end of ["from", "to"]) {
      const counts = new Map();
      for (const edge of edges) counts.set(edge.dataset[end], (counts.get(edge.dataset[end]) ?? 0) + 1);
      for (const edge of edges) if (counts.get(edge.dataset[end]) > 8) edge.classList.add("fan");
    }
  }

  edge(start, end, phase) {
    const near = this.laidOut(start, end);
    const points = near ?? Drawing.direct(this.boxes.get(start), this.boxes.get(end), this.phase(start) !== this.phase(end));
    const text = points.map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`);
    return Drawing.make("path", { class: `edge ${phase}${near ? "" : " far"}`, "data-from": start, "data-to": end, "marker-end": `url(#arrow-${phase})`,
                                  d: `M ${text[0]} C ${text.slice(1).join(" ")}` });
  }

  /** The curve of the layout if both ends are in the same group, stretched like the group. */
  laidOut(start, end) {
    const number = this.parent(start);
    if (number !== this.parent(end)) return null;
    const { measured, left, top } = this.frames.get(number), items = this.groups[number].items;
    const ends = [items.indexOf(start), items.indexOf(end)], flat = measured.layout.edges[ends.join()];
    if (!flat) return null;
    // The curve's end moves as far as stretching has moved the node's center; towards the middle, the curve moves less.
    const moved = ends.map((position, i) => {
      const [x, y] = measured.layout.at[position], box = this.boxes.get(i ? end : start);
      return [box.x - left - measured.x(x), box.y - top - measured.y(y)];
    });
    const points = [];
    for (let i = 0; i < flat.length; i += 2) {
      const share = i / (flat.length - 2);
      points.push([0, 1].map(axis => (axis ? top + measured.y(flat[i + 1]) : left + measured.x(flat[i]))
        + (1 - share) * moved[0][axis] + share * moved[1][axis]));
    }
    points[0] = Drawing.onBorder(this.boxes.get(start), points[1]);
    points[points.length - 1] = Drawing.onBorder(this.boxes.get(end), points[points.length - 2]);
    return points;
  }

  /** The point where a line from the center of a box towards a point leaves the box. */
  static onBorder(box, [x, y]) {
    const dx = x - box.x, dy = y - box.y;
    const share = Math.min(box.width / 2 / Math.abs(dx || 1e-9), box.height / 2 / Math.abs(dy || 1e-9), 1);
    return [box.x + dx * share, box.y + dy * share];
  }

  phase(item) {
    return item >= 0 ? this.variants[this.nodes.get(item)[0]].phase : this.groups[~item].phase;
  }

  /** A curve between groups: down or up, or sideways if the two are side by side. */
  static direct(from, to, across) {
    const apart = Math.abs(to.x - from.x) > (from.width + to.width) / 2;
    if (Math.abs(to.y - from.y) < (from.height + to.height) / 2 || (across && apart)) {
      const sign = Math.sign(to.x - from.x) || 1, x = from.x + sign * from.width / 2, last = to.x - sign * to.width / 2;
      const bend = Math.max(Math.abs(last - x) / 2, 12) * sign;
      return [[x, from.y], [x + bend, from.y], [last - bend, to.y], [last, to.y]];
    }
    const sign = to.y > from.y ? 1 : -1, y = from.y + sign * from.height / 2, last = to.y - sign * to.height / 2;
    const bend = Math.max(Math.abs(last - y) / 2, 12) * sign;
    return [[from.x, y], [from.x, y + bend], [to.x, last - bend], [to.x, last]];
  }
}
