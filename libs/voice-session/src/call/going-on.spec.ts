import { ruleJudge } from '../hearing/rule-judge';
import { babble } from '../scripted/perfect-recognizer';
import { ScriptedCall } from '../scripted/scripted-call';

const answer = (): string => 'We deliver within three working days to every town in the country. '.repeat(6);
const samplesPerMs = 8;
const story = [
  'I was at the shop on Monday.',
  'There was a man at the door.',
  'He gave me a small box.',
  'I took it home with me.',
  'My wife opened it the same day.',
  'The lamp in it was broken.',
  'I called you that afternoon.',
  'The line was busy all day.',
  'So I wrote a letter to your office.',
  'It came back on Friday.',
  'Then my son wrote to you.',
  'He got no reply from anybody.',
];

interface Telling {
  /** The pauses between the sentences, which are repeated. */
  readonly gaps: readonly number[];
  /** A short pause within each sentence. */
  readonly innerMs: number;
}

/** Tells a story in whole sentences. Returns for how long the agent was heard over it. */
async function tell(scene: ScriptedCall, { gaps, innerMs }: Telling): Promise<number> {
  let overMs = 0;
  for (const [n, sentence] of story.entries()) {
    const words = sentence.split(' ');
    for (const [half, said] of [words.slice(0, 3), words.slice(3)].entries()) {
      if (half === 1) await scene.isSilent(innerMs);
      const fromMs = scene.clock.now();
      await scene.says(said.join(' '));
      overMs +=
        scene.line
          .heard()
          .subarray(fromMs * samplesPerMs)
          .filter((sample) => sample !== 0).length / samplesPerMs;
    }
    if (n < story.length - 1) await scene.isSilent(gaps[n % gaps.length] ?? 0);
  }
  return overMs;
}

describe('a caller who tells a story in short sentences', () => {
  it.each([
    ['live', [400, 480, 340, 460]],
    ['live', [560, 480, 620, 500]],
    ['live', [640, 760, 700, 620]],
    ['at pauses', [400, 480, 340, 460]],
    ['at pauses', [560, 480, 620, 500]],
    ['at pauses', [640, 760, 700, 620]],
  ])('is heard out after two answers that came too early (transcribed %s, pauses of %j ms)', async (how, gaps) => {
    const perfect = how === 'live' ? {} : { perfectRecognizer: { answerMs: 250 } };
    const scene = new ScriptedCall({ answer, rules: { judge: ruleJudge }, generator: { firstTokenMs: 150 }, ...perfect });
    await scene.isSilent(300);
    const overMs = await tell(scene, { gaps, innerMs: 240 });
    expect(scene.line.told('agent.interrupted').length).toBeLessThanOrEqual(2);
    expect(overMs).toBeLessThan(600);
    await scene.isSilent(4000);
    expect(scene.generator.asked.at(-1)?.question).toMatch(/He got no reply from anybody\.$/);
  });
});

describe('after three answers that were lost before anything was heard', () => {
  async function afterLosses(perfectRecognizer?: { answerMs: number }): Promise<ScriptedCall> {
    const scene = new ScriptedCall({
      answer,
      generator: { firstTokenMs: 1200 },
      ...(perfectRecognizer && { perfectRecognizer }),
    });
    await scene.isSilent(300);
    for (let times = 0; times < 4; times++) {
      await scene.says('and another thing');
      await scene.isSilent(900);
    }
    expect(scene.line.told('agent.interrupted').length + scene.generator.discarded.length).toBeGreaterThanOrEqual(3);
    await scene.isSilent(4000);
    expect(scene.call.state.kind).toBe('speaking');
    return scene;
  }

  it.each([
    ['live', undefined],
    ['at pauses', { answerMs: 250 }],
  ])('words still interrupt (transcribed %s)', async (_, recognizer) => {
    const scene = await afterLosses(recognizer);
    await scene.says('no stop please');
    await scene.isSilent(600);
    expect(scene.generator.heard).toHaveLength(1);
  });

  it('a caller who talks on interrupts while they talk', async () => {
    const scene = await afterLosses({ answerMs: 250 });
    await scene.says('no that is not what I have asked you for at all and I want you to stop');
    expect(scene.generator.heard).toHaveLength(1);
  });

  it('a client that interrupts does so', async () => {
    const scene = await afterLosses();
    scene.call.signal({ type: 'interrupt' });
    expect(scene.generator.heard).toHaveLength(1);
    expect(scene.line.told('warning')).toEqual([]);
  });
});

