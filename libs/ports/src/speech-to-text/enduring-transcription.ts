import {
  type BreakerOptions,
  type Candidate,
  candidatesOf,
  eitherSignal,
  firstThatWorks,
  inTime,
  lateness,
  nobodyWaits,
  patienceWith,
  retrying,
  type RetryOptions,
} from '../resilience';
import { type CircuitBreaker, ProviderFailure } from '../provider-failure';
import type {
  HearingEvent,
  HearingRequest,
  LiveHearing,
  SpeechToText,
  SpeechToTextCapabilities,
  Transcription,
  TranscriptionModel,
  TranscriptionRequest,
} from './speech-to-text';

interface EnduringTranscriptionOptions extends BreakerOptions {
  /** If the first engine has not answered after this long, opens a session with the next one too. Off by default. */
  readonly hedgeMs?: number | undefined;
  readonly retry?: Omit<RetryOptions, 'signal'>;
  /** How long an engine has to answer a request that does not say so. */
  readonly answerMs?: number;
}

/** The same for opening a live line. */
const openMs = 10_000;

/** Transcribes with the first of several engines that works; each gets the sound from the start. */
export class EnduringTranscription implements SpeechToText {
  private readonly candidates: readonly Candidate<SpeechToText>[];
  private readonly primary: SpeechToText;

  constructor(
    [primary, ...others]: readonly [SpeechToText, ...SpeechToText[]],
    private readonly options: EnduringTranscriptionOptions = {},
  ) {
    this.primary = primary;
    this.candidates = candidatesOf([primary, ...others], options);
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
        const patience = patienceWith(engine, candidates, this.options.retry);
        return this.inTime(engine, request, (own) =>
          retrying(() => engine.transcribe(this.asFor(engine, own)), { ...patience, signal: own.signal }),
        );
      },
      { onFailure: request.onFailure, hedgeMs: request.hedgeMs },
    );
  }

  listen(request: HearingRequest): Promise<LiveHearing> {
    const live = this.candidatesFor(request).filter(({ engine }) => engine.capabilities.live);
    const open = async (engine: SpeechToText, breaker: CircuitBreaker, late: AbortSignal): Promise<LiveHearing> => {
      const { listen } = engine;
      const { provider } = engine.capabilities;
      if (!listen) throw new TypeError(`${provider} says that it is live and is not`);
      const signal = eitherSignal(request.signal, late);
      const { answerMs: timeoutMs } = request;
      const line = await inTime(listen.call(engine, this.asFor(engine, { ...request, signal })), {
        ...{ provider, timeoutMs: timeoutMs ?? openMs },
      });
      if (timeoutMs === undefined) return line;
      return new TimelyLine(line, { provider, timeoutMs }, (failure) => {
        breaker.open();
        request.onFailure?.(failure);
      });
    };
    return firstThatWorks(live, open, { ...this.options, onFailure: request.onFailure });
  }

  async close(): Promise<void> {
    await Promise.all(this.candidates.map(({ engine }) => engine.close()));
  }

  /** A model belongs to one engine; fallbacks use their own. */
  private asFor<Request extends HearingRequest>(engine: SpeechToText, request: Request): Request {
    return engine === this.primary ? request : { ...request, model: undefined };
  }

  /** All attempts with an engine together: one that hangs is not asked again by those whom it kept waiting. */
  private async inTime(
    engine: SpeechToText,
    request: TranscriptionRequest,
    ask: (own: TranscriptionRequest) => Promise<Transcription>,
  ): Promise<Transcription> {
    const giveUp = new AbortController();
    const signal = eitherSignal(request.signal, giveUp.signal);
    const timeoutMs = request.answerMs ?? this.options.answerMs ?? 120_000;
    try {
      return await inTime(ask({ ...request, signal }), { provider: engine.capabilities.provider, timeoutMs });
    } finally {
      giveUp.abort(nobodyWaits);
    }
  }

  private candidatesFor({ language }: HearingRequest): readonly Candidate<SpeechToText>[] {
    const able = this.candidates.filter(({ engine: { capabilities } }) => {
      return capabilities.unavailable === undefined && (!language || capabilities.languages.includes(language));
    });
    return able.length > 0 ? able : this.candidates.slice(0, 1);
  }
}

/** How long a caller whom an engine has kept waiting in vain waits for it alone from then on. */
const hungOnceMs = 1500;

/** The same engines for one call, which does not wait in vain for one of them twice. */
export function forOneCall(engines: SpeechToText, onFailure: HearingRequest['onFailure']): SpeechToText {
  const { listen } = engines;
  let hedgeMs: number | undefined;
  const noteFailure = (failure: ProviderFailure): void => {
    if (failure.kind === 'TIMEOUT') hedgeMs = hungOnceMs;
    onFailure?.(failure);
  };
  return {
    capabilities: engines.capabilities,
    models: () => engines.models(),
    transcribe: (request) => engines.transcribe({ ...request, hedgeMs, onFailure: noteFailure }),
    ...(listen && { listen: (request) => listen.call(engines, { ...request, onFailure: noteFailure }) }),
    close: () => engines.close(),
  };
}

