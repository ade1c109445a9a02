// plays the motion: shapes are hulls of balls, drawn back to front as in the pictures; drag to orbit
(function () {
  "use strict";
  var TRUNK = "#8c919e", LEFT = "#4578b3", RIGHT = "#db804d", GHOST = "#c7ccd1", FORCE = "#009e73", ASSIST = "#cc79a7", PROP = "#c9b37e"; // palette.rs
  var TINTS = [TRUNK, LEFT, RIGHT];
  var NEAR = 3, CELL = 0.5, AROUND = 20;
  function numbers(text) { return (text || "").split(" ").filter(Boolean).map(Number); }
  function whole(text) {
    var raw = atob(text || ""), bytes = new Uint8Array(raw.length);
    for (var i = 0; i < raw.length; i++) { bytes[i] = raw.charCodeAt(i); }
    return new Int16Array(bytes.buffer);
  }
  function hull(points) {
    points.sort(function (a, b) { return a[0] - b[0] || a[1] - b[1]; });
    function half(list) {
      var chain = [];
      list.forEach(function (p) {
        while (chain.length > 1) {
          var a = chain[chain.length - 2], b = chain[chain.length - 1];
          if ((b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]) > 0) { break; }
          chain.pop();
        }
        chain.push(p);
      });
      chain.pop();
      return chain;
    }
    return points.length < 3 ? points : half(points).concat(half(points.slice().reverse()));
  }
  function player(figure) {
    var canvas = figure.querySelector("canvas"), data = canvas.dataset, pen = canvas.getContext("2d");
    var button = figure.querySelector("button"), range = figure.querySelector("input[type=range]");
    var clock = figure.querySelector("output"), speed = figure.querySelector("select");
    var grey = figure.querySelector("input[type=checkbox]");
    var links = Number(data.links), base = numbers(data.base), step = Number(data.step), time = numbers(data.time);
    var poses = whole(data.poses), ghost = whole(data.behind), forces = whole(data.forces), arrows = Number(data.arrows), assist = whole(data.assist);
    var ground = data.ground ? numbers(data.ground) : null;
    var props = (data.props || "").split(",").filter(Boolean).map(function (text) {
      var n = numbers(text), corners = [];
      for (var i = 0; i < n.length; i += 3) { corners.push(n.slice(i, i + 3)); }
      return corners;
    });
    var shapes = data.shapes.split(",").map(function (text) {
      var n = numbers(text), balls = [];
      for (var i = 2; i < n.length; i += 4) { balls.push(n.slice(i, i + 4)); }
      return { link: n[0], tint: TINTS[n[1]], balls: balls };
    });
    var last = poses.length / (7 * links) - 1, end = last * time[1];
    var now = 0, isPlaying = false, before = 0, turn = 0.6 + Number(data.heading), down = 0.18;
    // positions and rotations of all links at a time
    function at(track, t) {
      var f = Math.min(last, Math.max(0, t / time[1])), a = Math.min(last, Math.floor(f)), b = Math.min(last, a + 1), s = f - a;
      var all = [];
      for (var k = 0; k < links; k++) {
        var i = 7 * (a * links + k), j = 7 * (b * links + k), sign = 0, q = [], p = [], c;
        for (c = 3; c < 7; c++) { sign += track[i + c] * track[j + c]; }
        for (c = 0; c < 3; c++) { p.push(base[c] + step * (track[i + c] * (1 - s) + track[j + c] * s)); }
        for (c = 3; c < 7; c++) { q.push(track[i + c] * (1 - s) + (sign < 0 ? -s : s) * track[j + c]); }
        var size = Math.hypot(q[0], q[1], q[2], q[3]) || 1, w = q[0] / size, x = q[1] / size, y = q[2] / size, z = q[3] / size;
        all.push({ p: p, r: [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y), 2 * (x * y + w * z),
          1 - 2 * (x * x + z * z), 2 * (y * z - w * x), 2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)] });
      }
      return all;
    }
    function placed(pose, ball) {
      var r = pose.r, p = pose.p;
      return [p[0] + r[0] * ball[0] + r[1] * ball[1] + r[2] * ball[2], p[1] + r[3] * ball[0] + r[4] * ball[1] + r[5] * ball[2],
        p[2] + r[6] * ball[0] + r[7] * ball[1] + r[8] * ball[2]];
    }
    var low = Infinity, high = -Infinity;
    var first = at(poses, 0);
    shapes.forEach(function (it) {
      it.balls.forEach(function (ball) {
        var z = placed(first[it.link], ball)[2];
        low = Math.min(low, z - ball[3]);
        high = Math.max(high, z + ball[3]);
      });
    });
    function floor(x, y) { return ground ? ground[0] + ground[1] * x + ground[2] * y : low; }
    function draw() {
      var wide = canvas.clientWidth, tall = canvas.clientHeight, fine = window.devicePixelRatio || 1;
      if (canvas.width !== Math.round(wide * fine)) { canvas.width = Math.round(wide * fine); canvas.height = Math.round(tall * fine); }
      pen.setTransform(fine, 0, 0, fine, 0, 0);
      pen.clearRect(0, 0, wide, tall);
      var style = getComputedStyle(canvas), scale = 0.7 * tall / Math.max(0.3, high - low);
      var s = Math.sin(turn), c = Math.cos(turn), se = Math.sin(down), ce = Math.cos(down);
      var main = at(poses, now), eye = [0, 0];
      main.forEach(function (it) { eye[0] += it.p[0] / links; eye[1] += it.p[1] / links; });
      var level = floor(eye[0], eye[1]);
      function seen(p) {
        var x = p[0] - eye[0], y = p[1] - eye[1], z = p[2] - level, ahead = s * x - c * y;
        return [0.5 * wide + scale * (c * x + s * y), 0.84 * tall - scale * (ce * z - se * ahead), ce * ahead + se * z];
      }
      function line(a, b) { pen.beginPath(); pen.moveTo(a[0], a[1]); pen.lineTo(b[0], b[1]); pen.stroke(); }
      pen.lineWidth = 1;
      pen.strokeStyle = style.getPropertyValue("--edge");
      if (ground) {
        var mx = Math.round(eye[0] / CELL) * CELL, my = Math.round(eye[1] / CELL) * CELL;
        for (var g = -NEAR; g <= NEAR + 1e-9; g += CELL) {
          [[mx + g, my - NEAR, mx + g, my + NEAR], [mx - NEAR, my + g, mx + NEAR, my + g]].forEach(function (l) {
            line(seen([l[0], l[1], floor(l[0], l[1])]), seen([l[2], l[3], floor(l[2], l[3])]));
          });
        }
      }
      // the whole outline, then the upper side
      props.forEach(function (corners) {
        var points = corners.map(seen);
        [[hull(points.slice()), 0.35], [points.slice(4), 0.6]].forEach(function (side) {
          pen.beginPath();
          side[0].forEach(function (p, k) { if (k) { pen.lineTo(p[0], p[1]); } else { pen.moveTo(p[0], p[1]); } });
          pen.closePath();
          pen.globalAlpha = side[1];
          pen.fillStyle = PROP;
          pen.fill();
          pen.globalAlpha = 1;
          pen.stroke();
        });
      });
      function body(pose, tint) {
        shapes.map(function (it) {
          var points = [], depth = 0;
          it.balls.forEach(function (ball) {
            var p = seen(placed(pose[it.link], ball));
            depth += p[2] / it.balls.length;
            if (ball[3] > 0) {
              for (var k = 0; k < AROUND; k++) {
                var a = 2 * Math.PI * k / AROUND;
                points.push([p[0] + scale * ball[3] * Math.cos(a), p[1] + scale * ball[3] * Math.sin(a)]);
              }
            } else { points.push(p); }
          });
          return { depth: depth, outline: hull(points), tint: tint || it.tint };
        }).sort(function (a, b) { return a.depth - b.depth; }).forEach(function (it) {
          pen.beginPath();
          it.outline.forEach(function (p, k) { if (k) { pen.lineTo(p[0], p[1]); } else { pen.moveTo(p[0], p[1]); } });
          pen.closePath();
          pen.fillStyle = it.tint;
          pen.fill();
          pen.stroke();
        });
      }
      pen.strokeStyle = "rgba(20, 24, 27, .45)";
      if (ghost.length && grey.checked) { pen.globalAlpha = 0.55; body(at(ghost, now), GHOST); pen.globalAlpha = 1; }
      body(main, null);
      function arrow(list, i, colour) {
        var from = [0, 1, 2].map(function (n) { return base[n] + step * list[i + n]; });
        var tip = [0, 1, 2].map(function (n) { return from[n] + step * list[i + 3 + n]; });
        var a = seen(from), b = seen(tip), long = Math.hypot(b[0] - a[0], b[1] - a[1]);
        if (long < 6) { return; }
        var ux = (b[0] - a[0]) / long, uy = (b[1] - a[1]) / long;
        pen.strokeStyle = pen.fillStyle = colour;
        line(a, [b[0] - 8 * ux, b[1] - 8 * uy]);
        pen.beginPath();
        pen.moveTo(b[0], b[1]);
        pen.lineTo(b[0] - 11 * ux - 5 * uy, b[1] - 11 * uy + 5 * ux);
        pen.lineTo(b[0] - 11 * ux + 5 * uy, b[1] - 11 * uy - 5 * ux);
        pen.fill();
      }
      pen.lineWidth = 3;
      var f = Math.round(Math.min(last, now / time[1]));
      for (var k = 0; k < arrows; k++) { arrow(forces, 6 * (f * arrows + k), FORCE); }
      if (assist.length) { arrow(assist, 6 * f, ASSIST); }
      range.value = end > 0 ? now / end : 0;
      clock.textContent = (time[0] + now).toFixed(2) + " s";
    }
    function announce() { document.dispatchEvent(new CustomEvent("played", { detail: time[0] + now })); }
    function tick(stamp) {
      if (!isPlaying) { return; }
      now += Math.min(0.1, (stamp - before) / 1000) * Number(speed.value);
      before = stamp;
      if (now > end) { now = 0; }
      draw();
      announce();
      requestAnimationFrame(tick);
    }
    function play(is) {
      isPlaying = is && end > 0;
      button.textContent = isPlaying ? "Pause" : "Play";
      before = performance.now();
      if (isPlaying) { requestAnimationFrame(tick); }
    }
    button.addEventListener("click", function () { play(!isPlaying); });
    canvas.addEventListener("keydown", function (event) {
      var way = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (event.key === " ") { play(!isPlaying); } else if (way) {
        play(false);
        now = Math.min(end, Math.max(0, now + way * time[1]));
        draw();
        announce();
      } else { return; }
      event.preventDefault();
    });
    range.addEventListener("input", function () { play(false); now = range.value * end; draw(); announce(); });
    if (grey) { grey.addEventListener("change", draw); }
    canvas.addEventListener("pointerdown", function (event) { canvas.setPointerCapture(event.pointerId); });
    canvas.addEventListener("pointermove", function (event) {
      if (!event.buttons) { return; }
      turn -= 0.008 * event.movementX;
      down = Math.min(1.5, Math.max(-0.1, down + 0.006 * event.movementY));
      draw();
    });
    // follow the pointer in a plot over time
    document.addEventListener("looked", function (event) {
      if (!isPlaying) { now = Math.min(end, Math.max(0, event.detail - time[0])); draw(); }
    });
    window.addEventListener("resize", draw);
    figure.hidden = false;
    draw();
  }
  Array.prototype.forEach.call(document.querySelectorAll(".player"), player);
}());
