import { STATUS_CODES } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Resampler } from '@parley/audio';
import {
  Fault,
  type openTranscription,
  type ServerFrame,
  type SocketEndReason,
  type SocketWarning,
  socketWarnings,
  voiceLineMoved,
} from '@parley/contracts';
import type { Channel } from '@parley/messaging';
import { type VoiceActivity, type VoiceStream, type VoiceWindow, within } from '@parley/ports';
import type { z } from 'zod';
import { asSpeechFault } from '../engines/speech-engines';
import { samplesOf } from '../live/line';
import type { SessionUsage } from '../live/session-usage';
import { Endpointing } from './line-writing';
import type { LinePatience, LineWriter, Written } from './line-writing';

type TranscriptionSignal = z.output<(typeof openTranscription)['signal']>;

/** Why a line is over: its session is, the client is gone, or another replica goes on with it. */
type LineEnding = SocketEndReason | 'left' | typeof voiceLineMoved;

/** The rate to which every line is resampled. */
export const hearingRate = 16_000;

const failuresMax = 3;
const judgingLookMs = 20;
const judgingLooksMax = 50;

export interface TranscriptionLineParts {
  readonly opening: z.output<(typeof openTranscription)['opening']>;
  readonly requestId: string;
  readonly usage: SessionUsage;
  readonly voiceActivity: VoiceActivity;
  readonly patience: LinePatience;
  readonly resampler: Resampler;
  openWriter(onWritten: (written: Written) => void): Promise<LineWriter>;
  /** Opens the writer that replaces a live engine that failed. */
  pieceWriter(onWritten: (written: Written) => void, fromSample: number): LineWriter;
}

/** Transcribes one line while the caller speaks. */
export class TranscriptionLine {
  private readonly endpointing = new Endpointing();
  private writer: LineWriter | undefined;
  private voice: VoiceStream | undefined;
  private heardSamples = 0;
  private unreportedSamples = 0;
  private reportedDropped = 0;
  private failures = 0;
  private isMoving = false;
  private isOver = false;
  private readonly ended = Promise.withResolvers<LineEnding>();

  constructor(
    private readonly channel: Channel<TranscriptionSignal>,
    private readonly parts: TranscriptionLineParts,
  ) {}

  /**
   * Serves the line until it is ended, or at its maximum length. The gateway ends quiet lines of all sockets alike, after SOCKET_IDLE;
   * a gateway that has died closes the channel.
   */
  async serve(draining: AbortSignal): Promise<void> {
    const { patience } = this.parts;
    const overLong = setTimeout(() => this.end('MAX_DURATION'), patience.lineMsMax);
    // Its failure is handled where it is awaited; until then it must not count as unhandled.
    this.ended.promise.catch(() => undefined);
    draining.addEventListener('abort', this.move, { once: true });
    try {
      this.voice = await this.parts.voiceActivity.open({ sampleRate: hearingRate, listener: (window) => this.notice(window) });
      this.writer = await this.parts.openWriter((written) => this.handle(written));
      void this.listen().then(() => this.end('left'), this.ended.reject);
      if (draining.aborted) this.move();
      const reason = await this.ended.promise;
      this.isOver = true;
      await this.leave(reason);
    } finally {
      this.isOver = true;
      clearTimeout(overLong);
      draining.removeEventListener('abort', this.move);
      this.writer?.close();
      this.voice?.close();
      this.parts.resampler.close();
    }
  }

  private async listen(): Promise<void> {
    for await (const item of this.channel.incoming) {
      if (this.isOver) return;
      if ('frame' in item) this.hear(item.frame);
      else this.handleSignal(item.signal);
    }
  }

  private hear(frame: Uint8Array): void {
    const samples = samplesOf(frame, this.parts.opening.encoding);
    this.parts.usage.caller.push(samples.length);
    this.unreportedSamples += samples.length;
    if (this.unreportedSamples >= this.parts.opening.sampleRate * this.parts.patience.usageSeconds) this.reportUsage();
    const seconds = this.parts.opening.takesUndecided ? this.parts.usage.takeUndecided() : undefined;
    if (seconds !== undefined) this.channel.signal({ type: 'line.undecided', seconds });
    const heard = this.parts.resampler.push(samples);
    this.heardSamples += heard.length;
    this.writer?.push(heard);
    this.voice?.push(heard);
    this.reportDropped();
  }

