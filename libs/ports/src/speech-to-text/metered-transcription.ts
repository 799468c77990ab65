import { ProviderFailure } from '../provider-failure';
import type {
  HearingEvent,
  HearingRequest,
  LiveHearing,
  SpeechToText,
  Transcription,
  TranscriptionRequest,
} from './speech-to-text';

/** What one request to an engine came to: one recording, or one live line. */
export interface HearingUse {
  readonly provider: string;
  readonly heardMs: number;
  /** From the request to the text of a recording, or to the first words of a line. Absent when none came. */
  readonly firstTextMs: number | undefined;
  readonly outcome: 'heard' | 'abandoned' | 'failed';
}

type OnUse = (use: HearingUse) => void;

/** The same engine, telling of every request once it is over, however it ended. */
export function meteredTranscription(engine: SpeechToText, onUse: OnUse): SpeechToText {
  return {
    // An engine may become available while it runs.
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
    use.end(failure instanceof ProviderFailure ? 'failed' : 'abandoned');
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
    use.end(failure instanceof ProviderFailure ? 'failed' : 'abandoned');
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
    use.end('failed');
    throw failure;
  } finally {
    use.end('heard');
  }
}

/** Told once. */
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

  end(outcome: HearingUse['outcome']): void {
    if (this.isTold) return;
    this.isTold = true;
    const { heardMs, firstTextMs } = this;
    this.onUse({ provider: this.engine.capabilities.provider, heardMs, firstTextMs, outcome });
  }
}
