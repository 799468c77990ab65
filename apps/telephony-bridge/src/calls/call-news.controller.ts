import { Controller } from '@nestjs/common';
import { callOrdered, callStateChanged, Fault } from '@parley/contracts';
import { type HearerOf, Hears } from '@parley/messaging';
import { Logger } from '@parley/service-kit';
import { HeldCalls } from '../live/held-calls';
import { Companions } from '../transfer/companions';

type OrderHearer = HearerOf<typeof callOrdered.payload>;
type Hearer = HearerOf<typeof callStateChanged.payload>;

/** Lets the replica that holds a call know what others learned of it. */
@Controller()
export class CallNews {
  constructor(
    private readonly held: HeldCalls,
    private readonly companions: Companions,
    private readonly log: Logger,
  ) {}

  @Hears(callStateChanged)
  changed(change: Parameters<Hearer>[0]): void {
    this.held.changed(change);
  }

  /** Whoever ordered it has its answer already. */
  @Hears(callOrdered)
  ordered(order: Parameters<OrderHearer>[0]): void {
    try {
      this.companions.obey(order);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      this.log.info('What was ordered of a call could not be done', {
        callId: order.CallID,
        order: order.order,
        reason: error.message,
      });
    }
  }
}