  private notice(window: VoiceWindow): void {
    const utterance = this.endpointing.push(window);
    this.writer?.judged(window.endMs);
    if (!utterance) return;
    const { kind, atMs } = utterance;
    this.channel.signal({ type: kind === 'started' ? 'speech.started' : 'speech.ended', atMs });
    if (kind === 'started') this.parts.usage.caller.notice({ kind: 'speech-started', atMs });
    if (kind === 'started') this.writer?.speechStarted(atMs);
    else this.writer?.speechEnded(atMs);
    if (kind === 'ended' && this.isMoving) this.end(voiceLineMoved);
  }

  private handleSignal({ type }: TranscriptionSignal): void {
    if (type === 'ping') this.channel.signal({ type: 'pong' });
    if (type === 'session.end') this.end('ENDED_BY_USER');
    if (type === 'credits.exhausted') this.end('CREDITS_EXHAUSTED');
    if (type === 'caller.left') this.end('left');
  }

  private handle(written: Written): void {
    if (written.kind === 'behind') return this.warn('TRANSCRIPTION_BEHIND');
    if (written.kind === 'failed') return this.fail(written.failure);
    this.parts.usage.caller.notice(written);
    this.failures = 0;
    if (written.text === '') return;
    const atMs = msOf(written.kind === 'final' ? (written.atSample ?? this.heardSamples) : this.heardSamples);
    this.channel.signal({ type: written.kind === 'final' ? 'transcript.final' : 'transcript.partial', text: written.text, atMs });
  }

  /** After a failure the line is transcribed in pieces. After repeated failures it ends. */
  private fail(failure: unknown): void {
    this.failures += 1;
    this.parts.usage.caller.notice({ kind: 'recognition-failed', code: 'SPEECH_PROVIDER_UNAVAILABLE' });
    this.channel.signal(faultFrame(failure, this.parts.requestId));
    if (this.failures >= failuresMax) return this.end('FAILED');
    this.writer?.close();
    this.writer = this.parts.pieceWriter((written) => this.handle(written), this.heardSamples);
    if (this.endpointing.isSpeaking) this.writer.speechStarted(msOf(this.heardSamples));
  }

  /** This process stops: another replica takes over, between two sentences if the speaker pauses in time. */
  private readonly move = (): void => {
    this.isMoving = true;
    if (!this.endpointing.isSpeaking) this.end(voiceLineMoved);
    else setTimeout(() => this.end(voiceLineMoved), this.parts.patience.movingMs).unref();
  };

  private end(reason: LineEnding): void {
    this.ended.resolve(reason);
  }

  private async leave(reason: LineEnding): Promise<void> {
    // The client is gone, so only the usage still matters.
    if (reason === 'left') {
      this.reportUsage();
      return this.channel.close(reason);
    }
    const written = Promise.race([this.finish(), this.channel.closed]).then(() => true);
    const isWritten = await within(this.parts.patience.lastWordsMs, written, () => false);
    if (!isWritten) this.warn('TRANSCRIPTION_BEHIND');
    this.reportUsage();
    if (reason !== voiceLineMoved) this.channel.signal({ type: 'session.ended', reason });
    this.channel.close(reason);
  }

  /** Waits for the detector to catch up, so that a voice at the very end is transcribed too. */
  private async finish(): Promise<void> {
    const heardMs = msOf(this.heardSamples) - this.parts.voiceActivity.capabilities.windowMs;
    for (let looks = 0; looks < judgingLooksMax && this.endpointing.judgedMs < heardMs; looks += 1) await delay(judgingLookMs);
    await this.writer?.finish();
  }

  private reportUsage(): void {
    this.unreportedSamples = 0;
    if (this.isOver) this.parts.usage.caller.conclude();
    const usage = this.parts.usage.take();
    if (usage.length > 0) this.channel.signal({ type: 'usage', usage });
  }

  private reportDropped(): void {
    if (this.channel.dropped === this.reportedDropped) return;
    this.reportedDropped = this.channel.dropped;
    this.warn('AUDIO_DROPPED');
  }

  private warn(code: SocketWarning): void {
    this.channel.signal({ type: 'warning', code, message: socketWarnings[code] });
  }
}

function msOf(samples: number): number {
  return Math.round((samples * 1000) / hearingRate);
}

/** The error frame, with the same content that the failure has over HTTP. */
function faultFrame(failure: unknown, requestId: string): ServerFrame {
  const known = asSpeechFault(failure);
  const fault = known instanceof Fault ? known : new Fault('INTERNAL', { cause: known });
  const { status: statusCode, code, message } = fault;
  return {
    type: 'error',
    statusCode,
    error: STATUS_CODES[statusCode] ?? '',
    code,
    message,
    details: [...fault.details],
    requestId,
  };
}
