// A process of its own: `node parley.js <sessions> <seconds>` lets the engine serve callers, with instant stubs around it.
import {
  type AnswerEvent,
  type AudioRecognition,
  type HeardEvent,
  isBackchannel,
  type Line,
  type AnswerGenerator,
  type Synthesizer,
  realClock,
  VoiceCall,
} from '@parley/voice-session';
import { plainSettings } from '@parley/voice-session/scripted';
import { answerMs, measure, questionFrames, sampleRate } from '../callers';

const voiceFrames = 3;
const wordsAfterFrames = 15;
const usage = { promptTokens: 0, completionTokens: 0, totalTokens: 0 };
const latency = {
  endOfTurnMs: null,
  transcriptionMs: null,
  retrievalMs: null,
  firstTokenMs: null,
  firstAudioMs: null,
  pacingMs: null,
  totalMs: 0,
};
const block = new Int16Array(sampleRate / 10).fill(5000);
let turns = 0;

/** Detects a voice after three loud frames, guesses words after fifteen, and ends after a question's length. */
function recognitionFor(tell: (event: HeardEvent) => void): AudioRecognition {
  let frames = 0;
  let loud = 0;
  return {
    hear: (samples) => {
      frames++;
      loud = samples[0] ? loud + 1 : 0;
      if (loud === voiceFrames) tell({ kind: 'speech-started', atMs: (frames - voiceFrames) * 20 });
      if (loud === wordsAfterFrames) tell({ kind: 'partial', text: 'when do you' });
      if (loud !== questionFrames) return;
      tell({ kind: 'final', text: 'when do you deliver' });
      tell({ kind: 'speech-stopped', atMs: frames * 20 });
    },
    noticeOwnVoice: () => undefined,
    guessNow: () => undefined,
    judgeEnd: () => undefined,
    finishTurn: () => undefined,
    finish: async () => undefined,
    close: () => undefined,
  };
}

const generator: AnswerGenerator = {
  async *answer(): AsyncGenerator<AnswerEvent> {
    yield { kind: 'begun', turnUUID: `00000000-0000-4000-8000-${String(++turns).padStart(12, '0')}` };
    yield { kind: 'delta', text: 'We deliver within three working days.' };
    yield { kind: 'done', usage, latency, language: undefined, wantsToEnd: false };
  },
  keepHeard: async () => undefined,
  keepHeardSoFar: async () => undefined,
  keepUnanswered: async () => undefined,
  keepLatency: async () => undefined,
  discard: async () => undefined,
};

const synthesizer: Synthesizer = {
  async *speak() {
    for (let ms = 0; ms < answerMs; ms += 100) yield { samples: block, sampleRate };
  },
};

type Notices = Parameters<Parameters<typeof measure>[0]['open']>[0];

/** Detects when sound begins, and when it ends early: sound that was sent counts until it was heard or cleared. */
function lineFor({ noticeSound, noticeSilence }: Notices): Line {
  return {
    hasMarks: false,
    play: () => noticeSound(performance.now()),
    clear: () => noticeSilence(performance.now()),
    mark: () => undefined,
    tell: () => undefined,
    transfer: () => undefined,
    end: () => undefined,
  };
}

async function main(): Promise<void> {
  const [sessions, seconds] = process.argv.slice(2).map(Number);
  const calls: VoiceCall[] = [];
  const rules = { judge: { judge: () => ({ waitMs: 0, suspectMs: 0 }) }, isBackchannel };
  const open = async (notices: Notices): Promise<VoiceCall> => {
    const around = {
      clock: realClock,
      openRecognition: async (tell: (event: HeardEvent) => void) => recognitionFor(tell),
      generator,
      synthesizer,
      rules,
    };
    const call = VoiceCall.open({ ...plainSettings, sampleRate }, { ...around, line: lineFor(notices) });
    calls.push(call);
    return call;
  };
  const measured = await measure({ sessions: sessions ?? 1, seconds: seconds ?? 10, interrupts: true, open });
  const frames = calls.reduce((sum, { figures }) => sum + figures.frames, 0);
  const lateFrames = calls.reduce((sum, { figures }) => sum + figures.lateFrames, 0);
  process.stdout.write(`${JSON.stringify({ ...measured, frames, lateFrames })}\n`, () => process.exit(0));
}

void main();
