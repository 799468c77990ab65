import { ScriptedCall } from '../scripted/scripted-call';
import { type LogEntry, logLine, replay } from './event-log';
import { VoiceSession } from './voice-session';

/** A call with most kinds of events. */
async function eventfulCall(): Promise<{ scene: ScriptedCall; actions: unknown[] }> {
  const actions: unknown[] = [];
  const handle = jest.spyOn(VoiceSession.prototype, 'handle');
  const scene = new ScriptedCall({
    settings: { greeting: 'Hello! How can I help?', fillers: ['One moment.'], maxCallMs: 40_000 },
    answer: (question) => `You asked: ${question}. That is a long story, and I will tell all of it.`,
    generator: { firstTokenMs: 300, wordMs: 5 },
    synthesizer: { firstSoundMs: 80, tellsWords: true },
  });
  await scene.isSilent(1500);
  await scene.says('when do you deliver');
  await scene.isSilent(1500);
  await scene.says('okay', 300);
  await scene.isSilent(900);
  await scene.says('no wait a moment');
  scene.call.signal({ type: 'text', text: 'and the price' });
  await scene.isSilent(40_000);
  for (const { value } of handle.mock.results) actions.push(value);
  handle.mockRestore();
  return { scene, actions };
}

describe('an event log', () => {
  it('replays to exactly the same actions from its lines alone', async () => {
    const { scene, actions } = await eventfulCall();
    const lines = scene.log.map(logLine);
    const read = lines.map((line): LogEntry => JSON.parse(line));
    expect(actions.length).toBeGreaterThan(200);
    expect(JSON.stringify(replay(read, scene.rules))).toBe(JSON.stringify(actions));
  });

  it('shows a difference when the rules differ', async () => {
    const { scene, actions } = await eventfulCall();
    const hastier = { ...scene.rules, judge: { judge: () => ({ waitMs: 100, suspectMs: 100 }) } };
    expect(JSON.stringify(replay(scene.log, hastier))).not.toBe(JSON.stringify(actions));
  });

  it('holds no digit that a caller keyed, typed or spoke, and replays with others in their place', async () => {
    const handle = jest.spyOn(VoiceSession.prototype, 'handle');
    const scene = new ScriptedCall({ answer: (question) => `So your card is ${question}.` });
    await scene.isSilent(500);
    for (const digit of ['4', '9']) scene.call.signal({ type: 'dtmf', digit });
    scene.call.signal({ type: 'text', text: 'my card is 4929 1234' });
    await scene.isSilent(3000);
    await scene.says('it ends with ४२ 77');
    await scene.isSilent(3000);
    const actions = handle.mock.results.map(({ value }) => value);
    handle.mockRestore();
    const lines = scene.log.map(logLine);
    const said = lines
      .filter((line) => /"(text|digits?)":/.test(line))
      .map((line) => line.replaceAll(/"\w+(Ms|UUID)":"?[\w.-]+/g, ''));
    expect(said.length).toBeGreaterThan(5);
    expect(said.join('').match(/"(?:text|digits?)":"[^"]*[1-9\u0967-\u096f][^"]*"/gu)).toBeNull();
    const again = replay(
      lines.map((line): LogEntry => JSON.parse(line)),
      scene.rules,
    );
    const kinds = (list: readonly { kind: string }[][]): string[][] => list.map((each) => each.map(({ kind }) => kind));
    expect(kinds(again)).toEqual(kinds(actions));
  });

  it('holds no sound, only its length and hash', async () => {
    const { scene } = await eventfulCall();
    const sounds = scene.log.filter((entry) => entry.kind === 'event' && entry.event.kind === 'sound');
    expect(sounds.length).toBeGreaterThan(10);
    const hash = expect.stringMatching(/^[0-9a-f]{8}$/);
    for (const sound of sounds) expect(sound).toMatchObject({ event: { samples: expect.any(Number), hash } });
    expect(scene.log.map(logLine).join('\n').length).toBeLessThan(200_000);
  });
});
