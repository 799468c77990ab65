import { Resampler } from '@parley/audio';
import { ruleJudge } from '../hearing/rule-judge';
import { ScriptedCall } from '../scripted/scripted-call';
import { plainSettings } from '../scripted';

const idle = { afterMs: 8000, prompts: ['Are you still there?'], goodbye: 'Goodbye.' };
/** From the caller's last sound on: the turn has to end first. */
const silenceMsMax = idle.afterMs + plainSettings.endOfTurn.silenceMs + 100;
const samplesPerMs = 8;

/** The longest that the listener heard nothing after this moment. */
function longestSilenceMs(scene: ScriptedCall, fromMs: number): number {
  let longest = 0;
  let silent = 0;
  for (const sample of scene.line.heard().subarray(fromMs * samplesPerMs)) {
    silent = sample === 0 ? silent + 1 : 0;
    longest = Math.max(longest, silent);
  }
  return longest / samplesPerMs;
}

function questions(scene: ScriptedCall): string[] {
  return scene.generator.asked.map(({ question }) => question);
}

// Recognition opens at once after the resampler was compiled, which takes time that the virtual clock does not wait for.
beforeAll(async () => (await Resampler.create(16_000, 8000)).close());

describe('a caller who waits for an answer', () => {
  it.each([
    ['without fillers', []],
    ['with fillers', ['One second.', 'Nearly there.']],
  ])('is not left in silence for longer than idle prompts would take, %s', async (_, fillers) => {
    const scene = new ScriptedCall({ settings: { idle, fillers }, generator: { firstTokenMs: 25_000 } });
    await scene.says('where is my parcel');
    const askedMs = scene.clock.now();
    await scene.isSilent(28_000);
    expect(longestSilenceMs(scene, askedMs)).toBeLessThanOrEqual(silenceMsMax);
    expect(scene.line.told('agent.done')).toMatchObject([{ text: 'All right.' }]);
  });

  it.each([3000, 5000, 8000])('is not left in silence for longer than %i ms while recognition hangs', async (afterMs) => {
    const answers: (() => void)[] = [];
    const recognition = { guesses: false, answerAfter: (tell: () => void) => void answers.push(tell) };
    const scene = new ScriptedCall({ settings: { idle: { ...idle, afterMs } }, recognition, answer: () => 'Tomorrow.' });
    await scene.says('where is my parcel');
    const saidMs = scene.clock.now();
    await scene.isSilent(afterMs + 12_000);
    expect(longestSilenceMs(scene, saidMs)).toBeLessThanOrEqual(afterMs + plainSettings.endOfTurn.silenceMs + 100);
    expect(new Set(scene.synthesizer.asked)).toEqual(new Set([plainSettings.lines.oneMoment]));
    for (const tell of answers.splice(0)) tell();
    await scene.isSilent(4000);
    expect(questions(scene)).toEqual(['where is my parcel']);
    expect(scene.line.told('agent.done').at(-1)).toMatchObject({ text: 'Tomorrow.' });
  });

  it('is told to wait on amid an answer too, which history does not hold as part of it', async () => {
    const scene = new ScriptedCall({
      settings: { idle },
      answer: () => 'Let me look it up. ' + 'It comes tomorrow.',
      generator: { wordMs: 4000 },
    });
    await scene.says('where is my parcel');
    const askedMs = scene.clock.now();
    await scene.isSilent(45_000);
    expect(longestSilenceMs(scene, askedMs)).toBeLessThanOrEqual(silenceMsMax);
    expect(scene.synthesizer.asked.filter((text) => text === plainSettings.lines.oneMoment).length).toBeGreaterThan(0);
    expect(scene.line.told('agent.done')[0]).toMatchObject({ text: 'Let me look it up. It comes tomorrow.' });
  });

  it('keeps no aside in history when the answer is interrupted after it', async () => {
    const answer = () => 'Let me look it up. It comes tomorrow if the van is not late again.';
    const scene = new ScriptedCall({ settings: { idle }, answer, generator: { wordMs: 2500 } });
    await scene.says('where is my parcel');
    await scene.isSilent(24_000);
    expect(scene.synthesizer.asked).toContain(plainSettings.lines.oneMoment);
    while (!scene.synthesizer.asked.some((text) => text.startsWith('It comes'))) await scene.isSilent(500);
    await scene.isSilent(1500);
    await scene.says('no wait please');
    await scene.isSilent(1000);
    expect(scene.generator.heard.at(-1)?.heardText).toMatch(/^Let me look it up\. It comes/);
  });

  it('is asked again when the model answers with nothing', async () => {
    const scene = new ScriptedCall({ answer: () => '' });
    await scene.says('where is my parcel');
    await scene.isSilent(4000);
    expect(scene.synthesizer.asked.join(' ')).toBe(plainSettings.lines.apology);
    expect(scene.call.state.kind).toBe('listening');
  });

  it('is not asked anything when a model ends the call or transfers it without a word', async () => {
    const ending = new ScriptedCall({ answer: () => '', generator: { wantsToEnd: true } });
    await ending.says('goodbye');
    await ending.isSilent(3000);
    expect(ending.synthesizer.asked).toEqual([]);
    expect(ending.line.endedBecause).toBe('ENDED_BY_AGENT');
    const moving = new ScriptedCall({ answer: () => '', generator: { transferTo: '+911234567890' } });
    await moving.says('a person please');
    await moving.isSilent(3000);
    expect(moving.synthesizer.asked).toEqual([]);
    expect(moving.line.transfers).toEqual(['+911234567890']);
  });
});

