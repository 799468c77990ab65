import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { InProcessBroker, TransportBus } from '@parley/messaging';
import { Home } from './home';
import { laptopEnvironment, welcome } from './on-this-machine';
import { readOptions } from './config';
import type { Platform } from './platform';

describe('the environment of services on one machine', () => {
  const directory = mkdtempSync(path.join(tmpdir(), 'parley-laptop-'));
  let home: Home;
  beforeAll(async () => {
    home = await Home.take(directory);
  });
  afterAll(async () => {
    await home.release();
    rmSync(directory, { recursive: true });
  });
  const told = (args: string[], environment: NodeJS.ProcessEnv = {}) =>
    laptopEnvironment(environment, {
      options: readOptions(args, environment),
      home,
      doorPort: 8123,
      telephonyPort: 8124,
      phonePort: 8125,
    });

  it('gives the gateway’s address, even if the system chose the port', () => {
    expect(told(['--port', '0'])).toMatchObject({ PORT: '8123', HOST: '127.0.0.1', PUBLIC_URL: 'http://127.0.0.1:8123' });
    expect(told([])).toMatchObject({ INVITE_URL: 'http://127.0.0.1:8123/accept-invite' });
    expect(told([])).toMatchObject({ TELEPHONY_PORT: '8124', TELEPHONY_PUBLIC_URL: 'http://127.0.0.1:8124' });
    expect(told(['--host', '0.0.0.0'])).toMatchObject({ HOST: '0.0.0.0', PUBLIC_URL: 'http://127.0.0.1:8123' });
  });

  it('shows keys at a terminal, and in a log only where to find them', () => {
    const [workspaceKey, agentKey, speechKey] = ['wsk_secret', 'agt_secret', 'ext_secret'];
    const demo = {
      workspaceKey,
      agentKey,
      speechKey,
      baseUrl: 'http://127.0.0.1:8123',
      widget: 'w',
      OrgID: 1,
      AgentID: 1,
      AgentKeyID: '1',
      KBID: 1,
      KBKeyID: '1',
    };
    const platform = {
      baseUrls: [demo.baseUrl],
      bus: new TransportBus(new InProcessBroker().connect()),
      stop: async () => undefined,
    } satisfies Platform;
    const told = { demo, home, platform, adminPort: 1, telephonyPort: 2, seconds: 1 };
    for (const key of [workspaceKey, agentKey, speechKey]) expect(welcome(told, { showsKeys: true })).toContain(key);
    expect(welcome(told, { showsKeys: false })).not.toMatch(/(wsk|agt|ext)_/);
    expect(welcome(told, { showsKeys: false })).toContain(home.path('demo.json'));
  });

  it('keeps what is set, and treats an empty variable as unset', () => {
    expect(told([], { PUBLIC_URL: 'https://voice.example', PARLEY_INITIAL_CREDITS: '' })).toMatchObject({
      PUBLIC_URL: 'https://voice.example',
      PARLEY_INITIAL_CREDITS: expect.stringContaining('TTT_API='),
    });
  });
});
