import { randomUUID } from 'node:crypto';
import { Controller, Inject, Injectable } from '@nestjs/common';
import { joinSamples, Resampler } from '@parley/audio';
import { openTranscription } from '@parley/contracts';
import { type AcceptedChannel, type Call, type HandlerOf, Handles, organizationOf } from '@parley/messaging';
import {
  liveAnswerMs,
  type LiveHearing,
  ProviderFailure,
  type SpeechToText,
  type SpokenLanguage,
  type VoiceActivity,
} from '@parley/ports';
import { Lifetime, Logger } from '@parley/service-kit';
import type { z } from 'zod';
import { OrganizationEngines } from '../engines/organization-engines';
import { SessionUsage } from '../live/session-usage';
import { endingSilenceMs, LinePatience, type LineWriter, type Written } from './line-writing';
import { hearingRate, TranscriptionLine } from './transcription-line';

// The first sound of a word is too soft for a voice detector.
const preRollMs = 300;

/** How much judged sound is kept: speech is confirmed a little later than it begins. */
const keptMs = 2000;

const pieceSecondsMax = 20;

const piecesMax = 6;

interface PieceSettings {
  readonly engine: SpeechToText;
  readonly language: SpokenLanguage;
  readonly sampleRate: number;
  onWritten(written: Written): void;
}

type TranscriptionOpening = z.output<(typeof openTranscription)['opening']>;
type Line = Awaited<ReturnType<HandlerOf<typeof openTranscription>>>;
type TranscriptionSignal = Line extends AcceptedChannel<unknown, infer Said> ? Said : never;

/** The injection token of the voice detector. */
export const LineVoices = Symbol('line voices');

/** Transcribes live lines. */
@Injectable()
export class Transcribing {
  constructor(
    private readonly engines: OrganizationEngines,
    private readonly lifetime: Lifetime,
    private readonly log: Logger,
    @Inject(LinePatience) private readonly patience: LinePatience,
    @Inject(LineVoices) private readonly voiceActivity: VoiceActivity,
  ) {}

  /** Throws if no engine transcribes the language. */
  async open(opening: TranscriptionOpening, call: Call): Promise<Line> {
    const { language, sampleRate, encoding } = opening;
    const engine = (await this.engines.of(organizationOf(call))).listenerOf(language);
    const accepted = { sessionUUID: randomUUID(), sampleRate, encoding };
    return { accepted, serve: async (channel) => this.serve(channel, { opening, engine, call }) };
  }

  private async serve(
    channel: Parameters<AcceptedChannel<unknown, TranscriptionSignal>['serve']>[0],
    { opening, engine, call }: Served,
  ): Promise<void> {
    const { language, sampleRate } = opening;
    const pieceWriter = (onWritten: (written: Written) => void, fromSample = 0): LineWriter =>
      new PieceWriter({ engine, language, sampleRate: hearingRate, onWritten }, fromSample);
    const line = new TranscriptionLine(channel, {
      opening,
      requestId: call.requestId,
      usage: new SessionUsage(sampleRate),
      voiceActivity: this.voiceActivity,
      patience: this.patience,
      resampler: await Resampler.create(sampleRate, hearingRate),
      openWriter: async (onWritten) => (await this.liveWriter(engine, language, { call, onWritten })) ?? pieceWriter(onWritten),
      pieceWriter,
    });
    await line.serve(this.lifetime.draining);
  }

  /** Undefined if no engine of the chain is live, or none is reachable. */
  private async liveWriter(
    engine: SpeechToText,
    language: SpokenLanguage,
    { call, onWritten }: Live,
  ): Promise<LineWriter | undefined> {
    try {
      const hearing = await engine.listen?.({ sampleRate: hearingRate, language, signal: call.signal });
      return hearing && new LiveWriter(hearing, onWritten);
    } catch (failure) {
      if (!(failure instanceof ProviderFailure)) throw failure;
      if (failure.retryable)
        this.log.warn('Live transcription could not be opened; the line is transcribed in pieces', { error: failure });
      return undefined;
    }
  }
}

interface Served {
  readonly opening: TranscriptionOpening;
  readonly engine: SpeechToText;
  readonly call: Call;
}

interface Live {
  readonly call: Call;
  onWritten(written: Written): void;
}

/** Transcribes a line with a live engine. */
class LiveWriter implements LineWriter {
  private readonly reading: Promise<void>;
  private isClosed = false;

  constructor(
    private readonly hearing: LiveHearing,
    private readonly onWritten: (written: Written) => void,
  ) {
    this.reading = this.read();
  }

  push(samples: Int16Array): void {
    this.hearing.push(samples);
  }

