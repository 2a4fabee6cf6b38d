"use strict";

/* Draws every canvas that has a data-chart attribute, in the colors of the style sheet. */
(() => {
  const STYLES = { solid: [], dashed: [9, 5], dotted: [2, 4] };
  const css = name => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();

  /* Writes the value beside each bar; an arrow marks a bar that is cut off. */
  const values = {
    id: "values",
    afterDatasetsDraw(chart, args, data) {
      const context = chart.ctx;
      context.fillStyle = css("ink");
      context.font = "13px system-ui, sans-serif";
      context.textBaseline = "middle";
      chart.getDatasetMeta(0).data.forEach((bar, i) => {
        const one = data.series[i];
        const right = Math.max(bar.x, chart.scales.x.getPixelForValue(one.range[1]));
        const cut = data.max && one.values[0] > data.max;
        context.fillText((cut ? "→ " : "") + one.texts[0], Math.min(right, chart.chartArea.right) + 6, bar.y);
      });
    }
  };

  function bars(data) {
    const ink = css("ink");
    return {
      type: "bar",
      data: {
        labels: data.series.map(one => one.name),
        datasets: [
          { data: data.series.map(one => one.values[0]), backgroundColor: data.series.map(one => css("c" + one.color)), barThickness: 16,
            minBarLength: 2 },
          { data: data.series.map(one => one.range), backgroundColor: ink, barThickness: 2, grouped: false, order: -1 }]
      },
      options: {
        indexAxis: "y", grouped: false, layout: { padding: { right: 84 } },
        scales: {
          x: { min: 0, max: data.max ?? undefined, display: false },
          y: { grid: { display: false }, ticks: { color: ink, font: { size: 13 }, autoSkip: false } }
        },
        plugins: { legend: { display: false }, values: data,
          tooltip: { callbacks: { label: item => {
            const one = data.series[item.dataIndex];
            return item.datasetIndex ? `runs: ${one.range.join(" to ")}` : `median: ${one.texts[0]} ${data.unit}`;
          } } } }
      },
      plugins: [values]
    };
  }

  /* Labels 1, 2 and 5 times powers of ten, and every line of a scale that is shorter than a power of ten. */
  function label(value) {
    return this.max / this.min < 10 || /^[125]e/.test(value.toExponential()) ? Number(value.toPrecision(3)).toLocaleString("en") : "";
  }

  function lines(data) {
    return {
      type: "line",
      data: {
        labels: data.labels,
        datasets: data.series.map(one => ({ label: one.name, data: one.values, borderColor: css("c" + one.color),
          backgroundColor: css("c" + one.color), borderDash: STYLES[one.style], borderWidth: 2, pointRadius: 3, spanGaps: true }))
      },
      options: {
        scales: {
          x: { title: { display: true, text: data.axis }, grid: { display: false }, offset: true },
          y: { type: "logarithmic", ticks: { autoSkip: false, callback: label } }
        },
        plugins: {
          legend: { position: "bottom", labels: { usePointStyle: true, pointStyle: "line", pointStyleWidth: 30,
            generateLabels: chart => Chart.defaults.plugins.legend.labels.generateLabels(chart)
              .map((item, i) => ({ ...item, lineWidth: 2, lineDash: STYLES[data.series[i].style] })) } },
          tooltip: { callbacks: { label: item => `${item.dataset.label}: ${data.series[item.datasetIndex].texts[item.dataIndex]} ${data.unit}` } }
        }
      }
    };
  }

  function draw() {
    Chart.defaults.animation = false;
    Chart.defaults.maintainAspectRatio = false;
    Chart.defaults.color = css("soft");
    Chart.defaults.borderColor = css("grid");
    for (const canvas of document.querySelectorAll("canvas[data-chart]")) {
      const data = JSON.parse(canvas.dataset.chart);
      Chart.getChart(canvas)?.destroy();
      new Chart(canvas, data.kind === "bars" ? bars(data) : lines(data));
      canvas.dataset.drawn = data.series.length;
    }
  }

  draw();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
})();
