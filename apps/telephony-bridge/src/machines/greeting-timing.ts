import { loudnessOf } from '@parley/audio';

const loudMin = 0.015;
const pauseMs = 600;
/** Nobody who picks up speaks so long before they wait for an answer. */
const machineSpeechMs = 5_000;

/** Tells by the length of the first words whether a machine speaks them. */
export class GreetingTiming {
  private speechMs = 0;
  private silentMs = 0;
  private isSettled = false;

  constructor(private readonly sampleRate: number) {}

  /** How long it has been silent after having spoken; 0 before and while it speaks. */
  get silentAfterSpeechMs(): number {
    return this.speechMs > 0 ? this.silentMs : 0;
  }

  /** Whether what was heard so far is longer than any person's hello. It is told once. */
  hear(samples: Int16Array): boolean {
    const ms = (samples.length * 1000) / this.sampleRate;
    if (loudnessOf(samples) >= loudMin) {
      // A pause ends a hello: what comes after it is a conversation.
      if (this.silentMs >= pauseMs && this.speechMs > 0) this.isSettled = true;
      this.speechMs += ms + (this.speechMs > 0 ? this.silentMs : 0);
      this.silentMs = 0;
    } else {
      this.silentMs += ms;
    }
    if (this.isSettled || this.speechMs < machineSpeechMs) return false;
    this.isSettled = true;
    return true;
  }
}
