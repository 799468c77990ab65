import { Writable } from 'node:stream';
import { SupervisedProcess, RestartDelay } from './supervised-process';

class Lines extends Writable {
  text = '';
  private readonly waiting: { pattern: RegExp; resolve: () => void }[] = [];

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString();
    for (const { pattern, resolve } of this.waiting) if (pattern.test(this.text)) resolve();
    done();
  }

  contains(pattern: RegExp): Promise<void> {
    return new Promise((resolve) => {
      if (pattern.test(this.text)) resolve();
      else this.waiting.push({ pattern, resolve });
    });
  }
}

function supervise(script: string, log: Lines, onRefusal = (_name: string) => {}) {
  const plan = { name: 'parrot.1', command: process.execPath, args: ['-e', script], environment: {} };
  const supervised = new SupervisedProcess(plan, log, onRefusal);
  supervised.start();
  return supervised;
}

describe('a supervised process', () => {
  it('prefixes every line of output, even one without a line end', async () => {
    const log = new Lines();
    const parrot = supervise(`process.stdout.write('one\\ntwo'); setTimeout(() => process.exit(0), 20)`, log);
    await log.contains(/\[parrot\.1\] one\n\[parrot\.1\] two\n/);
    await parrot.stop();
  });

  it('restarts after it was killed, but not after it was stopped', async () => {
    const log = new Lines();
    const parrot = supervise(`console.log('born'); process.kill(process.pid, 'SIGKILL')`, log);
    await log.contains(/born[^]*starts again in 250 ms[^]*born[^]*starts again in 500 ms/);
    await parrot.stop();
    const births = log.text.match(/born/g)?.length;
    expect(births).toBe(2);
  });

  it('is killed where it does not end in the time that it has for that', async () => {
    const log = new Lines();
    const script = `process.on('SIGTERM', () => console.log('heard')); setInterval(() => {}, 1000); console.log('born')`;
    const plan = { name: 'parrot.1', command: process.execPath, args: ['-e', script], environment: {}, stopMsMax: 50 };
    const deaf = new SupervisedProcess(plan, log, () => {});
    deaf.start();
    await log.contains(/born/);
    await deaf.stop();
    expect(() => process.kill(deaf.pid ?? 0, 0)).toThrow('ESRCH');
  });

  it('does not restart a service that refuses its configuration', async () => {
    const log = new Lines();
    const refused = await new Promise((resolve) => supervise('process.exit(78)', log, resolve));
    expect(refused).toBe('parrot.1');
    expect(log.text).not.toContain('starts again');
  });

  it('waits longer before each restart, up to ten seconds, and resets after a stable run', () => {
    const delay = new RestartDelay();
    const waits = Array.from({ length: 8 }, () => delay.afterLifeOf(10));
    expect(waits).toEqual([250, 500, 1000, 2000, 4000, 8000, 10_000, 10_000]);
    expect(delay.afterLifeOf(60_000)).toBe(250);
  });
});
