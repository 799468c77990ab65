import { SendQueue } from './client-socket';

/** A network that accepts this many bytes, then nothing until it is read. */
class Wire {
  bufferedAmount = 0;
  readonly sent: string[] = [];
  private readonly waiting: (() => void)[] = [];

  send(data: unknown, _options?: unknown, done?: () => void): void {
    this.sent.push(typeof data === 'string' ? data : `sound ${(data as Uint8Array)[0]}`);
    this.bufferedAmount += (data as { length: number }).length;
    if (done) this.waiting.push(done);
  }

  /** The client reads everything that was sent. */
  read(): void {
    this.bufferedAmount = 0;
    for (const done of this.waiting.splice(0)) done();
  }
}

const chunk = (n: number, bytes = 16_000) => new Uint8Array(bytes).fill(n);

describe('SendQueue', () => {
  let wire: Wire;
  let told: string[];
  let queue: SendQueue;
  beforeEach(() => {
    wire = new Wire();
    told = [];
    queue = new SendQueue(wire, (how) => told.push(how));
  });

  it('sends everything in order, no faster than the network accepts', () => {
    for (let n = 0; n < 6; n += 1) queue.sound(chunk(n));
    queue.text('last');
    expect(wire.sent).toEqual(['sound 0', 'sound 1', 'sound 2']);
    for (let round = 0; round < 5; round += 1) wire.read();
    expect(wire.sent).toEqual(['sound 0', 'sound 1', 'sound 2', 'sound 3', 'sound 4', 'sound 5', 'last']);
  });

  it('warns once of a reader two seconds behind, and again only after it caught up', () => {
    // Four seconds at the usual rate: the minimum that counts as behind exceeds two.
    for (let n = 0; n < 12; n += 1) queue.sound(chunk(n));
    expect(told).toEqual(['slow']);
    for (let round = 0; round < 10; round += 1) wire.read();
    queue.sound(chunk(99));
    for (let n = 0; n < 12; n += 1) queue.sound(chunk(n));
    expect(told).toEqual(['slow', 'slow']);
  });

  it('gives up a reader ten seconds behind, at any rate', () => {
    queue.bytesPerSecond = 96_000;
    for (let n = 0; n < 59; n += 1) queue.sound(chunk(n));
    expect(told).toEqual(['slow']);
    for (let n = 0; n < 3; n += 1) queue.sound(chunk(n));
    expect(told).toContain('too slow');
  });

  it('drops queued sound of a cancelled answer, and keeps all text', () => {
    for (let n = 0; n < 6; n += 1) queue.sound(chunk(n));
    queue.text('word');
    queue.dropSound();
    queue.text('interrupted');
    queue.sound(chunk(9));
    for (let round = 0; round < 5; round += 1) wire.read();
    expect(wire.sent).toEqual(['sound 0', 'sound 1', 'sound 2', 'word', 'interrupted', 'sound 9']);
  });

  it('lets a warning overtake the sound it is about', () => {
    for (let n = 0; n < 6; n += 1) queue.sound(chunk(n));
    queue.textFirst('slow');
    wire.read();
    expect(wire.sent.slice(0, 5)).toEqual(['sound 0', 'sound 1', 'sound 2', 'slow', 'sound 3']);
  });

  it('flushes when finished, and accepts nothing more', () => {
    for (let n = 0; n < 4; n += 1) queue.sound(chunk(n));
    queue.finish();
    queue.text('too late');
    expect(wire.sent).toEqual(['sound 0', 'sound 1', 'sound 2', 'sound 3']);
  });
});
