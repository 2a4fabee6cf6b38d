"use strict";

/** Draws a world on a canvas, between its last two views, so that it moves smoothly. */
class WorldCanvas {
  constructor(canvas) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d");
    this.names = new Map();
    this.ground = null;
    this.previous = null;
    this.latest = null;
    this.frames = 0;
    const draw = () => {
      this.draw();
      requestAnimationFrame(draw);
    };
    requestAnimationFrame(draw);
  }

  clear() {
    this.names.clear();
    this.previous = null;
    this.latest = null;
  }

  show(view) {
    view.names.forEach(name => this.names.set(name.id, name.user.split("~")[0]));
    const players = new Map(view.players.map(player => [player.id, player]));
    this.previous = this.latest;
    this.latest = {view, players, at: performance.now()};
  }

  nameOf(id) {
    return this.names.get(id) ?? "";
  }

  static colorOf(id) {
    return `hsl(${(id * 137.508) % 360} 68% 52%)`;
  }

  draw() {
    const {canvas, context, ground, latest} = this;
    if (!ground) {
      return;
    }
    const width = Math.max(1, Math.round(canvas.clientWidth * devicePixelRatio));
    const height = Math.round(width * ground.height / ground.width);
    if (canvas.width !== width || canvas.height !== height) {
      canvas.width = width;
      canvas.height = height;
    }
    const colors = getComputedStyle(document.documentElement);
    const color = name => colors.getPropertyValue("--" + name);
    context.setTransform(width / ground.width, 0, 0, width / ground.width, 0, 0);
    context.fillStyle = color("ground");
    context.fillRect(0, 0, ground.width, ground.height);
    this.drawGround(color);
    if (latest) {
      this.drawGems(color("gem"));
      this.drawShots(color("shot"));
      this.drawPlayers(color);
    }
    this.frames++;
    canvas.dataset.frames = this.frames;
  }

  drawGround(color) {
    const {context, ground} = this;
    context.strokeStyle = color("grid");
    context.lineWidth = 1;
    context.beginPath();
    for (let x = 100; x < ground.width; x += 100) {
      context.moveTo(x, 0);
      context.lineTo(x, ground.height);
    }
    for (let y = 100; y < ground.height; y += 100) {
      context.moveTo(0, y);
      context.lineTo(ground.width, y);
    }
    context.stroke();
    context.beginPath();
    ground.walls.forEach(wall => context.rect(wall.left, wall.top, wall.right - wall.left, wall.bottom - wall.top));
    context.strokeStyle = color("wall-edge");
    context.lineWidth = 4;
    context.stroke();
    context.fillStyle = color("wall");
    context.fill();
  }

  drawGems(color) {
    const {context, ground, latest} = this;
    context.fillStyle = color;
    latest.view.gems.forEach(gem => {
      const x = gem.x / ground.scale;
      const y = gem.y / ground.scale;
      context.beginPath();
      context.moveTo(x, y - 11);
      context.lineTo(x + 9, y);
      context.lineTo(x, y + 11);
      context.lineTo(x - 9, y);
      context.fill();
    });
  }

  drawShots(color) {
    const {context, ground, latest} = this;
    context.fillStyle = color;
    latest.view.shots.forEach(shot => {
      context.beginPath();
      context.arc(shot.x / ground.scale, shot.y / ground.scale, 4.5, 0, 7);
      context.fill();
    });
  }

  place(player) {
    const before = this.previous?.players.get(player.id);
    const span = this.previous ? this.latest.at - this.previous.at : 0;
    let x = player.x;
    let y = player.y;
    // A fighter that returns elsewhere jumps instead of moving.
    if (before && span > 0 && Math.abs(before.x - x) + Math.abs(before.y - y) < 100 * this.ground.scale) {
      const part = Math.min(1, (performance.now() - this.latest.at) / span);
      x = before.x + (x - before.x) * part;
      y = before.y + (y - before.y) * part;
    }
    return [x / this.ground.scale, y / this.ground.scale];
  }

  drawPlayers(color) {
    const {context} = this;
    const name = color("name");
    const line = color("line");
    const ground = color("ground");
    context.font = "600 15px system-ui, sans-serif";
    context.textAlign = "center";
    this.latest.view.players.forEach(player => {
      const [x, y] = this.place(player);
      const own = WorldCanvas.colorOf(player.id);
      const angle = player.aim / 128 * Math.PI;
      context.globalAlpha = player.health > 0 ? 1 : 0.25;
      context.strokeStyle = own;
      context.lineWidth = 8;
      context.lineCap = "round";
      context.beginPath();
      context.moveTo(x, y);
      context.lineTo(x + Math.cos(angle) * 27, y + Math.sin(angle) * 27);
      context.stroke();
      context.fillStyle = own;
      context.beginPath();
      context.arc(x, y, 16, 0, 7);
      context.fill();
      context.strokeStyle = ground;
      context.lineWidth = 2;
      context.stroke();
      context.lineCap = "butt";
      if (player.health > 0) {
        context.fillStyle = line;
        context.fillRect(x - 18, y + 22, 36, 5);
        context.fillStyle = player.health > 40 ? color("good") : color("bad");
        context.fillRect(x - 18, y + 22, 36 * player.health / 100, 5);
      }
      context.fillStyle = name;
      context.fillText(this.nameOf(player.id), x, y - 22);
      context.globalAlpha = 1;
    });
  }
}
