import { ScriptedCall } from '../scripted/scripted-call';

const sampleRate = 8000;
const answer = (): string => 'We deliver within three working days.';

/** A stereo recording: one array of samples per channel, from the start of the session. */
class Tape {
  readonly channels = { caller: new Int16Array(sampleRate * 20), agent: new Int16Array(sampleRate * 20) };

  caller = (samples: Int16Array, atMs: number): void => this.channels.caller.set(samples, Math.round(atMs * 8));
  agent = (samples: Int16Array, atMs: number): void => this.channels.agent.set(samples, Math.round(atMs * 8));
  agentSilenced = (atMs: number): void => void this.channels.agent.fill(0, Math.round(atMs * 8));

  /** The silence between the caller's last sample and the agent's first, as a listener would measure it. */
  get silenceMs(): number {
    const lastOfCaller = this.channels.caller.findLastIndex((sample) => sample !== 0);
    const firstOfAgent = this.channels.agent.findIndex((sample) => sample !== 0);
    return (firstOfAgent - lastOfCaller - 1) / 8;
  }
}

type Script = NonNullable<ConstructorParameters<typeof ScriptedCall>[0]>;

async function measured(script: Script, writeMs = 0) {
  const tape = new Tape();
  const scene = new ScriptedCall({ answer, ...script, recording: tape });
  const finishTurn = scene.recognition.finishTurn.bind(scene.recognition);
  scene.recognition.finishTurn = () => void scene.clock.wakeAt(scene.clock.now() + writeMs, finishTurn);
  await scene.says('when do you deliver');
  await scene.isSilent(8000);
  const [turn] = scene.generator.latencies;
  if (!turn) throw new Error('no latency was kept');
  const { totalMs, ...parts } = turn.latency;
  const sumMs = Object.values(parts).reduce((sum: number, ms) => sum + (ms ?? 0), 0);
  return { silenceMs: tape.silenceMs, totalMs, sumMs, parts };
}

describe('the parts of a turn’s latency', () => {
  it.each([
    ['nothing but the end of the turn', {}, 0],
    ['a slow generator', { generator: { firstTokenMs: 900, retrievalMs: 120, wordMs: 30 } }, 0],
    ['a slow voice', { synthesizer: { firstSoundMs: 450, blockMs: 90 } }, 0],
    ['a voice that begins with silence', { synthesizer: { silentMs: 60 } }, 0],
    ['a slow recognizer', { recognition: { guesses: false }, generator: { firstTokenMs: 200, retrievalMs: 40 } }, 1100],
    ['a filler before the answer', { settings: { fillers: ['One moment.'] }, generator: { firstTokenMs: 2500 } }, 0],
    [
      'all of it',
      { recognition: { guesses: false }, generator: { firstTokenMs: 333, retrievalMs: 77 }, synthesizer: { firstSoundMs: 123 } },
      700,
    ],
  ] satisfies [string, Script, number][])('sum to the silence in the recording: %s', async (_, script, writeMs) => {
    const { silenceMs, totalMs, sumMs } = await measured(script, writeMs);
    expect(silenceMs).toBeGreaterThan(500);
    expect(Math.abs(totalMs - silenceMs)).toBeLessThanOrEqual(20);
    expect(Math.abs(sumMs - silenceMs)).toBeLessThanOrEqual(20);
  });

  it('name the component that was slow', async () => {
    const script = {
      recognition: { guesses: false },
      generator: { firstTokenMs: 333, retrievalMs: 77 },
      synthesizer: { firstSoundMs: 123 },
    };
    const { parts } = await measured(script, 700);
    expect(parts.endOfTurnMs).toBeCloseTo(600, -1);
    // Writing began when the end was suspected, half a wait before it was certain.
    expect(parts.transcriptionMs).toBeCloseTo(400, -1);
    expect(parts.retrievalMs).toBeCloseTo(77, 0);
    expect(parts.firstTokenMs).toBeCloseTo(333 - 77, 0);
    expect(parts.firstAudioMs).toBeCloseTo(123, 0);
  });

  it('measure the silence from the caller’s sound, however late its packets come', async () => {
    const tape = new Tape();
    const scene = new ScriptedCall({ answer, recording: tape });
    const hear = scene.call.hear.bind(scene.call);
    const waiting: Int16Array[] = [];
    let frames = 0;
    scene.call.hear = (samples) => {
      waiting.push(samples.slice());
      if (++frames % 7 === 0 || frames < 3) for (const frame of waiting.splice(0)) hear(frame);
    };
    await scene.says('when do you deliver');
    await scene.isSilent(6000);
    expect(Math.abs((scene.generator.latencies[0]?.latency.totalMs ?? 0) - tape.silenceMs)).toBeLessThanOrEqual(20);
  });
});
