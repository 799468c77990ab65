import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';

const verification = path.join(__dirname, 'verify/verification.mjs');
/** One group whose check never ends, and one that must not begin. */
const program = `
import { verify } from ${JSON.stringify(verification)};
const endless = () => new Promise(() => setInterval(() => {}, 1_000));
await verify([
  async (table) => {
    await table.check('works', () => 'seen');
    try {
      await table.check('hangs', () => { console.log('hanging'); return endless(); });
    } finally {
      if (process.argv[2] === 'stubborn') { console.log('stopping'); await endless(); }
      console.log('stopped what was started');
    }
  },
  async () => console.log('the next group'),
]);
`;

describe('a verification of an installation', () => {
  let place: string;
  beforeEach(() => {
    place = mkdtempSync(path.join(tmpdir(), 'parley-verification-'));
    writeFileSync(path.join(place, 'verification.mjs'), program);
  });
  afterEach(() => rmSync(place, { recursive: true }));

  /** Runs the program, with a signal whenever it prints one of these lines. */
  async function interrupted(signals: Readonly<Record<string, NodeJS.Signals>>, ...words: string[]) {
    const child = spawn(process.execPath, [path.join(place, 'verification.mjs'), ...words], {
      env: { TMPDIR: place },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const said: string[] = [];
    createInterface(child.stdout).on('line', (line) => {
      said.push(line);
      const signal = signals[line];
      if (signal) child.kill(signal);
    });
    const [code] = await once(child, 'close');
    return { code, said: said.join('\n'), left: readdirSync(place).filter((name) => name.startsWith('parley-verify-')) };
  }

  it.each<NodeJS.Signals>(['SIGINT', 'SIGTERM', 'SIGHUP'])(
    'stops what it started and removes its folder on %s',
    async (signal) => {
      const { code, said, left } = await interrupted({ hanging: signal });
      expect([code, left]).toEqual([130, []]);
      expect(said).toContain('stopped what was started');
      expect(said).toMatch(/\| works +\| holds/);
      expect(said).not.toMatch(/hangs +\||the next group/);
    },
  );

  it('ends at once on a second signal, and removes its folder then too', async () => {
    const { code, said, left } = await interrupted({ hanging: 'SIGINT', stopping: 'SIGTERM' }, 'stubborn');
    expect([code, left]).toEqual([130, []]);
    expect(said).not.toContain('stopped what was started');
  });
});
