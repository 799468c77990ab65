import { Controller } from '@nestjs/common';
import { countActiveCalls, endCall, getCall, listCalls, placeCall, sendDtmf, transferCall, watchCalls } from '@parley/contracts';
import { type Call, Handles, type HandlerOf } from '@parley/messaging';
import { LiveCounts } from '../live/live-counts';
import { CallList } from './call-list';
import { CallOrders } from './call-orders';

type Place = HandlerOf<typeof placeCall>;
type Transfer = HandlerOf<typeof transferCall>;
type Press = HandlerOf<typeof sendDtmf>;
type Choose = HandlerOf<typeof getCall>;
type List = HandlerOf<typeof listCalls>;
type Count = HandlerOf<typeof countActiveCalls>;
type Watch = HandlerOf<typeof watchCalls>;

/** Calls over the bus. */
@Controller()
export class CallsController {
  constructor(
    private readonly orders: CallOrders,
    private readonly calls: CallList,
    private readonly live: LiveCounts,
  ) {}

  @Handles(placeCall)
  place(wish: Parameters<Place>[0], call: Call): ReturnType<Place> {
    return this.orders.place(wish, call);
  }

  @Handles(endCall)
  end({ CallKeyID }: Parameters<Choose>[0], call: Call): ReturnType<Choose> {
    return this.orders.end(CallKeyID, call);
  }

  @Handles(transferCall)
  transfer({ CallKeyID, ...wish }: Parameters<Transfer>[0], call: Call): ReturnType<Transfer> {
    return this.orders.order(CallKeyID, { order: 'TRANSFER', ...wish }, call);
  }

  @Handles(sendDtmf)
  press({ CallKeyID, digits }: Parameters<Press>[0], call: Call): ReturnType<Press> {
    return this.orders.order(CallKeyID, { order: 'DTMF', digits }, call);
  }

  @Handles(getCall)
  get({ CallKeyID }: Parameters<Choose>[0], call: Call): ReturnType<Choose> {
    return this.calls.record(CallKeyID, call);
  }

  @Handles(listCalls)
  list(query: Parameters<List>[0], call: Call): ReturnType<List> {
    return this.calls.page(query, call);
  }

  @Handles(countActiveCalls)
  count(_: object, call: Call): ReturnType<Count> {
    return this.live.count(call);
  }

  @Handles(watchCalls)
  watch({ after }: Parameters<Watch>[0], call: Call): ReturnType<Watch> {
    return this.live.watch(after, call);
  }
}
