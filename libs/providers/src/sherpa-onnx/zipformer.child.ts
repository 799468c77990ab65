// A child process around a native engine that transcribes many streams live. Streams with enough sound are decoded together, which
// costs hardly more than decoding one.
export {};

interface OnlineRecognizer {
  createStream(): OnlineStream;
  isReady(sound: OnlineStream): boolean;
  decodeStreams(sounds: OnlineStream[]): void;
  isEndpoint(sound: OnlineStream): boolean;
  reset(sound: OnlineStream): void;
  getResult(sound: OnlineStream): { text: string; tokens: string[]; timestamps: number[]; start_time: number };
}

interface OnlineStream {
  acceptWaveform(piece: { samples: Float32Array; sampleRate: number }): void;
  inputFinished(): void;
}

interface DecodedStream {
  readonly sound: OnlineStream;
  sent: string;
  /** Samples received but not decoded yet. */
  samples: number;
  isFinished: boolean;
}

type StreamOrder = { stream: number } & (
  | { order: 'open' }
  | { order: 'close' }
  | { order: 'finish'; sampleRate: number }
  | { order: 'hear'; samples: Int16Array; sampleRate: number }
);

// The last word is decoded only if something follows it, so silence is appended.
const tailSeconds = 0.66;
const streams = new Map<number, DecodedStream>();
let isWorking = false;

const [sherpaPath = '', configuration = '{}'] = process.argv.slice(2);
const loading = import(sherpaPath).then((module): OnlineRecognizer => {
  return new (module.default ?? module).OnlineRecognizer(JSON.parse(configuration));
});

process.on('message', (order: StreamOrder) => void loading.then((recognizer) => handle(recognizer, order)));
process.on('disconnect', () => process.exit(0));

function handle(recognizer: OnlineRecognizer, order: StreamOrder): void {
  const stream = streams.get(order.stream);
  if (order.order === 'open') {
    streams.set(order.stream, { sound: recognizer.createStream(), sent: '', samples: 0, isFinished: false });
    return send(order.stream, { kind: 'opened' });
  }
  if (order.order === 'close') return void streams.delete(order.stream);
  if (!stream) return;
  if (order.order === 'hear') {
    const samples = Float32Array.from(order.samples, (sample) => sample / 32_768);
    stream.sound.acceptWaveform({ samples, sampleRate: order.sampleRate });
    stream.samples += samples.length;
  } else {
    const samples = new Float32Array(Math.round(tailSeconds * order.sampleRate));
    stream.sound.acceptWaveform({ samples, sampleRate: order.sampleRate });
    stream.sound.inputFinished();
    stream.isFinished = true;
  }
  if (!isWorking) setImmediate(work, recognizer);
  isWorking = true;
}

/** Decodes one step of all streams with enough sound. Messages are handled between steps. */
function work(recognizer: OnlineRecognizer): void {
  const ready = [...streams].filter(([, { sound }]) => recognizer.isReady(sound));
  if (ready.length > 0) recognizer.decodeStreams(ready.map(([, { sound }]) => sound));
  for (const [id, stream] of ready) write(recognizer, id, stream);
  for (const [id, stream] of streams) if (!recognizer.isReady(stream.sound)) finishIdle(recognizer, id, stream);
  isWorking = ready.length > 0;
  if (isWorking) setImmediate(work, recognizer);
}

function write(recognizer: OnlineRecognizer, id: number, stream: DecodedStream): void {
  const { text } = recognizer.getResult(stream.sound);
  if (text.trim() && text !== stream.sent) send(id, { kind: 'partial', text });
  stream.sent = text;
  if (!recognizer.isEndpoint(stream.sound)) return;
  conclude(recognizer, id, stream);
  recognizer.reset(stream.sound);
}

/** Reports that a stream without pending sound has decoded everything, and finishes it if requested. */
function finishIdle(recognizer: OnlineRecognizer, id: number, stream: DecodedStream): void {
  if (stream.samples > 0) send(id, { kind: 'heard', samples: stream.samples });
  stream.samples = 0;
  if (!stream.isFinished) return;
  conclude(recognizer, id, stream);
  streams.delete(id);
  send(id, { kind: 'finished' });
}

function conclude(recognizer: OnlineRecognizer, id: number, stream: DecodedStream): void {
  const { text, tokens, timestamps, start_time: startSeconds } = recognizer.getResult(stream.sound);
  const secondsOf = timestamps.map((seconds) => startSeconds + seconds);
  if (text.trim()) send(id, { kind: 'final', text, pieces: tokens, secondsOf });
  stream.sent = '';
}

function send(stream: number, message: object): void {
  process.send?.({ stream, ...message });
}
