import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { Resampler } from '@parley/audio';
import type { openTranscription } from '@parley/contracts';
import { type AcceptedLine, type Call, type HandlerOf, organizationOf } from '@parley/messaging';
import { ProviderFailure, type SpeechToText, type SpokenLanguage, type VoiceActivity } from '@parley/ports';
import { Lifetime, Logger } from '@parley/service-kit';
import type { z } from 'zod';
import { OrganizationEngines } from '../engines/organization-engines';
import { SessionUsage } from '../live/session-usage';
import { LinePatience } from './line-patience';
import type { LineWriter, Written } from './line-writer';
import { LiveWriter } from './live-writer';
import { PieceWriter } from './piece-writer';
import { hearingRate, TranscriptionLine } from './transcription-line';

type Opening = z.output<(typeof openTranscription)['opening']>;
type Line = Awaited<ReturnType<HandlerOf<typeof openTranscription>>>;
type Signal = Line extends AcceptedLine<unknown, infer Said> ? Said : never;

/** The key under which the engine is injected that tells voices from silence. */
export const LineVoices = Symbol('line voices');

/** Writes down what is said on live lines, for whoever opens one. */
@Injectable()
export class Transcribing {
  constructor(
    private readonly engines: OrganizationEngines,
    private readonly lifetime: Lifetime,
    private readonly log: Logger,
    @Inject(LinePatience) private readonly patience: LinePatience,
    @Inject(LineVoices) private readonly voiceActivity: VoiceActivity,
  ) {}

  /** Refused where nobody hears the language. */
  async open(opening: Opening, call: Call): Promise<Line> {
    const { language, sampleRate, encoding } = opening;
    const engine = (await this.engines.of(organizationOf(call))).listenerOf(language);
    const accepted = { sessionUUID: randomUUID(), sampleRate, encoding };
    return { accepted, serve: async (channel) => this.serve(channel, { opening, engine, call }) };
  }

  private async serve(channel: Parameters<AcceptedLine<unknown, Signal>['serve']>[0], { opening, engine, call }: Served): Promise<void> {
    const { language, sampleRate } = opening;
    const pieceWriter = (onWritten: (written: Written) => void): LineWriter =>
      new PieceWriter({ engine, language, sampleRate: hearingRate, onWritten });
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

  /** Nothing where no engine of the chain hears live, or none of those can be reached. */
  private async liveWriter(engine: SpeechToText, language: SpokenLanguage, { call, onWritten }: Live): Promise<LineWriter | undefined> {
    try {
      const hearing = await engine.listen?.({ sampleRate: hearingRate, language, signal: call.signal });
      return hearing && new LiveWriter(hearing, onWritten);
    } catch (failure) {
      if (!(failure instanceof ProviderFailure)) throw failure;
      if (failure.retryable) this.log.warn('No line for live hearing could be opened; it is heard in pieces', { error: failure });
      return undefined;
    }
  }
}

interface Served {
  readonly opening: Opening;
  readonly engine: SpeechToText;
  readonly call: Call;
}

interface Live {
  readonly call: Call;
  onWritten(written: Written): void;
}