describe('the last words of a turn that was answered without them', () => {
  async function slowlyWritten(answerMs: number): Promise<ScriptedCall> {
    const scene: ScriptedCall = new ScriptedCall({
      answer: () => 'We deliver within three working days. Is there anything else that you want to know?',
      recognition: { answerAfter: (tell) => void scene.clock.wakeAt(scene.clock.now() + answerMs, tell) },
    });
    await scene.says('when do you deliver');
    await scene.isSilent(2600);
    return scene;
  }

  it('are not taken for what the caller says next', async () => {
    const scene = await slowlyWritten(2700);
    await scene.says('and how much does it cost');
    await scene.isSilent(8000);
    expect(questions(scene).at(-1)).toBe('and how much does it cost');
  });

  it('do not interrupt the answer when the caller only agrees', async () => {
    const scene = await slowlyWritten(2500);
    await scene.says('okay');
    await scene.isSilent(8000);
    expect(scene.line.told('agent.interrupted')).toEqual([]);
    expect(scene.line.told('agent.done')).toHaveLength(1);
  });

  it('are answered late when nothing of the turn had been written down', async () => {
    const scene: ScriptedCall = new ScriptedCall({
      recognition: { guesses: false, answerAfter: (tell) => void scene.clock.wakeAt(scene.clock.now() + 9500, tell) },
    });
    await scene.says('when do you deliver');
    await scene.isSilent(14_000);
    expect(questions(scene)).toEqual(['when do you deliver']);
  });
});

describe('a call that moves to another replica', () => {
  it('takes along what the agent asked last, so that a number is waited for', async () => {
    const rules = { judge: ruleJudge };
    const scene = new ScriptedCall({
      settings: { greeting: 'What is your phone number?' },
      rules,
      perfectRecognizer: { answerMs: 200 },
    });
    await scene.isSilent(700);
    scene.call.drain();
    await scene.isSilent(2500);
    expect(scene.line.endedBecause).toBe('DRAINED');
    const next = new ScriptedCall({ settings: scene.call.continuation, rules, perfectRecognizer: { answerMs: 200 } });
    const digits = 'nine eight seven six five four three two one zero';
    for (const digit of digits.split(' ')) {
      await next.says(digit);
      await next.isSilent(1900);
    }
    await next.isSilent(6000);
    expect(questions(next)).toEqual([digits]);
  });
});
