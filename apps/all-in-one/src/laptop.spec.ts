import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { InProcessBroker, TransportBus } from '@parley/messaging';
import { Home } from './home';
import { isHearingHere, laptopEnvironment, welcome } from './on-this-machine';
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

  const keys = { workspaceKey: 'wsk_secret', agentKey: 'agt_secret', speechKey: 'ext_secret' };

  function greeted(showsKeys: boolean, more: Partial<Platform> = {}, isHearing = true): string {
    const baseUrl = 'http://127.0.0.1:8123';
    const ids = { OrgID: 1, AgentID: 1, AgentKeyID: '1', KBID: 1, KBKeyID: '1' };
    const platform = {
      baseUrls: [baseUrl],
      stopSecondsMax: 0,
      bus: new TransportBus(new InProcessBroker().connect()),
      stop: async () => undefined,
      ...more,
    } satisfies Platform;
    const demo = { ...keys, ...ids, baseUrl, widget: 'w' };
    return welcome(
      { demo, home, platform, adminPort: 1, telephonyPort: 2, seconds: 1, models: home.directory, isHearing },
      { showsKeys },
    );
  }

  it('shows keys at a terminal, and in a log only where to find them', () => {
    for (const key of Object.values(keys)) expect(greeted(true)).toContain(key);
    expect(greeted(false)).not.toMatch(/(wsk|agt|ext)_/);
    expect(greeted(false)).toContain(home.path('demo.json'));
  });

  it('says that no speech is recognized until a recognizer is there', () => {
    const place = { models: home.path('models'), pocketsphinx: home.path('unpacked') };
    expect(isHearingHere({ ...place, models: home.path('models') })).toBe(existsSync('/usr/bin/pocketsphinx_continuous'));
    expect(greeted(true, {}, false)).toMatch(/Nothing on this machine recognizes speech yet.*409 PROVIDER_NOT_CONFIGURED/);
    mkdirSync(path.join(home.path('models'), '.adding-x'), { recursive: true });
    expect(isHearingHere(place)).toBe(existsSync('/usr/bin/pocketsphinx_continuous'));
    mkdirSync(path.join(home.path('models'), 'moonshine-base'));
    expect(isHearingHere(place)).toBe(true);
    expect(greeted(true)).not.toContain('PROVIDER_NOT_CONFIGURED');
    expect(greeted(true)).not.toMatch(/recognizer that is installed/);
  });

  it('names the file with the admin ports of several processes', () => {
    expect(greeted(false)).not.toContain('cluster.json');
    expect(greeted(false, { roster: home.path('cluster.json') })).toContain(`adminPort in ${home.path('cluster.json')}`);
  });

  it('offers better models until they are there', () => {
    for (const name of ['multilingual-e5-small', 'sherpa-onnx-whisper-base']) {
      expect(greeted(true)).toContain(` ${name} `);
      mkdirSync(home.path(name));
      expect(greeted(true)).not.toContain(` ${name} `);
    }
    expect(greeted(true)).not.toContain('models -- add');
  });

  it('keeps what is set, and treats an empty variable as unset', () => {
    expect(told([], { PUBLIC_URL: 'https://voice.example', PARLEY_INITIAL_CREDITS: '' })).toMatchObject({
      PUBLIC_URL: 'https://voice.example',
      PARLEY_INITIAL_CREDITS: expect.stringContaining('TTT_API='),
    });
  });
});
