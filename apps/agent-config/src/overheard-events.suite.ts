import type { EventContract } from '@parley/contracts';
import { EventEnvelopeSchema, type InProcessBroker } from '@parley/messaging';
import type { z } from 'zod';

/** The published events of one kind, as another service would receive them. */
export class OverheardEvents<Payload extends z.ZodType> {
  private readonly heard: z.output<Payload>[] = [];
  private readonly waiting = new Set<() => void>();

  private constructor(private readonly contract: EventContract<Payload>) {}

  static async on<Payload extends z.ZodType>(
    broker: InProcessBroker,
    contract: EventContract<Payload>,
  ): Promise<OverheardEvents<Payload>> {
    const overheard = new OverheardEvents(contract);
    await broker.connect().events.consume({ subject: contract.subject, group: 'spec' }, async ({ data }) => {
      overheard.hear(JSON.parse(Buffer.from(data).toString()));
      return 'done';
    });
    return overheard;
  }

  /** Resolves once a matching event has been received `times` times. */
  async heardOf(isMeant: (payload: z.output<Payload>) => boolean, times = 1): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const check = () => {
      if (this.heard.filter(isMeant).length >= times) resolve();
    };
    this.waiting.add(check);
    check();
    await promise;
    this.waiting.delete(check);
  }

  private hear(envelope: unknown): void {
    this.heard.push(this.contract.payload.parse(EventEnvelopeSchema.parse(envelope).payload));
    for (const check of this.waiting) check();
  }
}
