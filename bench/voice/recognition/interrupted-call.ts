import type { SpeechToText, VoiceActivity } from '@parley/ports';
import {
  isBackchannel,
  type Line,
  type AnswerGenerator,
  type Synthesizer,
  openRecognition,
  ruleJudge,
  type SessionSettings,
  suspectedIn,
  VirtualClock,
  VoiceCall,
} from '@parley/voice-session';
import { plainSettings } from '@parley/voice-session/scripted';
import { JudgedLate } from './judged-late';

interface Caller {
  readonly sound: Int16Array;
  /** No breath is audible before this sample. */
  readonly from: number;
  /** The first sample of the speech, and the one after its last. */
  readonly onset: number;
  readonly end: number;
}

/** The path on which the agent's voice comes back: the delay of its loudest part, and all parts after that. */
export interface EchoWay {
  readonly delayMs: number;
  /** The echo's parts: the delay in milliseconds after the first, and the strength relative to what was played. */
  readonly parts: readonly { readonly atMs: number; readonly strength: number }[];
  /** From this moment of the call the path is another: the telephone was moved. */
  readonly later?: { readonly fromMs: number; readonly way: EchoWay };
}

interface Setup {
  readonly sampleRate: number;
  readonly interruption: SessionSettings['interruption'];
  readonly echo?: EchoWay;
  readonly own: Int16Array;
  readonly voiceActivity: VoiceActivity;
  readonly speechToText: SpeechToText;
  /**
   * If set, the caller first asks something and the agent's words are the answer; called for each question. If absent, the
   * agent's words are its greeting.
   */
  readonly onQuestion?: (atMs: number) => void;
}

/** The outcome of one interruption. Milliseconds are counted from the first sample of the caller's speech. */
export interface Outcome {
  /** When the agent had finally fallen silent; absent if it did not. */
  readonly silence: { readonly uncleared: number; readonly cleared: number } | undefined;
  readonly pausesBefore: number;
  /** It fell silent, but resumed while the caller was still speaking. */
  readonly wentOn: boolean;
  /** How long it was silent in total from the caller's first sample on. */
  readonly silentMs: number;
}

const frameMs = 20;
const noGenerator: AnswerGenerator = {
  answer: async function* () {},
  keepHeard: async () => undefined,
  keepHeardSoFar: async () => undefined,
  keepUnanswered: async () => undefined,
  keepLatency: async () => undefined,
  discard: async () => undefined,
};

/** Answers each question with one sentence, which lasts as long as the agent's words. */
function answering(onQuestion: () => void): AnswerGenerator {
  const usage = { promptTokens: 0, completionTokens: 0, totalTokens: 0 };
  const none = { endOfTurnMs: null, transcriptionMs: null, firstTokenMs: null, firstAudioMs: null, pacingMs: null };
  return {
    ...noGenerator,
    async *answer() {
      onQuestion();
      yield { kind: 'begun', turnUUID: '6f0a5a44-8f5e-4f0e-9d0f-3f5b6a1c2d3e' };
      yield { kind: 'delta', text: 'A long answer.' };
      yield { kind: 'done', usage, latency: { ...none, retrievalMs: 0, totalMs: 0 }, language: undefined, wantsToEnd: false };
    },
  };
}

/** The listener's end of the line: knows what is heard when, and its echo. */
class Listener implements Line {
  readonly hasMarks = false;
  readonly silences: { readonly uncleared: number; readonly cleared: number }[] = [];
  readonly begins: number[] = [];
  private untilMs = 0;
  private isPlaying = false;
  private readonly heard: Float32Array;

  constructor(
    private readonly clock: VirtualClock,
    private readonly sampleRate: number,
  ) {
    this.heard = new Float32Array(20 * sampleRate);
  }

  play(samples: Int16Array): void {
    const nowMs = this.clock.now();
    if (!this.isPlaying) this.begins.push(nowMs);
    this.isPlaying = true;
    const atMs = Math.max(this.untilMs, nowMs);
    this.heard.set(samples, Math.round((atMs * this.sampleRate) / 1000));
    this.untilMs = atMs + (samples.length * 1000) / this.sampleRate;
  }

