// A process of its own: `node livekit.mjs <sessions> <seconds> <folder>` lets livekit agents-js serve the same callers, with
// stubs as instant as those around Parley: its AgentSession without a room, its own audio input and output.
import { createRequire } from 'node:module';
import path from 'node:path';
import callers from '../callers.js';

const { answerMs, measure, questionFrames, sampleRate } = callers;
const [sessions, seconds, folder] = process.argv.slice(2);
const require = createRequire(path.join(folder, 'package.json'));
const { AudioFrame } = require('@livekit/rtc-node');
const agents = require('@livekit/agents');
const { initializeLogger, llm, stt, tts, voice, VAD, VADEventType, VADStream } = agents;
const { SpeechEventType } = stt;

const voiceFrames = 3;
const wordsAfterFrames = 15;
const frameMs = 20;

class Recognition extends stt.SpeechStream {
  label = 'stub';

  async run() {
    let loud = 0;
    for await (const frame of this.input) {
      if (typeof frame === 'symbol') continue;
      loud = frame.data[0] ? loud + 1 : 0;
      const alternatives = [{ text: 'when do you deliver', language: 'en', startTime: 0, endTime: 0, confidence: 1 }];
      if (loud === voiceFrames) this.queue.put({ type: SpeechEventType.START_OF_SPEECH });
      if (loud === wordsAfterFrames) this.queue.put({ type: SpeechEventType.INTERIM_TRANSCRIPT, alternatives });
      if (loud !== questionFrames) continue;
      this.queue.put({ type: SpeechEventType.FINAL_TRANSCRIPT, alternatives });
      this.queue.put({ type: SpeechEventType.END_OF_SPEECH });
    }
  }
}

class Recognizer extends stt.STT {
  label = 'stub';

  constructor() {
    super({ streaming: true, interimResults: true });
  }

  stream() {
    return new Recognition(this);
  }
}

class Detection extends VADStream {
  constructor(vad) {
    super(vad);
    void this.run();
  }

  async run() {
    let loud = 0;
    let samplesIndex = 0;
    for (;;) {
      const { done, value: frame } = await this.inputReader.read();
      if (done) return;
      if (typeof frame === 'symbol') continue;
      loud = frame.data[0] ? loud + 1 : 0;
      samplesIndex += frame.samplesPerChannel;
      const speaking = loud >= voiceFrames && loud < questionFrames;
      const times = { samplesIndex, timestamp: Date.now(), speechDuration: loud * frameMs, silenceDuration: 0 };
      const sums = { rawAccumulatedSilence: 0, rawAccumulatedSpeech: loud * frameMs };
      const event = { ...times, ...sums, frames: [], probability: 1, inferenceDuration: 0, speaking };
      if (loud === voiceFrames) this.sendVADEvent({ ...event, type: VADEventType.START_OF_SPEECH });
      if (speaking) this.sendVADEvent({ ...event, type: VADEventType.INFERENCE_DONE });
      if (loud === questionFrames) this.sendVADEvent({ ...event, type: VADEventType.END_OF_SPEECH });
    }
  }
}

class Detector extends VAD {
  label = 'stub';

  constructor() {
    super({ updateInterval: frameMs });
  }

  stream() {
    return new Detection(this);
  }
}

class Reply extends llm.LLMStream {
  async run() {
    this.queue.put({ id: 'stub', delta: { role: 'assistant', content: 'We deliver within three working days.' } });
  }
}

class Model extends llm.LLM {
  label() {
    return 'stub';
  }

  chat({ chatCtx, toolCtx, connOptions = agents.DEFAULT_API_CONNECT_OPTIONS }) {
    return new Reply(this, { chatCtx, toolCtx, connOptions });
  }
}

class Speech extends tts.SynthesizeStream {
  label = 'stub';

  async run() {
    for await (const text of this.input) {
      if (typeof text === 'symbol') continue;
      for (let ms = 0; ms < answerMs; ms += 100) {
        const samples = new Int16Array(sampleRate / 10).fill(5000);
        const frame = new AudioFrame(samples, sampleRate, 1, samples.length);
        this.queue.put({ requestId: 'stub', segmentId: 'stub', frame, final: ms + 100 >= answerMs });
      }
      this.queue.put(tts.SynthesizeStream.END_OF_STREAM);
    }
  }
}

class Speaker extends tts.TTS {
  label = 'stub';

  constructor() {
    super(sampleRate, 1, { streaming: true });
  }

  synthesize() {
    throw new Error('only streams are asked for');
  }

  stream() {
    return new Speech(this);
  }
}

class Microphone extends voice.AudioInput {
  constructor() {
    super();
    this.multiStream.addInputStream(new ReadableStream({ start: (controller) => void (this.controller = controller) }));
  }

  push(samples) {
    this.controller.enqueue(new AudioFrame(samples, sampleRate, 1, samples.length));
  }
}

/** Plays in real time what is captured faster, and detects when sound begins and when it is stopped. */
class Loudspeaker extends voice.AudioOutput {
  pushedMs = 0;

  constructor(notices) {
    super(sampleRate, undefined, { pause: false });
    this.notices = notices;
  }

  async captureFrame(frame) {
    await super.captureFrame(frame);
    if (this.pushedMs === 0) {
      this.startedMs = performance.now();
      this.notices.noticeSound(this.startedMs);
      this.onPlaybackStarted(Date.now());
    }
    this.pushedMs += (frame.samplesPerChannel / frame.sampleRate) * 1000;
  }

  flush() {
    super.flush();
    if (this.pushedMs === 0) return;
    const leftMs = this.pushedMs - (performance.now() - this.startedMs);
    this.timer = setTimeout(() => this.finish(this.pushedMs, false), Math.max(0, leftMs));
  }

  clearBuffer() {
    if (this.pushedMs === 0) return;
    clearTimeout(this.timer);
    this.notices.noticeSilence(performance.now());
    this.finish(Math.min(this.pushedMs, performance.now() - this.startedMs), true);
  }

  finish(playedMs, interrupted) {
    this.pushedMs = 0;
    this.onPlaybackFinished({ playbackPosition: playedMs / 1000, interrupted });
  }
}

async function open(notices) {
  const session = new voice.AgentSession({
    stt: new Recognizer(),
    vad: new Detector(),
    llm: new Model(),
    tts: new Speaker(),
    // Without this, interruptions are ignored for the first three seconds, which would be measured as slowness.
    aecWarmupDuration: null,
    turnHandling: { turnDetection: 'stt', endpointing: { minDelay: 0, maxDelay: 0 }, preemptiveGeneration: { enabled: false } },
  });
  const microphone = new Microphone();
  session.input.audio = microphone;
  session.output.audio = new Loudspeaker(notices);
  session.on?.('error', ({ error }) => void process.stderr.write(`livekit: ${error?.message ?? error}\n`));
  await session.start({ agent: new voice.Agent({ instructions: 'Answer briefly.' }) });
  return { hear: (frame) => microphone.push(frame) };
}

initializeLogger({ pretty: false, level: 'silent' });
const measured = await measure({ sessions: Number(sessions), seconds: Number(seconds), interrupts: true, open });
process.stdout.write(`${JSON.stringify(measured)}\n`, () => process.exit(0));
