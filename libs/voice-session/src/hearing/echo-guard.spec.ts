import { joinSamples } from '@parley/audio';
import { EchoGuard, SampleTrail } from './echo-guard';
import { Chance } from '../scripted/simulated-interruption';

const rate = 8000;
const frame = rate / 50;

/** Speech-like sound below 1 kHz that never repeats. */
function babble(ms: number, seed: number): Int16Array {
  const chance = new Chance(seed);
  let level = 0;
  return Int16Array.from({ length: (rate * ms) / 1000 }, () => {
    level += ((chance.next() - 0.5) * 20_000 - level) * 0.2;
    return level;
  });
}

function played(guard: EchoGuard, own: Int16Array, heard: Int16Array): void {
  for (let at = 0; at < own.length; at += frame) {
    guard.noticeOwnVoice(own.subarray(at, at + frame));
    guard.hear(heard.subarray(at, at + frame));
  }
}

/** Whose voice is heard after each 32 ms of what follows the first three seconds, and whether the line is trusted then. */
function windowsOf(guard: EchoGuard, own: Int16Array, heard: Int16Array): [string, boolean][] {
  const window = (rate * 32) / 1000;
  return Array.from({ length: Math.floor(own.length / window) }, (_, n) => {
    guard.noticeOwnVoice(own.subarray(n * window, (n + 1) * window));
    guard.hear(heard.subarray(n * window, (n + 1) * window));
    return [guard.whoSpeaks(3000 + (n + 1) * 32), guard.isTrusted];
  });
}

describe('EchoGuard', () => {
  it('trusts a line without echo, so that a caller is believed at once', () => {
    const guard = new EchoGuard(rate);
    played(guard, babble(3000, 5), new Int16Array(3 * rate));
    expect(guard.isTrusted).toBe(true);
    played(guard, babble(200, 11), babble(200, 77));
    expect(guard.whoSpeaks(3200)).toBe('caller');
  });

  it('doubts a voice until it knows whether there is an echo', () => {
    const guard = new EchoGuard(rate);
    played(guard, babble(400, 5), new Int16Array(0.4 * rate));
    played(guard, babble(200, 11), babble(200, 77));
    expect([guard.isTrusted, guard.whoSpeaks(600)]).toEqual([false, 'doubtful']);
  });

  it('finds an echo on a line that it trusted, and stops trusting it once the echo lasts', () => {
    const guard = new EchoGuard(rate);
    played(guard, babble(3000, 5), new Int16Array(3 * rate));
    const own = babble(1000, 9);
    const echo = new Int16Array(own.length);
    echo.set(
      own.subarray(0, own.length - 800).map((sample) => sample * 0.3),
      800,
    );
    expect(windowsOf(guard, own, echo).slice(-10)).toEqual(Array.from({ length: 10 }, () => ['own', false]));
  });

  it('takes a voice that resembles the agent’s for a tenth of a second for a caller again after it', () => {
    const guard = new EchoGuard(rate);
    played(guard, babble(3000, 5), new Int16Array(3 * rate));
    const own = babble(1000, 9);
    const voice = babble(1000, 77);
    voice.set(
      own.subarray(0, 0.16 * rate).map((sample) => sample * 0.3),
      0.3 * rate,
    );
    const windows = windowsOf(guard, own, voice);
    expect(windows.slice(0, 9)).toEqual(Array.from({ length: 9 }, () => ['caller', true]));
    expect(windows.filter(([owner]) => owner === 'own').length).toBeGreaterThan(0);
    expect(windows.slice(-12)).toEqual(Array.from({ length: 12 }, () => ['caller', true]));
  });

  it('stops searching a trusted line for echo once the agent has been silent for a moment, and goes on with any other line', () => {
    const speakerBehind = (own: Int16Array): string => {
      const guard = new EchoGuard(rate);
      played(guard, own, new Int16Array(own.length));
      guard.hear(joinSamples([new Int16Array(0.3 * rate), own.subarray(own.length - 0.2 * rate)]));
      return guard.whoSpeaks((own.length * 1000) / rate + 500);
    };
    expect([speakerBehind(babble(3000, 5)), speakerBehind(babble(400, 5))]).toEqual(['caller', 'own']);
  });

  it('takes no voice for the echo of a much softer sound, however alike they are', () => {
    const guard = new EchoGuard(rate);
    const loud = babble(600, 5);
    const softer = (times: number) => loud.map((sample) => sample / times);
    played(guard, softer(8), loud);
    expect(guard.whoSpeaks(600)).toBe('doubtful');
    const nearby = new EchoGuard(rate);
    played(nearby, softer(2), loud);
    expect(nearby.whoSpeaks(600)).toBe('own');
  });

  it('doubts nobody while the agent is silent', () => {
    const guard = new EchoGuard(rate);
    guard.hear(babble(1000, 7));
    expect(guard.whoSpeaks(1000)).toBe('caller');
  });
});

describe('SampleTrail', () => {
  it('drops what follows a position that it returns to', () => {
    const trail = new SampleTrail(new Float32Array(8));
    trail.append(Float32Array.of(1, 2, 3, 4, 5));
    trail.goTo(2);
    trail.append(Float32Array.of(9));
    expect([trail.end, ...trail.slice(0, 5)]).toEqual([3, 1, 2, 9, 0, 0]);
  });

  it('finds recent samples by position, whatever pieces they came in, with silence before and after', () => {
    const kept = 7;
    const trail = new SampleTrail(new Float32Array(kept));
    const all: number[] = [];
    for (let piece = 1; piece < 40; piece += 1) {
      if (piece % 5 === 0) {
        const place = all.length + (piece % 11);
        trail.goTo(place);
        while (all.length < place) all.push(0);
      }
      const samples = Array.from({ length: piece % 10 }, () => all.length + piece / 100);
      trail.append(Float32Array.from(samples));
      all.push(...samples);
      expect(trail.end).toBe(all.length);
      for (const [from, to] of [
        [-3, 2],
        [all.length - kept - 4, all.length + 3],
        [all.length - 5, all.length - 1],
      ] as const) {
        const known = Array.from({ length: to - from }, (_, at) => {
          const place = from + at;
          return place >= Math.max(0, all.length - kept) ? (all[place] ?? 0) : 0;
        });
        expect([...trail.slice(from, to)]).toEqual([...Float32Array.from(known)]);
        expect([...trail.samples(from, to)]).toEqual([...Int16Array.from(known)]);
        expect(trail.rootBetween(from, to)).toBeCloseTo(Math.hypot(...Float32Array.from(known)) / Math.sqrt(known.length), 6);
      }
    }
  });
});
