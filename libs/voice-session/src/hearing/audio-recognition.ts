import { DtmfDetector, Resampler } from '@parley/audio';
import type {
  NoiseStream,
  NoiseSuppression,
  SpeechToText,
  SpokenLanguage,
  TurnEnd,
  VoiceActivity,
  VoiceStream,
  VoiceWindow,
} from '@parley/ports';
import { EchoCanceller } from './echo-canceller';
import { EchoGuard, SampleTrail, type VoiceOwner } from './echo-guard';
import type { AudioRecognition, HeardEvent } from './heard';
import {
  type GuardedWindow,
  lastSoundIn,
  SoundRise,
  SpeechDetector,
  type SpeechDetectorOptions,
  Suspicion,
  VoiceDistance,
} from './speech-detector';
import type { TurnWriter, WrittenEvent } from './writing/live-writer';
import { isLive, openWriter } from './writing/open-writer';

export interface RecognitionOptions {
  /** Of the line: 8000, 16000, 24000 or 48000, and any other from 8000 on that can be resampled. */
  readonly sampleRate: number;
  readonly voiceActivity: VoiceActivity;
  /** Absent: voices are detected, and nothing is transcribed. One that is unavailable is reported as `deaf`. */
  readonly speechToText?: SpeechToText;
  readonly language?: SpokenLanguage;
  readonly model?: string;
  readonly noise?: { readonly suppression: NoiseSuppression; readonly strength: number };
  /** Whether tones are detected as keys. */
  readonly hearsDigits?: boolean;
  readonly detector?: SpeechDetectorOptions;
  /** Absent, or unavailable: the end of a turn is not judged by prosody. */
  readonly turnEnd?: TurnEnd;
  /** What a voice is suspected of: a likely window, or any sound that rises on a line without echo. By default the first. */
  readonly suspects?: 'voice' | 'sound';
  /** How much sound before a voice the engine gets: the first consonant is detected late. */
  readonly prefixMs?: number;
}

const prefixMs = 400;
/** How long sound is kept for the detectors: much longer than they may take. */
const keptSeconds = 4;
/** Windows that may wait for their sound to be cleaned, four seconds of them; beyond that the oldest are acted on. */
const judgedMax = 125;
/** A voice that begins so long after the agent's was begun beside it: the agent falls silent for what may be a voice. */
const besideMs = 300;
/** Events of a live recognizer that are held while it is decided whether a voice is the caller's. */
const heldMax = 100;
/** A tone and its end are certain only after this time. */
const toneSettlingMs = 40;
/** Below this a window starts no voice, so it need not be checked for echo. */
const unlikely = 0.3;
/** A window above this is surely a voice. */
const surely = 0.7;
/** A window of this probability neither begins nor ends a voice. */
const undecided = 0.4;
/** The agent falls silent for a voice that begins beside its own; after this time its echo is gone. */
const echoLeavesMs = 400;
/** How far back the last sound of an ending voice is searched for. */
const endingMs = 1500;
/** After this much silence every voice has ended. */
const endedByMs = 320;
/** Silence added to that, since windows and filters delay some of it. */
const closingMs = 200;
/** After a longer pause a voice begins another turn. */
const turnPauseMs = 3000;
const narrowRate = 8000;
const wideRate = 16_000;
/** Voices are judged at this rate on every line: above 4 kHz a call often holds nothing, which the model takes for no voice. */
const judgedRate = narrowRate;

/** Opens the audio recognition of one session: its sound becomes voices, words and keys. */
export async function openRecognition(
  options: RecognitionOptions,
  listener: (event: HeardEvent) => void,
): Promise<AudioRecognition> {
  if (options.sampleRate < narrowRate) throw new RangeError(`speech is not recognized at ${options.sampleRate} samples a second`);
  const rate = options.sampleRate === narrowRate ? narrowRate : wideRate;
  const recognition = new SessionRecognition(options, rate, listener);
  try {
    await recognition.open();
  } catch (failure) {
    recognition.close();
    throw failure;
  }
  return recognition;
}

