import type { AudioRecognition, HeardEvent, OpenRecognition } from '../hearing/heard';
import type { Recording } from './surroundings';

/** A longer gap means that the caller's sound paused; a shorter one that packets were late. */
const gapMs = 200;

/** How much of each voice is buffered while recognition opens; beyond that the oldest is dropped. */
const waitingSecondsMax = 5;

interface VoiceListener {
  heard(event: HeardEvent): void;
  readonly recording: Recording | undefined;
}

/** Passes the caller's sound to recognition, and converts the times of its events to the session's timeline. */
export class CallerVoice {
  private recognition: AudioRecognition | undefined;
  private opened: Promise<void> = Promise.resolve();
  private isClosed = false;
  private readonly waiting: { readonly samples: number; readonly tell: (recognition: AudioRecognition) => void }[] = [];
  private waitingSamples = 0;
  private readonly timeline: CallerTimeline;

  constructor(
    timeline: CallerTimeline,
    private readonly listener: VoiceListener,
  ) {
    this.timeline = timeline;
  }

  /** Starts recognition. If it cannot be opened, the caller can still type. */
  open(openRecognition: OpenRecognition): void {
    this.opened = this.begin(openRecognition);
  }

  private async begin(openRecognition: OpenRecognition): Promise<void> {
    try {
      const recognition = await openRecognition((event) => this.notice(event));
      if (this.isClosed) return recognition.close();
      this.recognition = recognition;
      for (const { tell } of this.waiting.splice(0)) tell(recognition);
    } catch {
      this.listener.heard({ kind: 'recognition-failed', code: 'SPEECH_PROVIDER_UNAVAILABLE' });
    }
  }

  hear(samples: Int16Array, nowMs: number): void {
    this.timeline.heard(samples.length, nowMs);
    this.listener.recording?.caller(samples, this.timeline.lastBlockMs(samples.length));
    if (this.recognition) return this.recognition.hear(samples);
    const kept = samples.slice();
    this.keep(kept.length, (recognition) => recognition.hear(kept));
  }

  /** The agent's sound, which starts at this moment or follows the previous block. */
  noticeOwnVoice(samples: Int16Array, beginsMs: number | undefined): void {
    const atMs = beginsMs === undefined ? undefined : this.timeline.soundMs(beginsMs);
    if (this.recognition) this.recognition.noticeOwnVoice(samples, atMs);
    else this.keep(samples.length, (recognition) => recognition.noticeOwnVoice(samples, atMs));
  }

  finishTurn(): void {
    this.recognition?.finishTurn();
  }

  guessNow(): void {
    this.recognition?.guessNow();
  }

  judgeEnd(): void {
    this.recognition?.judgeEnd();
  }

  /** No more sound comes. Resolves once everything said is transcribed. */
  async finish(): Promise<void> {
    await this.opened;
    await this.recognition?.finish();
  }

  close(): void {
    this.isClosed = true;
    this.waiting.length = 0;
    this.recognition?.close();
    this.recognition = undefined;
  }

  private keep(samples: number, tell: (recognition: AudioRecognition) => void): void {
    if (this.isClosed) return;
    this.waiting.push({ samples, tell });
    this.waitingSamples += samples;
    const most = 2 * waitingSecondsMax * this.timeline.sampleRate;
    while (this.waitingSamples > most) this.waitingSamples -= this.waiting.shift()?.samples ?? 0;
  }

  private notice(event: HeardEvent): void {
    if (this.isClosed) return;
    const isPlaced = 'atMs' in event && event.atMs !== undefined;
    this.listener.heard(isPlaced ? { ...event, atMs: this.timeline.sessionMs(event.atMs) } : event);
  }
}

/**
 * Maps the caller's samples to the session's timeline. Late packets do not shift it: the earliest arrival since the last gap
 * determines when sample zero was spoken.
 */
export class CallerTimeline {
  private samples = 0;
  private offsetMs: number | undefined;

  constructor(readonly sampleRate: number) {}

  /** Records that samples have arrived, the last of which was spoken no later than now. */
  heard(samples: number, nowMs: number): void {
    this.samples += samples;
    const startMs = nowMs - (this.samples * 1000) / this.sampleRate;
    const isGap = this.offsetMs !== undefined && startMs - this.offsetMs > gapMs;
    if (this.offsetMs === undefined || startMs < this.offsetMs || isGap) this.offsetMs = startMs;
  }

  /** When the latest block, of this many samples, was spoken. */
  lastBlockMs(samples: number): number {
    return this.sessionMs(((this.samples - samples) * 1000) / this.sampleRate);
  }

  /** The position in the caller's sound that corresponds to a moment of the session. During a pause, that is the end of what has arrived. */
  soundMs(atMs: number): number {
    const arrivedMs = (this.samples * 1000) / this.sampleRate;
    const soundMs = atMs - (this.offsetMs ?? atMs);
    return soundMs - arrivedMs > gapMs ? arrivedMs : Math.max(0, soundMs);
  }

  /** The moment of the session that corresponds to a position in the caller's sound. */
  sessionMs(soundMs: number): number {
    return (this.offsetMs ?? 0) + soundMs;
  }
}
