import { Controller } from '@nestjs/common';
import { logSalesCall, setSalesTarget } from '@parley/contracts';
import { type Call, Handles } from '@parley/messaging';
import type { BodyOf, ReplyOf } from '../message-types';
import { SalesCallsService } from './sales-calls.service';
import { SalesTargetsService } from './sales-targets.service';

/** Calls and targets of representatives over the bus. */
@Controller()
export class SalesCallsController {
  constructor(
    private readonly calls: SalesCallsService,
    private readonly targets: SalesTargetsService,
  ) {}

  @Handles(logSalesCall)
  log(body: BodyOf<typeof logSalesCall>, call: Call): Promise<ReplyOf<typeof logSalesCall>> {
    return this.calls.log(body, call);
  }

  @Handles(setSalesTarget)
  set(body: BodyOf<typeof setSalesTarget>, call: Call): Promise<ReplyOf<typeof setSalesTarget>> {
    return this.targets.set(body, call);
  }
}