class SessionRecognition implements AudioRecognition {
  private readonly trail: SampleTrail;
  private readonly detector: SpeechDetector;
  private readonly guard: EchoGuard;
  private readonly canceller: EchoCanceller;
  private readonly keys: DtmfDetector;
  private readonly delayMs: number;
  private readonly suspicion = new Suspicion();
  private readonly distance = new VoiceDistance();
  private readonly rise: SoundRise | undefined;
  private writer: TurnWriter | undefined;
  private resampler: Resampler | undefined;
  private narrower: Resampler | undefined;
  private noise: NoiseStream | undefined;
  private voice: VoiceStream | undefined;
  /** Judged before their sound was cleaned. */
  private readonly judged: VoiceWindow[] = [];
  private heardMs = 0;
  /** Where the tone of a key was heard last. */
  private tone = { startMs: Number.NEGATIVE_INFINITY, endMs: Number.NEGATIVE_INFINITY };
  private isSpeech = false;
  /** Where the voice at hand began, and whether beside the agent's. */
  private beganMs = 0;
  private isBeside = false;
  /** The voice at hand turned out to come from afar. */
  private isElsewhere = false;
  /** What was written down of a voice while it is not known whether it is the caller's. */
  private held: WrittenEvent[] = [];
  /** The place up to which the writer has the sound. */
  private written = 0;
  private isClosed = false;
  /** Up to where the last sound has to be judged. */
  private finishing: { readonly atMs: number; readonly judged: PromiseWithResolvers<void> } | undefined;
  /** The place at which the turn began that is being said or was said last. */
  private turnFrom = 0;
  /** The largest sample of that turn's voice. */
  private loudest = 0;
  private voices = 0;
  private stoppedMs = Number.NEGATIVE_INFINITY;
  /** Whether the agent has spoken since a voice was heard. */
  private isAnswered = false;

  constructor(
    private readonly options: RecognitionOptions,
    private readonly rate: number,
    private readonly listener: (event: HeardEvent) => void,
  ) {
    const seconds = Math.max(keptSeconds, options.turnEnd?.capabilities.secondsMax ?? 0);
    this.trail = new SampleTrail(new Int16Array(seconds * rate));
    this.detector = new SpeechDetector(options.detector);
    this.guard = new EchoGuard(options.sampleRate);
    this.canceller = new EchoCanceller(options.sampleRate);
    this.keys = new DtmfDetector(options.sampleRate);
    if (options.suspects === 'sound') this.rise = new SoundRise(options.sampleRate);
    this.delayMs = options.noise?.suppression.delayMs ?? 0;
  }

  async open(): Promise<void> {
    const { options, rate } = this;
    this.resampler = await Resampler.create(options.sampleRate, rate);
    this.narrower = await Resampler.create(rate, judgedRate);
    const listener = (samples: Int16Array): void => this.take(samples);
    this.noise = await options.noise?.suppression.open({ sampleRate: rate, strength: options.noise.strength, listener });
    this.voice = await options.voiceActivity.open({ sampleRate: judgedRate, listener: (window) => this.weigh(window) });
    const hearsLive = isLive(options.speechToText, rate);
    this.writer = openWriter({ ...options, sampleRate: rate, hearsLive }, (event) => this.tellWritten(event));
    this.tell({ kind: 'writing', isLive: hearsLive });
  }

  hear(samples: Int16Array): void {
    if (this.isClosed || !this.resampler || !this.narrower) return;
    this.guard.hear(samples);
    this.listenForKeys(samples);
    const sound = this.resampler.push(this.canceller.hear(samples));
    if (this.noise) this.noise.push(sound);
    else this.take(sound);
    // The model misses letters in the cleaned sound of a noisy telephone.
    this.voice?.push(this.narrower.push(sound));
    if (this.rise?.push(samples) && !this.isSpeech && this.guard.isTrusted && this.suspicion.raise(this.heardMs)) {
      this.tell({ kind: 'voice-suspected' });
    }
  }

  noticeOwnVoice(samples: Int16Array, atMs?: number): void {
    if (this.isClosed) return;
    this.isAnswered ||= !this.isSpeech;
    this.guard.noticeOwnVoice(samples, atMs);
    this.canceller.noticeOwnVoice(samples, atMs);
  }

  finishTurn(): void {
    // The caller may be in the middle of a word; what was judged so far belongs to this turn.
    void this.writer?.finishTurn();
    if (this.isSpeech) this.writer?.begin(this.soundMs(this.written));
  }

  guessNow(): void {
    this.writer?.guess();
  }

