import type { LatencyParts } from '@parley/contracts';
import type { z } from 'zod';

type Parts = z.output<typeof LatencyParts>;

/** The moments of one turn on the session's timeline. */
export interface TurnClock {
  /** Where the caller's voice ended, by their sound; for typed text, when it came. */
  readonly endedAtMs: number;
  readonly isSpoken: boolean;
  readonly decidedAtMs: number;
  readonly writtenAtMs: number;
  askedAtMs: number;
  firstTokenAtMs?: number;
  firstSoundAtMs?: number;
  /** The first sound after the question, whatever it was: a filler ends the silence, too. */
  firstPlayedAtMs?: number;
}

/**
 * The silence between question and answer, divided without rest: each part begins where the one before it ended, so their
 * sum is the silence. What ran while the caller was still being waited for costs nothing.
 */
export function partsOf(clock: TurnClock, retrievalMs: number | null): Parts {
  const playedMs = clock.firstPlayedAtMs;
  const endMs = playedMs ?? clock.firstSoundAtMs ?? clock.firstTokenAtMs ?? clock.writtenAtMs;
  const tokenAtMs = clock.firstTokenAtMs ?? playedMs;
  const soundAtMs = clock.firstSoundAtMs ?? playedMs;
  const decidedMs = within(clock.decidedAtMs, clock.endedAtMs, endMs);
  const writtenMs = within(clock.writtenAtMs, decidedMs, endMs);
  const tokenMs = within(tokenAtMs ?? writtenMs, writtenMs, endMs);
  const foundMs = within(clock.askedAtMs + (retrievalMs ?? 0), writtenMs, tokenMs);
  const soundMs = within(soundAtMs ?? tokenMs, tokenMs, endMs);
  return {
    endOfTurnMs: clock.isSpoken ? decidedMs - clock.endedAtMs : null,
    transcriptionMs: clock.isSpoken ? writtenMs - decidedMs : null,
    retrievalMs: retrievalMs === null ? null : foundMs - writtenMs,
    firstTokenMs: tokenAtMs === undefined ? null : tokenMs - (retrievalMs === null ? writtenMs : foundMs),
    firstAudioMs: soundAtMs === undefined ? null : soundMs - tokenMs,
    pacingMs: playedMs === undefined ? null : endMs - soundMs,
    totalMs: endMs - clock.endedAtMs,
  };
}

function within(momentMs: number, fromMs: number, toMs: number): number {
  return Math.min(Math.max(momentMs, fromMs), Math.max(fromMs, toMs));
}
