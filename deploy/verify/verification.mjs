// Runs groups of checks and prints their table. When it is interrupted, the check in progress is left, what its group started is stopped,
// and the folder goes too; a second signal ends it at once.
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const interruptedCode = 130;

export async function verify(groups) {
  const home = mkdtempSync(path.join(tmpdir(), 'parley-verify-'));
  chmodSync(home, 0o755);
  const clear = () => rmSync(home, { recursive: true, force: true });
  const interrupted = onSignal(clear);
  const table = new Table(interrupted);
  try {
    for (const group of groups) await group(table, home);
  } catch (error) {
    if (!interrupted.aborted) throw error;
    process.stderr.write('parley: interrupted; what was started is stopped\n');
  } finally {
    table.print();
    clear();
  }
  // What the interrupted check still waits for must not keep the process.
  if (interrupted.aborted) process.exit(interruptedCode);
  process.exitCode = table.rows.some(({ state }) => state === 'FAILS') ? 1 : 0;
}

/** Aborted by the first signal; a second one ends the process. */
function onSignal(clear) {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    process.on(signal, () => {
      if (!controller.signal.aborted) return controller.abort(new Error('interrupted'));
      clear();
      process.exit(interruptedCode);
    });
  return controller.signal;
}

async function aborted(signal) {
  await once(signal, 'abort');
  throw signal.reason;
}

class Table {
  rows = [];

  constructor(interrupted) {
    this.interrupted = interrupted;
  }

  /** Does one check. Its title is a guarantee; what it answers says how it was seen. */
  async check(title, work) {
    this.interrupted.throwIfAborted();
    const startedAt = performance.now();
    const row = { title, state: 'holds', seen: '' };
    try {
      row.seen = (await Promise.race([work(), aborted(this.interrupted)])) ?? '';
    } catch (error) {
      this.interrupted.throwIfAborted();
      row.state = 'FAILS';
      row.seen = String(error.message ?? error)
        .replaceAll(/\s+/g, ' ')
        .slice(0, 900);
    }
    this.add(row, (performance.now() - startedAt) / 1000);
    return row.state === 'holds';
  }

  cannot(title, why) {
    this.add({ title, state: 'not run', seen: why }, 0);
  }

  add({ title, state, seen }, seconds) {
    this.rows.push({ title, state, seen, seconds });
    process.stderr.write(`${state.padEnd(8)} ${title} (${seconds.toFixed(1)} s) ${seen}\n`);
  }

  print() {
    const width = Math.max(5, ...this.rows.map(({ title }) => title.length));
    process.stdout.write(`\n| ${'Check'.padEnd(width)} | State   | Seen |\n|${'-'.repeat(width + 2)}|---------|------|\n`);
    for (const { title, state, seen } of this.rows)
      process.stdout.write(`| ${title.padEnd(width)} | ${state.padEnd(7)} | ${seen} |\n`);
  }
}
