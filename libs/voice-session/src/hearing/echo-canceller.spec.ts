import { joinSamples } from '@parley/audio';
import { EchoCanceller } from './echo-canceller';
import type { FoundEcho, VoiceOwner } from './echo-guard';
import { Chance } from '../scripted/simulated-interruption';

/** Speech-coloured syllables that never repeat, four a second. */
function babble(ms: number, seed: number, rate: number): Int16Array {
  const chance = new Chance(seed);
  let level = 0;
  return Int16Array.from({ length: (rate * ms) / 1000 }, (_, at) => {
    level += ((chance.next() - 0.5) * 30_000 - level) * 0.3;
    return level * Math.max(0.02, Math.sin((at / rate) * Math.PI * 4)) ** 2;
  });
}

/** The echo of a voice: reflections, each with a delay in milliseconds and a strength. */
function echoOf(own: Int16Array, rate: number, parts: readonly (readonly [atMs: number, strength: number])[]): Int16Array {
  return own.map((_, at) =>
    parts.reduce((sum, [atMs, strength]) => sum + strength * (own[at - Math.round((atMs * rate) / 1000)] ?? 0), 0),
  );
}

function sum(one: Int16Array, other: Int16Array, from: number): Int16Array {
  return one.map((sample, at) => sample + (other[at - from] ?? 0));
}

function decibels(samples: Int16Array): number {
  return 10 * Math.log10(samples.reduce((power, sample) => power + sample * sample, 1) / samples.length);
}

const hybrid = [
  [60, 0.3],
  [61.25, -0.12],
  [63, 0.05],
] as const;
const found = { delayMs: 60, power: 0.09 };

interface Line {
  readonly canceller: EchoCanceller;
  readonly rate: number;
  /** The position in the call. */
  readonly fromMs?: number;
}

/** Runs a call in frames of 20 ms; an echo is found a second later. Returns what is left, and who was reported as speaking in each frame. */
function cancelled({ canceller, rate, fromMs = 0 }: Line, own: Int16Array, heard: Int16Array, found: FoundEcho) {
  const frame = rate / 50;
  const left: Int16Array[] = [];
  const speakers: (VoiceOwner | undefined)[] = [];
  for (let at = 0; at < heard.length; at += frame) {
    if (at < own.length) canceller.noticeOwnVoice(own.subarray(at, at + frame), at === 0 ? fromMs : undefined);
    left.push(canceller.hear(heard.subarray(at, at + frame)));
    if (at > rate) canceller.found(found);
    speakers.push(canceller.residualOwner(fromMs + ((at + frame) * 1000) / rate));
  }
  return { left: joinSamples(left), speakers };
}

