// numbers under the pointer: at the same time in every plot over time, at the same percentage in every plot of a cycle
(function () {
  "use strict";
  function follow(selector, unit, places) {
    var pictures = Array.prototype.map.call(document.querySelectorAll(selector), function (svg) {
      var numbers = function (name) { return (svg.getAttribute(name) || "").split(" ").map(Number); };
      var lines = Array.prototype.map.call(svg.querySelectorAll("path[data-name]"), function (path) {
        // each M begins a piece; pieces are lists of x and y
        var pieces = path.getAttribute("d").split("M").filter(Boolean).map(function (piece) {
          return piece.split("L").map(function (p) { return p.split(" ").map(Number); });
        });
        return { name: path.getAttribute("data-name"), pieces: pieces };
      });
      var cursor = document.createElementNS("http://www.w3.org/2000/svg", "line");
      cursor.setAttribute("class", "cursor");
      cursor.setAttribute("y1", 0);
      cursor.setAttribute("y2", svg.viewBox.baseVal.height - 52);
      cursor.style.display = "none";
      svg.appendChild(cursor);
      return { svg: svg, x: numbers("data-x"), y: numbers("data-y"), lines: lines, cursor: cursor,
        output: svg.closest("figure").querySelector("output") };
    });
    function height(pieces, px) {
      for (var i = 0; i < pieces.length; i++) {
        var p = pieces[i], low = 0, high = p.length - 1;
        if (px < p[0][0] - 0.1 || px > p[high][0] + 0.1) { continue; }
        while (high - low > 1) {
          var middle = (low + high) >> 1;
          if (p[middle][0] <= px) { low = middle; } else { high = middle; }
        }
        var a = p[low], b = p[high], way = b[0] - a[0];
        return way > 0 ? a[1] + (b[1] - a[1]) * Math.min(1, Math.max(0, (px - a[0]) / way)) : a[1];
      }
      return NaN;
    }
    function show(t) {
      pictures.forEach(function (it) {
        var x = it.x, y = it.y, px = x[2] + (t - x[0]) / (x[1] - x[0]) * (x[3] - x[2]);
        it.cursor.style.display = "";
        it.cursor.setAttribute("x1", px);
        it.cursor.setAttribute("x2", px);
        var digits = Math.max(0, Math.min(3, 3 - Math.ceil(Math.log10(Math.max(1e-9, y[1] - y[0])))));
        var values = it.lines.map(function (line) {
          var at = height(line.pieces, px), value = y[0] + (at - y[2]) / (y[3] - y[2]) * (y[1] - y[0]);
          return line.name + " " + (isFinite(value) ? value.toFixed(digits).replace(/^-(?=[0.]*$)/, "") : "\u2013");
        });
        it.output.textContent = t.toFixed(places) + unit + (values.length ? ": " + values.join(", ") : "");
      });
    }
    function hide() {
      pictures.forEach(function (it) { it.cursor.style.display = "none"; it.output.textContent = ""; });
    }
    pictures.forEach(function (it) {
      it.svg.addEventListener("pointermove", function (event) {
        var box = it.svg.getBoundingClientRect(), x = it.x;
        var px = (event.clientX - box.left) / box.width * it.svg.viewBox.baseVal.width;
        var part = (px - x[2]) / (x[3] - x[2]);
        if (part < 0 || part > 1) { hide(); return; }
        show(x[0] + part * (x[1] - x[0]));
        if (unit === " s") { document.dispatchEvent(new CustomEvent("looked", { detail: x[0] + part * (x[1] - x[0]) })); }
      });
      it.svg.addEventListener("pointerleave", hide);
    });
    return show;
  }
  var show = follow("figure:not(.cycle) svg[data-x]", " s", 2);
  document.addEventListener("played", function (event) { show(event.detail); });
  follow("figure.cycle svg[data-x]", " %", 0);
  window.addEventListener("beforeprint", function () {
    document.querySelectorAll("details").forEach(function (it) { it.open = true; });
  });
  // a link to a folded row opens it
  function unfold() {
    var it = location.hash && document.getElementById(location.hash.slice(1));
    var fold = it && it.closest("details");
    if (fold) { fold.open = true; it.scrollIntoView(); }
  }
  window.addEventListener("hashchange", unfold);
  unfold();
}());
