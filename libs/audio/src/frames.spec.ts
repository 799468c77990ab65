import { FrameCutter, frameSamplesOf } from './dtmf';

describe('FrameCutter', () => {
  it('cuts the same frames from blocks of any size', () => {
    const sound = Int16Array.from({ length: 1000 }, (_, i) => i);
    const cutter = new FrameCutter(frameSamplesOf(8000));
    const frames: Int16Array[] = [];
    for (let at = 0, size = 1; at < sound.length; at += size, size = (size * 7) % 331) {
      frames.push(...cutter.push(sound.subarray(at, at + size)).map((frame) => frame.slice()));
    }
    expect(frames.flatMap((frame) => [...frame])).toEqual([...sound.subarray(0, 960)]);
    expect([...(cutter.flush() ?? [])]).toEqual([...sound.subarray(960), ...Array.from({ length: 120 }, () => 0)]);
  });

  it('has nothing left if the stream ends at a frame’s end', () => {
    const cutter = new FrameCutter(160);
    expect(cutter.push(new Int16Array(320))).toHaveLength(2);
    expect(cutter.flush()).toBeUndefined();
  });
});
