import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { type CallRecord, Fault, type placeCall, readAgentRuntime } from '@parley/contracts';
import { type Call as BusCall, organizationOf, ServiceBus } from '@parley/messaging';
import type { EntityManager } from 'typeorm';
import type { z } from 'zod';
import { dialled, Numbers } from '../accounts/numbers.service';
import { Call } from '../calls/call.entity';
import { recordOf } from '../calls/call.wire';
import { CallBook } from '../calls/call-book';
import { Dispatcher } from '../dialling/dispatcher';
import { DoNotCallList } from '../do-not-call/do-not-call.service';
import { CallLimits } from '../live/slots';

type PlaceWish = z.output<typeof placeCall.request>;

const retryAfterSeconds = 5;

/** Calls that people have placed. They wait until there is room. */
@Injectable()
export class PlacedCalls {
  constructor(
    private readonly bus: ServiceBus,
    private readonly book: CallBook,
    private readonly numbers: Numbers,
    private readonly dispatcher: Dispatcher,
    private readonly limits: CallLimits,
    private readonly doNotCall: DoNotCallList,
  ) {}

  /** Queues the call; it rings as soon as there is room. */
  async place(wish: PlaceWish, call: BusCall): Promise<z.input<typeof CallRecord>> {
    const orgId = organizationOf(call);
    // Asked as the caller: an agent that is foreign, deleted or withheld is NOT_FOUND.
    const agent = await this.bus.ask(readAgentRuntime, { AgentID: wish.AgentID });
    if (await this.doNotCall.has(orgId, wish.to)) {
      throw new Fault('CONFLICT', { message: 'This number is on the do-not-call list: take it off before it is called.' });
    }
    const number = await this.numbers.callerOf(agent.AgentID, wish.NumberKeyID, call);
    const { ringSeconds, voicemail, language, variables, reference = randomUUID() } = wish;
    const fresh = {
      orgId,
      account: number.account,
      direction: 'OUTBOUND' as const,
      agentId: agent.AgentID,
      agentKey: agent.AgentKeyID,
      agentName: agent.AgentName,
      contactId: wish.ContactID ?? null,
      fromAddress: number.number,
      toAddress: dialled(wish.to),
      wishes: { ringSeconds, voicemail, ...(language && { language }), ...(variables && { variables }) },
      reference,
    };
    const placed = await this.book.begin(fresh, { admit: (manager) => this.queue(manager, orgId) });
    this.dispatcher.look();
    return recordOf(placed);
  }

  private async queue(manager: EntityManager, orgId: number): Promise<undefined> {
    const waiting = await manager.countBy(Call, { orgId, state: 'QUEUED' });
    if (waiting < this.limits.waiting) return undefined;
    throw new Fault('RATE_LIMITED', { message: `At most ${this.limits.waiting} calls wait at a time.`, retryAfterSeconds });
  }
}