describe.each([8000, 16_000])('EchoCanceller at %i Hz', (rate) => {
  const own = babble(5000, 5, rate);
  const echo = echoOf(own, rate, hybrid);
  const after = (ms: number, samples: Int16Array): Int16Array =>
    samples.subarray((rate * ms) / 1000, (rate * (ms + 1000)) / 1000);

  it('passes sound through unchanged until an echo is found', () => {
    const canceller = new EchoCanceller(rate);
    canceller.noticeOwnVoice(own, 0);
    const frame = echo.subarray(0, rate / 50);
    expect(canceller.hear(frame)).toBe(frame);
    expect(canceller.residualOwner(20)).toBeUndefined();
  });

  it('removes an echo once found, and reports no other speaker', () => {
    const canceller = new EchoCanceller(rate);
    const { left, speakers } = cancelled({ canceller, rate }, own, echo, found);
    expect(decibels(after(3500, echo)) - decibels(after(3500, left))).toBeGreaterThan(20);
    expect(speakers.slice(100)).not.toContain('caller');
  });

  it('keeps a caller who speaks over the echo at full loudness, and reports them', () => {
    const canceller = new EchoCanceller(rate);
    const caller = babble(800, 77, rate).map((sample) => sample * 0.3);
    const heard = sum(echo, caller, 4.2 * rate);
    const { left, speakers } = cancelled({ canceller, rate }, own, heard, found);
    const spoken = left.subarray(4.2 * rate, 4.2 * rate + caller.length);
    expect(Math.abs(decibels(spoken) - decibels(caller.subarray(0, spoken.length)))).toBeLessThan(2);
    expect(speakers.slice(100, 209)).not.toContain('caller');
    expect(speakers.slice(210, 220)).toContain('caller');
  });

  it('does not take a caller for more echo the longer they speak', () => {
    const canceller = new EchoCanceller(rate);
    const caller = babble(800, 77, rate).map((sample) => sample * 0.3);
    const { speakers } = cancelled({ canceller, rate }, own, sum(echo, caller, 4 * rate), found);
    // Half of each syllable is loud enough to be told from the echo.
    const loud = speakers.slice(200, 240).filter((speaker) => speaker === 'caller');
    expect(loud.length).toBeGreaterThan(15);
  });

  it.each([
    [
      'louder',
      [
        [60, 0.75],
        [61.25, -0.3],
        [63, 0.125],
      ],
    ],
    [
      'softer',
      [
        [60, 0.15],
        [61.25, -0.06],
        [63, 0.025],
      ],
    ],
    [
      'later',
      [
        [63, 0.3],
        [64.25, -0.12],
        [66, 0.05],
      ],
    ],
  ] as const)('takes an echo that becomes %s for nobody’s voice', (_, parts) => {
    const canceller = new EchoCanceller(rate);
    const moved = echo.slice();
    moved.set(echoOf(own, rate, parts).subarray(3.5 * rate), 3.5 * rate);
    const { speakers } = cancelled({ canceller, rate }, own, moved, found);
    expect(speakers.slice(100, 250).filter((speaker) => speaker === 'caller').length).toBeLessThan(6);
  });

  it.each([
    ['10 ms later', 70],
    ['35 ms later', 95],
    ['at the same time', 60],
  ])(
    'takes a loud echo that becomes louder and comes on another way %s for nobody’s voice, and hears a caller after',
    (_, atMs) => {
      const canceller = new EchoCanceller(rate);
      const agent = babble(8000, 5, rate);
      const moved = echoOf(agent, rate, [
        [60, 0.35],
        [61.25, -0.14],
        [63, 0.05],
      ]);
      const later = [
        [atMs, -0.45],
        [atMs + 1.25, 0.28],
        [atMs + 2.5, -0.17],
      ] as const;
      moved.set(echoOf(agent, rate, later).subarray(2.6 * rate), 2.6 * rate);
      const caller = babble(800, 77, rate).map((sample) => sample * 0.5);
      const { speakers } = cancelled({ canceller, rate }, agent, sum(moved, caller, 5 * rate), { delayMs: 60, power: 0.14 });
      expect(speakers.slice(100, 248)).not.toContain('caller');
      expect(speakers.slice(250, 290).filter((speaker) => speaker === 'caller').length).toBeGreaterThan(10);
    },
  );

  it('follows an echo that comes 30 ms later, and hears a caller two seconds after', () => {
    const canceller = new EchoCanceller(rate);
    const agent = babble(8000, 5, rate);
    const moved = echoOf(agent, rate, hybrid);
    const later = hybrid.map(([atMs, strength]) => [atMs + 30, strength] as const);
    moved.set(echoOf(agent, rate, later).subarray(2.5 * rate), 2.5 * rate);
    const caller = babble(800, 77, rate).map((sample) => sample * 0.3);
    const { left, speakers } = cancelled({ canceller, rate }, agent, sum(moved, caller, 4.5 * rate), found);
    expect(speakers.slice(100, 224).filter((speaker) => speaker === 'caller').length).toBeLessThan(6);
    expect(speakers.slice(225, 265).filter((speaker) => speaker === 'caller').length).toBeGreaterThan(10);
    expect(decibels(after(6500, moved)) - decibels(after(6500, left))).toBeGreaterThan(15);
  });

  it('hears most of a caller who is softer than the echo', () => {
    const canceller = new EchoCanceller(rate);
    const agent = babble(6000, 5, rate);
    const caller = babble(800, 77, rate).map((sample) => sample * 0.1);
    const heard = sum(echoOf(agent, rate, hybrid), caller, 4.5 * rate);
    const { speakers } = cancelled({ canceller, rate }, agent, heard, found);
    expect(speakers.slice(100, 224)).not.toContain('caller');
    expect(speakers.slice(225, 265).filter((speaker) => speaker === 'caller').length).toBeGreaterThan(16);
  });

  it('passes on every sample once, in pieces of any size, without delay once the agent is silent', () => {
    const canceller = new EchoCanceller(rate);
    const heard = joinSamples([echo, babble(2000, 9, rate)]);
    const left: Int16Array[] = [];
    canceller.noticeOwnVoice(own.subarray(0, rate), 0);
    for (let at = 0, piece = 1; at < heard.length; at += piece, piece = 1 + ((piece * 7919) % 401)) {
      left.push(canceller.hear(heard.subarray(at, at + piece)));
      if (at > rate / 2) canceller.found(found);
    }
    const all = joinSamples(left);
    expect(all.length).toBe(heard.length);
    expect(after(5500, all)).toEqual(after(5500, heard));
  });

  it('gives up on a line without echo, then costs nothing, and tries again later', () => {
    const canceller = new EchoCanceller(rate);
    const agent = babble(6000, 5, rate);
    const caller = babble(6125, 77, rate).subarray(rate / 8);
    cancelled({ canceller, rate }, agent, caller, found);
    const frame = caller.subarray(0, rate / 50);
    canceller.noticeOwnVoice(frame);
    expect(canceller.hear(frame)).toBe(frame);
    const [laterOwn, laterEcho] = [joinSamples([own, own]), joinSamples([echo, echo])];
    const { left } = cancelled({ canceller, rate, fromMs: 6020 }, laterOwn, laterEcho, found);
    expect(decibels(after(8500, laterEcho)) - decibels(after(8500, left))).toBeGreaterThan(20);
  });

  it('learns an echo at the first find after it gave up a line that it had known', () => {
    const canceller = new EchoCanceller(rate);
    cancelled({ canceller, rate }, own, echo, found);
    for (const delayMs of [240, 360, 480]) for (let times = 0; times < 4; times++) canceller.found({ delayMs, power: 0.3 });
    const frame = rate / 50;
    for (let ms = 5000; ms < 10_000; ms += 20) canceller.hear(new Int16Array(frame));
    canceller.noticeOwnVoice(own.subarray(0, rate), 10_000);
    canceller.hear(echo.subarray(0, rate));
    canceller.found(found);
    expect(canceller.isLearning).toBe(true);
  });

  /** Whether an echo is being learned after each of these, which are found half a second apart while a caller speaks. */
  function learning(canceller: EchoCanceller, delaysMs: readonly number[]): boolean[] {
    const caller = babble(5000, 77, rate).reverse();
    const frame = rate / 50;
    return delaysMs.map((delayMs, index) => {
      for (let at = (index * rate) / 2; at < ((index + 1) * rate) / 2; at += frame) {
        canceller.noticeOwnVoice(own.subarray(at, at + frame), at === 0 ? 0 : undefined);
        canceller.hear(caller.subarray(at, at + frame));
      }
      canceller.found({ delayMs, power: 0.5 });
      return canceller.isLearning;
    });
  }

  it('takes doubtful sound for echo while it learns one, but no longer for a caller whom a lesson does not explain', () => {
    const takesDoubtful = (heard: Int16Array, times = 6): boolean[] => {
      const canceller = new EchoCanceller(rate);
      const frame = rate / 50;
      const taken: boolean[] = [];
      for (let at = 0; at < 2 * rate; at += frame) {
        canceller.noticeOwnVoice(own.subarray(at, at + frame), at === 0 ? 0 : undefined);
        canceller.hear(heard.subarray(at, at + frame));
        // Resemblances by chance go on beside a caller, at other delays.
        const time = (4 * at) / rate - 2;
        if (time >= 0 && time < times && time % 1 === 0) canceller.found(time === 0 ? found : { ...found, delayMs: 300 });
        taken.push(canceller.mayLeaveEcho);
      }
      return taken;
    };
    const caller = babble(5000, 77, rate).reverse();
    const withEcho = takesDoubtful(echo);
    const withCaller = takesDoubtful(caller);
    expect([withEcho[30], withCaller[30]]).toEqual([true, true]);
    expect(withCaller.slice(50)).not.toContain(true);
    // What a lesson explained by chance is not explained for long.
    const resembling = sum(caller, echoOf(own, rate, [[60, 1.2]]).subarray(0, 0.55 * rate), 0);
    const withResembling = takesDoubtful(resembling, 1);
    expect(withResembling[38]).toBe(true);
    expect(withResembling.slice(65)).not.toContain(true);
  });

  it('does not rest because another reflection that the filter reaches was the loudest once', () => {
    expect(learning(new EchoCanceller(rate), [140, 131, 470, 140])).toEqual([true, true, true, true]);
  });

  it('rests when each echo that is found comes after another delay, and learns one that keeps to its delay later', () => {
    const canceller = new EchoCanceller(rate);
    expect(learning(canceller, [340, 460, 2, 180, 110])).toEqual([true, true, true, false, false]);
    const { left } = cancelled({ canceller, rate, fromMs: 2500 }, joinSamples([own, own]), joinSamples([echo, echo]), found);
    expect(decibels(after(8500, joinSamples([echo, echo]))) - decibels(after(8500, left))).toBeGreaterThan(20);
  });

  it('adapts when the echo’s path changes', () => {
    const canceller = new EchoCanceller(rate);
    const later = echoOf(own, rate, [
      [180, 0.25],
      [184, 0.1],
    ]);
    cancelled({ canceller, rate }, own, echo, found);
    const { left } = cancelled({ canceller, rate, fromMs: 5000 }, own, later, { delayMs: 180, power: 0.06 });
    expect(decibels(after(3500, later)) - decibels(after(3500, left))).toBeGreaterThan(10);
  });
});

it('ignores browser lines, since browsers cancel echoes themselves', () => {
  const canceller = new EchoCanceller(48_000);
  canceller.found(found);
  const frame = new Int16Array(960);
  expect(canceller.hear(frame)).toBe(frame);
});
