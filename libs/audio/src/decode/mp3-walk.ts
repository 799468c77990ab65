import { frameLengthOf } from './mp3-frame';

/** What an ID3 tag needs to say how long it is; a frame says so in fewer bytes. */
const headBytes = 10;

/** Goes through an MP3 from frame to frame while its bytes pass by, to know whether it ends where a frame ends. */
export class Mp3Walk {
  /** Bytes at the end of a block that are too few to tell what begins with them. */
  private rest: Uint8Array = new Uint8Array(0);
  private bytesLeft = 0;
  private isFrame = false;
  /** Whether the next byte stands right behind a frame or a tag. Elsewhere two bytes that look like a frame may be anything. */
  private isInStep = true;

  push(block: Uint8Array): void {
    const bytes = Buffer.concat([this.rest, block]);
    let at = 0;
    while (at < bytes.length) {
      if (this.bytesLeft === 0 && bytes.length - at < headBytes) break;
      if (this.bytesLeft === 0) this.begin(bytes.subarray(at, at + headBytes));
      const passed = Math.min(this.bytesLeft, bytes.length - at);
      this.bytesLeft -= passed;
      at += passed;
    }
    this.rest = bytes.subarray(at);
  }

  /** Whether a frame is under way that has not come to its end. */
  get isWithinFrame(): boolean {
    return this.bytesLeft > 0 ? this.isFrame : this.isInStep && beginsFrame(this.rest);
  }

  private begin(head: Uint8Array): void {
    const frameBytes = frameLengthOf(head, 0);
    const bytes = frameBytes ?? tagLengthOf(head);
    this.isFrame = frameBytes !== undefined && this.isInStep;
    this.isInStep = bytes !== undefined;
    this.bytesLeft = bytes ?? 1;
  }
}

/** No frame is as short as this rest; the first bytes of one may be all that there is. */
function beginsFrame(rest: Uint8Array): boolean {
  if (rest.length >= 3) return frameLengthOf(rest, 0) !== undefined;
  const [sync, kind = 0xe2] = rest;
  return sync === 0xff && (kind & 0xe6) === 0xe2;
}

/** Bytes of the ID3 tag that begins here, with its head; its size has seven bits in each byte. */
function tagLengthOf(head: Uint8Array): number | undefined {
  if (head[0] !== 0x49 || head[1] !== 0x44 || head[2] !== 0x33) return undefined;
  return head.subarray(6, headBytes).reduce((size, byte) => size * 128 + (byte & 0x7f), 0) + headBytes;
}