describe('after three false alarms in an answer', () => {
  it('words interrupt it, though they are transcribed at pauses', async () => {
    const scene = new ScriptedCall({ answer, perfectRecognizer: { answerMs: 250 } });
    await scene.says('when do you deliver');
    await scene.isSilent(1600);
    for (let times = 0; times < 4; times++) {
      await scene.hears(babble(400));
      await scene.isSilent(1200);
    }
    expect(scene.call.state.kind).toBe('speaking');
    await scene.says('no stop please');
    await scene.isSilent(600);
    expect(scene.generator.heard).toHaveLength(1);
  });
});

describe('the agent’s own words on a line that returns them', () => {
  async function hears(text: string, isOverEcho: boolean, afterMs = 4500): Promise<ScriptedCall> {
    const scene = new ScriptedCall({ answer });
    await scene.says('when do you deliver');
    await scene.isSilent(afterMs);
    scene.recognition.tell({ kind: 'speech-started', atMs: scene.clock.now() - Math.min(900, afterMs / 3) });
    await scene.isSilent(100);
    scene.recognition.tell({ kind: 'partial', text, ...(isOverEcho && { isOverEcho }) });
    await scene.isSilent(100);
    scene.recognition.tell({ kind: 'speech-stopped', atMs: scene.clock.now() });
    await scene.isSilent(800);
    return scene;
  }

  it.each(['deliver within three working', 'Within three working.', 'liver within three working', 'deliver within tree working'])(
    'do not interrupt it: %j',
    async (text) => {
      const scene = await hears(text, true);
      expect(scene.call.state.kind).toBe('speaking');
      expect(scene.line.told('agent.interrupted')).toEqual([]);
    },
  );

  it.each([
    [1000, 'We deliver within'],
    [1200, 'We deliver within'],
    [1600, 'We deliver within'],
    [1200, 'We deliver within three working'],
  ])('do not, of the first sentence, where it cannot be told how many were heard: %i ms, %s', async (afterMs, text) => {
    const scene = await hears(text, true, afterMs);
    expect(scene.line.told('agent.interrupted')).toEqual([]);
    expect(scene.generator.asked).toHaveLength(1);
  });

  /** The line returns these words, first only as much of them as interrupts. */
  async function returns(scene: ScriptedCall, text: string): Promise<void> {
    await scene.isSilent(2500);
    const first = text.split(' ').slice(0, 2).join(' ');
    scene.recognition.tell({ kind: 'speech-started', atMs: scene.clock.now() - 600 });
    scene.recognition.tell({ kind: 'partial', text: first, isOverEcho: true });
    await scene.isSilent(100);
    const finish = scene.recognition.finishTurn.bind(scene.recognition);
    const written = jest.spyOn(scene.recognition, 'finishTurn');
    written.mockImplementation(() => {
      scene.recognition.tell({ kind: 'final', text, isOverEcho: true });
      finish();
    });
    scene.recognition.tell({ kind: 'speech-stopped', atMs: scene.clock.now() });
    await scene.isSilent(2000);
    written.mockRestore();
  }

  it('are not answered where the first of them have interrupted it', async () => {
    const scene = new ScriptedCall({ answer });
    await scene.says('when do you deliver');
    await returns(scene, 'we deliver within');
    expect(scene.line.told('agent.interrupted')).toHaveLength(1);
    expect(scene.generator.asked.map(({ question }) => question)).toEqual(['when do you deliver']);
  });

  it('do not interrupt it even if they are one or two, once that has happened twice in a row', async () => {
    const scene = new ScriptedCall({ answer });
    for (let times = 0; times < 3; times++) {
      await scene.says('when do you deliver');
      await returns(scene, 'we deliver within');
      if (times < 2) await scene.isSilent(3000);
    }
    expect(scene.line.told('agent.interrupted')).toHaveLength(2);
  });

  it.each([
    ['deliver within three working', false],
    ['deliver within three working no stop', true],
    ['three working', true],
    ['when do you open', true],
  ])('interrupt it if a caller may have said them: %j, on a line with an echo: %s', async (text, isOverEcho) => {
    const scene = await hears(text, isOverEcho);
    expect(scene.line.told('agent.interrupted')).toHaveLength(1);
  });
});
