import type { ServiceName } from '@parley/contracts';
import type { MessageLog } from './message-log';
import { Inbox } from './transport/inbox';
import type { Transport } from './transport/transport';
import { Pulse } from './wire/pulse';

/** One application's place on the transport: what both asking and serving need. */
export class Endpoint {
  readonly inbox: Inbox;
  readonly pulse = new Pulse();

  constructor(
    readonly transport: Transport,
    readonly log: MessageLog,
  ) {
    this.inbox = new Inbox(transport);
  }

  /** Tells every replica of a service that nobody waits any more for the answer to this address. */
  cancel(service: ServiceName, address: string): void {
    this.transport.publish(cancelSubject(service), Buffer.from(address));
  }

  close(): void {
    this.inbox.stop();
    this.pulse.close();
  }
}

/** Where a service hears which of its work is not wanted any more. */
export function cancelSubject(service: ServiceName): string {
  return `parley.cancel.${service}`;
}
