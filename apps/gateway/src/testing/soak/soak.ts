import { setTimeout as delay } from 'node:timers/promises';
import { voiceLineMoved } from '@parley/contracts';
import type { Transport } from '@parley/messaging';
import { nothingSeen, SoakCaller, type Seen } from './soak-caller';
import { openSoakPlace, type SoakPlace } from './soak-place';

interface SoakSize {
  readonly sessions: number;
  readonly framesPerSecond: number;
  readonly seconds: number;
}

/** The results of a soak, and its memory over time. */
export interface Soaked extends Seen {
  /** Callers who received nothing in the end. */
  readonly cutOff: number;
  readonly heapBytes: readonly { readonly atMs: number; readonly bytes: number }[];
}

const tickMs = 20;
const disturbEveryMs = 100;
const dawdleMs = 1_500;
/** Not often, because collecting garbage stops everything else. */
const sampleEveryMs = 5_000;
/** How long the last frames of all callers may take to come back. */
const patienceMs = 20_000;

/**
 * Many callers who speak continuously and receive their sound back. Every tenth of a second a connection drops, a session moves
 * to another replica, or a reader pauses for a while.
 */
export async function soak(size: SoakSize, connect: () => Promise<Transport>, usedBytes: () => number): Promise<Soaked> {
  const place = await openSoakPlace(connect);
  const seen = nothingSeen();
  const callers = Array.from({ length: size.sessions }, () => new SoakCaller(place.url, place.key, seen));
  try {
    await Promise.all(callers.map((caller) => caller.connect()));
    const heapBytes = await speakFor(size, { callers, place, usedBytes });
    const cutOff = await untilAllHeard(callers);
    await Promise.all(callers.map((caller) => caller.leave()));
    return { ...seen, heapBytes, cutOff };
  } finally {
    await place.close();
  }
}

/** Returns how many callers received nothing more. */
async function untilAllHeard(callers: readonly SoakCaller[]): Promise<number> {
  let waiting = callers;
  for (const untilMs = Date.now() + patienceMs; waiting.length > 0 && Date.now() < untilMs; await delay(tickMs)) {
    waiting = waiting.filter((caller) => !caller.hasHeardAll());
  }
  return waiting.length;
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
    // A late tick catches up, as a microphone's buffer does.
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
  else if (turn % 3 === 1) caller?.pauseReading(dawdleMs);
  else place.speech.lines[turn % place.speech.lines.length]?.channel.close(voiceLineMoved);
}
