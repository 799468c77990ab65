import { once } from 'node:events';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { OwnPlatform } from '../platform/own-platform';
import { request } from '../platform/client';

const platform = OwnPlatform.make();
afterAll(() => platform.remove());

const demoFile = path.join(platform.home, 'demo.json');
const readDemo = () =>
  JSON.parse(readFileSync(demoFile, 'utf8')) as { baseUrl: string; agentKey: string; workspaceKey: string; OrgID: number };
const ask = (demo: { baseUrl: string; agentKey: string }) =>
  request('/api/v1/ttt', { method: 'POST', baseUrl: demo.baseUrl, key: demo.agentKey, body: { question: 'When are you open?' } });

describe('npm start', () => {
  it('writes a demo file that only its owner can read, and prints a command that gets an answer', async () => {
    const user = path.join(platform.home, 'user');
    const { child, output } = await platform.start({ HOME: user, ORT_DISABLE_TELEMETRY: undefined });
    const demo = readDemo();
    expect(statSync(demoFile).mode & 0o777).toBe(0o600);
    for (const word of [`${demo.baseUrl}/demo`, path.basename(demoFile), `${demo.baseUrl}/api/v1/ttt`])
      expect(output).toContain(word);
    // This output is not a terminal and may be a log, so it must contain no keys.
    for (const key of [demo.workspaceKey, demo.agentKey]) expect(output).not.toContain(key);
    expect((await ask(demo)).body.answer).toContain('9:30 AM');
    // onnxruntime would keep a device id and what it sends to Microsoft there.
    expect(existsSync(path.join(user, '.cache', 'Microsoft'))).toBe(false);
    expect(await platform.end(child, 'SIGINT')).toBe(0);
  });

  it('keeps keys and data across starts, even after kill -9', async () => {
    const before = readDemo();
    const { child } = await platform.start();
    await platform.end(child, 'SIGKILL');
    const again = await platform.start();
    const after = readDemo();
    expect({ ...after, baseUrl: '' }).toEqual({ ...before, baseUrl: '' });
    expect((await ask(after)).status).toBe(200);
    const second = await platform.start();
    expect(second).toMatchObject({ exitCode: 1, output: expect.stringContaining('is in use by a running Parley') });
    expect(await platform.end(again.child, 'SIGTERM')).toBe(0);
  });

  it('reports a taken port in one line, and leaves nothing running', async () => {
    const squatter = createServer().listen(0, '127.0.0.1');
    await once(squatter, 'listening');
    const port = (squatter.address() as { port: number }).port;
    const { output, exitCode } = await platform.start({ PORT: String(port) });
    expect(output.trim().split('\n')).toEqual([expect.stringContaining(`port ${port} is taken`)]);
    expect(exitCode).toBe(1);
    squatter.close();
  });

  it('names a wrong variable in one line', async () => {
    const { output, exitCode } = await platform.start({ DRAIN_SECONDS: 'soon' });
    expect(output.trim().split('\n')).toEqual([expect.stringContaining('DRAIN_SECONDS')]);
    expect(exitCode).toBe(78);
  });

  it('shows its options', async () => {
    const { output, exitCode } = await platform.start({}, ['--help']);
    for (const word of ['--port', '--home', 'PARLEY_HOME', 'DATABASE_URL']) expect(output).toContain(word);
    expect(exitCode).toBe(0);
  });
});
