import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { text } from 'node:stream/consumers';

/** What a command prints; nothing that it might start is found. */
async function said(command: string, ...words: string[]): Promise<{ code: unknown; out: string; err: string }> {
  const file = path.join(__dirname, `${command}.mjs`);
  const child = spawn(process.execPath, [file, ...words], {
    env: { PATH: '' },
    timeout: 30_000,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [[code], out, err] = await Promise.all([once(child, 'close'), text(child.stdout), text(child.stderr)]);
  return { code, out, err };
}

describe('a command that is asked for its usage', () => {
  it.each([
    ['verify', '--help'],
    ['verify', 'deploy', '--help'],
    ['verify', 'clients', '--help'],
    ['chaos', '--help'],
    ['chaos', 'credits', '-h'],
    ['fuzz', 'api', '--help'],
    ['rebuild', 'dashboards', '--help'],
    ['walk', '--help'],
    ['lint', '--help'],
    ['test', '--help'],
  ])('prints it and starts nothing: %s %s %s', async (command, ...words) => {
    const name = command === 'test' ? 'npm test' : `npm run ${command}`;
    expect(await said(command, ...words)).toEqual({ code: 0, out: expect.stringContaining(name), err: '' });
  });

  it('lists its programs, where it has many', async () => {
    expect(await said('bench', '--help')).toMatchObject({ code: 0, err: expect.stringContaining('chassis') });
  });

  it('refuses a misspelt option of verify, which would otherwise run everything', async () => {
    const refused = { code: 64, out: '', err: expect.stringContaining('npm run verify -- --help') };
    for (const words of [
      ['deploy', '--onyl=process'],
      ['deploy', 'process'],
      ['deploy', '--only='],
      ['deplyo'],
      ['clients', '--only=pooler'],
      ['clients', 'orval'],
      ['clients', '--at', 'nowhere'],
      ['deploy', '--at=http://127.0.0.1:9'],
      [],
    ])
      expect([words, await said('verify', ...words)]).toEqual([words, refused]);
  });
});
