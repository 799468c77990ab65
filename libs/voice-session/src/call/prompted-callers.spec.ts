import { Resampler } from '@parley/audio';
import { ProviderFailure } from '@parley/ports';
import { ruleJudge } from '../hearing/rule-judge';
import { ScriptedCall } from '../scripted/scripted-call';
import { spokenLines } from '../session/settings';

const idle = { afterMs: 2000, prompts: ['Are you still there?', 'I cannot hear you.'], goodbye: 'Bye for now then.' };

// Recognition opens at once after the resampler was compiled, which takes time that the virtual clock does not wait for.
beforeAll(async () => (await Resampler.create(16_000, 8000)).close());

const open = (answerMs: number | (() => number), afterMs = idle.afterMs): ScriptedCall =>
  new ScriptedCall({
    settings: { idle: { ...idle, afterMs } },
    rules: { judge: ruleJudge },
    perfectRecognizer: { answerMs },
  });

const said = ({ line }: ScriptedCall): string[] => line.told('agent.delta').map(({ text }) => text);

/** Silence until the agent has begun to say this, and a little longer. */
async function until(scene: ScriptedCall, text: string, ms: number): Promise<void> {
  for (let waited = 0; !said(scene).includes(text) && waited < 20_000; waited += 20) await scene.isSilent(20);
  await scene.isSilent(ms);
}

describe('a caller whose words take longer than an idle prompt', () => {
  it.each([
    ['the last prompt', 'I cannot hear you.'],
    ['the goodbye', 'Bye for now then.'],
  ])('is answered if they speak over %s', async (_, prompt) => {
    for (const ms of [100, 400, 700, 900]) {
      for (const words of ['where is my parcel', 'stop'] as const) {
        const scene = open(5200);
        await until(scene, prompt, ms);
        await scene.says(words);
        await scene.isSilent(15_000);
        expect([ms, scene.generator.asked.at(0)?.question]).toEqual([ms, words]);
      }
    }
  });

  it.each([
    [250, 2000],
    [1500, 2000],
    [1500, 3000],
    [3000, 4000],
    [3000, 8000],
  ])(
    'is answered if they speak over a longer goodbye, with a recognizer of %i ms and idle prompts after %i',
    async (answerMs, afterMs) => {
      const goodbye = 'Thank you for calling the desk, and have a good day then. Goodbye to you.';
      for (const words of [8, 16]) {
        for (let ms = 200; ms <= 2600; ms += 200) {
          const scene = new ScriptedCall({
            settings: { idle: { afterMs, prompts: [], goodbye } },
            rules: { judge: ruleJudge },
            perfectRecognizer: { answerMs },
          });
          await until(scene, goodbye, ms);
          if (scene.call.state.kind === 'ended') continue;
          const text = Array.from({ length: words }, (_, at) => `word${at}`).join(' ');
          await scene.says(text);
          await scene.isSilent(15_000);
          expect([words, ms, scene.generator.asked.at(-1)?.question]).toEqual([words, ms, text]);
        }
      }
    },
  );

  it('is hung up on if there were no words', async () => {
    const scene = open(5200);
    await until(scene, 'Bye for now then.', 400);
    await scene.hears(new Int16Array(8000 * 0.8).map((_, i) => Math.round(1500 * Math.sin(i))));
    await scene.isSilent(40_000);
    expect(scene.line.endedBecause).toBe('IDLE');
    expect(scene.generator.asked).toEqual([]);
  });

  it.each([
    ['takes 3 s', 3000, 2000],
    ['takes 4.5 s', 4500, 2000],
    ['takes 4.5 s', 4500, 3000],
    ['hangs, so that the next one is asked after nine', 9000, 3000],
  ])('is not spoken over while the recognizer %s', async (_, answerMs, afterMs) => {
    for (const words of [20, 35, 52]) {
      let requests = 0;
      const scene = open(() => (answerMs < 9000 || requests++ === 0 ? answerMs : 250), afterMs);
      await scene.isSilent(300);
      const text = Array.from({ length: words }, (__, at) => `word${at}`).join(' ');
      await scene.says(text);
      expect(said(scene)).toEqual([]);
      await scene.isSilent(20_000);
      expect(scene.generator.asked.at(-1)?.question).toBe(text);
    }
  });
});

