/** How long the service may still work. Injectable everywhere. */
export abstract class Lifetime {
  /** Aborts when the service begins to stop: close sockets with 1012 and take nothing new; what is in flight may finish. */
  abstract readonly draining: AbortSignal;
}

/** The lifetime that whoever stops the service ends. */
export class ServiceLifetime extends Lifetime {
  private readonly ending = new AbortController();
  readonly draining = this.ending.signal;

  drain(): void {
    this.ending.abort();
  }
}
