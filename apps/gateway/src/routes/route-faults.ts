import type { FaultCode } from '@parley/contracts';
import type { HandWritten } from './hand-written';
import type { Route } from './route';

const everywhere: readonly FaultCode[] = [
  'VALIDATION_FAILED', 'API_KEY_MISSING', 'API_KEY_INVALID', 'SCOPE_MISSING', 'RATE_LIMITED', 'INTERNAL', 'SERVICE_UNAVAILABLE',
  'DEADLINE_EXCEEDED',
];
const withBody: readonly FaultCode[] = [
  'MALFORMED_JSON', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE', 'IDEMPOTENCY_KEY_IN_FLIGHT', 'IDEMPOTENCY_KEY_REUSED',
];

/** Every error code that a route can answer, for the API documents. */
export function faultsOf(route: Pick<Route | HandWritten, 'method' | 'charges' | 'faults'>): FaultCode[] {
  const codes = new Set<FaultCode>([
    ...everywhere,
    ...(route.method === 'POST' ? withBody : []),
    ...(route.charges ? (['CREDITS_EXHAUSTED'] as const) : []),
    ...route.faults,
  ]);
  return [...codes];
}
