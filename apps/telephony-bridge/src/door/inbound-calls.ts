import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Fault, readAgentRuntime } from '@parley/contracts';
import type { CallNotice } from '@parley/ports';
import { Lifetime } from '@parley/service-kit';
import { dialogsOf, type OpenCarrier } from '../accounts/open-carriers';
import type { CallEntity } from '../calls/call.entity';
import { isOver } from '../calls/call-steps';
import { RingingCall } from '../line/ringing-call';
import { CallParts, inCallOf, LoggedThisMinute } from '../line/call-parts';
import { Numbers } from '../accounts/numbers.service';
import type { PhoneNumber } from '../accounts/entities';

type Incoming = Omit<Extract<CallNotice, { kind: 'incoming' }>, 'kind'>;

/** Why a call is refused. */
type Refusal = 'busy' | 'not-found' | 'rejected';

const mediaWithinMs = 30_000;
const wishes = { ringSeconds: 45, voicemail: { action: 'TALK' as const, message: '' } };

/** Accepts incoming calls: finds the agent that answers, and checks that there is a free slot. */
@Injectable()
export class InboundCalls {
  private readonly logged = new LoggedThisMinute();

  constructor(
    private readonly parts: CallParts,
    private readonly numbers: Numbers,
    private readonly lifetime: Lifetime,
  ) {}

  /** The record of a ringing call, or why it is refused. A call that is reported twice has one record. */
  async take(open: OpenCarrier, incoming: Incoming): Promise<CallEntity | Refusal> {
    const { orgId, id, carrier } = open.account;
    if (this.lifetime.draining.aborted) return 'busy';
    const number = await this.numbers.answererOf(orgId, id, incoming.to);
    const agent = number && (await this.agentOf(number));
    if (!agent) {
      // Its carrier gets a regular answer, so only the log shows the reason.
      if (this.logged.isFirst(`${open.account.keyId}/${incoming.to}`)) {
        const about = { orgId, carrier, accountKey: open.account.keyId, 'pii.to': incoming.to };
        this.parts.log.warn('A call was refused: no agent answers its number', about);
      }
      return 'not-found';
    }
    const reference = referenceOf(open.account.keyId, incoming.callId);
    const fresh = {
      orgId,
      account: open.account,
      direction: 'INBOUND' as const,
      agentId: agent.AgentID,
      agentKey: agent.AgentKeyID,
      agentName: agent.AgentName,
      fromAddress: incoming.from,
      toAddress: incoming.to,
      carrierCallId: incoming.callId,
      wishes,
      reference,
    };
    const { callRecords, slots } = this.parts;
    const dialogs = () => dialogsOf(open.carrier, [incoming]);
    const call = await callRecords.begin(fresh, {
      admit: async (manager) => ((await slots.isFree(manager, orgId)) ? { state: 'RINGING' } : noRoom),
      begun: async (record, manager) => (isOver(record.state) ? undefined : slots.hold(manager, record, dialogs())),
    });
    if (isOver(call.state)) return 'busy';
    new RingingCall(call, this.parts, { forMs: mediaWithinMs, dialogs, onLate: () => this.neverCame(call) });
    return call;
  }

  private async neverCame({ orgId, id }: CallEntity): Promise<void> {
    const cause = 'The carrier’s media never came.';
    await this.parts.callRecords.decide(orgId, id, ({ state }) =>
      state === 'RINGING' ? { state: 'FAILED', outcome: 'FAILED', cause, remarks: ['NO_MEDIA'] } : undefined,
    );
  }

  /** A deleted agent no longer answers. */
  private async agentOf({ orgId, agentKey, keyId }: PhoneNumber) {
    try {
      return await inCallOf({ orgId, keyId }, () => this.parts.bus.ask(readAgentRuntime, { AgentKeyID: agentKey }));
    } catch (error) {
      if (error instanceof Fault && error.code === 'NOT_FOUND') return undefined;
      throw error;
    }
  }
}

const noRoom = {
  state: 'MISSED',
  outcome: 'BUSY',
  cause: 'As many calls as the organization may have were live.',
} as const;

/** Derives a UUID from a carrier's call, so that a repeated webhook does not create a second record. */
function referenceOf(accountKey: string, callId: string): string {
  const hex = createHash('sha256').update(`${accountKey}/${callId}`).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
