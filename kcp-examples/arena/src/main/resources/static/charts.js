"use strict";

/** A line chart of the last minutes, drawn by Chart.js. Its curves are functions of a sample. */
class LineChart {
  static SECONDS = 180;
  static SPANS = [30, 60, 120, 180];

  constructor(parent, id, title, unit, curves) {
    this.curves = curves;
    this.samples = [];
    const panel = document.createElement("figure");
    panel.className = "chart";
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
    const plot = document.createElement("div");
    plot.className = "plot";
    this.canvas = document.createElement("canvas");
    this.canvas.id = id;
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", title);
    this.canvas.dataset.points = 0;
    plot.append(this.canvas);
    panel.append(heading, plot);
    parent.append(panel);
    this.chart = new Chart(this.canvas, LineChart.config(unit, curves));
  }

  /** Colors are functions, so that they follow the color scheme. */
  static config(unit, curves) {
    const css = name => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
    const text = () => css("quiet");
    return {
      type: "line",
      data: { datasets: curves.map((curve, index) => ({ label: curve.name, data: [], borderColor: () => css(curve.color), borderWidth: 2,
        pointRadius: 0, fill: index === 0 ? "origin" : false, backgroundColor: () => css(curve.color) + "1f" })) },
      options: {
        animation: false, maintainAspectRatio: false, interaction: { mode: "index", intersect: false },
        scales: {
          x: { type: "linear", grid: { display: false }, border: { display: false },
            ticks: { color: text, maxRotation: 0, align: "inner", callback(time) { return time === this.max ? "now" : `−${(this.max - time) / 1000} s`; } },
            afterBuildTicks: scale => { scale.ticks = [1, 2 / 3, 1 / 3, 0].map(part => ({ value: scale.max - part * (scale.max - scale.min) })); } },
          y: { beginAtZero: true, suggestedMax: 1, border: { display: false }, grid: { color: () => css("line") },
            ticks: { color: text, maxTicksLimit: 4, callback: LineChart.format } }
        },
        plugins: {
          legend: { display: false },
          tooltip: { displayColors: false, callbacks: { title: items => new Date(items[0].parsed.x).toLocaleTimeString(),
            label: item => `${item.dataset.label} ${LineChart.format(item.parsed.y)} ${unit}` } }
        }
      }
    };
  }

  static format(value) {
    if (value >= 10000) {
      return (value / 1000).toFixed(value < 100000 ? 1 : 0) + "k";
    }
    return value >= 100 || Number.isInteger(value) ? String(Math.round(value)) : value.toFixed(value < 1 ? 2 : 1);
  }

  add(sample) {
    this.samples.push(sample);
    const oldest = sample.timeMs - LineChart.SECONDS * 1000;
    while (this.samples[0].timeMs < oldest) {
      this.samples.shift();
    }
  }

  draw() {
    const {samples, chart} = this;
    const end = samples.at(-1).timeMs;
    const seconds = LineChart.SPANS.find(span => end - samples[0].timeMs <= span * 1000) ?? LineChart.SECONDS;
    chart.options.scales.x.min = end - seconds * 1000;
    chart.options.scales.x.max = end;
    this.curves.forEach((curve, index) => {
      chart.data.datasets[index].data = samples.map(sample => ({ x: sample.timeMs, y: curve.of(sample) }));
      curve.now.textContent = LineChart.format(curve.of(samples.at(-1)));
    });
    chart.update();
    this.canvas.dataset.points = samples.length;
  }
}
