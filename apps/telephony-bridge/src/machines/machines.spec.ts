import { muLaw } from '@parley/audio';
import { getCall, placeCall } from '@parley/contracts';
import { eventually, paced } from '@parley/testing';
import { BridgeHarness, type Shop } from '../testing/bridge-harness.suite';
import { FakePhone } from '../testing/fake-network';
import { BeepDetector, GreetingTiming } from './machine-watch';

const rate = 8000;
const sine = (hz: number, ms: number, loudness = 8000) =>
  Int16Array.from({ length: (rate * ms) / 1000 }, (_, at) => Math.round(loudness * Math.sin((2 * Math.PI * hz * at) / rate)));
/** A voice as a tone detector sees it: many harmonics of varying loudness. */
const voice = (ms: number) =>
  Int16Array.from({ length: (rate * ms) / 1000 }, (_, at) => {
    const swell = 0.6 + 0.4 * Math.sin((2 * Math.PI * 4 * at) / rate);
    const sum = [1, 2, 3, 4, 5, 6].reduce(
      (all, harmonic) => all + Math.sin((2 * Math.PI * 140 * harmonic * at) / rate) / harmonic,
      0,
    );
    return Math.round(3000 * swell * sum);
  });

describe('the beep of a mailbox', () => {
  it.each([440, 850, 1000, 1400, 2000])('at %d Hz is detected in frames of any length', (hz) => {
    for (const size of [80, 160, 320, 401]) {
      const beep = new BeepDetector(rate);
      const sound = sine(hz, 400);
      let times = 0;
      for (let at = 0; at < sound.length; at += size) if (beep.hear(sound.subarray(at, at + size))) times += 1;
      expect(times).toBe(1);
    }
  });

  it.each([
    ['a voice', voice(4000)],
    ['a tone that is too short', sine(1000, 100)],
    ['a tone that nobody hears', sine(1000, 400, 100)],
    ['silence', new Int16Array(8000)],
  ])('is not %s', (_what, sound) => {
    expect(new BeepDetector(rate).hear(sound)).toBe(false);
  });
});

describe('the length of a greeting', () => {
  const isMachine = (...sounds: Int16Array[]) => {
    const timing = new GreetingTiming(rate);
    let isTold = false;
    for (const sound of sounds)
      for (let at = 0; at < sound.length; at += 160) isTold = timing.hear(sound.subarray(at, at + 160)) || isTold;
    return isTold;
  };
  const silence = (ms: number) => new Int16Array((rate * ms) / 1000);

  it('reveals a machine that keeps talking, but not a person who says hello and waits', () => {
    expect(isMachine(voice(6000))).toBe(true);
    expect(isMachine(voice(2000), silence(300), voice(4000))).toBe(true);
    expect(isMachine(voice(1200), silence(1000), voice(8000))).toBe(false);
    expect(isMachine(silence(10_000))).toBe(false);
  });
});

describe('a call answered by a machine', () => {
  let harness: BridgeHarness;
  let shop: Shop;
  beforeAll(async () => {
    harness = await BridgeHarness.open();
    shop = await harness.shop();
  });
  afterEach(() => harness.scripted.reset());
  afterAll(() => harness.close());

  const answered = async (voicemail: { action: 'HANG_UP' | 'LEAVE_MESSAGE'; message?: string }) => {
    let phone: FakePhone | undefined;
    harness.network.onPlace = ({ mediaUrl }, call) => {
      call.state = 'answered';
      void FakePhone.answer(mediaUrl, call.callId).then((opened) => (phone = opened));
    };
    const { CallKeyID } = await shop.ask(placeCall, { AgentID: 12, to: '+919820012345', voicemail });
    await eventually('the agent is on the line', () => harness.scripted.lines.length > 0 && phone !== undefined);
    if (!phone) throw new Error('nobody answered');
    return { CallKeyID, phone, line: harness.scripted.last };
  };
  const play = async (phone: FakePhone, sound: Int16Array) => {
    async function* frames() {
      for (let at = 0; at < sound.length; at += 160) yield sound.subarray(at, at + 160);
    }
    for await (const frame of paced(frames())) phone.sound(muLaw.encode(frame));
  };
  const over = async (CallKeyID: string) => {
    await eventually('it is over', async () => (await shop.ask(getCall, { CallKeyID })).endedAt !== null);
    return shop.ask(getCall, { CallKeyID });
  };

  it('is hung up when the machine’s words reveal it, if so configured', async () => {
    const { CallKeyID, phone, line } = await answered({ action: 'HANG_UP' });
    line.channel.signal({ type: 'transcript.partial', text: 'please leave a message after the tone', atMs: 900 });
    await phone.closed;
    expect(await over(CallKeyID)).toMatchObject({ state: 'COMPLETED', outcome: 'VOICEMAIL', remarks: ['MACHINE_ANSWERED'] });
    // We hung up; dashboards count calls that the caller ended.
    expect(line.heard.at(-1)).toEqual({ type: 'session.end', reason: 'CALL_ENDED' });
  });

  it('hears a message after the beep, while the agent is silent', async () => {
    const { CallKeyID, phone, line } = await answered({ action: 'LEAVE_MESSAGE', message: 'Please call us back.' });
    line.channel.signal({ type: 'transcript.partial', text: 'please leave a message after the tone', atMs: 900 });
    await eventually('the agent is silent', () => line.heard.some(({ type }) => type === 'line.hold'));
    await play(phone, voice(600));
    expect(harness.scripted.spoken).toEqual([]);
    await play(phone, sine(1000, 300));
    await eventually('the message is spoken', () => harness.scripted.spoken.length === 1);
    await phone.closed;
    expect(harness.scripted.spoken).toEqual(['Please call us back.']);
    expect(Buffer.concat(phone.heard).length).toBe(4000);
    expect(await over(CallKeyID)).toMatchObject({ outcome: 'VOICEMAIL', cause: 'A message was left on a machine.' });
  });

  it('is a conversation if a person says hello', async () => {
    const { CallKeyID, phone, line } = await answered({ action: 'HANG_UP' });
    line.channel.signal({ type: 'transcript.final', text: 'Hello, who is this?', atMs: 900 });
    line.channel.signal({
      type: 'transcript.final',
      text: 'Is this about a message that I should leave after the tone?',
      atMs: 4000,
    });
    await play(phone, voice(300));
    await eventually('the agent hears', () => line.sounds.length > 0);
    expect((await shop.ask(getCall, { CallKeyID })).state).toBe('IN_PROGRESS');
    phone.hangUp();
    expect(await over(CallKeyID)).toMatchObject({ outcome: 'ANSWERED', remarks: [] });
  });
});
