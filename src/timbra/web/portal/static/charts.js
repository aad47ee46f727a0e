// Charts of tables: an element with data-chart names a table whose rows are a day and two values, newest first.
const charts = [];
const DAY = 86400;

function colour(container, name) {
  const probe = document.createElement("span");
  probe.className = `colour-${name}`;
  container.append(probe);
  const value = getComputedStyle(probe).color;
  probe.remove();
  return value;
}

function draw(container) {
  const table = document.getElementById(container.dataset.chart);
  const rows = [...table.tBodies[0].rows].reverse();
  const cells = (row, index) => Number(row.cells[index].dataset.value);
  const titles = [...table.tHead.rows[0].cells].map((cell) => cell.textContent);
  const data = [rows.map((row) => Date.parse(`${row.cells[0].dataset.value}T12:00:00Z`) / 1000)];
  for (const index of [1, 2]) data.push(rows.map((row) => cells(row, index)));
  const ink = colour(container, "grey");
  const axis = { stroke: ink, grid: { stroke: colour(container, "line"), width: 1 }, ticks: { show: false }, font: "12px Inter, sans-serif" };
  const day = new Intl.DateTimeFormat("es-MX", { day: "numeric", month: "short", timeZone: "UTC" });
  const format = (seconds) => day.format(new Date(seconds * 1000));
  const options = {
    width: container.clientWidth,
    height: container.clientWidth > 500 ? 320 : 220,
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), "UTC"),
    cursor: { y: false, points: { size: 7 } },
    scales: { x: { range: (_, first, last) => [first - DAY / 2, last + DAY / 2] }, y: { range: (_, least, most) => [0, Math.max(most, 1) * 1.1] } },
    axes: [{ ...axis, grid: { show: false }, values: (_, days) => days.map(format) }, { ...axis, size: 46, incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 50000, 100000, 1000000] }],
    series: [
      { label: titles[0], value: (_, seconds) => (seconds == null ? "" : format(seconds)) },
      { label: titles[1], fill: colour(container, "accent"), stroke: colour(container, "accent"), paths: uPlot.paths.bars({ size: [0.7, 40], radius: 0.15 }), points: { show: false } },
      { label: titles[2], stroke: colour(container, "wrong"), width: 2, dash: [5, 4], points: { show: true, size: 5, fill: colour(container, "wrong") } },
    ],
  };
  container.replaceChildren();
  return new uPlot(options, data, container);
}

function redraw() {
  for (const chart of charts.splice(0)) chart.destroy();
  for (const container of document.querySelectorAll("[data-chart]")) charts.push(draw(container));
}

redraw();
new MutationObserver(redraw).observe(document.documentElement, { attributeFilter: ["data-theme"] });
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
let pause = 0;
addEventListener("resize", () => {
  clearTimeout(pause);
  pause = setTimeout(redraw, 150);
});
