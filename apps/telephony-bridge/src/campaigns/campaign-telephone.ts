import { Injectable } from '@nestjs/common';
import { type AgentRuntime, campaignVariable, Fault, readAgentRuntime } from '@parley/contracts';
import { TenantScope } from '@parley/database';
import { ServiceBus } from '@parley/messaging';
import type { CallEntity } from '../calls/call.entity';
import { CallRecords, type NewCall } from '../calls/call-records';
import { isOver, refusals } from '../calls/call-steps';
import { Dialler } from '../dialling/dialler';
import { DoNotCallList } from '../do-not-call/do-not-call.service';
import { inCallOf } from '../line/call-parts';
import { Slots } from '../live/slots';
import { PhoneNumber } from '../accounts/entities';
import { CampaignRecords } from './campaign-records';
import type { Campaign } from './campaign.entity';
import type { ContactVariables } from './campaign-contacts';
import type { AttemptOutcome, AttemptClaim } from './plan/campaign';
import type { DialOrder, AttemptEnding, OrderState, Placing, Telephone } from './plan/ports';
import { PostgresCampaignStore } from './postgres-campaign-store';

/** A contact to call now, and the number to call from. */
interface CallOrder {
  readonly campaign: Campaign;
  readonly contactId: number | null;
  readonly contactKey: string | null;
  /** The key of the campaign contact. */
  readonly entryKey: string;
  readonly name: string;
  readonly variables: ContactVariables;
  readonly number: PhoneNumber | null;
}

/** When a contact is tried again whose call would have found all credits set aside. */
const creditsAgainMs = 2_000;

/** Thrown to roll back a call that is not to be placed. */
class NotBegun extends Error {}

const isListed: AttemptEnding = { outcome: 'DO_NOT_CALL', cause: 'The number is on the do-not-call list.' };

/** Places the calls of campaigns as ordinary calls, identified by the reference of their attempt. */
@Injectable()
export class CampaignTelephone implements Telephone {
  constructor(
    private readonly tenants: TenantScope,
    private readonly bus: ServiceBus,
    private readonly callRecords: CallRecords,
    private readonly slots: Slots,
    private readonly dialler: Dialler,
    private readonly doNotCall: DoNotCallList,
    private readonly records: CampaignRecords,
    private readonly store: PostgresCampaignStore,
  ) {}

  async place(order: DialOrder): Promise<Placing> {
    const { claim, contact } = order;
    const found = await this.read(order);
    const { campaign, number } = found;
    if (!number) return { kind: 'CALLER_REFUSED' };
    if (await this.doNotCall.has(campaign.orgId, contact.number)) return { kind: 'ENDED', ending: isListed };
    const agent = await this.agentOf(campaign, claim);
    if (!agent) return { kind: 'NOT_PLACED' };
    const payer = { orgId: campaign.orgId, keyId: claim.reference, agentId: agent.AgentID, agentKey: agent.AgentKeyID };
    if (await this.dialler.isShortOfCredits(payer)) return { kind: 'NOT_PLACED', againMs: creditsAgainMs };
    try {
      const call = await this.begin(claim, freshCall(found, number, { agent, to: contact.number, claim }));
      return placingOf(await this.dialler.dial(call));
    } catch (error) {
      if (error instanceof NotBegun) return { kind: 'NOT_PLACED' };
      throw error;
    }
  }

  /** A replica with a lower fence can no longer record a call, so a call that is not recorded by now never will be. */
  async ask({ reference, campaignId }: AttemptClaim): Promise<OrderState> {
    const orgId = await this.tenants.acrossTenants('an attempt of any organization is asked about', async (manager) => {
      const rows: { orgId: number }[] = await manager.query('SELECT org_id AS "orgId" FROM campaigns WHERE id = $1', [
        campaignId,
      ]);
      return rows[0]?.orgId;
    });
    const call = orgId === undefined ? null : await this.callRecords.find(orgId, { reference });
    if (!call || call.causeCode === refusals.caller) return { kind: 'NEVER' };
    if (isOver(call.state)) return { kind: 'ENDED', ending: endingOf(call) };
    return {
      kind: 'LIVE',
      callId: call.keyId,
      placedAt: (call.ringingAt ?? call.queuedAt).getTime(),
      isAnswered: call.answeredAt !== null,
    };
  }

