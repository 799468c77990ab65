import { voiceLineMoved } from '@parley/contracts';
import type { Transport } from '@parley/messaging';
import { eventually } from '@parley/testing';
import { nothingSeen, SoakCaller, type Seen } from './soak-caller';
import { openSoakPlace, type SoakPlace } from './soak-place';

export interface SoakSize {
  readonly sessions: number;
  readonly framesPerSecond: number;
  readonly seconds: number;
}

/** What a soak saw, and how memory went while it lasted. */
export interface Soaked extends Seen {
  readonly heapBytes: readonly { readonly atMs: number; readonly bytes: number }[];
}

const tickMs = 20;
const disturbEveryMs = 100;
const dawdleMs = 1_500;
const sampleEveryMs = 1_000;

/**
 * Many callers who speak all the time, and get back what they say. Each tenth of a second somebody's network drops, or a
 * session is moved to another replica, or a reader stops reading for a while.
 */
export async function soak(size: SoakSize, connect: () => Promise<Transport>, usedBytes: () => number): Promise<Soaked> {
  const place = await openSoakPlace(connect);
  const seen = nothingSeen();
  const callers = Array.from({ length: size.sessions }, () => new SoakCaller(place.url, place.key, seen));
  try {
    await Promise.all(callers.map((caller) => caller.connect()));
    const heapBytes = await speakFor(size, { callers, place, usedBytes });
    await eventually('everything said has come back', () => callers.filter((caller) => !caller.hasHeardAll()).length === 0);
    await Promise.all(callers.map((caller) => caller.leave()));
    return { ...seen, heapBytes };
  } finally {
    await place.close();
  }
}

interface Scene {
  readonly callers: readonly SoakCaller[];
  readonly place: SoakPlace;
  usedBytes(): number;
}

async function speakFor({ seconds, framesPerSecond }: SoakSize, scene: Scene): Promise<Soaked['heapBytes']> {
  const { callers, place, usedBytes } = scene;
  const heapBytes: { atMs: number; bytes: number }[] = [];
  const sinceMs = performance.now();
  let spoken = 0;
  const speaking = setInterval(() => {
    // A late tick makes up for what it missed, as a microphone's buffer does.
    const due = Math.floor(((performance.now() - sinceMs) * framesPerSecond) / 1_000);
    for (; spoken < due; spoken += 1) for (const caller of callers) caller.speak();
  }, tickMs);
  let turn = 0;
  const disturbing = setInterval(() => disturb((turn += 1), scene), disturbEveryMs);
  const sampling = setInterval(() => {
    heapBytes.push({ atMs: performance.now() - sinceMs, bytes: usedBytes() });
    place.speech.forgetClosed();
  }, sampleEveryMs);
  await new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
  for (const timer of [speaking, disturbing, sampling]) clearInterval(timer);
  return heapBytes;
}

function disturb(turn: number, { callers, place }: Scene): void {
  const caller = callers[turn % callers.length];
  if (turn % 3 === 0) void caller?.drop();
  else if (turn % 3 === 1) caller?.dawdle(dawdleMs);
  else place.speech.lines[turn % place.speech.lines.length]?.channel.close(voiceLineMoved);
}
