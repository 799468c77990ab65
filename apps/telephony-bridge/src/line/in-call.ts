import type { Principal } from '@parley/contracts';
import { runInCall } from '@parley/messaging';

/** In whose name the bridge asks other services for a call: the organization's, with the call's key as request id. */
export interface CallIdentity {
  readonly orgId: number;
  readonly keyId: string;
}

const never = new AbortController().signal;

/** Runs work that asks other services on behalf of a call. It has no deadline; each question has. */
export function inCallOf<T>({ orgId, keyId }: CallIdentity, work: () => T, signal = never): T {
  const principal: Principal = { kind: 'system', keyId: 'telephony-bridge', orgId };
  return runInCall({ principal, requestId: keyId, deadlineAtMs: Number.POSITIVE_INFINITY, signal }, work);
}
