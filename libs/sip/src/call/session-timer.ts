import type { SipHeaders, SipRequest } from '../message/sip-message';
import { Timers } from '../transaction/client-and-server';

/** The shortest interval that we take, and what we ask for. */
export const sessionSeconds = { min: 90, wanted: 1800 } as const;

/** What our INVITE and UPDATE ask for. */
export const refreshHeaders = [
  ['Session-Expires', `${sessionSeconds.wanted}`],
  ['Min-SE', `${sessionSeconds.min}`],
] as const;

export interface SessionInterval {
  readonly seconds: number;
  readonly refresher: 'us' | 'peer';
}

/** What a Session-Expires header says: seconds and who refreshes. */
export function sessionExpiresIn(headers: SipHeaders): { seconds: number; refresher: string | undefined } | undefined {
  const [, seconds, rest = ''] = /^(\d{1,9})[ \t]*(;.*)?$/.exec(headers.get('Session-Expires') ?? '') ?? [];
  if (seconds === undefined) return undefined;
  return { seconds: Number(seconds), refresher: /;[ \t]*refresher[ \t]*=[ \t]*(uac|uas)\b/i.exec(rest)?.[1]?.toLowerCase() };
}

/** What we agree to when asked by an INVITE or UPDATE; we refresh ourselves when the peer cannot. */
export function agreedByAsked(headers: SipHeaders): SessionInterval {
  const asked = sessionExpiresIn(headers);
  const peerCan = headers.lists('Supported', 'timer');
  const refresher = peerCan && asked && asked.refresher !== 'uas' ? 'peer' : 'us';
  return { seconds: Math.max(sessionSeconds.min, asked?.seconds ?? sessionSeconds.wanted), refresher };
}

/** What the answer to our INVITE or UPDATE agreed to; nothing when the peer wants no timer. */
export function agreedByAnswer(headers: SipHeaders): SessionInterval | undefined {
  const answered = sessionExpiresIn(headers);
  return (
    answered && {
      seconds: Math.max(sessionSeconds.min, answered.seconds),
      refresher: answered.refresher === 'uas' ? 'peer' : 'us',
    }
  );
}

/** How our 2xx tells what was agreed. A peer that is to refresh must understand that. */
export function sessionHeaders({ headers }: SipRequest, { seconds, refresher }: SessionInterval): [string, string][] {
  const told: [string, string] = ['Session-Expires', `${seconds};refresher=${refresher === 'peer' ? 'uac' : 'uas'}`];
  if (refresher === 'peer') return [told, ['Require', 'timer']];
  return headers.lists('Supported', 'timer') || sessionExpiresIn(headers) ? [told] : [];
}

/** Refreshes a call at half of its interval, or ends it when the peer has not: what a crashed peer leaves does not stay. */
export class SessionTimer {
  private readonly timers = new Timers();
  private interval: SessionInterval | undefined;

  constructor(private readonly on: { refresh(): void; expired(): void }) {}

  /** As agreed last, in either direction; the time begins anew. */
  agree(interval: SessionInterval | undefined): void {
    this.interval = interval;
    this.restart();
  }

  /** The peer has shown that it is there. */
  restart(): void {
    this.timers.clear();
    if (!this.interval) return;
    const { seconds, refresher } = this.interval;
    if (refresher === 'us') this.timers.after(seconds * 500, () => this.on.refresh());
    else this.timers.after((seconds - Math.min(32, seconds / 3)) * 1000, () => this.on.expired());
  }

  stop(): void {
    this.interval = undefined;
    this.timers.clear();
  }
}