  /** The engine detects speech itself. */
  judged(_untilMs: number): void {}
  speechStarted(_atMs: number): void {}
  speechEnded(_atMs: number): void {}

  finish(): Promise<void> {
    this.hearing.finish();
    return this.reading;
  }

  close(): void {
    this.isClosed = true;
    this.hearing.close();
  }

  private async read(): Promise<void> {
    try {
      for await (const event of this.hearing.events) {
        if (event.kind === 'partial' || event.kind === 'final') this.onWritten({ kind: event.kind, text: event.text });
      }
    } catch (failure) {
      if (!this.isClosed) this.onWritten({ kind: 'failed', failure });
    }
  }
}

/** Transcribes a line with an engine for recordings, in pieces between two silences, one after the other. */
class PieceWriter implements LineWriter {
  private readonly leave = new AbortController();
  private readonly blocks: Int16Array[] = [];
  private readonly waiting: { readonly samples: Int16Array; readonly endSample: number }[] = [];
  private held = 0;
  private judgedTo: number;
  private isSpeaking = false;
  private working: Promise<void> | undefined;

  /** @param position The sample of the line that is pushed next. */
  constructor(
    private readonly settings: PieceSettings,
    private position: number,
  ) {
    this.judgedTo = position;
  }

  push(samples: Int16Array): void {
    this.blocks.push(samples);
    this.held += samples.length;
    this.position += samples.length;
    const { sampleRate, engine } = this.settings;
    const samplesMax = Math.min(engine.capabilities.secondsMax, pieceSecondsMax) * sampleRate;
    if (!this.isSpeaking) this.keepFrom(Math.max(this.judgedTo - this.samplesOf(keptMs), this.position - samplesMax));
    else if (this.held >= samplesMax) this.cutAt(this.position);
  }

  judged(untilMs: number): void {
    this.judgedTo = this.samplesOf(untilMs);
  }

  speechStarted(atMs: number): void {
    this.keepFrom(this.samplesOf(atMs - preRollMs));
    this.isSpeaking = true;
  }

  speechEnded(atMs: number): void {
    if (this.isSpeaking) this.cutAt(this.samplesOf(atMs + endingSilenceMs));
    this.isSpeaking = false;
  }

  async finish(): Promise<void> {
    if (this.isSpeaking) this.cutAt(this.position);
    this.isSpeaking = false;
    await this.working;
  }

  close(): void {
    this.waiting.length = 0;
    this.leave.abort();
  }

  private keepFrom(sample: number): void {
    for (let first = this.blocks[0]; first && this.position - this.held + first.length <= sample; first = this.blocks[0]) {
      this.blocks.shift();
      this.held -= first.length;
    }
  }

  private samplesOf(ms: number): number {
    return Math.round((ms * this.settings.sampleRate) / 1000);
  }

  /** Takes what is held up to this sample for a piece. What was pushed beyond it may hold the next words already. */
  private cutAt(sample: number): void {
    const held = joinSamples(this.blocks);
    const from = this.position - held.length;
    const endSample = Math.max(from, Math.min(sample, this.position));
    if (endSample === from) return;
    const rest = held.subarray(endSample - from);
    this.waiting.push({ samples: held.subarray(0, endSample - from), endSample });
    this.blocks.length = 0;
    if (rest.length > 0) this.blocks.push(rest);
    this.held = rest.length;
    if (this.waiting.length > piecesMax) {
      this.waiting.shift();
      this.settings.onWritten({ kind: 'behind' });
    }
    this.working ??= this.work().finally(() => (this.working = undefined));
  }

  private async work(): Promise<void> {
    for (let piece = this.waiting.shift(); piece; piece = this.waiting.shift()) await this.write(piece);
  }

  private async write({ samples, endSample }: { samples: Int16Array; endSample: number }): Promise<void> {
    const { engine, language, sampleRate, onWritten } = this.settings;
    async function* audio(): AsyncGenerator<Int16Array> {
      yield samples;
    }
    try {
      const answerMs = liveAnswerMs((samples.length * 1000) / sampleRate);
      const { text } = await engine.transcribe({ audio, language, sampleRate, signal: this.leave.signal, answerMs });
      onWritten({ kind: 'final', text, atSample: endSample });
    } catch (failure) {
      if (!this.leave.signal.aborted) onWritten({ kind: 'failed', failure });
    }
  }
}

type Open = HandlerOf<typeof openTranscription>;

/** Live lines over the bus. */
@Controller()
export class TranscribingController {
  constructor(private readonly transcribing: Transcribing) {}

  @Handles(openTranscription)
  open(opening: Parameters<Open>[0], call: Call): ReturnType<Open> {
    return this.transcribing.open(opening, call);
  }
}
