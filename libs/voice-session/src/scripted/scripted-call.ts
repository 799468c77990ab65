import { LoudnessVoiceActivity } from '@parley/ports';
import { DigitCollector } from '../hearing/digit-collector';
import { openRecognition } from '../hearing/audio-recognition';
import type { AudioRecognition } from '../hearing/heard';
import type { Recording } from '../call/surroundings';
import { VirtualClock } from '../clock';
import { VoiceCall } from '../call/voice-call';
import type { LogEntry } from '../session/event-log';
import { type SessionSettings, spokenLines } from '../session/settings';
import type { SessionRules } from '../session/talk';
import { FakeLine, PerfectRecognizer } from './perfect-recognizer';
import { ScriptedRecognition } from './scripted-recognition';
import { ScriptedAnswerGenerator } from './scripted-answer-generator';
import { ScriptedSynthesizer } from './scripted-synthesizer';

const sampleRate = 8000;
const frameMs = 20;

/** Simple rules: wait as long as the settings say, speculate after half of it. */
const plainRules: SessionRules = {
  judge: { judge: ({ silenceMs }) => ({ waitMs: silenceMs, suspectMs: silenceMs / 2 }) },
  isBackchannel: (text) => /^(hmm|okay|haan|ho)\b\W*$/i.test(text),
};

/** Settings of an ordinary call without a greeting. */
export const plainSettings: SessionSettings = {
  sessionUUID: '6f0a5a44-8f5e-4f0e-9d0f-3f5b6a1c2d3e',
  sampleRate,
  hasMarks: false,
  language: 'english',
  greeting: '',
  consentLine: '',
  isInterruptible: true,
  hearsDigits: true,
  endOfTurn: { silenceMs: 600, dictationSilenceMs: 1500 },
  interruption: { minSpeechMs: 300, minWords: 1 },
  idle: { afterMs: 8000, prompts: [], goodbye: '' },
  fillers: [],
  fillerAfterMs: 800,
  maxCallMs: 1_800_000,
  lines: spokenLines.english,
};

interface Script {
  readonly settings?: Partial<SessionSettings>;
  readonly rules?: Partial<SessionRules>;
  readonly answer?: (question: string) => string;
  readonly generator?: ConstructorParameters<typeof ScriptedAnswerGenerator>[2];
  readonly synthesizer?: Partial<ConstructorParameters<typeof ScriptedSynthesizer>[1]>;
  readonly recognition?: Partial<ConstructorParameters<typeof ScriptedRecognition>[1]>;
  readonly markMs?: number;
  readonly recording?: Recording;
  /** Whether keys are collected into entries; otherwise each is one. */
  readonly keypad?: boolean;
  /** Uses real recognition with a perfect recognizer that transcribes at pauses, instead of scripted events. */
  readonly perfectRecognizer?: { readonly answerMs: number | (() => number); readonly afterwards?: () => void };
}

/** A whole call on a virtual clock, with a caller who sends sound, and fakes for everything else. */
export class ScriptedCall {
  readonly clock = new VirtualClock();
  readonly log: LogEntry[] = [];
  readonly rules: SessionRules;
  readonly generator: ScriptedAnswerGenerator;
  readonly synthesizer: ScriptedSynthesizer;
  readonly line: FakeLine;
  readonly recognition: ScriptedRecognition;
  readonly call: VoiceCall;
  private readonly perfectRecognizer: PerfectRecognizer | undefined;
  private opening: Promise<AudioRecognition> | undefined;

  constructor({
    settings,
    rules,
    answer = () => 'All right.',
    generator,
    synthesizer,
    recognition,
    markMs,
    recording,
    perfectRecognizer,
    keypad,
  }: Script = {}) {
    const { answerMs = 0, afterwards } = perfectRecognizer ?? {};
    const answersAfter = typeof answerMs === 'number' ? () => answerMs : answerMs;
    this.perfectRecognizer = perfectRecognizer && new PerfectRecognizer(this.clock, answersAfter, afterwards);
    const speechToText = this.perfectRecognizer;
    const all = { ...plainSettings, ...settings };
    this.rules = { ...plainRules, ...rules };
    this.generator = new ScriptedAnswerGenerator(this.clock, answer, generator);
    this.synthesizer = new ScriptedSynthesizer(this.clock, { sampleRate, ...synthesizer });
    this.line = new FakeLine(this.clock, { sampleRate, hasMarks: all.hasMarks, ...(markMs !== undefined && { markMs }) });
    let listener: ConstructorParameters<typeof ScriptedRecognition>[0] = () => undefined;
    this.recognition = new ScriptedRecognition((event) => listener(event), { sampleRate, ...recognition });
    this.call = VoiceCall.open(all, {
      clock: this.clock,
      generator: this.generator,
      synthesizer: this.synthesizer,
      line: this.line,
      rules: this.rules,
      openRecognition: async (tell) => {
        if (speechToText) {
          this.opening = openRecognition({ sampleRate, voiceActivity: new LoudnessVoiceActivity(), speechToText }, tell);
          return this.opening;
        }
        listener = tell;
        this.recognition.introduce();
        return this.recognition;
      },
      ...(keypad && {
        openKeypad: (entered) => new DigitCollector(this.clock, ({ digits }) => entered(digits)),
      }),
      log: (entry) => void this.log.push(entry),
      ...(recording && { recording }),
    });
    this.line.onMark = (name) => this.call.markPlayed(name);
  }

  /** The caller speaks for this long, which is transcribed as this text. */
  async says(text: string, durationMs = text.split(' ').length * 300): Promise<void> {
    if (this.perfectRecognizer) return this.hears(this.perfectRecognizer.say(text));
    this.recognition.script.push(text);
    await this.sounds(10_000, durationMs);
  }

  /** Sends this sound, frame by frame. */
  async hears(sound: Int16Array): Promise<void> {
    // Opening takes real time, which the virtual clock does not measure.
    await this.opening;
    const frame = (sampleRate * frameMs) / 1000;
    for (let at = 0; at < sound.length; at += frame) {
      await this.clock.pass(frameMs);
      this.call.hear(sound.subarray(at, at + frame));
    }
    await this.clock.pass(0);
  }

  /** The caller is silent. */
  async isSilent(durationMs: number): Promise<void> {
    await this.sounds(0, durationMs);
  }

  private async sounds(loudness: number, durationMs: number): Promise<void> {
    await this.hears(new Int16Array(Math.ceil(durationMs / frameMs) * ((sampleRate * frameMs) / 1000)).fill(loudness));
  }
}
