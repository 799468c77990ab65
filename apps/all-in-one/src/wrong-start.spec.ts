import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { once } from 'node:events';
import { runOnThisMachine } from './on-this-machine';

type Form = Parameters<typeof runOnThisMachine>[0];

describe('a start that is refused', () => {
  const home = mkdtempSync(path.join(tmpdir(), 'parley-refused-'));
  afterAll(() => rmSync(home, { recursive: true }));

  /** What the command prints on standard error, its exit code, and what it left behind. */
  async function refused(form: Form, words: readonly string[], environment: Readonly<Record<string, string>> = {}) {
    const out = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
    const exits = jest.spyOn(process, 'exit').mockImplementation(() => undefined as never);
    jest.replaceProperty(process, 'argv', [...process.argv.slice(0, 2), ...words]);
    jest.replaceProperty(process, 'env', { ...process.env, PORT: '0', PARLEY_HOME: home, ...environment });
    const started = jest.fn(() => Promise.reject(new Error('started')));
    await runOnThisMachine(form, started);
    const seen = { line: out.mock.calls.join(''), code: exits.mock.calls[0]?.[0], left: readdirSync(home) };
    jest.restoreAllMocks();
    expect(started).not.toHaveBeenCalled();
    return seen;
  }

  it.each([
    ['parley', 'start', 'npm start'],
    ['parley-cluster', 'cluster', 'npm run cluster'],
  ] as const)('is refused by the command that was typed: %s', async (form, name, typed) => {
    const { line, code, left } = await refused(form, ['--bogus']);
    expect({ code, left }).toEqual({ code: 1, left: [] });
    expect(line).toMatch(new RegExp(`^parley ${name}: .*Unknown option '--bogus'\\. See --help\\.\\n$`));
    const squatter = createServer().listen(0, '127.0.0.1');
    await once(squatter, 'listening');
    const address = squatter.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    expect((await refused(form, [], { PORT: String(port) })).line).toBe(
      `parley ${name}: port ${port} is taken. Stop what uses it, or choose another: PORT=${port + 1} ${typed}\n`,
    );
    squatter.close();
  });

  it.each([
    [{ CALL_DRAIN: '30s' }, 'CALL_DRAIN is "30s": expected less than DRAIN_SECONDS, which is 25 by default'],
    [{ AZURE_SPEECH_REGION: 'centralindia' }, 'AZURE_SPEECH_REGION is set without AZURE_SPEECH_KEY: expected both, or neither'],
    [{ ORGANIZATION_PLANS: '7=scale' }, /^ORGANIZATION_PLANS is "7=scale": .*; 7: RATE_LIMIT_PLANS has no plan scale$/],
  ])('opens nothing where variables of a service contradict each other: %j', async (environment, said) => {
    const { line, code, left } = await refused('parley', [], environment);
    expect({ code, left }).toEqual({ code: 78, left: [] });
    const words = line.replace(/^parley start: /, '').trimEnd();
    if (typeof said === 'string') expect(words).toBe(said);
    else expect(words).toMatch(said);
  });
});
