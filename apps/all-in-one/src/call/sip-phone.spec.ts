/** @waits a conversation takes as long as it lasts */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { loudnessOf } from '@parley/audio';
import { freeSipPort } from '@parley/testing';
import { demoOf } from '../demo/demo';
import { type Demo } from '../demo/demo-file';
import { Home } from '../home';
import { startWholePlatform, type WholePlatform } from '../testing/whole-platform';
import { SimulatedPhone } from './simulated-phone';

describe('the terminal’s telephone over SIP', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'parley-sip-phone-'));
  let home: Home;
  let platform: WholePlatform;
  let demo: Demo;
  let ports: { from: number; to: number };

  beforeAll(async () => {
    home = await Home.take(path.join(folder, 'home'));
    const port = await freeSipPort();
    ports = { from: port, to: port };
    const environment = { DEMO_WIDGET_FILE: home.path('demo-widget'), SIP_PORTS: `${port}-${port}`, TELEPHONY_HOST: '127.0.0.1' };
    platform = await startWholePlatform({ environment });
    demo = await demoOf({ baseUrls: [platform.url], stopSecondsMax: 0, bus: platform.bus, stop: async () => undefined }, home);
  });
  afterAll(async () => {
    await platform.stop();
    await home.release();
    rmSync(folder, { recursive: true, force: true });
  });

  it('calls the demo agent, hears it, speaks, presses keys and hangs up, repeatedly with one account', async () => {
    const script = [
      { kind: 'listen', silenceMs: 1_000, withinMs: 20_000 },
      { kind: 'say', words: 'When are you open?' },
      { kind: 'press', digits: '5#' },
      { kind: 'wait', ms: 2_000 },
      { kind: 'hang-up' },
    ] as const;
    for (const _call of [1, 2]) {
      const lines: string[] = [];
      const phone = new SimulatedPhone(demo, (line) => lines.push(line), 'sip', ports);
      const { record, heard } = await phone.call({ script });
      expect(record).toMatchObject({ state: 'COMPLETED', cause: 'The other side hung up.' });
      expect(record.credits.TTS_API).toBeGreaterThan(0);
      expect(loudnessOf(heard)).toBeGreaterThan(0.005);
      expect(lines[0]).toBe(`ringing sip:agent@127.0.0.1:${ports.from}…`);
    }
  });

  it('says what is missing if no port is open for it', async () => {
    const phone = new SimulatedPhone(demo, () => undefined, 'sip', { from: ports.from + 1, to: ports.from + 1 });
    await expect(phone.call({ script: [] })).rejects.toThrow(/must be one of SIP_PORTS/);
  });
});
