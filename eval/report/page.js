"use strict";
// What works without transcripts: the two themes, and tables that sort.
(() => {
  document.getElementById("theme").addEventListener("click", () => {
    const root = document.documentElement;
    const system = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
    root.style.colorScheme = (root.style.colorScheme || system) === "dark" ? "light" : "dark";
  });

  for (const table of document.querySelectorAll("table.sortable")) {
    const heads = [...table.querySelectorAll("th")], body = table.tBodies[0];
    heads.forEach((head, column) => head.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending" ? -1 : 1;
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", down > 0 ? "ascending" : "descending");
      const value = (row) => row.cells[column].textContent;
      const compare = (a, b) => down * value(a).localeCompare(value(b), "en", { numeric: true });
      body.append(...[...body.rows].sort(compare));
    }));
  }
})();
