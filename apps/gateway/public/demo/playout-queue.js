/**
 * Sound waiting to be played, in a ring of fixed size. To absorb network jitter, playback starts, and restarts after a gap, only
 * once a little has been buffered. Sound that arrives while the ring is full is dropped and counted.
 */
export class PlayoutQueue {
  constructor({ capacity, startAt, patience }) {
    this.ring = new Float32Array(capacity);
    this.startAt = startAt;
    this.patience = patience;
    this.clear();
  }

  /** Drops what has not been played, and starts counting from zero again. */
  clear() {
    this.head = 0;
    this.length = 0;
    this.played = 0;
    this.lost = 0;
    this.waited = 0;
    this.isFlowing = false;
  }

  push(samples) {
    const room = Math.min(samples.length, this.ring.length - this.length);
    for (let index = 0; index < room; index += 1) {
      this.ring[(this.head + this.length + index) % this.ring.length] = samples[index];
    }
    this.length += room;
    this.lost += samples.length - room;
  }

  /** Fills a block to be played, with silence where there is nothing; returns how many of its samples were sound. */
  pull(block) {
    block.fill(0);
    if (!this.mayFlow(block.length)) return 0;
    const count = Math.min(block.length, this.length);
    for (let index = 0; index < count; index += 1) block[index] = this.ring[(this.head + index) % this.ring.length];
    this.head = (this.head + count) % this.ring.length;
    this.length -= count;
    this.played += count;
    if (this.length === 0) this.isFlowing = false;
    return count;
  }

  /** The end of an answer may be shorter than the buffer needs to start, so it waits only so long. */
  mayFlow(blockLength) {
    if (this.isFlowing) return true;
    this.waited = this.length === 0 ? 0 : this.waited + blockLength;
    this.isFlowing = this.length >= this.startAt || this.waited > this.patience;
    if (this.isFlowing) this.waited = 0;
    return this.isFlowing;
  }
}
