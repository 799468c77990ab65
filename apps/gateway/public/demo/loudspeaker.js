import { fromSixteenBits } from './samples.js';

/** Plays answers, one at a time, and reports how much of each was heard. */
export class Loudspeaker {
  constructor(context, { onPlayed, onDrained, onLossy }) {
    this.context = context;
    this.hear = { onPlayed, onDrained, onLossy };
    this.answer = 0;
    this.isOpen = false;
    this.playedMs = 0;
    this.volume = context.createGain();
    this.node = new AudioWorkletNode(context, 'playback', { numberOfInputs: 0, outputChannelCount: [1] });
    this.node.connect(this.volume).connect(context.destination);
    this.node.port.onmessage = ({ data }) => this.report(data);
  }

  /** Prepares for the next answer; the rest of the previous one is dropped. */
  begin(sampleRate) {
    this.answer += 1;
    this.isOpen = true;
    this.playedMs = 0;
    this.node.port.postMessage({ answer: this.answer, fromRate: sampleRate });
  }

  /** Sound that arrives after an interruption belongs to no answer and is not played. */
  play(bytes) {
    if (!this.isOpen) return;
    const samples = fromSixteenBits(bytes);
    this.node.port.postMessage({ answer: this.answer, samples }, [samples.buffer]);
  }

  /** Stops the sound at once. */
  stop() {
    this.isOpen = false;
    this.answer += 1;
    this.node.port.postMessage({ answer: this.answer });
  }

  mute(isMuted) {
    this.volume.gain.value = isMuted ? 0 : 1;
  }

  report({ answer, playedMs, isDrained, isLossy }) {
    if (answer !== this.answer) return;
    // What the audio thread has output is heard a little later, and much later on wireless headphones.
    const behindMs = (this.context.outputLatency || this.context.baseLatency || 0) * 1000;
    this.tell(answer, Math.max(0, playedMs - behindMs));
    if (isLossy) this.hear.onLossy();
    if (isDrained) setTimeout(() => this.tell(answer, playedMs, true), behindMs);
  }

  tell(answer, playedMs, isDrained = false) {
    if (answer !== this.answer || playedMs < this.playedMs) return;
    this.playedMs = Math.round(playedMs);
    this.hear.onPlayed(this.playedMs);
    if (isDrained) this.hear.onDrained();
  }
}
