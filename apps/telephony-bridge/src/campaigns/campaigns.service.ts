import { Injectable } from '@nestjs/common';
import {
  afterSave,
  CampaignFields,
  type deleteCampaign,
  Fault,
  type listCampaigns,
  listMyOrganizations,
  readAgentRuntime,
  type saveCampaign,
} from '@parley/contracts';
import { containing, pageOf, TenantScope } from '@parley/database';
import { agentsOfCaller, type Call, organizationOf, ServiceBus } from '@parley/messaging';
import { firstInstant, firstInstantAfter } from '@parley/service-kit';
import type { EntityManager } from 'typeorm';
import type { z } from 'zod';
import { PhoneNumber } from '../accounts/entities';
import { CampaignContacts } from './campaign-contacts';
import { CampaignRecords, findSeen, requireOpen } from './campaign-records';
import { type CampaignRecord, contactCountOf, recordOf, rulesOf } from './campaign.wire';
import { Campaign } from './campaign.entity';
import type { CampaignStatus } from './plan/campaign';
import { waitingRegions } from './claim-queries';
import { ContactIntake } from './contact-intake';
import { legalHoursIn } from './legal-hours.service';
import { whyNever } from './plan/windows';

type SaveCampaignRequest = z.output<typeof saveCampaign.request>;
type ListCampaignsRequest = z.output<typeof listCampaigns.request>;
type ListCampaignsReply = z.input<typeof listCampaigns.reply>;
type Fields = z.output<typeof CampaignFields>;

const columns: Record<ListCampaignsRequest['sortColumn'], string> = {
  CreatedOn: 'campaign.created_on',
  UpdatedOn: 'campaign.updated_on',
  CampaignName: 'lower(campaign.name)',
  status: 'campaign.status',
};

/** The state changes that people may request, and the states from which each is allowed. */
const moves = {
  start: { from: ['DRAFT', 'COMPLETED'], to: 'RUNNING', word: 'started' },
  pause: { from: ['RUNNING'], to: 'PAUSED', word: 'paused' },
  resume: { from: ['PAUSED', 'COMPLETED'], to: 'RUNNING', word: 'resumed' },
  cancel: { from: ['DRAFT', 'RUNNING', 'PAUSED'], to: 'CANCELLED', word: 'cancelled' },
} as const satisfies Record<string, { from: readonly CampaignStatus[]; to: CampaignStatus; word: string }>;

/** Creates, reads, changes and controls campaigns. */
@Injectable()
export class Campaigns {
  constructor(
    private readonly tenants: TenantScope,
    private readonly bus: ServiceBus,
    private readonly records: CampaignRecords,
    private readonly contacts: CampaignContacts,
    private readonly intake: ContactIntake,
  ) {}

  async save(wanted: SaveCampaignRequest, call: Call): Promise<CampaignRecord> {
    const orgId = organizationOf(call);
    const { CampaignKeyID, ContactIDs } = wanted;
    const before = CampaignKeyID ? await this.get(CampaignKeyID, call) : null;
    // Requested before anything is locked, on the caller's behalf: NOT_FOUND for an agent that is another organization's, deleted or not visible.
    const wantedFields = fieldsAfter(before, wanted);
    const agent = await this.bus.ask(readAgentRuntime, { AgentID: wantedFields.AgentID });
    const timeZone = await this.timeZone();
    const found = ContactIDs && (await this.intake.allByIds(ContactIDs));
    return this.tenants.run(orgId, async (manager) => {
      const campaign = CampaignKeyID
        ? await this.records.lock(manager, orgId, CampaignKeyID)
        : manager.create(Campaign, { orgId, status: 'DRAFT', statusReason: null });
      requireOpen(campaign);
      // Read again, since it may have been saved meanwhile.
      const fields = fieldsAfter(CampaignKeyID ? recordOf(campaign, {}) : null, wanted);
      if (wanted.CallerNumber !== undefined || wanted.MoreCallerNumbers)
        await requireNumbers(manager, call, { all: [fields.CallerNumber, ...fields.MoreCallerNumbers], sent: numbersOf(wanted) });
      // If another save changed the agent meanwhile, that one has checked it.
      const agentKey = fields.AgentID === agent.AgentID ? agent.AgentKeyID : campaign.agentKey;
      const span = spanOf(fields, timeZone);
      requireSpan(span, wanted.endDate !== undefined);
      const values = { ...valuesOf(fields), ...span, timeZone, agentKey, updatedOn: new Date() };
      const saved = await manager.save(Campaign, Object.assign(campaign, values));
      if (found) await this.contacts.replace(manager, saved, found);
      return this.shown(manager, orgId, saved.keyId);
    });
  }

