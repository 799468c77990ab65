import { Injectable } from '@nestjs/common';
import { telephoneCallOf } from '@parley/contracts';
import { runInCall, ServiceBus } from '@parley/messaging';
import { Logger } from '@parley/service-kit';
import { LRUCache } from 'lru-cache';
import { CallRecords } from '../calls/call-records';
import { HeldCalls, Slots } from '../live/slots';

/** The operator's settings for calls. */
export abstract class CallSettings {
  abstract readonly silentMediaMs: number;
  abstract readonly waitingMs: number;
  abstract readonly drainMs: number;
  /** Whether premium-rate numbers and those of no country may be called. */
  abstract readonly callsCostlyNumbers: boolean;
}

/** What every call of this replica needs. */
@Injectable()
export class CallParts {
  constructor(
    readonly bus: ServiceBus,
    readonly callRecords: CallRecords,
    readonly slots: Slots,
    readonly held: HeldCalls,
    readonly settings: CallSettings,
    readonly log: Logger,
  ) {}
}

const loggedMax = 1_000;

/** Limits repeated log messages to one per minute. */
export class LoggedThisMinute {
  private readonly logged = new LRUCache<string, true>({ max: loggedMax, ttl: 60_000 });

  /** Whether this key was not logged within the last minute. */
  isFirst(key: string): boolean {
    const isFirst = !this.logged.has(key);
    if (isFirst) this.logged.set(key, true);
    return isFirst;
  }
}

/** On whose behalf the bridge calls other services: the organization's, with the call's key as the request id. */
export interface CallIdentity {
  readonly orgId: number;
  readonly keyId: string;
}

const never = new AbortController().signal;

/** Runs work that calls other services on behalf of a call. The work has no deadline, but each request has. */
export function inCallOf<T>({ orgId, keyId }: CallIdentity, work: () => T, signal = never): T {
  return runInCall({ principal: telephoneCallOf(orgId), requestId: keyId, deadlineAtMs: Number.POSITIVE_INFINITY, signal }, work);
}
