// A process on the same core that only checks the clock: how often the machine itself is too late for a frame.
const tickMs = 5;
const toleratedMs = 20;
let ticks = 0;
let late = 0;
let lastMs = performance.now();

setInterval(() => {
  const nowMs = performance.now();
  ticks++;
  if (nowMs - lastMs > toleratedMs) late++;
  lastMs = nowMs;
}, tickMs);

process.on('SIGTERM', () => process.stdout.write(`${JSON.stringify({ ticks, late })}\n`, () => process.exit(0)));
