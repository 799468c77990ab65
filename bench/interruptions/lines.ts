import { Chance } from '@parley/voice-session/scripted';
import { noise } from '../hearing/spoken';
import type { EchoWay } from '../voice/recognition/interrupted-call';

/** When a changing line changes: during the agent's speech, after the echo was learned. */
const changesAtMs = 2300;

export interface Line {
  readonly name: string;
  readonly way: EchoWay | undefined;
}

/** The lines of the published figures. */
export const lines: readonly Line[] = [
  { name: 'no echo', way: undefined },
  ...[-6, -14, -20, -24, -30, -36].map((db) => ({ name: `hybrid, ${db} dB, 60 ms`, way: hybrid(60, db) })),
  ...[-14, -20, -24].map((db) => ({ name: `room, ${db} dB, 140 ms`, way: room(140, db) })),
  { name: 'room, -20 dB, 380 ms', way: room(380, -20) },
  { name: 'hybrid, from -6 to -12 dB', way: changing(hybrid(60, -6), hybrid(60, -12)) },
  { name: 'hybrid, from -14 to -6 dB', way: changing(hybrid(60, -14), hybrid(60, -6)) },
  { name: 'hybrid, -10 dB, from 60 to 63 ms', way: changing(hybrid(60, -10), hybrid(63, -10)) },
  { name: 'hybrid, -10 dB, from 60 to 90 ms', way: changing(hybrid(60, -10), hybrid(90, -10)) },
  { name: 'room, from -14 dB, 140 to -16 dB, 142 ms', way: changing(room(140, -14), room(142, -16)) },
  ...[-6, -14, -24].map((db) => ({ name: `hybrid, from none to ${db} dB`, way: changing(hybrid(60, -90), hybrid(60, db)) })),
  ...[-14, -20].map((db) => ({ name: `room, from none to ${db} dB`, way: changing(room(140, -90), room(140, db)) })),
];

/** A telephone that is moved or turned down. */
function changing(from: EchoWay, to: EchoWay): EchoWay {
  return { ...from, later: { fromMs: changesAtMs, way: to } };
}

/** The echo within a telephone: all of it within a few milliseconds. */
function hybrid(delayMs: number, db: number): EchoWay {
  return {
    delayMs,
    parts: scaled(
      [
        { atMs: 0, strength: 1 },
        { atMs: 1.25, strength: -0.4 },
        { atMs: 3, strength: 0.15 },
      ],
      db,
    ),
  };
}

/** A loudspeaker and the walls around it. */
function room(delayMs: number, db: number): EchoWay {
  const chances = noise(60, 1000);
  const walls = Array.from({ length: 30 }, (_, i) => {
    const atMs = 4 + i * 3 + (chances[i] ?? 0) / 700;
    return { atMs, strength: ((chances[30 + i] ?? 0) / 1000) * 10 ** ((-3 * atMs) / 250) };
  });
  return { delayMs, parts: scaled([{ atMs: 0, strength: 1 }, ...walls], db) };
}

function scaled(parts: EchoWay['parts'], db: number): EchoWay['parts'] {
  const power = parts.reduce((sum, { strength }) => sum + strength ** 2, 0);
  return parts.map(({ atMs, strength }) => ({ atMs, strength: (strength * 10 ** (db / 20)) / Math.sqrt(power) }));
}

/** The ranges of delay and strength for generated echoes. */
const drawnDelayMs = [20, 400] as const;
const drawnDb = [-30, -5] as const;
const drawnReverberationMs = [120, 400] as const;
const drawnShiftMs = [-40, 40] as const;
const drawnTurnDb = [-8, 8] as const;
const wallsMs = 110;
const walls = 40;
const leaks = 5;

/** Lines that nothing was tuned for: alternately hybrids and rooms, half of which change during the agent's speech. */
export function drawnLines(count: number, seed: number): Line[] {
  const chance = new Chance(seed);
  return Array.from({ length: count }, (_, index) => {
    const isRoom = index % 2 === 1;
    const delayMs = within(drawnDelayMs, chance);
    const db = within(drawnDb, chance);
    const draw = (): EchoWay['parts'] => (isRoom ? drawnWalls(chance) : drawnLeaks(chance));
    const first = { delayMs, parts: scaled(draw(), db) };
    const name = `${isRoom ? 'room' : 'hybrid'}, ${db.toFixed(0)} dB, ${delayMs.toFixed(0)} ms`;
    if (index % 4 < 2) return { name, way: first };
    const laterDb = Math.min(drawnDb[1], db + within(drawnTurnDb, chance));
    const laterMs = Math.max(drawnDelayMs[0], delayMs + within(drawnShiftMs, chance));
    const way = changing(first, { delayMs: laterMs, parts: scaled(draw(), laterDb) });
    return { name: `${name}, to ${laterDb.toFixed(0)} dB, ${laterMs.toFixed(0)} ms`, way };
  });
}

function drawnWalls(chance: Chance): EchoWay['parts'] {
  const reverberationMs = within(drawnReverberationMs, chance);
  const reflections = Array.from({ length: walls }, () => {
    const atMs = 2 + chance.next() * wallsMs;
    return { atMs, strength: (2 * chance.next() - 1) * 10 ** ((-3 * atMs) / reverberationMs) };
  });
  return [{ atMs: 0, strength: 1 }, ...reflections];
}

function drawnLeaks(chance: Chance): EchoWay['parts'] {
  return Array.from({ length: leaks }, (_, index) => ({ atMs: index * 1.25, strength: (2 * chance.next() - 1) * 0.6 ** index }));
}

function within([least, most]: readonly [number, number], chance: Chance): number {
  return least + chance.next() * (most - least);
}
