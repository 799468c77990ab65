import { Socket } from 'node:net';

/**
 * Sends what is written in one go in one piece: statements that leave together cost one system call, and wake Postgres once.
 */
export class GatheringSocket extends Socket {
  private isGathering = false;

  constructor() {
    super();
    // While it connects, Node puts its own `write` before the one of a subclass.
    this.once('connect', () => Reflect.deleteProperty(this, 'write'));
  }

  override write(chunk: Uint8Array | string, ...rest: never[]): boolean {
    this.gather();
    return super.write(chunk, ...rest);
  }

  private gather(): void {
    if (this.isGathering) return;
    this.isGathering = true;
    this.cork();
    process.nextTick(() => {
      this.isGathering = false;
      this.uncork();
    });
  }
}
