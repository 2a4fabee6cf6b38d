"use strict";

/* Draws the charts of the demo in the colors of the style sheet. */
(() => {
  const PERCENTILES = [0, 50, 75, 90, 95, 99, 99.5, 99.9];
  const panels = [...document.querySelectorAll("canvas[data-series]")];
  const series = panels.map(canvas => JSON.parse(canvas.dataset.series));
  const css = name => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
  const ms = value => Math.round(value) + " ms";
  const highest = points => Math.max(...series.flatMap(one => one[points].map(point => point.y)));
  const longestSeconds = Math.ceil(Math.max(...series.flatMap(one => one.overTime.map(point => point.x))));

  function chart(canvas, config) {
    Chart.getChart(canvas)?.destroy();
    new Chart(canvas, config);
    canvas.dataset.drawn = config.data.datasets.length;
  }

  const delayAxis = points => ({ min: 0, suggestedMax: highest(points), title: { display: true, text: "delay, ms" }, ticks: { maxTicksLimit: 8 } });

  const level = (label, y) => ({ type: "line", label, data: [{ x: 0, y }, { x: longestSeconds, y }], borderColor: css("ink"), borderDash: [5, 4],
    borderWidth: 1, pointRadius: 0 });

  /* One bar for each part of the time: the longest delay of the messages that were sent in it. */
  function overTime(one, i) {
    return {
      type: "bar",
      data: { datasets: [
        { label: "longest", data: one.overTime, backgroundColor: css("c" + (i + 1)), barThickness: 1.5, order: 1 },
        level("p50", one.p50), level("p99", one.p99)] },
      options: {
        scales: {
          x: { type: "linear", min: 0, max: longestSeconds, offset: false, grid: { display: false } },
          y: delayAxis("overTime")
        },
        plugins: {
          legend: { display: false },
          title: { display: true, align: "start", color: css("c" + (i + 1)), font: { size: 14 },
            text: `${one.name}: p50 ${ms(one.p50)}, p99 ${ms(one.p99)}, longest ${ms(one.longest)}` },
          tooltip: { callbacks: { title: items => items[0].parsed.x.toFixed(1) + " s", label: item => `${item.dataset.label} ${ms(item.parsed.y)}` } }
        }
      }
    };
  }

  /* On the logarithmic axis of 1 / (1 - share), 90 %, 99 % and 99.9 % are equally far apart. */
  function byPercentile() {
    const position = percentile => 100 / (100 - percentile);
    return {
      type: "line",
      data: { datasets: series.map((one, i) => ({ label: one.name, data: one.percentiles, borderColor: css("c" + (i + 1)),
        backgroundColor: css("c" + (i + 1)), borderWidth: 2, pointRadius: 0, pointHitRadius: 8 })) },
      options: {
        interaction: { mode: "nearest", axis: "x", intersect: false },
        scales: {
          x: { type: "logarithmic", min: 1, max: position(99.9), title: { display: true, text: "share of the messages with at most this delay" },
            afterBuildTicks: scale => { scale.ticks = PERCENTILES.map(percentile => ({ value: position(percentile) })); },
            ticks: { autoSkip: true, maxRotation: 0, callback: value => Number((100 - 100 / value).toFixed(1)) + " %" } },
          y: delayAxis("percentiles")
        },
        plugins: {
          legend: { labels: { usePointStyle: true, pointStyle: "line", color: css("ink") } },
          tooltip: { callbacks: { title: items => (100 - 100 / items[0].parsed.x).toFixed(2) + " %",
            label: item => `${item.dataset.label}: ${ms(item.parsed.y)}` } }
        }
      }
    };
  }

  function draw() {
    Chart.defaults.animation = false;
    Chart.defaults.maintainAspectRatio = false;
    Chart.defaults.color = css("soft");
    Chart.defaults.borderColor = css("grid");
    panels.forEach((canvas, i) => chart(canvas, overTime(series[i], i)));
    chart(document.getElementById("percentiles"), byPercentile());
  }

  draw();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
})();
