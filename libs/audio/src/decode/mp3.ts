// Bit rates of MPEG Layer III in kbit/s, by index; version 1, then versions 2 and 2.5.
const bitRates1 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];

const bitRates2 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];

const sampleRates1 = [44_100, 48_000, 32_000];

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

/** Bytes from the MP3 frame that starts here to the next one; nothing when no Layer III frame starts here. */
export function frameLengthOf(bytes: Uint8Array, at: number): number | undefined {
  const [sync = 0, kind = 0, rates = 0] = bytes.subarray(at, at + 3);
  if (sync !== 0xff || (kind & 0xe6) !== 0xe2) return undefined;
  const version = (kind >> 3) & 0x03;
  const isVersion1 = version === 3;
  const bitRate = (isVersion1 ? bitRates1 : bitRates2)[rates >> 4];
  const sampleRate = sampleRates1[(rates >> 2) & 0x03];
  if (version === 1 || !bitRate || !sampleRate) return undefined;
  const divisor = isVersion1 ? 1 : version === 2 ? 2 : 4;
  const padding = (rates >> 1) & 0x01;
  return Math.floor(((isVersion1 ? 144 : 72) * bitRate * 1000) / (sampleRate / divisor)) + padding;
}
