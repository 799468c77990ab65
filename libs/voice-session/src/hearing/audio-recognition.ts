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
import { EchoGuard, SampleTrail, type VoiceOwner, owningStray } from './echo-guard';
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
import { isLive, openWriter } from './writing/piecewise-writer';

export interface RecognitionOptions {
  /** Of the line: 8000, 16000, 24000 or 48000, and any other from 8000 on that can be resampled. */
  readonly sampleRate: number;
  readonly voiceActivity: VoiceActivity;
  /** Absent: voices are detected but not transcribed. An unavailable one is reported as `recognition-failed`. */
  readonly speechToText?: SpeechToText;
  readonly language?: SpokenLanguage;
  readonly model?: string;
  readonly noise?: { readonly suppression: NoiseSuppression; readonly strength: number };
  /** Whether the tones of keys are reported. */
  readonly hearsDigits?: boolean;
  readonly detector?: SpeechDetectorOptions;
  /** Absent or unavailable: prosody is not judged. */
  readonly turnEnd?: TurnEnd;
  /** What raises a suspicion of a voice: a likely window (the default), or also any rise of sound on a line without echo. */
  readonly suspects?: 'voice' | 'sound';
  /** How much sound before a detected voice is transcribed too, since the first consonant is detected late. */
  readonly prefixMs?: number;
}

const prefixMs = 400;
/** How much sound is kept for the detectors: more than comes at once after a hole in the network. */
const keptSeconds = 8;
/** As many windows may wait for their cleaned sound; beyond that the oldest are judged without it. */
const judgedWaitingMax = 250;
/** A voice that begins up to this long after the agent fell silent began while it spoke: the agent pauses for possible voices. */
const duringAgentMs = 300;
/** How many transcripts are held back until it is clear whether a voice is the caller's. */
const heldMax = 100;
/** A tone and its end are detected with this delay. */
const toneSettlingMs = 40;
/** Windows below this probability cannot begin a voice, so they need not be checked for echo. */
const unlikely = 0.3;
/** Windows above this are certainly a voice. */
const surely = 0.7;
/** A probability that neither begins nor ends a voice. */
const undecided = 0.4;
/** The agent pauses for a voice that begins while it speaks; after this time its echo has faded. */
const echoLeavesMs = 400;
/** How far back the end of a voice is searched for. */
const endingMs = 1500;
/** This much silence ends every voice. */
const endedByMs = 320;
/** Additional silence, since windows and filters delay part of it. */
const closingMs = 200;
/** A voice after a longer pause begins a new turn. */
const turnPauseMs = 3000;
const narrowRate = 8000;
const wideRate = 16_000;
/** Voices are detected at 8 kHz on every line: calls often contain nothing above 4 kHz, which the model takes for no voice. */
const judgedRate = narrowRate;

