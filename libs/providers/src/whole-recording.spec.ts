import { joinSamples } from '@parley/audio';
import { withShortPauses } from './whole-recording';

const rate = 16_000;
const seconds = (length: number, loudness: number): Int16Array =>
  Int16Array.from({ length: length * rate }, (_, at) => Math.round(loudness * Math.sin((2 * Math.PI * 200 * at) / rate)));
const lengthOf = (...parts: Int16Array[]): number => withShortPauses(joinSamples(parts), rate).length / rate;

describe('pauses of a recording', () => {
  it.each([
    ['of silence', 0],
    ['with a background', 60],
  ])('%s become short, however long they were', (_, background) => {
    const pause = (length: number): Int16Array => seconds(length, background);
    expect(lengthOf(pause(3), seconds(1, 8000), pause(0.2), seconds(1, 8000), pause(15), seconds(1, 3000), pause(1))).toBeCloseTo(
      3.84,
      1,
    );
  });

  it('are kept where the background is as loud as the speech, since nothing tells them apart', () => {
    const loud = [seconds(2, 2500), seconds(2, 2000), seconds(2, 2500)];
    expect(lengthOf(...loud)).toBe(6);
  });

  it('are all there is of silence', () => {
    expect(lengthOf(seconds(30, 0))).toBe(0);
    expect(lengthOf(seconds(30, 20))).toBe(0);
  });
});
