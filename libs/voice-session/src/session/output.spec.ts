import fc from 'fast-check';
import type { SessionAction } from './events';
import { Output } from './output';

const line = { sampleRate: 8000, hasMarks: false };
const about = { purpose: 'answer', turnUUID: '', isProtected: false } as const;

type Play = Extract<SessionAction, { kind: 'play' }>;
const playsOf = (actions: readonly SessionAction[]): Play[] => actions.filter((action): action is Play => action.kind === 'play');
const msOf = (plays: readonly Play[]): number =>
  plays.reduce((ms, { slices, padding }) => ms + (slices.reduce((sum, slice) => sum + slice.samples, 0) + padding) / 8, 0);

/** An utterance of sentences with these numbers of samples, all synthesized. */
function saying(output: Output, sentences: readonly number[]): number[] {
  const utterance = output.open(about);
  if (!utterance) return [];
  for (const samples of sentences) {
    output.add(utterance, 'words');
    const piece = utterance.pieces.at(-1);
    if (piece) Object.assign(piece, { made: samples, isMade: true });
  }
  utterance.isComplete = true;
  return utterance.pieces.map(({ id }) => id);
}

const step = fc.oneof(
  fc.record({ do: fc.constant('pass' as const), ms: fc.integer({ min: 1, max: 90 }) }),
  fc.record({ do: fc.constantFrom('pause' as const, 'resume' as const, 'cancel' as const), ms: fc.constant(0) }),
  fc.record({ do: fc.constant('say' as const), ms: fc.integer({ min: 1, max: 900 }) }),
);

describe('the output', () => {
  it('stays at most 60 ms ahead of playback, and sends whole frames in blocks', () => {
    const output = new Output(line);
    saying(output, [1234, 4321]);
    let handedMs = 0;
    for (let nowMs = 0; nowMs < 1000; nowMs += 10) {
      const blockMs = msOf(playsOf(output.play(nowMs)));
      handedMs += blockMs;
      expect([0, 20, 40, 60]).toContain(blockMs);
      expect(handedMs).toBeLessThanOrEqual(nowMs + 60);
      expect(handedMs).toBeGreaterThanOrEqual(Math.min(nowMs, 680));
    }
    expect(handedMs).toBe(700);
    expect(output.frameCounts).toEqual({ frames: 35, lateFrames: 0 });
  });

  it('counts frames sent too late, but not those whose sound was missing', () => {
    const output = new Output(line);
    const [piece = 0] = saying(output, [8000]);
    output.play(0);
    output.play(100);
    expect(output.frameCounts.lateFrames).toBe(2);
    const late = new Output(line);
    saying(late, [480]);
    late.play(0);
    late.play(200);
    late.makeSound(piece, { samples: 8000 }, 300);
    late.play(300);
    expect(late.frameCounts.lateFrames).toBe(0);
  });

  it('never sends cancelled sound, and sends every sample once unless it was cleared unheard', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const output = new Output(line);
        const cancelled = new Set<number>();
        const places = new Map<number, number>();
        let alive: number[] = [];
        let nowMs = 0;
        for (const { do: what, ms } of steps) {
          nowMs += what === 'pass' ? ms : 0;
          if (what === 'say') alive.push(...saying(output, [ms * 8]));
          if (what === 'resume') output.resume();
          if (what === 'pause') output.pause(nowMs);
          if (what === 'pause') for (const piece of output.current?.pieces ?? []) places.set(piece.id, piece.sent);
          if (what === 'cancel') {
            output.cancel(nowMs);
            for (const id of alive.splice(0)) cancelled.add(id);
          }
          output.finished(nowMs, false);
          for (const { slices } of playsOf(output.play(nowMs))) {
            for (const { piece, from, samples } of slices) {
              expect(cancelled.has(piece)).toBe(false);
              expect(from).toBe(places.get(piece) ?? 0);
              places.set(piece, from + samples);
            }
          }
        }
        alive = [];
      }),
    );
  });

  it('never counts more as heard than it sent, whatever the other end reports', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.integer({ min: 1, max: 100 }), fc.nat(3000)), { maxLength: 40 }), (reports) => {
        const output = new Output(line);
        saying(output, [16_000]);
        let nowMs = 0;
        let handed = 0;
        for (const [ms, playedMs] of reports) {
          nowMs += ms;
          handed += msOf(playsOf(output.play(nowMs))) * 8;
          output.notePlayed({ playedMs }, nowMs);
          expect(output.heard(nowMs)).toBeLessThanOrEqual(Math.min(handed, nowMs * 8, playedMs * 8));
        }
      }),
    );
  });
});