  judgeEnd(): void {
    const { turnEnd } = this.options;
    if (!turnEnd || turnEnd.capabilities.unavailable !== undefined || this.isSpeech || this.isClosed) return;
    const { voices } = this;
    const from = Math.max(this.turnFrom, this.trail.end - turnEnd.capabilities.secondsMax * this.rate);
    const samples = this.trail.samples(from, this.trail.end);
    void turnEnd.judge({ samples, sampleRate: this.rate }).then((soundsDone) => {
      // A speaker who resumes has not finished, whatever it sounded like.
      if (soundsDone !== undefined && this.voices === voices) this.tell({ kind: 'end-judged', soundsDone });
    });
  }

  /** A silence of our own ends the voice that was cut off, once the judges have caught up with it. */
  async finish(): Promise<void> {
    if (this.isClosed) return;
    const judged = Promise.withResolvers<void>();
    this.finishing = { atMs: this.heardMs + endedByMs, judged };
    this.hear(new Int16Array(((endedByMs + this.delayMs + closingMs) * this.options.sampleRate) / 1000));
    await judged.promise;
    await this.writer?.finishTurn();
  }

  close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.resampler?.close();
    this.narrower?.close();
    this.noise?.close();
    this.voice?.close();
    this.writer?.close();
  }

  /** A key's tone resembles a voice a little, so it is detected even if keys are not wanted. */
  private listenForKeys(samples: Int16Array): void {
    const startMs = this.heardMs;
    this.heardMs += (samples.length * 1000) / this.options.sampleRate;
    const pressed = this.keys.push(samples);
    if (pressed.length > 0) this.tone = { startMs: startMs - toneSettlingMs, endMs: this.heardMs };
    if (this.keys.key !== undefined) this.tone = { ...this.tone, endMs: this.heardMs + toneSettlingMs };
    if (this.options.hearsDigits) for (const digit of pressed) this.tell({ kind: 'digit', digit });
  }

  /** Sound as the recognizer gets it. */
  private take(samples: Int16Array): void {
    if (this.isClosed) return;
    this.trail.append(samples);
    this.judgeWritable();
  }

  /** A voice is followed only as far as its cleaned sound is there. */
  private weigh(window: VoiceWindow): void {
    this.judged.push(window);
    this.judgeWritable();
  }

  private judgeWritable(): void {
    const isDue = ({ endMs }: VoiceWindow) => this.placeOf(endMs) <= this.trail.end || this.judged.length > judgedMax;
    for (let [next] = this.judged; next && isDue(next); [next] = this.judged) {
      this.judged.shift();
      this.judge(next);
      if (this.finishing && next.endMs >= this.finishing.atMs) this.finishing.judged.resolve();
    }
  }

  private judge(window: VoiceWindow): void {
    if (this.isClosed) return;
    const guarded = this.guarded(window);
    const edge = this.detector.hear(guarded);
    if (edge?.kind === 'speech-started') this.begin(edge.atMs);
    if (this.isSpeech && window.probability >= surely) this.noteLoudness(window);
    else if (!this.isSpeech) this.suspect(guarded);
    if (this.isSpeech) this.write(this.placeOf(window.endMs));
    if (this.isElsewhere) return this.dismiss(window.endMs);
    if (edge?.kind === 'speech-stopped') this.end(edge.atMs);
    if (!this.distance.isFollowing) for (const event of this.held.splice(0)) this.tell(event);
  }

  private noteLoudness({ startMs, endMs }: VoiceWindow): void {
    this.loudest = Math.max(this.loudest, this.trail.peakBetween(this.placeOf(startMs), this.placeOf(endMs)));
  }

  private guarded(window: VoiceWindow): GuardedWindow {
    if (window.probability < unlikely) return this.isSpeech ? { ...window, quietFromMs: this.quietFromMs(window.endMs) } : window;
    const isTone = window.endMs > this.tone.startMs && window.startMs < this.tone.endMs;
    const speaker = isTone ? 'own' : this.speaker(window.endMs);
    // The rest of an echo hides soft syllables, so this is no silence.
    if (speaker === 'own' && !isTone && this.isEchoLeaving(window)) return { ...window, probability: undecided };
    if (speaker === 'own' || this.isFar(window)) return { ...window, probability: 0 };
    return speaker === 'doubtful' ? { ...window, isDoubtful: true } : window;
  }

  private isEchoLeaving({ endMs, probability }: VoiceWindow): boolean {
    return this.isSpeech && this.isBeside && probability >= undecided && endMs - this.beganMs < echoLeavesMs;
  }

  /** A caller does not start that much softer than before; others in the room do. In the caller's own turn all are heard. */
  private isFar(window: VoiceWindow): boolean {
    const { startMs, endMs, probability } = window;
    const root = this.trail.rootBetween(this.placeOf(startMs), this.placeOf(endMs));
    if (this.isSpeech && this.distance.isFollowing)
      this.isElsewhere ||= probability >= surely && this.distance.noteFollowed(root);
    else if (this.guard.isSpeaking(endMs)) return !this.isSpeech && this.distance.isFar(window, root);
    else if (this.isSpeech && probability >= surely) this.distance.note(root);
    return false;
  }

  private quietFromMs(untilMs: number): number {
    const from = Math.max(0, this.placeOf(untilMs - endingMs));
    return this.soundMs(lastSoundIn(this.trail, { from, to: this.placeOf(untilMs), loudest: this.loudest }, this.rate));
  }

  /** Whose voice is heard up to this moment: by the canceller once it knows the line, else by the guard. */
  private speaker(endMs: number): VoiceOwner {
    const { canceller, guard } = this;
    const remainder = canceller.remainder(endMs);
    if (remainder === 'own') return remainder;
    const speaker = guard.whoSpeaks(endMs);
    canceller.found(guard.echo);
    if (remainder) return strayed(remainder, canceller.straying);
    return speaker === 'doubtful' && canceller.isLearning ? 'own' : speaker;
  }

  private suspect(window: GuardedWindow): void {
    const change = this.suspicion.hear(window);
    if (change === 'raised') this.tell({ kind: 'voice-suspected' });
    else if (change === 'dismissed') this.tell({ kind: 'voice-dismissed' });
  }

  private begin(atMs: number): void {
    this.isSpeech = true;
    this.voices += 1;
    this.suspicion.settle();
    const prefix = this.placeOf(this.distance.beganMs(atMs) - (this.options.prefixMs ?? prefixMs));
    if (this.isAnswered || atMs - this.stoppedMs > turnPauseMs) {
      this.turnFrom = Math.max(0, prefix);
      this.loudest = 0;
    }
    this.isAnswered = false;
    this.written = Math.max(this.written, prefix, 0);
    this.beganMs = atMs;
    this.isBeside = this.guard.isSpeaking(atMs + besideMs);
    if (this.isBeside) this.distance.follow();
    this.tell({ kind: 'speech-started', atMs });
    this.writer?.begin(this.soundMs(this.written));
  }

  /** The voice that silenced the agent was not the caller's. */
  private dismiss(atMs: number): void {
    this.isElsewhere = false;
    this.held = [];
    this.detector.forget();
    this.isSpeech = false;
    this.writer?.drop();
    this.tell({ kind: 'speech-stopped', atMs });
  }

  private end(atMs: number): void {
    if (this.distance.conclude()) return this.dismiss(atMs);
    this.isSpeech = false;
    this.stoppedMs = atMs;
    this.writer?.pause();
    this.tell({ kind: 'speech-stopped', atMs });
  }

  private tellWritten(event: WrittenEvent): void {
    if (this.distance.isFollowing && this.held.length < heldMax) this.held.push(event);
    else this.tell(event);
  }

  private write(until: number): void {
    this.writer?.add(this.trail.samples(this.written, until));
    this.written = until;
  }

  /** Where the sound of this moment is in the trail: cleaned sound is late by what the noise suppression holds back. */
  private placeOf(ms: number): number {
    return Math.round(((ms + this.delayMs) * this.rate) / 1000);
  }

  private soundMs(place: number): number {
    return Math.max(0, (place * 1000) / this.rate - this.delayMs);
  }

  private tell(event: HeardEvent): void {
    if (!this.isClosed) this.listener(event);
  }
}

/** A voice that resembles the agent's at a delay out of the filter's reach may be an echo that has moved; twice at the same delay it is. */
function strayed(remainder: VoiceOwner, windows: number): VoiceOwner {
  if (windows === 0) return remainder;
  return windows > 1 ? 'own' : 'doubtful';
}
