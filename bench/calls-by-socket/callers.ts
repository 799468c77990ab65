// The load: `node callers.js <url> <key> <calls> <seconds>` opens this many calls at /ws/sts, prints `talking` once all of them
// have been answered, and after the given time prints its measurements.
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { bytesFromSamples, samplesFromBytes } from '@parley/audio';
import { WebSocket } from 'ws';
import { z } from 'zod';
import { type FrameKind, keepTalking, Talker, type Talked } from '../calls/talk';
import { noise, spokenSentences } from '../hearing/spoken';
import { watchLoop } from '../measure/loop-watch';

const sampleRate = 16_000;
const frameSamples = sampleRate / 50;
/** How many calls start at a time: established calls are measured, not their start. */
const atATime = 4;
const settlingMs = 8_000;
const standsWithinMs = 15_000;
const silentBelow = 300;
const quietRoom = 8;
/** A voice counts as audible down to thirty decibels below its loudest moment. */
const audibleShare = 0.03;

const Told = z.object({ type: z.literal('agent.done'), latency: z.record(z.string(), z.number().nullable()) });

interface Call {
  readonly socket: WebSocket;
  readonly talker: Talker;
}

/** An answer as its caller heard it, and how the session accounts for the silence before it. */
interface HeardAnswer {
  readonly question: number;
  readonly heardMs: number;
  readonly parts: z.output<typeof Told>['latency'];
}

async function main(): Promise<void> {
  const [url = '', key = '', calls = '1', seconds = '10'] = process.argv.slice(2);
  // The first sentence is the agent's: a caller who repeats it would be taken for its echo. The others are spoken to their end,
  // because an agent rightly waits for a caller who stops in mid-word.
  const questions = (await spokenSentences(sampleRate)).slice(1).map(framesOf);
  const talked: Talked = { latenciesMs: [], sinceMs: performance.now(), frames: 0, lateFrames: 0, lateAt: [], unanswered: 0 };
  const answers: HeardAnswer[] = [];
  const talkers: Talker[] = [];
  const opened: Call[] = [];
  const look = watchLoop();
  const stop = keepTalking(talkers);
  const open = (index: number) => {
    const question = index % questions.length;
    const answered = (heard: Omit<HeardAnswer, 'question'>): void => void answers.push({ question, ...heard });
    return stand({ url, key, question: questions[question] ?? [], talked, talkers, answered });
  };
  for (let at = 0; at < Number(calls); at += atATime) {
    const count = Math.min(atATime, Number(calls) - at);
    opened.push(...(await Promise.all(Array.from({ length: count }, (_, index) => open(at + index)))));
  }
  await delay(settlingMs);
  Object.assign(talked, { sinceMs: performance.now(), frames: 0, lateFrames: 0, unanswered: 0 });
  talked.latenciesMs.length = 0;
  talked.lateAt.length = 0;
  answers.length = 0;
  look();
  process.stdout.write('talking\n');
  await delay(Number(seconds) * 1000);
  const ended = opened.filter(({ socket }) => socket.readyState !== WebSocket.OPEN).length;
  process.stdout.write(`${JSON.stringify({ ...talked, answers, ended, loop: look() })}\n`);
  stop();
  for (const { socket } of opened) socket.close();
}

interface Wish {
  readonly url: string;
  readonly key: string;
  readonly question: readonly Uint8Array[];
  readonly talked: Talked;
  readonly talkers: Talker[];
  answered(heard: Omit<HeardAnswer, 'question'>): void;
}

/** Opens a call and waits until the agent has answered a question in it. */
async function stand({ url, key, question, talked, talkers, answered }: Wish): Promise<Call> {
  const socket = new WebSocket(url, { headers: { 'x-api-key': key }, perMessageDeflate: false });
  await once(socket, 'open');
  socket.send(JSON.stringify({ type: 'session.start', sampleRate, encoding: 'pcm16' }));
  const { promise: hasAnswered, resolve } = Promise.withResolvers<true>();
  const room = bytesFromSamples(noise(frameSamples, quietRoom));
  let said = 0;
  const send = (frame: FrameKind): void => {
    said = frame === 'silent' ? 0 : said + 1;
    if (socket.readyState === WebSocket.OPEN) socket.send(question[said - 1] ?? room);
  };
  const startMs = performance.now() + 2_500 + ((talkers.length * 397) % 3000);
  const talker = new Talker(send, { startMs, talked, questionFrames: question.length });
  socket.on('message', (data, isBinary) => {
    if (!isBinary || !Buffer.isBuffer(data))
      return noteFrame(String(data), (parts) => answered({ heardMs: talker.waitedMs, parts }));
    const samples = samplesFromBytes(data);
    const isSilent = !samples.some((sample) => Math.abs(sample) > silentBelow);
    if (!isSilent) resolve(true);
    talker.heard((samples.length * 1000) / sampleRate, isSilent);
  });
  socket.on('close', (code, reason) => code !== 1005 && process.stderr.write(`a call ended: ${code} ${String(reason)}\n`));
  talkers.push(talker);
  if (await Promise.race([hasAnswered, delay(standsWithinMs, false)])) return { socket, talker };
  throw new Error('a call was not answered');
}

function noteFrame(text: string, done: (parts: HeardAnswer['parts']) => void): void {
  const told = text.includes('"agent.done"') ? Told.safeParse(JSON.parse(text)).data : undefined;
  if (told) done(told.latency);
  if (text.includes('"type":"error"') || text.includes('"type":"warning"')) process.stderr.write(`${text}\n`);
}

/** A sentence without the silence that voices add around it: its last frame ends with its last sound. */
function framesOf(sentence: Int16Array): Uint8Array[] {
  const faintest = audibleShare * sentence.reduce((most, sample) => Math.max(most, Math.abs(sample)), 1);
  const isAudible = (sample: number): boolean => Math.abs(sample) > faintest;
  const end = sentence.findLastIndex(isAudible) + 1;
  const frames = Math.ceil((end - sentence.findIndex(isAudible)) / frameSamples);
  const begin = Math.max(0, end - frames * frameSamples);
  return Array.from({ length: frames }, (_, at) =>
    bytesFromSamples(sentence.slice(begin + at * frameSamples, begin + (at + 1) * frameSamples)),
  );
}

void main();
