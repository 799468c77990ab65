// A child process around a native engine that transcribes many lines at once, each piece of sound as it comes. Lines with enough
// sound are decoded together, which costs hardly more than decoding one.
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

interface DecodedLine {
  readonly sound: OnlineStream;
  told: string;
  /** Given, and not decoded yet. */
  samples: number;
  isFinished: boolean;
}

type LineOrder = { line: number } & (
  | { order: 'open' }
  | { order: 'close' }
  | { order: 'finish'; sampleRate: number }
  | { order: 'hear'; samples: Int16Array; sampleRate: number }
);

// The last word is decoded only once something comes after it.
const tailSeconds = 0.66;
const lines = new Map<number, DecodedLine>();
let isWorking = false;

const [sherpaPath = '', configuration = '{}'] = process.argv.slice(2);
const loading = import(sherpaPath).then((module): OnlineRecognizer => {
  return new (module.default ?? module).OnlineRecognizer(JSON.parse(configuration));
});

process.on('message', (order: LineOrder) => void loading.then((recognizer) => obey(recognizer, order)));
process.on('disconnect', () => process.exit(0));

function obey(recognizer: OnlineRecognizer, order: LineOrder): void {
  const line = lines.get(order.line);
  if (order.order === 'open') {
    lines.set(order.line, { sound: recognizer.createStream(), told: '', samples: 0, isFinished: false });
    return tell(order.line, { kind: 'opened' });
  }
  if (order.order === 'close') return void lines.delete(order.line);
  if (!line) return;
  if (order.order === 'hear') {
    const samples = Float32Array.from(order.samples, (sample) => sample / 32_768);
    line.sound.acceptWaveform({ samples, sampleRate: order.sampleRate });
    line.samples += samples.length;
  } else {
    const samples = new Float32Array(Math.round(tailSeconds * order.sampleRate));
    line.sound.acceptWaveform({ samples, sampleRate: order.sampleRate });
    line.sound.inputFinished();
    line.isFinished = true;
  }
  if (!isWorking) setImmediate(work, recognizer);
  isWorking = true;
}

/** One decoding step for all lines with enough sound; messages are handled between steps. */
function work(recognizer: OnlineRecognizer): void {
  const ready = [...lines].filter(([, { sound }]) => recognizer.isReady(sound));
  if (ready.length > 0) recognizer.decodeStreams(ready.map(([, { sound }]) => sound));
  for (const [id, line] of ready) write(recognizer, id, line);
  for (const [id, line] of lines) if (!recognizer.isReady(line.sound)) rest(recognizer, id, line);
  isWorking = ready.length > 0;
  if (isWorking) setImmediate(work, recognizer);
}

function write(recognizer: OnlineRecognizer, id: number, line: DecodedLine): void {
  const { text } = recognizer.getResult(line.sound);
  if (text.trim() && text !== line.told) tell(id, { kind: 'partial', text });
  line.told = text;
  if (!recognizer.isEndpoint(line.sound)) return;
  conclude(recognizer, id, line);
  recognizer.reset(line.sound);
}

/** A line without pending sound: everything it was given has been decoded. */
function rest(recognizer: OnlineRecognizer, id: number, line: DecodedLine): void {
  if (line.samples > 0) tell(id, { kind: 'heard', samples: line.samples });
  line.samples = 0;
  if (!line.isFinished) return;
  conclude(recognizer, id, line);
  lines.delete(id);
  tell(id, { kind: 'finished' });
}

function conclude(recognizer: OnlineRecognizer, id: number, line: DecodedLine): void {
  const { text, tokens, timestamps, start_time: startSeconds } = recognizer.getResult(line.sound);
  const secondsOf = timestamps.map((seconds) => startSeconds + seconds);
  if (text.trim()) tell(id, { kind: 'final', text, pieces: tokens, secondsOf });
  line.told = '';
}

function tell(line: number, message: object): void {
  process.send?.({ line, ...message });
}
