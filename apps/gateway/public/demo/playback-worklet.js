import { PlayoutQueue } from './playout-queue.js';
import { Resampler } from './resampler.js';

const [capacitySeconds, startSeconds, patienceSeconds, reportSeconds] = [30, 0.06, 0.2, 0.1];

/** Runs on the audio thread: plays the current answer, and reports how much of it has been played. */
class Playback extends AudioWorkletProcessor {
  constructor() {
    super();
    this.queue = new PlayoutQueue({
      capacity: capacitySeconds * sampleRate,
      startAt: startSeconds * sampleRate,
      patience: patienceSeconds * sampleRate,
    });
    this.answer = 0;
    this.reported = 0;
    this.port.onmessage = ({ data }) => this.take(data);
  }

  take({ answer, fromRate, samples }) {
    if (fromRate) {
      this.queue.clear();
      this.reported = 0;
      this.answer = answer;
      this.resampler = new Resampler(fromRate, sampleRate);
    } else if (samples && answer === this.answer) {
      this.queue.push(this.resampler.push(samples));
    } else if (!samples) {
      this.queue.clear();
      this.answer = 0;
    }
  }

  process(_inputs, [[channel]]) {
    if (!channel) return true;
    const { queue } = this;
    const heard = queue.pull(channel);
    const isDrained = heard > 0 && queue.length === 0;
    if (isDrained || queue.played - this.reported >= reportSeconds * sampleRate) this.report(isDrained);
    return true;
  }

  report(isDrained) {
    const { queue, answer } = this;
    this.reported = queue.played;
    this.port.postMessage({ answer, playedMs: (queue.played / sampleRate) * 1000, isDrained, isLossy: queue.lost > 0 });
  }
}

registerProcessor('playback', Playback);
