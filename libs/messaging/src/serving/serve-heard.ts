import type { EventContract } from '@parley/contracts';
import type { Endpoint } from '../endpoint';
import { EventEnvelopeSchema } from '../event-envelope';
import type { Packet } from '../transport/transport';
import { decodeBody, parse } from '../wire/body';
import { type Handler, invoke } from './handler';

/** Passes an event on as it is heard. What fails is logged and lost: the sender asked nobody to keep it. */
export function serveHeard(endpoint: Endpoint, contract: EventContract, handler: Handler) {
  return async ({ data }: Packet): Promise<void> => {
    try {
      const { payload, ...envelope } = decodeBody(EventEnvelopeSchema, data);
      await invoke(handler, parse(contract.payload, payload), envelope);
    } catch (error) {
      endpoint.log.warn({ err: error, subject: contract.subject }, 'An event was heard and could not be used');
    }
  };
}
