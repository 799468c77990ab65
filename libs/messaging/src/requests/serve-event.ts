import { randomUUID } from 'node:crypto';
import type { EventContract, ServiceName } from '@parley/contracts';
import { runInCall } from '../call';
import type { Endpoint } from '../endpoint';
import { type Delivery, EventEnvelopeSchema, type EventMeta, type Verdict } from '../event-envelope';
import { limits } from '../limits';
import { traceIncoming } from '../tracing';
import { ContractBreach, decodeBody, parse } from '../wire/body';
import { type Handler, invoke, ServedCall } from './accepted-requests';

/** Handles each delivery of an event: done, retry later, or a dead letter after the last attempt. */
export function serveEvent(endpoint: Endpoint, contract: EventContract, service: ServiceName, handler: Handler) {
  const { redeliveryMs } = endpoint.transport.events;
  return async (delivery: Delivery): Promise<Verdict> => {
    const waitMs = redeliveryMs[delivery.attempt - 1];
    try {
      // If the process died during the last attempt too, this event must not kill it for ever.
      if (delivery.attempt > redeliveryMs.length + 1) throw new Error('delivered too often');
      await work(contract, handler, delivery);
      return 'done';
    } catch (error) {
      const fields = { err: error, subject: contract.subject, attempt: delivery.attempt };
      if (waitMs !== undefined && !(error instanceof ContractBreach)) {
        endpoint.log.warn(fields, 'A consumer failed; the event will be redelivered');
        return { againInMs: waitMs };
      }
      endpoint.log.error(fields, 'A consumer gave up on an event; it is kept as a dead letter');
      return bury(endpoint, contract, service, delivery);
    }
  };
}

async function work(contract: EventContract, handler: Handler, { data, attempt }: Delivery): Promise<void> {
  const { payload, ...envelope } = decodeBody(EventEnvelopeSchema, data);
  const body = parse(contract.payload, payload);
  const meta: EventMeta = { ...envelope, attempt };
  const call = new ServedCall({
    requestId: randomUUID(),
    leftMs: limits.consumerTimeoutMs,
    ...(envelope.traceparent ? { traceparent: envelope.traceparent } : {}),
  });
  try {
    const run = () => runInCall(call, () => withinDeadline(invoke(handler, body, meta, call), call));
    await traceIncoming(contract.subject, call, run);
  } finally {
    call.end();
  }
}

// The broker redelivers after a longer silence; the attempt must be over by then.
function withinDeadline<T>(working: Promise<T>, call: ServedCall): Promise<T> {
  return new Promise((resolve, reject) => {
    call.signal.addEventListener('abort', () => reject(call.signal.reason), { once: true });
    working.then(resolve, reject);
  });
}

async function bury(endpoint: Endpoint, contract: EventContract, service: ServiceName, { data }: Delivery): Promise<Verdict> {
  try {
    await endpoint.transport.events.bury(service, { id: randomUUID(), subject: contract.subject, data });
    return 'done';
  } catch (error) {
    endpoint.log.error(
      { err: error, subject: contract.subject },
      'A dead letter could not be stored; the event will be redelivered',
    );
    return { againInMs: endpoint.transport.events.redeliveryMs.at(-1) ?? 0 };
  }
}
