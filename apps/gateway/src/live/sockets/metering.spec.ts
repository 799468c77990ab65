import type { CreditKind } from '@parley/contracts';
import { eventually } from '@parley/testing';
import type { TestOrganization } from '../../testing/harness';
import type { SpeechScript } from '../../testing/scripted-speech';
import { SocketHarness } from './socket-harness.suite';

type Used = { kind: CreditKind; units: number }[];

describe('the cost of a session', () => {
  let by: SocketHarness;
  let mine: TestOrganization;

  beforeAll(async () => {
    by = await SocketHarness.open({ PARLEY_INITIAL_CREDITS: 'TTT_API=5000,TTS_API=3000,STT_API=100' });
  });
  beforeEach(() => (mine = by.harness.organization()));
  afterEach(() => by.speech.reset());
  afterAll(() => by.harness.close());

  const charged = () => by.charged(mine);
  const account = (kind: CreditKind) => by.account(mine, kind);
  const tell = (script: SpeechScript, used: Used) => script.last.channel.signal({ type: 'usage', usage: used });

  it('is held in small slices and charged to the unit, including what is reported at the end', async () => {
    const client = await by.caller(mine);
    await client.start();
    expect(await account('STT_API')).toMatchObject({ balance: 100, held: 30 });
    const ofOneSecond: Used = [
      { kind: 'STT_API', units: 1 },
      { kind: 'TTS_API', units: 7 },
    ];
    for (let second = 0; second < 20; second += 1) tell(by.speech, ofOneSecond);
    tell(by.speech, [{ kind: 'TTT_API', units: 412 }]);
    await eventually('the first slice is charged while the session lasts', async () => (await charged()).STT_API !== undefined);
    // Fewer than three slices are left, so the next one is an eighth, which leaves others something to begin with.
    expect(await account('STT_API')).toMatchObject({ held: 4 });
    by.speech.hear = (line, item) => {
      if ('frame' in item || item.signal.type !== 'caller.left') return;
      line.channel.signal({ type: 'usage', usage: [{ kind: 'TTT_API', units: 88 }] });
      line.channel.close('the caller left');
    };
    await client.close();
    // A slice that replaces an overdrawn one may still be opened after nothing was held for a moment.
    await eventually('all is charged, and nothing is held', async () => {
      const [{ balance }, held] = [await account('STT_API'), await by.held(mine)];
      return balance === 80 && held === 0;
    });
    expect(await charged()).toEqual({ STT_API: 20, TTS_API: 140, TTT_API: 500 });
    expect(client.count('usage')).toBe(21);
  });

  it('is nothing if the session used nothing', async () => {
    const client = await by.caller(mine);
    await client.start();
    await client.close();
    await eventually('nothing is held', async () => (await account('STT_API')).held === 0);
    expect(await charged()).toEqual({});
  });

  it('is seconds only for a transcription', async () => {
    const client = await by.caller(mine, '/ws/transcribe');
    await client.start({ language: 'english' });
    expect([await account('STT_API'), await account('TTS_API')]).toMatchObject([{ held: 30 }, { held: 0 }]);
    tell(by.speech, [{ kind: 'STT_API', units: 3 }]);
    await client.next('usage');
    await client.close();
    await eventually('it is charged', async () => (await charged()).STT_API === 3);
  });

  it.each([
    { type: 'text', text: 'when?' },
    { type: 'dtmf', digit: '1' },
    { type: 'interrupt' },
    { type: 'playback', playedMs: 5 },
  ])('refuses, at a transcription, frames that only an agent would hear: $type', async (word) => {
    const client = await by.caller(mine, '/ws/transcribe');
    await client.start({ language: 'english' });
    client.send(word);
    expect(await client.next('error')).toMatchObject({ code: 'VALIDATION_FAILED', message: expect.stringContaining(word.type) });
    client.send({ type: 'ping' });
    await client.next('pong');
    await client.close();
  });

  it('stops the session with 4403 once credits run out, after the speech service was told', async () => {
    const client = await by.caller(mine);
    await client.start();
    const untilExhausted = async () => {
      for (let told = 0; client.count('warning') === 0 && told < 400; told += 1) {
        tell(by.speech, [{ kind: 'STT_API', units: 1 }]);
        await client.next('usage').catch(() => undefined);
      }
    };
    await untilExhausted();
    expect(client.frames.find(({ type }) => type === 'warning')).toMatchObject({ code: 'CREDITS_EXHAUSTED' });
    expect(await client.next('session.ended')).toMatchObject({ reason: 'CREDITS_EXHAUSTED' });
    expect(await client.closed).toMatchObject({ code: 4403 });
    expect(by.speech.last.heard.at(-1)).toEqual({ type: 'credits.exhausted' });
    await eventually('nothing is held, and all is charged', async () => {
      const { balance, held } = await account('STT_API');
      return held === 0 && (await charged()).STT_API === 100 - balance;
    });
    const { balance } = await account('STT_API');
    expect(balance).toBeGreaterThanOrEqual(0);
    expect(balance).toBeLessThan(4);
  });

  it('needs credits to begin', async () => {
    const before = await by.caller(mine);
    await before.start();
    tell(by.speech, [{ kind: 'STT_API', units: 100 }]);
    expect(await before.closed).toMatchObject({ code: 4403 });
    await eventually('all is charged', async () => (await account('STT_API')).balance === 0);
    const client = await by.caller(mine);
    client.send({ type: 'session.start' });
    expect(await client.next('error')).toMatchObject({ code: 'CREDITS_EXHAUSTED', statusCode: 403 });
    expect(await client.closed).toMatchObject({ code: 4403 });
  });

  it('is not charged twice when the session moves to another speech replica', async () => {
    const client = await by.caller(mine);
    await client.start();
    tell(by.speech, [{ kind: 'STT_API', units: 2 }]);
    by.speech.last.channel.close('moved');
    await client.next('warning');
    tell(by.speech, [{ kind: 'STT_API', units: 1 }]);
    await eventually('both were told', () => client.count('usage') === 2);
    await client.close();
    await eventually('it is charged', async () => (await charged()).STT_API === 3);
    expect((await account('STT_API')).held).toBe(0);
  });
});