/** Opens the audio recognition of one session. */
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
  /** Windows that wait for their cleaned sound. */
  private readonly judged: VoiceWindow[] = [];
  private heardMs = 0;
  /** When the tone of a key was last heard. */
  private tone = { startMs: Number.NEGATIVE_INFINITY, endMs: Number.NEGATIVE_INFINITY };
  private isSpeech = false;
  /** When the current voice began, and whether the agent was speaking. */
  private voiceStartMs = 0;
  private isDuringAgent = false;
  /** The current voice proved to be distant. */
  private isDistant = false;
  /** When a voice far away took over the caller's turn. */
  private overtakenMs: number | undefined;
  /** Transcripts held back until it is clear whether the voice is the caller's. */
  private held: WrittenEvent[] = [];
  /** The position up to which the writer has received sound. */
  private writtenUntil = 0;
  private isClosed = false;
  /** Set by `finish`: resolved once the sound up to this time is judged. */
  private finishing: { readonly atMs: number; readonly judged: PromiseWithResolvers<void> } | undefined;
  /** The position at which the current or latest turn began. */
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
    this.voice = await options.voiceActivity.open({ sampleRate: judgedRate, listener: (window) => this.queueWindow(window) });
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
    // Noise suppression removes some consonants of a noisy call, so the model gets the sound from before it.
    // Where a voice goes on and interrupts nobody, its end is waited for much longer than its windows may wait.
    const mayWait = this.isSpeech && !this.isDuringAgent && !this.guard.isSpeaking(this.heardMs);
    this.voice?.push(this.narrower.pushReusing(sound), mayWait);
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
    // The caller may be in the middle of a word: what was judged so far belongs to this turn, the rest to the next.
    void this.writer?.finishTurn();
    this.distance.endTurn();
    if (this.isSpeech) this.writer?.begin(this.soundMs(this.writtenUntil));
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
      // A caller who has resumed meanwhile had not finished.
      if (soundsDone !== undefined && this.voices === voices) this.tell({ kind: 'end-judged', soundsDone });
    });
  }

  /** Appends silence, so that a voice that was cut off ends, and waits until it is judged. */
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

  /** Tones are detected even if keys are not reported, since they must not be taken for a voice. */
  private listenForKeys(samples: Int16Array): void {
    const startMs = this.heardMs;
    this.heardMs += (samples.length * 1000) / this.options.sampleRate;
    const pressed = this.keys.push(samples);
    if (pressed.length > 0) this.tone = { startMs: startMs - toneSettlingMs, endMs: this.heardMs };
    if (this.keys.key !== undefined) this.tone = { ...this.tone, endMs: this.heardMs + toneSettlingMs };
    if (this.options.hearsDigits) for (const digit of pressed) this.tell({ kind: 'digit', digit });
  }

  /** Cleaned sound, as the recognizer gets it. */
  private take(samples: Int16Array): void {
    if (this.isClosed) return;
    this.trail.append(samples);
    this.judgeReady();
  }

  /** A window is judged once its cleaned sound has arrived. */
  private queueWindow(window: VoiceWindow): void {
    this.judged.push(window);
    this.judgeReady();
  }

  private judgeReady(): void {
    const isDue = ({ endMs }: VoiceWindow) => this.placeOf(endMs) <= this.trail.end || this.judged.length > judgedWaitingMax;
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
    if (this.isDistant) return this.dismiss(window.endMs);
    if (edge?.kind === 'speech-stopped') this.end(edge.atMs);
    if (!this.distance.isFollowing) for (const event of this.held.splice(0)) this.tell(event);
  }

  private noteLoudness({ startMs, endMs }: VoiceWindow): void {
    this.loudest = Math.max(this.loudest, this.trail.peakBetween(this.placeOf(startMs), this.placeOf(endMs)));
  }

  private guarded(window: VoiceWindow): GuardedWindow {
    if (window.probability < unlikely) return this.isSpeech ? { ...window, quietFromMs: this.quietFromMs(window.endMs) } : window;
    const isTone = window.endMs > this.tone.startMs && window.startMs < this.tone.endMs;
    const speaker = isTone ? 'own' : this.speakerAt(window.endMs);
    // The fading echo hides soft syllables, so this may not be silence.
    if (speaker === 'own' && !isTone && this.isEchoLeaving(window)) return { ...window, probability: undecided };
    if (speaker === 'own' || this.isFar(window)) return { ...window, probability: 0 };
    return speaker === 'doubtful' ? { ...window, isDoubtful: true } : window;
  }

  private isEchoLeaving({ endMs, probability }: VoiceWindow): boolean {
    return this.isSpeech && this.isDuringAgent && probability >= undecided && endMs - this.voiceStartMs < echoLeavesMs;
  }

  /** While the agent speaks, a much softer voice than the caller's is somebody else in the room. Within the caller's own turn, all voices count. */
  private isFar(window: VoiceWindow): boolean {
    const { startMs, endMs, probability } = window;
    const root = this.trail.rootBetween(this.placeOf(startMs), this.placeOf(endMs));
    if (this.isSpeech && this.distance.isFollowing) this.isDistant ||= probability >= surely && this.distance.noteFollowed(root);
    else if (this.guard.isSpeaking(endMs)) {
      if (!this.isSpeech) return this.distance.isFar(window, root);
      // A voice from before the agent spoke may be the caller's, or that of others who still speak after the caller.
      this.isDistant ||= !this.isDuringAgent && probability >= surely && this.distance.noteLasting(root);
    } else if (this.isSpeech && probability >= surely) {
      this.overtakenMs = this.distance.noteOwn(window, root);
      this.isDistant ||= this.overtakenMs !== undefined;
    } else if (!this.isSpeech) return this.distance.isIgnored(window, root);
    return false;
  }

  private quietFromMs(untilMs: number): number {
    const from = Math.max(0, this.placeOf(untilMs - endingMs));
    return this.soundMs(lastSoundIn(this.trail, { from, to: this.placeOf(untilMs), loudest: this.loudest }, this.rate));
  }

  /** Whose voice is heard at this moment, judged by the canceller once it knows the line, otherwise by the guard. */
  private speakerAt(endMs: number): VoiceOwner {
    const { canceller, guard } = this;
    const residualOwner = canceller.residualOwner(endMs);
    if (residualOwner === 'own') return residualOwner;
    const speaker = guard.whoSpeaks(endMs);
    canceller.found(guard.echo);
    // A new or changed line leaves a residual that may be either. It is echo if the whole input is the agent's voice.
    if (residualOwner === 'doubtful' && speaker === 'own') return 'own';
    if (residualOwner) return owningStray(residualOwner, canceller.straysInRow);
    return speaker === 'doubtful' && canceller.mayLeaveEcho ? 'own' : speaker;
  }

  private suspect(window: GuardedWindow): void {
    const change = this.suspicion.hear(window);
    if (change === 'raised') this.tell({ kind: 'voice-suspected' });
    else if (change === 'dismissed') this.tell({ kind: 'voice-dismissed' });
  }

  private begin(atMs: number): void {
    this.isSpeech = true;
    this.voices += 1;
    this.suspicion.reset();
    const prefix = this.placeOf(this.distance.beganMs(atMs) - (this.options.prefixMs ?? prefixMs));
    if (this.isAnswered || atMs - this.stoppedMs > turnPauseMs) {
      this.turnFrom = Math.max(0, prefix);
      this.loudest = 0;
    }
    this.isAnswered = false;
    this.writtenUntil = Math.max(this.writtenUntil, prefix, 0);
    this.voiceStartMs = atMs;
    this.isDuringAgent = this.guard.isSpeaking(atMs + duringAgentMs);
    if (this.isDuringAgent || this.distance.isAmongOthers) this.distance.follow();
    this.tell({ kind: 'speech-started', atMs });
    this.writer?.begin(this.soundMs(this.writtenUntil));
  }

  /** The voice was not the caller's. */
  private dismiss(atMs: number): void {
    this.isDistant = false;
    this.held = [];
    this.detector.forget();
    this.isSpeech = false;
    // A voice from before the agent spoke may hold words of the caller.
    const { overtakenMs } = this;
    if (overtakenMs === undefined && (this.isDuringAgent || this.distance.isAmongOthers)) this.writer?.drop();
    else this.writer?.pause();
    this.tell({ kind: 'speech-stopped', atMs: overtakenMs ?? atMs });
    this.overtakenMs = undefined;
  }

  private end(atMs: number): void {
    if (this.distance.conclude()) return this.dismiss(atMs);
    this.isSpeech = false;
    this.stoppedMs = atMs;
    this.writer?.pause();
    this.tell({ kind: 'speech-stopped', atMs });
  }

  private tellWritten(written: WrittenEvent): void {
    const event = this.isDuringAgent && !this.guard.isTrusted ? { ...written, isOverEcho: true } : written;
    if (this.distance.isFollowing && this.held.length < heldMax) this.held.push(event);
    else this.tell(event);
  }

  private write(until: number): void {
    this.writer?.add(this.trail.samples(this.writtenUntil, until));
    this.writtenUntil = until;
  }

  /** The position of this moment in the trail, which the noise suppression delays. */
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