  private read({ claim, contact, from }: DialOrder): Promise<CallOrder> {
    return this.tenants.acrossTenants('a campaign of any organization calls', async (manager) => {
      const campaign = await this.records.find(manager, claim.campaignId);
      const rows: Pick<CallOrder, 'contactId' | 'contactKey' | 'entryKey' | 'name' | 'variables'>[] = await manager.query(
        'SELECT contact_id AS "contactId", contact_key AS "contactKey", key_id AS "entryKey", name, variables FROM campaign_contacts WHERE id = $1',
        [contact.id],
      );
      const [who] = rows;
      if (!who) throw new Error('an attempt without its contact');
      const where = { orgId: campaign.orgId, number: from };
      const number = await manager.findOne(PhoneNumber, { where, relations: { account: true }, order: { id: 'ASC' } });
      return { campaign, ...who, number };
    });
  }

  /** The agent; undefined if it was deleted, even if the event has not arrived yet. */
  private async agentOf({ orgId, agentId }: Campaign, { reference }: AttemptClaim): Promise<AgentRuntime | undefined> {
    try {
      return await inCallOf({ orgId, keyId: reference }, () => this.bus.ask(readAgentRuntime, { AgentID: agentId }));
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      if (error.code === 'NOT_FOUND')
        await this.tenants.run(orgId, (manager) => this.records.pauseOfAgent(manager, orgId, agentId));
      return undefined;
    }
  }

  /** Records the call only if it can be dialled at once; a queued call could ring after its campaign was paused. */
  private begin(claim: AttemptClaim, fresh: NewCall): Promise<CallEntity> {
    return this.callRecords.begin(fresh, {
      admit: async (manager) => {
        if (!(await this.store.isCurrentIn(manager, claim))) throw new NotBegun('another replica holds the claim');
        if (!(await this.slots.isFree(manager, fresh.orgId))) throw new NotBegun('there is no room');
        return { state: 'RINGING' };
      },
      begun: async (call, manager) => {
        await this.slots.hold(manager, call);
        await manager.query('UPDATE campaign_attempts SET call_key = $2 WHERE reference = $1', [claim.reference, call.keyId]);
      },
    });
  }
}

interface Begin {
  readonly agent: AgentRuntime;
  readonly to: string;
  readonly claim: AttemptClaim;
}

function freshCall(order: CallOrder, number: PhoneNumber, { agent, to, claim }: Begin): NewCall {
  const { campaign, contactId, contactKey, entryKey } = order;
  return {
    orgId: campaign.orgId,
    account: number.account,
    direction: 'OUTBOUND',
    agentId: agent.AgentID,
    agentKey: agent.AgentKeyID,
    agentName: agent.AgentName,
    campaignId: campaign.id,
    campaignKey: campaign.keyId,
    campaignContactId: claim.contactId,
    campaignContactKey: entryKey,
    contactId,
    contactKey,
    fromAddress: number.number,
    toAddress: to,
    wishes: {
      ringSeconds: campaign.ringSeconds,
      voicemail: campaign.voicemail,
      ...(campaign.maxConversations !== null && { conversationsMax: campaign.maxConversations }),
      variables: { ...variablesOf(order), [campaignVariable]: campaign.id },
    },
    reference: claim.reference,
  };
}

/** Values for the placeholders of prompt and greeting. The contact's variables override known fields. */
export function variablesOf({ name, variables }: Pick<CallOrder, 'name' | 'variables'>): ContactVariables {
  return { ...(name !== '' && { name, CustomerName: name }), ...variables };
}

function placingOf(call: CallEntity): Placing {
  if (call.causeCode === refusals.caller) return { kind: 'CALLER_REFUSED' };
  if (isOver(call.state)) return { kind: 'ENDED', ending: endingOf(call) };
  return { kind: 'PLACED', callId: call.keyId, placedAt: (call.ringingAt ?? call.queuedAt).getTime() };
}

const outcomes: { readonly [outcome in NonNullable<CallEntity['outcome']>]: AttemptOutcome } = {
  ANSWERED: 'ANSWERED',
  TRANSFERRED: 'ANSWERED',
  VOICEMAIL: 'VOICEMAIL',
  NO_ANSWER: 'NO_ANSWER',
  BUSY: 'BUSY',
  REJECTED: 'FAILED',
  UNREACHABLE: 'FAILED',
  FAILED: 'FAILED',
  CANCELLED: 'CANCELLED',
};

/** The ending of an attempt, given the end of its call. */
export function endingOf({ state, outcome, cause, causeCode, used }: CallEntity): AttemptEnding {
  if (causeCode === refusals.listed) return isListed;
  const known = cause !== null && { cause };
  if (causeCode === refusals.abandoned) return { outcome: 'ABANDONED', ...known, credits: 0 };
  // Declining a ringing call is not a failure; a refusal before it rang is.
  if (state === 'MISSED' && outcome === 'REJECTED') return { outcome: 'BUSY', ...known };
  const credits = Object.values(used).reduce((sum, units) => sum + units, 0);
  return { outcome: outcomes[outcome ?? 'FAILED'], ...known, credits };
}
