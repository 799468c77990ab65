const firstDelayMs = 250;
const delayMsMax = 10_000;
const steadyAfterMs = 30_000;

/** How long to wait before the next restart: doubles while a process keeps dying young, starts over once it has been steady. */
export class RestartDelay {
  private deaths = 0;

  afterLifeOf(lifetimeMs: number): number {
    this.deaths = lifetimeMs >= steadyAfterMs ? 1 : this.deaths + 1;
    return Math.min(firstDelayMs * 2 ** (this.deaths - 1), delayMsMax);
  }
}