/** A live line that is given up if nothing more comes of it once its sound is complete. */
class TimelyLine implements LiveHearing {
  readonly events: AsyncIterable<HearingEvent>;
  private timer: NodeJS.Timeout | undefined;
  private fail: (failure: ProviderFailure) => void = () => undefined;

  constructor(
    private readonly line: LiveHearing,
    private readonly limit: Parameters<typeof lateness>[0],
    private readonly onLate: (failure: ProviderFailure) => void,
  ) {
    this.events = this.timely();
  }

  push(samples: Int16Array): void {
    this.line.push(samples);
  }

  finish(): void {
    this.line.finish();
    this.timer ??= setTimeout(() => this.fail(lateness(this.limit)), this.limit.timeoutMs);
  }

  close(): void {
    clearTimeout(this.timer);
    this.line.close();
  }

  private async *timely(): AsyncGenerator<HearingEvent> {
    const events = this.line.events[Symbol.asyncIterator]();
    try {
      for (let next = await this.next(events); !next.done; next = await this.next(events)) yield next.value;
    } finally {
      clearTimeout(this.timer);
    }
  }

  private next(events: AsyncIterator<HearingEvent>): Promise<IteratorResult<HearingEvent>> {
    this.timer?.refresh();
    return new Promise((resolve, reject) => {
      this.fail = (failure) => {
        this.onLate(failure);
        reject(failure);
        this.line.close();
      };
      events.next().then(resolve, reject);
    });
  }
}

/** The usage of one request to an engine: one recording, or one live session. */
export interface HearingUse {
  readonly provider: string;
  readonly heardMs: number;
  /** From the request to the text of a recording, or to the first words of a live session. Absent if none arrived. */
  readonly firstTextMs: number | undefined;
  readonly outcome: 'heard' | 'abandoned' | 'failed';
  readonly failure?: ProviderFailure | undefined;
}

type OnUse = (use: HearingUse) => void;

/** The same engine, reporting every request once it has ended, however it ended. */
export function meteredTranscription(engine: SpeechToText, onUse: OnUse): SpeechToText {
  return {
    // A getter, because an engine may become available while it runs.
    get capabilities() {
      return engine.capabilities;
    },
    models: () => engine.models(),
    transcribe: (request) => metered(engine, request, onUse),
    ...(engine.listen && { listen: (request) => meteredLine(engine, request, onUse) }),
    close: () => engine.close(),
  };
}

async function metered(engine: SpeechToText, request: TranscriptionRequest, onUse: OnUse): Promise<Transcription> {
  const use = new Use(engine, request, onUse);
  try {
    const heard = await engine.transcribe({ ...request, audio: () => use.counted(request.audio()) });
    use.texted();
    use.end('heard');
    return heard;
  } catch (failure) {
    use.fail(failure);
    throw failure;
  }
}

async function meteredLine(engine: SpeechToText, request: HearingRequest, onUse: OnUse): Promise<LiveHearing> {
  const use = new Use(engine, request, onUse);
  try {
    const line = await engine.listen?.(request);
    if (!line) throw new TypeError(`${engine.capabilities.provider} does not hear live`);
    return {
      push: (samples) => {
        use.count(samples);
        line.push(samples);
      },
      finish: () => line.finish(),
      events: watched(line.events, use),
      close: () => {
        line.close();
        use.end('heard');
      },
    };
  } catch (failure) {
    use.fail(failure);
    throw failure;
  }
}

async function* watched(events: AsyncIterable<HearingEvent>, use: Use): AsyncGenerator<HearingEvent> {
  try {
    for await (const event of events) {
      if (event.kind === 'partial' || event.kind === 'final') use.texted();
      yield event;
    }
  } catch (failure) {
    use.fail(failure, 'failed');
    throw failure;
  } finally {
    use.end('heard');
  }
}

/** Reports usage once. */
class Use {
  private readonly startedAtMs = performance.now();
  private heardMs = 0;
  private firstTextMs: number | undefined;
  private isTold = false;

  constructor(
    private readonly engine: SpeechToText,
    private readonly request: HearingRequest,
    private readonly onUse: OnUse,
  ) {}

  count(samples: Int16Array): void {
    this.heardMs += (samples.length * 1000) / this.request.sampleRate;
  }

  async *counted(audio: AsyncIterable<Int16Array>): AsyncGenerator<Int16Array> {
    this.heardMs = 0;
    for await (const samples of audio) {
      this.count(samples);
      yield samples;
    }
  }

  texted(): void {
    this.firstTextMs ??= performance.now() - this.startedAtMs;
  }

  fail(error: unknown, otherwise: HearingUse['outcome'] = 'abandoned'): void {
    if (error instanceof ProviderFailure) this.end('failed', error);
    else this.end(otherwise);
  }

  end(outcome: HearingUse['outcome'], failure?: ProviderFailure): void {
    if (this.isTold) return;
    this.isTold = true;
    const { heardMs, firstTextMs } = this;
    this.onUse({ provider: this.engine.capabilities.provider, heardMs, firstTextMs, outcome, failure });
  }
}
