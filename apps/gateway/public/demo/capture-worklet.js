import { Resampler } from './resampler.js';
import { FrameCutter } from './samples.js';

/** Runs on the audio thread: turns the microphone's sound into frames at the connection's sample rate. */
class Capture extends AudioWorkletProcessor {
  constructor({ processorOptions: { toRate, frameMs } }) {
    super();
    this.resampler = new Resampler(sampleRate, toRate);
    this.cutter = new FrameCutter((toRate * frameMs) / 1000);
  }

  process([[channel]]) {
    if (!channel) return true;
    for (const frame of this.cutter.push(this.resampler.push(channel))) this.port.postMessage(frame, [frame.buffer]);
    return true;
  }
}

registerProcessor('capture', Capture);
