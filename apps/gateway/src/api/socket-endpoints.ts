import type { CreditKind } from '@parley/contracts';
import type { HandWritten } from '../endpoint/endpoint';
import { pathOf } from '../endpoint/paths';
import { handWritten } from './hand-written';

/** One of the three paths that sockets are opened by. */
export interface SocketEndpoint {
  readonly endpoint: HandWritten;
  /** The kind of token that opens it. */
  readonly takes: 'session' | 'widget';
  readonly exchange: 'voice' | 'widget' | 'transcription';
  readonly charges: readonly CreditKind[];
}

const exchanges = { voiceSocket: 'voice', widgetSocket: 'widget', transcriptionSocket: 'transcription' } as const;

/** Every socket endpoint by its path. */
export const socketEndpoints: ReadonlyMap<string, SocketEndpoint> = new Map(
  handWritten.filter(({ method }) => method === 'WS').map((endpoint) => [endpoint.path, socketEndpointOf(endpoint)]),
);

/** The endpoint that a request is for, whatever its query says. */
export function socketEndpointAt(url: string | undefined): SocketEndpoint | undefined {
  return socketEndpoints.get(pathOf(url));
}

function socketEndpointOf(endpoint: HandWritten): SocketEndpoint {
  const exchange = Object.entries(exchanges).find(([operationId]) => operationId === endpoint.operationId)?.[1];
  if (!exchange) throw new TypeError(`no exchange is known for ${endpoint.path}`);
  const takes = endpoint.credentials?.includes('widget-token') ? 'widget' : 'session';
  return { endpoint, takes, exchange, charges: endpoint.charges ?? [] };
}
