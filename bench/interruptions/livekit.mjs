// `node livekit.mjs <folder of agents-js> <folder of sounds>`: its AgentSession without a room, and its Silero, hear calls in
// real time while the agent speaks. Prints a line for each: what happened to the agent's speech after the sound began.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { livekitWithStubs } from '../voice/contestants/livekit-stubs.mjs';

const [folder, sounds] = process.argv.slice(2);
const speechRate = 16_000;
const answerMs = 12_000;
const { agents, Model, Speaker, Microphone } = livekitWithStubs(folder, {
  ...{ sampleRate: speechRate, answerMs, answer: 'A long answer.' },
  onAsked: (call) => call.asked(),
});
const { initializeLogger, stt, voice } = agents;
const silero = await import(pathToFileURL(path.join(folder, 'node_modules/@livekit/agents-plugin-silero/dist/index.js')));

const frameMs = 20;
/** More calls would keep its one thread busy, so that it hears late. */
const callsAtOnce = 6;

/** Transcribes this call from a script: the question first, and then the content of the sound. */
class Recognizer extends stt.STT {
  label = 'written';

  constructor(call) {
    super({ streaming: false, interimResults: false });
    this.call = call;
  }

  async recognize() {
    const { call } = this;
    const text = call.isInterrupting() ? call.text : call.question;
    return {
      type: stt.SpeechEventType.FINAL_TRANSCRIPT,
      alternatives: [{ text, language: 'en', startTime: 0, endTime: 0, confidence: 1 }],
    };
  }

  stream() {
    throw new Error('this recognizer hears whole voices');
  }
}

/** Plays in real time, can pause, and reports when it fell silent and when it continued. */
class Loudspeaker extends voice.AudioOutput {
  pushedMs = 0;
  playedMs = 0;

  constructor(call) {
    super(speechRate, undefined, { pause: true });
    this.call = call;
  }

  async captureFrame(frame) {
    await super.captureFrame(frame);
    if (this.pushedMs === 0) {
      this.playingSinceMs = performance.now();
      this.playedMs = 0;
      this.onPlaybackStarted(Date.now());
      this.call.speaks();
    }
    this.pushedMs += (frame.samplesPerChannel / frame.sampleRate) * 1000;
  }

  flush() {
    super.flush();
    this.finishLater();
  }

  pause() {
    super.pause?.();
    if (this.pushedMs === 0 || this.playingSinceMs === undefined) return;
    this.playedMs += performance.now() - this.playingSinceMs;
    this.playingSinceMs = undefined;
    clearTimeout(this.timer);
    this.call.silent();
  }

  resume() {
    super.resume?.();
    if (this.pushedMs === 0 || this.playingSinceMs !== undefined) return;
    this.playingSinceMs = performance.now();
    this.call.goesOn();
    this.finishLater();
  }

  clearBuffer() {
    if (this.pushedMs === 0) return;
    clearTimeout(this.timer);
    this.call.silent();
    this.call.gaveUp();
    this.finish(this.heardMs(), true);
  }

  heardMs() {
    const since = this.playingSinceMs === undefined ? 0 : performance.now() - this.playingSinceMs;
    return Math.min(this.pushedMs, this.playedMs + since);
  }

  finishLater() {
    if (this.pushedMs === 0 || this.playingSinceMs === undefined) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.finish(this.pushedMs, false), Math.max(0, this.pushedMs - this.heardMs()));
  }

  finish(playedMs, interrupted) {
    this.pushedMs = 0;
    this.onPlaybackFinished({ playbackPosition: playedMs / 1000, interrupted });
  }
}

/** What has happened in one call since the sound began. */
class Call {
  tookFloor = false;
  isSpeaking = false;
  silences = [];

  constructor({ text, question, atMs }) {
    Object.assign(this, { text, question, atMs });
  }

  begin() {
    this.startedMs = performance.now();
  }

  isInterrupting() {
    return performance.now() - this.startedMs > this.atMs;
  }

  speaks() {
    this.isSpeaking ||= !this.isInterrupting();
  }

  silent() {
    if (this.isInterrupting()) this.silences.push({ fromMs: performance.now() - this.startedMs - this.atMs });
  }

  goesOn() {
    const last = this.silences.at(-1);
    if (last) last.untilMs = performance.now() - this.startedMs - this.atMs;
  }

  gaveUp() {
    if (this.isInterrupting()) this.tookFloor = true;
  }

  asked() {
    if (this.isInterrupting()) this.tookFloor = true;
  }

  result() {
    const [first] = this.silences;
    return { tookFloor: this.tookFloor, wasSpeaking: this.isSpeaking, ...first };
  }
}

async function hear(about, vad) {
  const call = new Call(about);
  const session = new voice.AgentSession({
    stt: new Recognizer(call),
    vad,
    llm: new Model(call),
    tts: new Speaker(),
    aecWarmupDuration: null,
    turnHandling: { turnDetection: 'vad', preemptiveGeneration: { enabled: false } },
  });
  const microphone = new Microphone();
  session.input.audio = microphone;
  session.output.audio = new Loudspeaker(call);
  session.on?.('error', ({ error }) => void process.stderr.write(`livekit: ${error?.message ?? error}\n`));
  await session.start({ agent: new voice.Agent({ instructions: 'Answer briefly.' }) });
  const bytes = readFileSync(path.join(sounds, about.file));
  const samples = new Int16Array(bytes.buffer, bytes.byteOffset, bytes.length / 2).slice();
  const frame = (about.sampleRate * frameMs) / 1000;
  call.begin();
  for (let at = 0; at + frame <= samples.length; at += frame) {
    const dueMs = call.startedMs + ((at + frame) * 1000) / about.sampleRate - performance.now();
    if (dueMs > 0) await delay(dueMs);
    microphone.push(samples.slice(at, at + frame), about.sampleRate);
  }
  const result = call.result();
  await session.close();
  return result;
}

initializeLogger({ pretty: false, level: 'silent' });
const index = JSON.parse(readFileSync(path.join(sounds, 'index.json'), 'utf8'));
const vad = await silero.VAD.load();
for (let at = 0; at < index.length; at += callsAtOnce) {
  const results = await Promise.all(index.slice(at, at + callsAtOnce).map((about) => hear(about, vad)));
  for (const result of results) process.stdout.write(`${JSON.stringify(result)}\n`);
}
process.stdout.write('', () => process.exit(0));
