// Bit rates of MPEG Layer III in kbit/s, by index; version 1, then versions 2 and 2.5.
const bitRates1 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
const bitRates2 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
const sampleRates1 = [44_100, 48_000, 32_000];

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
