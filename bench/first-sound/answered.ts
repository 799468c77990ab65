import { joinSamples } from '@parley/audio';
import type {
  SpeechToText,
  SpeechToTextCapabilities,
  Transcription,
  TranscriptionRequest,
  TurnEnd,
  VoiceActivity,
} from '@parley/ports';
import {
  isBackchannel,
  type Line,
  type AnswerGenerator,
  type Synthesizer,
  openRecognition,
  ruleJudge,
  type SessionSettings,
  VirtualClock,
  VoiceCall,
} from '@parley/voice-session';
import { plainSettings } from '@parley/voice-session/scripted';
import { noise } from '../hearing/spoken';
import { JudgedLate } from '../voice/recognition/judged-late';
import { noticedAfterMs, type PausedSpeech, quietMs } from '../turns/paused-speech';
import { recordedRate } from '../turns/recordings';

/** How long the recognizer and the model take; the rest of the silence is ours. */
export const recognizerMs = 250;
export const modelMs = 300;
/** How long a run of smart-turn takes on an idle machine. */
const judgedAfterMs = 60;
const frameMs = 20;
const leadMs = 400;
const listenedMs = 4000;
const roomNoise = 12;
/** A voice counts as audible down to thirty decibels below its loudest moment, and above the noise of the room. */
const audibleShare = 0.03;
const answerMs = 1500;
const trimmedMs = 20;
const words = 'I have a question about the parcel that was sent to my office on Monday morning'.split(' ');

/** How a caller was answered. */
export interface Answered {
  /** The agent spoke during the pause. */
  readonly isCutOff: boolean;
  /** From the caller's last sound to the agent's first, in the waveform. Absent if there was no answer. */
  readonly silenceMs: number | undefined;
  /** The same according to the session's ledger: the sum of its parts. */
  readonly ledgerMs: number | undefined;
  /** The number of requests to the recognizer and to the model. */
  readonly transcriptions: number;
  readonly answers: number;
}

interface Setup {
  readonly endOfTurn: SessionSettings['endOfTurn'];
  readonly voiceActivity: VoiceActivity;
  /** If absent, only words and silence decide. */
  readonly turnEnd?: TurnEnd;
  /** Whether the recognizer ends whole sentences with a full stop. */
  readonly punctuates: boolean;
}

/** A caller with a pause speaks into a complete call, in which recognition, answers and speech are never slow by chance. */
export async function answeredCall(speech: PausedSpeech, setup: Setup): Promise<Answered> {
  const clock = new VirtualClock();
  const recognition = new JudgedLate(setup.voiceActivity, clock);
  const sound = joinSamples([room(leadMs), speech.untilEnd, room(listenedMs)]);
  const told = new ScriptedRecognizer(sound, speech, setup.punctuates, clock);
  const line = new Player(clock);
  const turnEnd = setup.turnEnd && new DelayedTurnEnd(setup.turnEnd, clock);
  const generator = new PromptAnswerGenerator(clock);
  const settings = { ...plainSettings, endOfTurn: setup.endOfTurn, idle: { ...plainSettings.idle, afterMs: 60_000 } };
  const call = VoiceCall.open(settings, {
    ...{ clock, generator, synthesizer, line, rules: { judge: ruleJudge, isBackchannel } },
    openRecognition: (listener) => {
      const engines = { voiceActivity: recognition, speechToText: told, ...(turnEnd && { turnEnd }) };
      return openRecognition({ sampleRate: recordedRate, ...engines }, listener);
    },
  });
  await recognition.opened;
  const frame = (recordedRate * frameMs) / 1000;
  for (let at = 0; at + frame <= sound.length; at += frame) {
    await clock.pass(frameMs);
    call.hear(sound.slice(at, at + frame));
    await recognition.caughtUp();
    await turnEnd?.caughtUp();
  }
  call.end('CALL_ENDED');
  const lastMs = lastSoundMs(sound);
  const first = line.audibleMs.find((ms) => ms > lastMs);
  return {
    isCutOff: line.audibleMs.some((ms) => ms < lastMs),
    silenceMs: first === undefined ? undefined : first - lastMs,
    ledgerMs: generator.ledgerMs.at(-1),
    transcriptions: told.asked,
    answers: generator.asked,
  };
}

function room(ms: number): Int16Array {
  return noise((recordedRate * ms) / 1000, roomNoise);
}

function lastSoundMs(sound: Int16Array): number {
  const loudest = sound.reduce((most, sample) => Math.max(most, Math.abs(sample)), 1);
  const faintest = Math.max(loudest * audibleShare, 1.5 * roomNoise);
  return (sound.findLastIndex((sample) => Math.abs(sample) > faintest) * 1000) / recordedRate;
}

const synthesizer: Synthesizer = {
  async *speak() {
    const samples = new Int16Array((recordedRate * answerMs) / 1000).fill(6000, (recordedRate * trimmedMs) / 1000);
    yield { samples, sampleRate: recordedRate };
  },
};

/** The listener's end of the line. */
class Player implements Line {
  readonly hasMarks = false;
  /** When the agent became audible. */
  readonly audibleMs: number[] = [];
  private untilMs = 0;

  constructor(private readonly clock: VirtualClock) {}

