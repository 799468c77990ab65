import { spokenLanguages, type SpokenLanguage } from '@parley/ports';
import type { PauseInTurn } from './heard';
import { ruleJudge } from './rule-judge';
import { type LabelledUtterance, labelledUtterances } from './turn-end/labelled-utterances.builder';

const silenceMs = 600;
const dictationSilenceMs = 2500;

function pauseAfter(text: string, language: SpokenLanguage = 'english', more: Partial<PauseInTurn> = {}): PauseInTurn {
  return { text, language, isFinal: true, usualPauseMs: undefined, silenceMs, dictationSilenceMs, ...more };
}

function isJudgedRight({ text, language, label }: LabelledUtterance): boolean {
  const { waitMs } = ruleJudge.judge(pauseAfter(text, language));
  if (waitMs >= dictationSilenceMs) return label === 'dictation';
  return label === (waitMs > silenceMs ? 'more' : 'done');
}

function shareRight(utterances: readonly LabelledUtterance[]): number {
  return utterances.filter(isJudgedRight).length / utterances.length;
}

describe('ruleJudge', () => {
  const heldOut = labelledUtterances().filter(({ isHeldOut }) => isHeldOut);

  it.each(spokenLanguages)('judges at least nine in ten %s utterances right that no rule was made for', (language) => {
    const utterances = heldOut.filter((utterance) => utterance.language === language);
    expect(utterances.length).toBeGreaterThan(60);
    expect(shareRight(utterances)).toBeGreaterThanOrEqual(0.9);
  });

  it.each(['done', 'more', 'dictation'] as const)('judges at least 85 in a hundred of what is labelled %s right', (label) => {
    expect(shareRight(heldOut.filter((utterance) => utterance.label === label))).toBeGreaterThanOrEqual(0.85);
  });

  it('judges alike with and without the full stop that some engines put after everything', () => {
    for (const text of ['I would like to', 'I need it because', 'मैंने कहा कि', 'mujhe kal ka', 'मला उद्या आणि']) {
      expect(ruleJudge.judge(pauseAfter(`${text}.`))).toEqual(ruleJudge.judge(pauseAfter(text)));
    }
  });

  it('answers a finished sentence sooner than one that cannot be judged, and later while it is a guess', () => {
    const finished = ruleJudge.judge(pauseAfter('What does it cost?')).waitMs;
    const guess = ruleJudge.judge(pauseAfter('What does it cost?', 'english', { isFinal: false })).waitMs;
    const unknown = ruleJudge.judge(pauseAfter('the blue one')).waitMs;
    expect([finished < guess, guess < unknown]).toEqual([true, true]);
  });

  it('waits less where the prosody was that of an end, and longer where it was not', () => {
    for (const text of ['What does it cost?', 'the blue one', '']) {
      const [more, unheard, done] = [0.05, undefined, 0.95].map((soundsDone) =>
        ruleJudge.judge(pauseAfter(text, 'english', { soundsDone })),
      );
      expect(done?.waitMs).toBeLessThan(unheard?.waitMs ?? 0);
      expect(unheard?.waitMs).toBeLessThan(more?.waitMs ?? 0);
      expect(unheard?.asksSound).toBe(true);
    }
  });

  it('is as sure of dictation, and of a number that lacks digits, whatever the prosody', () => {
    const asked = 'Please tell me your ten digit phone number.';
    for (const pause of [pauseAfter('my number is nine eight seven'), pauseAfter('nine eight', 'english', { asked })]) {
      const { waitMs, asksSound } = ruleJudge.judge({ ...pause, soundsDone: 0.99 });
      expect(waitMs).toBe(ruleJudge.judge(pause).waitMs);
      expect(asksSound).toBeUndefined();
    }
  });

  it('takes a whole telephone number or address for the end of dictation', () => {
    for (const text of ['it is 98765 43210', 'call +91 98765 43210', 'my email is ram@example.com', 'मेरा नंबर ९८७६५ ४३२१० ']) {
      expect(ruleJudge.judge(pauseAfter(text)).waitMs).toBeLessThanOrEqual(silenceMs);
    }
  });

  it('gives a caller who pauses long that long, but never more than three silences', () => {
    expect(ruleJudge.judge(pauseAfter('the blue one', 'english', { usualPauseMs: 900 })).waitMs).toBeGreaterThan(900);
    expect(ruleJudge.judge(pauseAfter('the blue one', 'english', { usualPauseMs: 60_000 })).waitMs).toBe(3 * silenceMs);
  });

  it('never suspects an end later than it believes in one', () => {
    for (const { text, language } of heldOut) {
      const { suspectMs, waitMs } = ruleJudge.judge(pauseAfter(text, language));
      expect(suspectMs).toBeLessThanOrEqual(waitMs);
      expect(suspectMs).toBeGreaterThan(0);
    }
  });

  it('judges what an engine without words says as an ordinary silence', () => {
    expect(ruleJudge.judge(pauseAfter(''))).toMatchObject({ waitMs: silenceMs });
  });

  it('judges the longest turn at once', () => {
    expect(ruleJudge.judge(pauseAfter('nine '.repeat(20_000))).waitMs).toBe(dictationSilenceMs);
    expect(ruleJudge.judge(pauseAfter(`what ${'a'.repeat(100_000)} b`)).waitMs).toBeGreaterThan(0);
  });
});