  list(wanted: ListCampaignsRequest, call: Call): Promise<ListCampaignsReply> {
    const orgId = organizationOf(call);
    return this.tenants.read(orgId, async (manager) => {
      const query = manager.createQueryBuilder(Campaign, 'campaign').where('campaign.org_id = :orgId', { orgId });
      const ids = agentsOfCaller(call);
      if (ids) query.andWhere('campaign.agent_id = ANY(:ids)', { ids });
      if (wanted.status !== 'ALL') query.andWhere('campaign.status = :status', { status: wanted.status });
      const searched = wanted.searchName.trim();
      if (searched) query.andWhere('campaign.name ILIKE :searched', { searched: containing(searched) });
      const page = await pageOf(query, wanted, { by: columns[wanted.sortColumn] });
      const counts = await this.records.countsOf(
        manager,
        page.rows.map(({ id }) => id),
      );
      return { ...page, rows: page.rows.map((campaign) => recordOf(campaign, counts.get(campaign.id) ?? {})) };
    });
  }

  async get(keyId: string, call: Call): Promise<CampaignRecord> {
    return this.tenants.read(organizationOf(call), async (manager) => {
      const campaign = await findSeen(manager, keyId, call);
      return recordOf(campaign, await this.records.counts(manager, campaign));
    });
  }

  /** Starts, pauses, resumes or cancels a campaign; CONFLICT if its state does not allow it. */
  async move(keyId: string, how: keyof typeof moves, call: Call): Promise<CampaignRecord> {
    const orgId = organizationOf(call);
    const { from, to, word } = moves[how];
    const { AgentID } = await this.get(keyId, call);
    if (to === 'RUNNING') await this.bus.ask(readAgentRuntime, { AgentID });
    return this.tenants.run(orgId, async (manager) => {
      const campaign = await this.records.lock(manager, orgId, keyId);
      if (!from.some((state) => state === campaign.status)) {
        throw new Fault('CONFLICT', { message: `A campaign that is ${campaign.status} cannot be ${word}.` });
      }
      if (to === 'RUNNING') requireSpan(campaign, true);
      if (how === 'start' || campaign.status === 'COMPLETED') await this.requireContacts(manager, campaign);
      if (to === 'RUNNING') await requireANumber(manager, campaign);
      if (to === 'RUNNING') await requireHours(manager, campaign);
      await this.records.move(manager, campaign, { status: to });
      return this.shown(manager, orgId, keyId);
    });
  }

  /** Deletes a campaign that is over or never began, with all data of its contacts. Its calls are kept. */
  async delete(keyId: string, call: Call): Promise<z.input<typeof deleteCampaign.reply>> {
    const orgId = organizationOf(call);
    await this.get(keyId, call);
    return this.tenants.run(orgId, async (manager) => {
      const campaign = await this.records.lock(manager, orgId, keyId);
      if (campaign.status === 'RUNNING' || campaign.status === 'PAUSED')
        throw new Fault('CONFLICT', { message: `A campaign that is ${campaign.status} cannot be deleted: cancel it first.` });
      const counts = await this.records.counts(manager, campaign);
      if (counts.ACTIVE)
        throw new Fault('CONFLICT', { message: `${counts.ACTIVE} of its calls go on: delete it once they are over.` });
      await this.records.delete(manager, campaign);
      return { CampaignKeyID: keyId, CampaignID: campaign.id, contactCount: contactCountOf(counts) };
    });
  }

  private async requireContacts(manager: EntityManager, campaign: Campaign): Promise<void> {
    const { WAITING = 0 } = await this.records.counts(manager, campaign);
    if (WAITING === 0) throw new Fault('CONFLICT', { message: 'The campaign has no one to call: add contacts first.' });
  }

  private async shown(manager: EntityManager, orgId: number, keyId: string): Promise<CampaignRecord> {
    const campaign = await manager.findOneByOrFail(Campaign, { orgId, keyId });
    return recordOf(campaign, await this.records.counts(manager, campaign));
  }

  private async timeZone(): Promise<string> {
    const organizations = await this.bus.ask(listMyOrganizations, {});
    return organizations.find(({ isCurrent }) => isCurrent)?.timezone ?? 'UTC';
  }
}

/** Throws if the contacts can never be called, since the campaign would only pause again. */
async function requireHours(manager: EntityManager, campaign: Campaign): Promise<void> {
  const [found] = await manager.query<{ regions: string[] }[]>(
    `SELECT ${waitingRegions} AS regions FROM campaigns campaign WHERE id = $1`,
    [campaign.id],
  );
  const legalHours = (await legalHoursIn(manager, [campaign.orgId])).get(campaign.orgId);
  const says = whyNever(found?.regions ?? [], rulesOf(campaign, legalHours), Date.now());
  if (says !== undefined) throw new Fault('CONFLICT', { message: says });
}