describe('a caller who was asked to say it again', () => {
  it.each([
    ['the first prompt', 'Are you still there?', 'fails', 0],
    ['the last prompt', 'I cannot hear you.', 'fails', 0],
    ['the goodbye', 'Thank you for calling the desk, and have a good day then. Goodbye to you.', 'fails', 0],
    ['the first prompt', 'Are you still there?', 'hangs for eight seconds', 8000],
    ['the last prompt', 'I cannot hear you.', 'hangs for eight seconds', 8000],
    ['the goodbye', 'Thank you for calling the desk, and have a good day then. Goodbye to you.', 'hangs for eight seconds', 8000],
  ])('is asked that too if they spoke over %s, "%s", while recognition %s', async (_, prompt, __, lateMs) => {
    const goodbye = 'Thank you for calling the desk, and have a good day then. Goodbye to you.';
    for (const words of [4, 12]) {
      for (let ms = 200; ms <= 2400; ms += 200) {
        const fail = () => {
          throw new ProviderFailure('perfect', 'answered 500', { retryable: true });
        };
        const scene = new ScriptedCall({
          settings: { idle: { ...idle, afterMs: 3000, goodbye } },
          rules: { judge: ruleJudge },
          perfectRecognizer: { answerMs: () => lateMs, afterwards: fail },
        });
        await until(scene, prompt, ms);
        if (scene.call.state.kind === 'ended') continue;
        await scene.says(Array.from({ length: words }, (___, at) => `word${at}`).join(' '));
        await scene.isSilent(lateMs + 4000);
        expect([words, ms, said(scene).at(-1), scene.line.endedBecause]).toEqual([
          words,
          ms,
          spokenLines.english.notUnderstood,
          undefined,
        ]);
      }
    }
  });

  it.each([
    ['fails', 0],
    ['hangs for four seconds', 4000],
  ])('is asked that after the answer that they spoke over, if recognition %s', async (_, lateMs) => {
    for (const ms of [300, 1500, 3000]) {
      let isBroken = false;
      const fail = () => {
        if (isBroken) throw new ProviderFailure('perfect', 'answered 500', { retryable: true });
      };
      const scene = new ScriptedCall({
        rules: { judge: ruleJudge },
        answer: () => 'This is an answer of many words, which takes a while, and which nobody needs to hear to its end here.',
        perfectRecognizer: { answerMs: () => (isBroken ? lateMs : 250), afterwards: fail },
      });
      await scene.isSilent(300);
      await scene.says('where is my parcel');
      await scene.isSilent(1200 + ms);
      isBroken = true;
      await scene.says('no I meant the other one');
      await scene.isSilent(lateMs + 15_000);
      const asked = said(scene).filter((text) => text === spokenLines.english.notUnderstood);
      expect([ms, said(scene).at(-1), asked.length]).toEqual([ms, spokenLines.english.notUnderstood, 1]);
    }
  });

  it('is asked whether they are there before they are hung up on', async () => {
    const scene = new ScriptedCall({ settings: { idle }, recognition: { guesses: false } });
    await until(scene, 'I cannot hear you.', 1500);
    scene.recognition.script.push('');
    const voice = scene.says('', 1200);
    await voice;
    scene.recognition.tell({ kind: 'recognition-failed', code: 'SPEECH_PROVIDER_UNAVAILABLE' });
    await scene.isSilent(8000);
    expect(said(scene).slice(2)).toEqual([spokenLines.english.notUnderstood, 'Are you still there?']);
  });
});
