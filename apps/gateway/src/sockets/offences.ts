import { socketLimits } from './socket-limits';

const { offencesMax, offenceForgottenMs } = socketLimits;

/** Counts what a client does against the protocol. An honest mistake now and then is forgotten. */
export class Offences {
  private forgottenAtMs = 0;

  constructor(private readonly now: () => number = performance.now.bind(performance)) {}

  /** Notes one, and tells whether it was one too many. */
  isOneTooMany(): boolean {
    const nowMs = this.now();
    this.forgottenAtMs = Math.max(this.forgottenAtMs, nowMs) + offenceForgottenMs;
    return this.forgottenAtMs - nowMs > offencesMax * offenceForgottenMs;
  }
}
