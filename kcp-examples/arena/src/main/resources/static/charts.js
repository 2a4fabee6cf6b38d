"use strict";

const SVG = "http://www.w3.org/2000/svg";

/** A line chart of the last minutes. Its curves are functions of a sample. */
class LineChart {
  static SECONDS = 180;
  static SPANS = [30, 60, 120, 180];
  static WIDTH = 400;
  static HEIGHT = 150;
  static LEFT = 38;
  static BOTTOM = 18;
  static TOP = 8;

  constructor(parent, id, title, unit, curves) {
    this.unit = unit;
    this.curves = curves;
    this.samples = [];
    const panel = document.createElement("figure");
    panel.className = "chart";
    panel.style.margin = 0;
    const heading = document.createElement("h2");
    heading.append(title + (unit ? ", " + unit : ""));
    curves.forEach(curve => {
      const legend = document.createElement("span");
      legend.className = "legend";
      legend.style.setProperty("--key", `var(--${curve.color})`);
      legend.append(curve.name + " ");
      curve.now = document.createElement("b");
      legend.append(curve.now);
      heading.append(legend);
    });
    this.svg = document.createElementNS(SVG, "svg");
    this.svg.id = id;
    this.svg.setAttribute("role", "img");
    this.svg.setAttribute("aria-label", title);
    this.svg.dataset.points = 0;
    this.svg.addEventListener("pointermove", event => this.point(event));
    this.svg.addEventListener("pointerleave", () => this.unpoint());
    panel.append(heading, this.svg);
    parent.append(panel);
    new ResizeObserver(() => this.draw()).observe(this.svg);
  }

  static format(value) {
    if (value >= 10000) {
      return (value / 1000).toFixed(value < 100000 ? 1 : 0) + "k";
    }
    return value >= 100 || Number.isInteger(value) ? String(Math.round(value)) : value.toFixed(value < 1 ? 2 : 1);
  }

  /** The next number of 1, 2, 5, 10, 20 and so on. */
  static roundUp(value) {
    const power = 10 ** Math.floor(Math.log10(value));
    return [1, 2, 5, 10].find(step => step * power >= value * 0.999) * power;
  }

  /** Forgets everything, for a chart that shows something else from now on. */
  clear() {
    this.samples = [];
    this.svg.replaceChildren();
    this.svg.dataset.points = 0;
    this.curves.forEach(curve => curve.now.textContent = "");
  }

  add(sample) {
    this.samples.push(sample);
    const oldest = sample.timeMs - LineChart.SECONDS * 1000;
    while (this.samples.length > 0 && this.samples[0].timeMs < oldest) {
      this.samples.shift();
    }
  }

  static element(name, attributes, text) {
    const element = document.createElementNS(SVG, name);
    Object.entries(attributes).forEach(([key, value]) => element.setAttribute(key, value));
    if (text !== undefined) {
      element.textContent = text;
    }
    return element;
  }

  draw() {
    const {samples, svg} = this;
    const {LEFT, BOTTOM, TOP, HEIGHT} = LineChart;
    const width = svg.clientWidth || LineChart.WIDTH;
    if (samples.length === 0) {
      return;
    }
    const end = samples[samples.length - 1].timeMs;
    const seconds = LineChart.SPANS.find(span => end - samples[0].timeMs <= span * 1000) ?? LineChart.SECONDS;
    const highest = Math.max(...samples.flatMap(sample => this.curves.map(curve => curve.of(sample))));
    this.top = LineChart.roundUp(Math.max(highest, 1));
    this.x = time => LEFT + (width - LEFT) * (1 - (end - time) / (seconds * 1000));
    this.y = value => HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * value / this.top;
    const parts = [];
    [0, 0.5, 1].forEach(part => {
      const y = this.y(part * this.top);
      parts.push(LineChart.element("line", {class: "rule", x1: LEFT, x2: width, y1: y, y2: y}),
        LineChart.element("text", {x: LEFT - 6, y: y + 4, "text-anchor": "end"}, LineChart.format(part * this.top)));
    });
    [1, 2 / 3, 1 / 3].forEach(part =>
      parts.push(LineChart.element("text", {x: this.x(end - part * seconds * 1000), y: HEIGHT - 3, "text-anchor": part === 1 ? "start" : "middle"},
        `−${part * seconds} s`)));
    parts.push(LineChart.element("text", {x: width, y: HEIGHT - 3, "text-anchor": "end"}, "now"));
    this.curves.forEach((curve, index) => {
      const points = samples.map(sample => `${this.x(sample.timeMs).toFixed(1)},${this.y(curve.of(sample)).toFixed(1)}`);
      if (index === 0) {
        const first = this.x(samples[0].timeMs);
        parts.push(LineChart.element("polygon", {class: "area", fill: `var(--${curve.color})`,
          points: `${first},${this.y(0)} ${points.join(" ")} ${this.x(end)},${this.y(0)}`}));
      }
      parts.push(LineChart.element("polyline", {class: "curve", stroke: `var(--${curve.color})`, points: points.join(" ")}));
      curve.now.textContent = LineChart.format(curve.of(samples[samples.length - 1]));
    });
    svg.replaceChildren(...parts);
    svg.dataset.points = samples.length;
  }

  point(event) {
    if (!this.x || this.samples.length === 0) {
      return;
    }
    const left = this.svg.getBoundingClientRect().left;
    const wanted = event.clientX - left;
    const nearest = this.samples.reduce((best, sample) =>
      Math.abs(this.x(sample.timeMs) - wanted) < Math.abs(this.x(best.timeMs) - wanted) ? sample : best);
    this.svg.querySelector(".cursor")?.remove();
    const x = this.x(nearest.timeMs);
    this.svg.append(LineChart.element("line", {class: "cursor", x1: x, x2: x, y1: LineChart.TOP, y2: LineChart.HEIGHT - LineChart.BOTTOM}));
    const tip = document.getElementById("tip");
    tip.hidden = false;
    tip.textContent = new Date(nearest.timeMs).toLocaleTimeString() + "\n"
      + this.curves.map(curve => `${curve.name} ${LineChart.format(curve.of(nearest))} ${this.unit}`).join("\n");
    tip.style.left = Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8) + "px";
    tip.style.top = event.clientY + 14 + "px";
  }

  unpoint() {
    this.svg.querySelector(".cursor")?.remove();
    document.getElementById("tip").hidden = true;
  }
}
