// A process of its own: `node livekit.mjs <sessions> <seconds> <folder>` lets livekit agents-js serve the same callers, with
// stubs as instant as those around Parley: its AgentSession without a room, and its own audio input and output.
import callers from '../callers.js';
import { livekitWithStubs } from './livekit-stubs.mjs';

const { answerMs, measure, questionFrames, sampleRate } = callers;
const [sessions, seconds, folder] = process.argv.slice(2);
const answer = 'We deliver within three working days.';
const { agents, Model, Speaker, Microphone } = livekitWithStubs(folder, { sampleRate, answerMs, answer });
const { initializeLogger, stt, voice, VAD, VADEventType, VADStream } = agents;
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
    // By default, interruptions are ignored for the first three seconds, which would be measured as slowness.
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
