import {
  type Candidate,
  CircuitBreaker,
  type CircuitBreakerOptions,
  firstThatWorks,
  inTime,
  patienceWith,
  retrying,
  type RetryOptions,
} from '../resilience';
import type {
  HearingRequest,
  LiveHearing,
  SpeechToText,
  SpeechToTextCapabilities,
  Transcription,
  TranscriptionModel,
  TranscriptionRequest,
} from './speech-to-text';

interface EnduringTranscriptionOptions {
  readonly breaker?: CircuitBreakerOptions;
  /** Breakers that several chains share, by provider; otherwise each chain learns for itself. */
  readonly breakerOf?: (provider: string) => CircuitBreaker;
  /** Opens a line to the next engine too when the first has not answered after so long. Off unless set. */
  readonly hedgeMs?: number | undefined;
  readonly retry?: Omit<RetryOptions, 'signal'>;
  readonly answerMs?: number;
}

/** Transcribes with the first of several engines that works; each of them hears the sound from its start. */
export class EnduringTranscription implements SpeechToText {
  private readonly candidates: readonly Candidate<SpeechToText>[];
  private readonly primary: SpeechToText;

  constructor(
    [primary, ...others]: readonly [SpeechToText, ...SpeechToText[]],
    private readonly options: EnduringTranscriptionOptions = {},
  ) {
    this.primary = primary;
    const breakerOf = options.breakerOf ?? (() => new CircuitBreaker(options.breaker));
    this.candidates = [primary, ...others].map((engine) => ({ engine, breaker: breakerOf(engine.capabilities.provider) }));
  }

  get capabilities(): SpeechToTextCapabilities {
    const secondsMax = Math.min(...this.candidates.map(({ engine }) => engine.capabilities.secondsMax));
    return { ...this.primary.capabilities, secondsMax };
  }

  models(): Promise<readonly TranscriptionModel[]> {
    return this.primary.models();
  }

  transcribe(request: TranscriptionRequest): Promise<Transcription> {
    const candidates = this.candidatesFor(request);
    return firstThatWorks(
      candidates,
      (engine) => {
        const patience = { ...patienceWith(engine, candidates, this.options.retry), signal: request.signal };
        return retrying(() => this.attempt(engine, this.asFor(engine, request)), patience);
      },
      { onFailure: request.onFailure },
    );
  }

  listen(request: HearingRequest): Promise<LiveHearing> {
    const live = this.candidatesFor(request).filter(({ engine }) => engine.capabilities.live);
    const open = async (engine: SpeechToText, _breaker: CircuitBreaker, late: AbortSignal): Promise<LiveHearing> => {
      if (!engine.listen) throw new TypeError(`${engine.capabilities.provider} says that it is live and is not`);
      const signal = request.signal ? AbortSignal.any([request.signal, late]) : late;
      return engine.listen(this.asFor(engine, { ...request, signal }));
    };
    return firstThatWorks(live, open, { ...this.options, onFailure: request.onFailure });
  }

  async close(): Promise<void> {
    await Promise.all(this.candidates.map(({ engine }) => engine.close()));
  }

  /** A model belongs to one engine; those that stand in for it use their own. */
  private asFor<Request extends HearingRequest>(engine: SpeechToText, request: Request): Request {
    return engine === this.primary ? request : { ...request, model: undefined };
  }

  private async attempt(engine: SpeechToText, request: TranscriptionRequest): Promise<Transcription> {
    const giveUp = new AbortController();
    const signal = request.signal ? AbortSignal.any([request.signal, giveUp.signal]) : giveUp.signal;
    const limit = { provider: engine.capabilities.provider, timeoutMs: this.options.answerMs ?? 120_000 };
    try {
      return await inTime(engine.transcribe({ ...request, signal }), limit);
    } finally {
      giveUp.abort();
    }
  }

  private candidatesFor({ language }: HearingRequest): readonly Candidate<SpeechToText>[] {
    const able = this.candidates.filter(({ engine: { capabilities } }) => {
      return capabilities.unavailable === undefined && (!language || capabilities.languages.includes(language));
    });
    return able.length > 0 ? able : this.candidates.slice(0, 1);
  }
}
