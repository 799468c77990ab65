import type { CreditKind } from '@parley/contracts';
import { type HandWritten, handWritten } from '../routes/hand-written';

/** One of the three paths that sockets enter by. */
export interface Door {
  readonly endpoint: HandWritten;
  /** The kind of token that opens it. */
  readonly takes: 'session' | 'widget';
  readonly talk: 'voice' | 'widget' | 'transcription';
  readonly charges: readonly CreditKind[];
}

const talks = { voiceSocket: 'voice', widgetSocket: 'widget', transcriptionSocket: 'transcription' } as const;

/** Every door by its path. */
export const doors: ReadonlyMap<string, Door> = new Map(
  handWritten.filter(({ method }) => method === 'WS').map((endpoint) => [endpoint.path, doorOf(endpoint)]),
);

/** The door that a request knocks at, whatever its query says. */
export function doorAt(url: string | undefined): Door | undefined {
  return doors.get(url?.split('?', 1)[0] ?? '');
}

function doorOf(endpoint: HandWritten): Door {
  const talk = Object.entries(talks).find(([operationId]) => operationId === endpoint.operationId)?.[1];
  if (!talk) throw new TypeError(`no talk is known for ${endpoint.path}`);
  const takes = endpoint.credentials?.includes('widget-token') ? 'widget' : 'session';
  return { endpoint, takes, talk, charges: endpoint.charges ?? [] };
}