  /** What the agent was playing at this sample of the listener's time. */
  soundAt(sample: number): number {
    return this.heard[sample] ?? 0;
  }

  clear(): void {
    if (!this.isPlaying) return;
    this.isPlaying = false;
    const nowMs = this.clock.now();
    this.silences.push({ uncleared: Math.max(nowMs, this.untilMs), cleared: nowMs });
  }

  mark(): void {}
  tell(): void {}
  transfer(): void {}
  end(): void {}
}

/** Lets a caller speak while the agent is speaking. Frames arrive when their last sample has been spoken. */
export async function interruptedCall(caller: Caller, setup: Setup): Promise<Outcome> {
  const clock = new VirtualClock();
  const line = new Listener(clock, setup.sampleRate);
  const recognition = new JudgedLate(setup.voiceActivity, clock);
  const call = openCall(line, clock, { ...setup, voiceActivity: recognition });
  await recognition.opened;
  const frame = (setup.sampleRate * frameMs) / 1000;
  const echoAt = echoOf(setup, line);
  for (let at = 0; at < caller.sound.length; at += frame) {
    await clock.pass(frameMs);
    call.hear(caller.sound.slice(at, at + frame).map((sample, i) => sample + echoAt(at + i)));
    await recognition.caughtUp();
  }
  call.end('CALL_ENDED');
  return outcomeOf(line, caller, 1000 / setup.sampleRate);
}

/** How much of the agent's voice is in a sample of the caller's line. */
function echoOf({ echo, sampleRate }: Setup, line: Listener): (place: number) => number {
  if (!echo) return () => 0;
  const placesOf = ({ delayMs, parts }: EchoWay) =>
    parts.map(({ atMs, strength }) => ({ strength, delay: Math.round(((delayMs + atMs) * sampleRate) / 1000) }));
  const first = placesOf(echo);
  const later = placesOf(echo.later?.way ?? echo);
  const changesAt = ((echo.later?.fromMs ?? 0) * sampleRate) / 1000;
  return (place) =>
    (place < changesAt ? first : later).reduce((sum, { strength, delay }) => sum + strength * line.soundAt(place - delay), 0);
}

function openCall(
  line: Line,
  clock: VirtualClock,
  { sampleRate, interruption, own, voiceActivity, speechToText, onQuestion }: Setup,
): VoiceCall {
  const synthesizer: Synthesizer = {
    async *speak() {
      yield { samples: own, sampleRate };
    },
  };
  const settings = {
    ...plainSettings,
    sampleRate,
    interruption,
    greeting: onQuestion ? '' : 'A long greeting.',
    idle: { ...plainSettings.idle, afterMs: 60_000 },
  };
  return VoiceCall.open(settings, {
    clock,
    generator: onQuestion ? answering(() => onQuestion(clock.now())) : noGenerator,
    synthesizer,
    line,
    rules: { judge: ruleJudge, isBackchannel },
    openRecognition: (listener) =>
      openRecognition({ sampleRate, voiceActivity, speechToText, suspects: suspectedIn(interruption) }, listener),
  });
}

function outcomeOf({ silences, begins }: Listener, { from, onset, end }: Caller, msOfSample: number): Outcome {
  const onsetMs = onset * msOfSample;
  const endMs = end * msOfSample;
  const after = silences.filter(({ cleared }) => cleared >= from * msOfSample);
  const last = after.findLast(({ cleared }) => cleared < endMs + 500);
  return {
    silence: last && { uncleared: last.uncleared - onsetMs, cleared: last.cleared - onsetMs },
    pausesBefore: silences.length - after.length,
    wentOn: begins.some((ms) => ms > (after[0]?.cleared ?? Number.POSITIVE_INFINITY) && ms < endMs),
    silentMs: silenceOf(after, begins),
  };
}

function silenceOf(silences: Listener['silences'], begins: readonly number[]): number {
  return silences.reduce((sum, { cleared }) => sum + (begins.find((ms) => ms > cleared) ?? cleared) - cleared, 0);
}
