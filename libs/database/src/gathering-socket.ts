import { Socket } from 'node:net';

/**
 * Sends what is written in one go in one piece: statements that leave together cost one system call, and wake Postgres once.
 */
export class GatheringSocket extends Socket {
  private isGathering = false;

  override write(chunk: Uint8Array | string, ...rest: never[]): boolean {
    this.gather();
    return super.write(chunk, ...rest);
  }

  private gather(): void {
    if (this.isGathering || this.connecting) return;
    this.isGathering = true;
    this.cork();
    process.nextTick(() => {
      this.isGathering = false;
      this.uncork();
    });
  }
}