/** Omitted fields are unchanged, also within groups. */
function fieldsAfter(before: CampaignRecord | null, wanted: SaveCampaignRequest): Fields {
  const { CallingHours, Retry, voicemail } = wanted;
  return afterSave(CampaignFields, before, {
    ...wanted,
    ...(CallingHours && { CallingHours: { ...before?.CallingHours, ...CallingHours } }),
    ...(Retry && { Retry: { ...before?.Retry, ...Retry } }),
    ...(voicemail && { voicemail: { ...before?.voicemail, ...voicemail } }),
  });
}

/** Throws if a number does not exist, which would otherwise be noticed only when no calls are placed. */
async function requireNumbers(manager: EntityManager, call: Call, { all, sent }: NumbersOfSave): Promise<void> {
  const orgId = organizationOf(call);
  const [gone] = await missingOf(manager, orgId, all);
  if (gone !== undefined)
    throw new Fault('NOT_FOUND', { message: `The organization has no number ${gone}: add it by number/add-update-number.` });
  const [withheld] = await missingOf(manager, orgId, sent, agentsOfCaller(call));
  if (withheld !== undefined) throw new Fault('NOT_FOUND', { message: `None of your agents has the number ${withheld}.` });
}

interface NumbersOfSave {
  /** The numbers that the campaign calls from. */
  readonly all: readonly string[];
  /** The numbers in this request, which must belong to agents that the caller may see. */
  readonly sent: readonly string[];
}

function numbersOf({ CallerNumber, MoreCallerNumbers }: SaveCampaignRequest): string[] {
  return [...(CallerNumber === undefined ? [] : [CallerNumber]), ...(MoreCallerNumbers ?? [])];
}

/** Throws unless at least one caller number exists. */
async function requireANumber(manager: EntityManager, { orgId, callerNumber, moreCallerNumbers }: Campaign): Promise<void> {
  const numbers = [callerNumber, ...moreCallerNumbers];
  if ((await missingOf(manager, orgId, numbers)).length < numbers.length) return;
  throw new Fault('CONFLICT', {
    message: `The organization has no number ${callerNumber} any more: give the campaign another.`,
  });
}

/** Which of these numbers the organization, or the given agents, do not have. */
async function missingOf(
  manager: EntityManager,
  orgId: number,
  numbers: readonly string[],
  agentIds?: readonly number[],
): Promise<string[]> {
  const query = manager
    .createQueryBuilder(PhoneNumber, 'own')
    .where('own.org_id = :orgId AND own.number = ANY(:numbers)', { orgId, numbers });
  if (agentIds) query.andWhere('own.agent_id = ANY(:agentIds)', { agentIds });
  const own = await query.getMany();
  return numbers.filter((number) => !own.some((each) => each.number === number));
}

function spanOf({ startDate, endDate }: Fields, timeZone: string): Pick<Campaign, 'startsAt' | 'endsAt'> {
  return {
    startsAt: startDate === null ? null : firstInstant(startDate, timeZone),
    endsAt: endDate === null ? null : firstInstantAfter(endDate, timeZone),
  };
}

/** Throws if the campaign ends before it begins, or a newly set end is in the past; an unchanged end may be. */
function requireSpan({ startsAt, endsAt }: Pick<Campaign, 'startsAt' | 'endsAt'>, isAskedFor: boolean): void {
  if (endsAt === null) return;
  const says = (message: string): Fault => new Fault('VALIDATION_FAILED', { details: [{ field: 'endDate', message }] });
  if (startsAt && startsAt >= endsAt) throw says('must not be before startDate');
  if (isAskedFor && endsAt.getTime() <= Date.now()) throw says('is in the past');
}

function valuesOf(fields: Fields): Partial<Campaign> {
  return {
    name: fields.CampaignName,
    agentId: fields.AgentID,
    callerNumber: fields.CallerNumber,
    // A number listed twice would get twice its share of the calls.
    moreCallerNumbers: [...new Set(fields.MoreCallerNumbers)].filter((number) => number !== fields.CallerNumber),
    callingHours: fields.CallingHours,
    holidays: fields.Holidays,
    retry: fields.Retry,
    callsPerMinute: fields.CallsPerMinute,
    maxConcurrentCalls: fields.MaxConcurrentCalls,
    maxConversations: fields.MaxConversations,
    abandonedShareMax: fields.AbandonedShareMax,
    callsPerNumber: fields.CallsPerNumberADay,
    startDate: fields.startDate,
    endDate: fields.endDate,
    voicemail: fields.voicemail,
    ringSeconds: fields.ringSeconds,
    resultSchema: fields.ResultSchema,
    creditBudget: fields.CreditBudget,
  };
}
