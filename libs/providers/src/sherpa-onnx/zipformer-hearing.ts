import path from 'node:path';
import {
  type HearingRequest,
  type LiveHearing,
  ProviderFailure,
  type SpeechToText,
  type SpeechToTextCapabilities,
  type TimedWord,
  type Transcription,
  type TranscriptionModel,
  type TranscriptionRequest,
} from '@parley/ports';
import { childProcess, type EngineConnection } from '../engine-pool';
import { enginePath, filesOf, lacking, type ModelFolder } from './installed-model';
import { provider, RecognizerMessage, ZipformerStream } from './zipformer-stream';

const languages = ['english'] as const;
/** In order of quality. */
const models: Readonly<Record<string, ModelFolder>> = {
  'streaming-en': folder('2023-06-26', 'epoch-99-avg-1-chunk-16-left-128'),
  'streaming-en-20M': folder('20M-2023-02-17', 'epoch-99-avg-1'),
};
const endpoint = {
  enableEndpoint: true,
  // In seconds: silence without speech before a reset, the pause that ends an utterance, the longest utterance.
  rule1MinTrailingSilence: 2.4,
  rule2MinTrailingSilence: 0.8,
  rule3MinUtteranceLength: 20,
};

function folder(version: string, variant: string): ModelFolder {
  const files = {
    encoder: `encoder-${variant}.int8.onnx`,
    decoder: `decoder-${variant}.onnx`,
    joiner: `joiner-${variant}.int8.onnx`,
    tokens: 'tokens.txt',
  };
  return { name: `sherpa-onnx-streaming-zipformer-en-${version}`, files };
}

/** Live local transcription of English, by sherpa-onnx's streaming models in a separate process. */
export class ZipformerHearing implements SpeechToText {
  private readonly processes = new Map<string, ZipformerProcess>();

  constructor(private readonly modelsFolder: string) {}

  get capabilities(): SpeechToTextCapabilities {
    return {
      provider,
      languages,
      sampleRates: [16_000, 8000],
      live: true,
      wordTimings: true,
      languageDetection: false,
      secondsMax: 600,
      grade: 'production',
      unavailable: lacking(Object.values(models), this.modelsFolder),
      whyNoModel: (id) => lacking(models[id] ? [models[id]] : [], this.modelsFolder),
    };
  }

  async models(): Promise<readonly TranscriptionModel[]> {
    return Object.keys(models).map((id) => ({ id, name: id, languages }));
  }

  async listen(request: HearingRequest): Promise<LiveHearing> {
    const stream = this.open(request);
    await stream.ready().finally(() => request.signal?.throwIfAborted());
    return stream;
  }

  async transcribe({ audio, ...request }: TranscriptionRequest): Promise<Transcription> {
    const stream = this.open(request);
    const heard = written(stream);
    // Its failure is handled where it is awaited; until then it must not count as unhandled.
    heard.catch(() => undefined);
    try {
      for await (const block of audio()) {
        await stream.pushAll(block);
        request.signal?.throwIfAborted();
      }
      stream.finish();
      const { texts, words } = await heard;
      request.signal?.throwIfAborted();
      return { text: texts.join(' '), language: 'english', ...(request.words && { words }) };
    } finally {
      stream.close();
    }
  }

  async close(): Promise<void> {
    for (const process of this.processes.values()) process.close();
  }

  private open(request: HearingRequest): ZipformerStream {
    const { language = 'english', model, signal } = request;
    signal?.throwIfAborted();
    if (language !== 'english') throw refusal(`does not hear ${language}`);
    return this.processOf(model).open(request);
  }

  private processOf(wanted: string | undefined): ZipformerProcess {
    const name = wanted ?? Object.keys(models).find((id) => this.filesOf(id)) ?? Object.keys(models).join(' or ');
    const known = this.processes.get(name);
    if (known) return known;
    const files = this.filesOf(name);
    if (!files) throw refusal(`has no model ${name}: npm run models -- list shows them`);
    const { tokens, ...transducer } = files;
    const process = new ZipformerProcess({ modelConfig: { transducer, tokens, numThreads: 1, provider: 'cpu' }, ...endpoint });
    this.processes.set(name, process);
    return process;
  }

  private filesOf(id: string): Record<string, string> | undefined {
    const model = models[id];
    return model && filesOf(model, this.modelsFolder);
  }
}

async function written(stream: LiveHearing): Promise<{ texts: string[]; words: TimedWord[] }> {
  const texts: string[] = [];
  const words: TimedWord[] = [];
  for await (const event of stream.events) {
    if (event.kind !== 'final') continue;
    texts.push(event.text);
    words.push(...(event.words ?? []));
  }
  return { texts, words };
}

function refusal(message: string): ProviderFailure {
  return new ProviderFailure(provider, message, { retryable: false });
}

const streamsMax = 16;
/** A process with pending work that sends nothing for this long is hung. Loading the largest model takes a few seconds. */
const silenceMs = 60_000;

/**
 * A process that transcribes several streams with one loaded model. It is started with the first stream, and again after a crash, which
 * ends its streams.
 */
class ZipformerProcess {
  private engine: EngineConnection | undefined;
  private readonly streams = new Map<number, ZipformerStream>();
  private opened = 0;
  private watch: NodeJS.Timeout | undefined;

  constructor(private readonly configuration: object) {}

  /** Starts transcribing a stream. */
  open(request: HearingRequest): ZipformerStream {
    if (this.streams.size >= streamsMax) {
      throw new ProviderFailure(provider, `hears ${streamsMax} streams already`, {
        retryable: true,
        retryAfterMs: 1000,
        isBusy: true,
      });
    }
    const engine = (this.engine ??= this.start());
    const id = ++this.opened;
    engine.setBusy(true);
    const stream = new ZipformerStream(request, {
      order: (order) => {
        if (this.engine !== engine) return;
        engine.send({ stream: id, ...order });
        this.watch ??= this.watchFor(engine);
      },
      onEnd: () => {
        this.streams.delete(id);
        if (this.streams.size === 0) engine.setBusy(false);
      },
    });
    this.streams.set(id, stream);
    return stream;
  }

  close(): void {
    const { engine } = this;
    this.lost('is closed', engine);
    engine?.kill();
  }

  private start(): EngineConnection {
    const file = path.join(__dirname, `zipformer.child${path.extname(__filename)}`);
    const engine = childProcess(file, [enginePath() ?? '', JSON.stringify(this.configuration)]);
    engine.onMessage((message) => {
      const parsed = RecognizerMessage.safeParse(message);
      if (!parsed.success) return engine.kill();
      this.streams.get(parsed.data.stream)?.receive(parsed.data);
      this.unwatch();
      if ([...this.streams.values()].some(({ isOwed }) => isOwed)) this.watch = this.watchFor(engine);
    });
    engine.onEnd((reason) => this.lost(reason, engine));
    return engine;
  }

  private watchFor(engine: EngineConnection): NodeJS.Timeout {
    return setTimeout(() => engine.kill(), silenceMs);
  }

  private unwatch(): void {
    clearTimeout(this.watch);
    this.watch = undefined;
  }

  private lost(reason: string, engine: EngineConnection | undefined): void {
    if (this.engine !== engine) return;
    this.engine = undefined;
    this.unwatch();
    for (const stream of [...this.streams.values()]) stream.end(new ProviderFailure(provider, reason, { retryable: true }));
  }
}