  play(samples: Int16Array): void {
    const nowMs = this.clock.now();
    const isContinued = this.untilMs >= nowMs && this.audibleMs.length > 0;
    const atMs = Math.max(this.untilMs, nowMs);
    this.untilMs = atMs + (samples.length * 1000) / recordedRate;
    const first = samples.findIndex((sample) => sample !== 0);
    if (!isContinued && first >= 0) this.audibleMs.push(atMs + (first * 1000) / recordedRate);
  }

  clear(): void {
    this.untilMs = this.clock.now();
  }

  mark(): void {}
  tell(): void {}
  transfer(): void {}
  end(): void {}
}

/** A model that takes equally long for every answer. */
class PromptAnswerGenerator implements AnswerGenerator {
  readonly ledgerMs: number[] = [];
  asked = 0;

  constructor(private readonly clock: VirtualClock) {}

  async *answer(): ReturnType<AnswerGenerator['answer']> {
    yield { kind: 'begun', turnUUID: `00000000-0000-4000-8000-${String(++this.asked).padStart(12, '0')}` };
    await passed(this.clock, modelMs);
    yield { kind: 'delta', text: 'We deliver within three working days.' };
    const none = { endOfTurnMs: null, transcriptionMs: null, firstTokenMs: null, firstAudioMs: null, pacingMs: null };
    const latency = { ...none, retrievalMs: null, totalMs: modelMs };
    const usage = { promptTokens: 1, completionTokens: 1, totalTokens: 2 };
    yield { kind: 'done', usage, latency, language: undefined, wantsToEnd: false };
  }

  async keepLatency({ latency: { totalMs, ...parts } }: Parameters<AnswerGenerator['keepLatency']>[0]): Promise<void> {
    this.ledgerMs.push(Object.values(parts).reduce((sum: number, ms) => sum + (ms ?? 0), 0));
  }

  async keepHeard(): Promise<void> {}
  async keepHeardSoFar(): Promise<void> {}
  async keepUnanswered(): Promise<void> {}
  async discard(): Promise<void> {}
}

function passed(clock: VirtualClock, ms: number): Promise<void> {
  return new Promise((resolve) => void clock.wakeAt(clock.now() + ms, resolve));
}

/** A recognizer that knows which words are spoken where in the call, and reports them with a delay. */
class ScriptedRecognizer implements SpeechToText {
  readonly capabilities: SpeechToTextCapabilities = {
    ...{ provider: 'told', languages: ['english'], sampleRates: [recordedRate], live: false, wordTimings: false },
    ...{ languageDetection: false, secondsMax: 3600, grade: 'demo' },
  };
  asked = 0;

  constructor(
    private readonly call: Int16Array,
    private readonly speech: PausedSpeech,
    private readonly punctuates: boolean,
    private readonly clock: VirtualClock,
  ) {}

  async transcribe({ audio }: TranscriptionRequest): Promise<Transcription> {
    this.asked += 1;
    const blocks: Int16Array[] = [];
    for await (const block of audio()) blocks.push(block);
    const sound = joinSamples(blocks);
    await passed(this.clock, recognizerMs);
    const from = placeOf(sound, this.call);
    const heard = words.filter((_, index) => {
      const at = this.middleOf(index);
      return at >= from && at < from + sound.length;
    });
    const isWhole = heard.at(-1) === words.at(-1);
    return { text: `${heard.join(' ')}${isWhole && this.punctuates ? '.' : ''}`, language: 'english' };
  }

  async models(): Promise<[]> {
    return [];
  }

  async close(): Promise<void> {}

  /** Words are distributed evenly over the speech, up to its last sound and without the pause. */
  private middleOf(index: number): number {
    const { untilPause, pauseMs } = this.speech;
    const pause = (pauseMs * recordedRate) / 1000;
    const begin = ((leadMs + quietMs) * recordedRate) / 1000;
    const before = untilPause.length - ((quietMs + noticedAfterMs) * recordedRate) / 1000;
    const spoken = (lastSoundMs(this.call) * recordedRate) / 1000 - begin - pause;
    const at = ((index + 0.5) * spoken) / words.length;
    return begin + at + (at < before ? 0 : pause);
  }
}

function placeOf(part: Int16Array, whole: Int16Array): number {
  for (let at = 0; at + part.length <= whole.length; at++) {
    if (part.every((sample, index) => whole[at + index] === sample)) return at;
  }
  throw new Error('the recognizer was given sound that nobody made');
}

/** The real model on the virtual clock, where it takes equally long on every machine. */
class DelayedTurnEnd implements TurnEnd {
  private readonly asked = new Set<Promise<unknown>>();

  constructor(
    private readonly engine: TurnEnd,
    private readonly clock: VirtualClock,
  ) {}

  get capabilities(): TurnEnd['capabilities'] {
    return this.engine.capabilities;
  }

  judge(request: Parameters<TurnEnd['judge']>[0]): Promise<number | undefined> {
    const judged = this.engine.judge(request);
    const told = Promise.withResolvers<number | undefined>();
    void this.clock.wakeAt(this.clock.now() + judgedAfterMs, () => void judged.then(told.resolve, told.reject));
    this.asked.add(judged);
    return told.promise;
  }

  /** Resolves once every request has been answered. */
  async caughtUp(): Promise<void> {
    await Promise.all(this.asked);
    this.asked.clear();
  }

  async close(): Promise<void> {
    await this.engine.close();
  }
}
