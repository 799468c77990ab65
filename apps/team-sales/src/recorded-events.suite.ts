import type { EventContract } from '@parley/contracts';
import { EventEnvelopeSchema, type InProcessBroker } from '@parley/messaging';
import type { z } from 'zod';

/** The events published by the service, as another service would receive them. */
export class RecordedEvents {
  private readonly heard: { subject: string; orgId: number | null; payload: unknown }[] = [];
  private readonly waiting = new Set<() => void>();

  /** Starts recording these events. */
  async listen(broker: InProcessBroker, contracts: readonly EventContract[]): Promise<void> {
    for (const { subject } of contracts) {
      await broker.events.consume({ subject, group: 'spec' }, async ({ data }) => {
        this.heard.push(EventEnvelopeSchema.parse(JSON.parse(Buffer.from(data).toString())));
        for (const check of [...this.waiting]) check();
        return 'done';
      });
    }
  }

  /** Resolves with the events of one kind and organization once there are at least `count`. */
  async of<Payload extends z.ZodType>(contract: EventContract<Payload>, orgId: number, count = 1): Promise<z.output<Payload>[]> {
    const found = () => this.heard.filter((event) => event.subject === contract.subject && event.orgId === orgId);
    while (found().length < count) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.waiting.add(resolve);
      await promise;
      this.waiting.delete(resolve);
    }
    return found().map(({ payload }) => contract.payload.parse(payload));
  }
}
