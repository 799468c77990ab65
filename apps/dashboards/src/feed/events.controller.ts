import { Controller } from '@nestjs/common';
import {
  callStateChanged,
  campaignStatusChanged,
  contactsAssigned,
  conversationEnded,
  salesCallLogged,
  salesTargetSet,
  usageRecorded,
} from '@parley/contracts';
import { Consumes, type EventMeta } from '@parley/messaging';
import type { z } from 'zod';
import { callFacts } from '../facts/call-facts';
import { assignmentFacts, salesCallFacts } from '../facts/sales-facts';
import { sessionFacts, usageFacts } from '../facts/session-facts';
import { Projection } from '../projection/projection';
import { assignmentFactOf, callFactOf, salesCallFactOf, sessionFactOf, usageFactOf } from './facts-of-events';
import { LatestRecords } from './latest-records';

/** Events that are taken in together: one commit for all of them. */
const concurrency = 250;

/** What others tell, as facts. Events come at least once and in any order; their facts say which telling stands. */
@Controller()
export class EventsController {
  constructor(
    private readonly projection: Projection,
    private readonly latest: LatestRecords,
  ) {}

  @Consumes(callStateChanged, { concurrency })
  callChanged(call: z.output<typeof callStateChanged.payload>, event: EventMeta): Promise<void> {
    return this.projection.take(callFacts, callFactOf(call, event));
  }

  @Consumes(conversationEnded, { concurrency })
  conversationEnded(session: z.output<typeof conversationEnded.payload>, event: EventMeta): Promise<void> {
    return this.projection.take(sessionFacts, sessionFactOf(session, event));
  }

  @Consumes(usageRecorded, { concurrency })
  used(usage: z.output<typeof usageRecorded.payload>, event: EventMeta): Promise<void> {
    return this.projection.take(usageFacts, usageFactOf(usage, event));
  }

  @Consumes(salesCallLogged, { concurrency })
  salesCall(call: z.output<typeof salesCallLogged.payload>, event: EventMeta): Promise<void> {
    return this.projection.take(salesCallFacts, salesCallFactOf(call, event));
  }

  @Consumes(contactsAssigned, { concurrency })
  assigned(assignment: z.output<typeof contactsAssigned.payload>, event: EventMeta): Promise<void> {
    return this.projection.take(assignmentFacts, assignmentFactOf(assignment, event));
  }

  @Consumes(campaignStatusChanged)
  campaignChanged(campaign: z.output<typeof campaignStatusChanged.payload>, event: EventMeta): Promise<void> {
    return this.latest.noteCampaign(campaign, event);
  }

  @Consumes(salesTargetSet)
  targetSet(target: z.output<typeof salesTargetSet.payload>, event: EventMeta): Promise<void> {
    return this.latest.noteTarget(target, event);
  }
}
