import { Injectable } from '@nestjs/common';
import { telephoneCallOf } from '@parley/contracts';
import { runInCall, ServiceBus } from '@parley/messaging';
import { Logger } from '@parley/service-kit';
import { LRUCache } from 'lru-cache';
import { CallRecords } from '../calls/call-records';
import { HeldCalls, Slots } from '../live/slots';

/** What an operator has set about calls. */
export abstract class CallSettings {
  abstract readonly silentMediaMs: number;
  abstract readonly waitingMs: number;
  abstract readonly drainMs: number;
  /** Whether people may have premium numbers and those of no country called. */
  abstract readonly callsCostlyNumbers: boolean;
}

/** What every call of this replica works with. */
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

const toldMax = 1_000;

/** What is worth a line in the log, and not one for each time. */
export class ToldThisMinute {
  private readonly told = new LRUCache<string, true>({ max: toldMax, ttl: 60_000 });

  /** Whether nothing was told of this within the last minute. */
  isFirst(key: string): boolean {
    const isFirst = !this.told.has(key);
    if (isFirst) this.told.set(key, true);
    return isFirst;
  }
}

/** In whose name the bridge asks other services for a call: the organization's, with the call's key as request id. */
export interface CallIdentity {
  readonly orgId: number;
  readonly keyId: string;
}

const never = new AbortController().signal;

/** Runs work that calls other services on behalf of a call. It has no deadline; each request has. */
export function inCallOf<T>({ orgId, keyId }: CallIdentity, work: () => T, signal = never): T {
  return runInCall({ principal: telephoneCallOf(orgId), requestId: keyId, deadlineAtMs: Number.POSITIVE_INFINITY, signal }, work);
}
