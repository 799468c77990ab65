import type { KeyKind, Need, RequestContract } from '@parley/contracts';

type Method = 'GET' | 'POST' | 'DELETE';

/** What a caller must hold to pass. Every route says it; a route that forgets does not compile. */
export interface Access {
  readonly keys: readonly KeyKind[] | 'public';
  /** Asked of workspace keys only: agent and speech keys are scoped by their kind. */
  readonly needs?: Need;
  readonly charges?: 'TTT_API' | 'TTS_API' | 'STT_API';
}

/**
 * How an answer is dressed. `data`: `{ statusCode, message, data }`; `list`: rows and paging beside `statusCode`;
 * `flat`: the reply's own fields beside `statusCode`, as the specification wants for chat, TTT, STT and history.
 */
export type Envelope = 'data' | 'list' | 'flat';

/** One public endpoint as data: what comes in over HTTP, and the message that answers it. */
export interface Route extends Access {
  readonly method: Method;
  readonly path: string;
  readonly contract: RequestContract;
  readonly summary: string;
  readonly envelope: Envelope;
}
