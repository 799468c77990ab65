import { Injectable } from '@nestjs/common';
import { columnsTaken, type exportCampaignContacts, exportColumns, type listCampaignContacts } from '@parley/contracts';
import { containing, numberContaining, pageOf, TenantScope } from '@parley/database';
import { type Call, organizationOf } from '@parley/messaging';
import { csvRow } from '@parley/service-kit';
import type { EntityManager, SelectQueryBuilder } from 'typeorm';
import type { z } from 'zod';
import { type Campaign, CampaignContact } from './campaign.entity';
import { findSeen } from './campaign-records';
import { rulesOf, shownContact } from './campaign.wire';
import { legalHoursIn } from './legal-hours.service';
import type { CallingRules, Instant } from './plan/campaign';
import { windowOf } from './plan/windows';

type ListCampaignContactsRequest = z.output<typeof listCampaignContacts.request>;
type ListCampaignContactsReply = z.input<typeof listCampaignContacts.reply>;
type ExportCampaignContactsRequest = z.output<typeof exportCampaignContacts.request>;

const columns: Record<ListCampaignContactsRequest['sortColumn'], string> = {
  CreatedOn: 'contact.created_on',
  UpdatedOn: 'contact.updated_on',
  CustomerName: 'contact.name',
  ContactNumber: 'contact.number',
};
const exportedAtOnce = 200;
const variableColumnsMax = 200;

/** Lists and exports the outcomes of a campaign's contacts. */
@Injectable()
export class ContactResults {
  constructor(private readonly tenants: TenantScope) {}

  list(wanted: ListCampaignContactsRequest, call: Call): Promise<ListCampaignContactsReply> {
    return this.tenants.read(organizationOf(call), async (manager) => {
      const campaign = await findSeen(manager, wanted.CampaignKeyID, call);
      const page = await pageOf(narrowed(manager, campaign, wanted), wanted, { by: columns[wanted.sortColumn] });
      const plan = await planIn(manager, campaign);
      return { ...page, rows: page.rows.map((contact) => ({ ...shownContact(contact), nextCallAt: nextCallAt(contact, plan) })) };
    });
  }

  /** Reads each batch in a separate transaction, so that a slow reader does not keep one open. */
  async *export(wanted: ExportCampaignContactsRequest, call: Call): AsyncGenerator<{ csv: string }> {
    const orgId = organizationOf(call);
    const { campaign, sheet } = await this.tenants.read(orgId, async (manager) => {
      const found = await findSeen(manager, wanted.CampaignKeyID, call);
      return { campaign: found, sheet: sheetOf(found, await variableNames(manager, found)) };
    });
    let header = csvRow(titlesOf(sheet));
    for (let last = 0; ;) {
      const run = await this.tenants.read(orgId, async (manager) => {
        const contacts = await narrowed(manager, campaign, wanted)
          .andWhere('contact.id > :last', { last })
          .orderBy('contact.id')
          .limit(exportedAtOnce)
          .getMany();
        const [plan, calls] = [await planIn(manager, campaign), await lastCalls(manager, contacts)];
        const lines = contacts.map((contact) => csvRow(cellsOf(contact, sheet, { plan, call: calls.get(contact.id) })));
        return { csv: lines.join(''), count: contacts.length, last: contacts.at(-1)?.id ?? last };
      });
      yield { csv: header + run.csv };
      if (run.count < exportedAtOnce) return;
      ({ last } = run);
      header = '';
    }
  }
}

async function planIn(manager: EntityManager, campaign: Campaign): Promise<Plan> {
  const legalHours = (await legalHoursIn(manager, [campaign.orgId])).get(campaign.orgId);
  return { rules: rulesOf(campaign, legalHours), startsAt: campaign.startsAt?.getTime() ?? 0, now: Date.now() };
}

interface Plan {
  readonly rules: CallingRules;
  readonly startsAt: Instant;
  readonly now: Instant;
}

/**
 * The earliest next call of a waiting contact; null if the hours allow none. If it is due already, that is now, or when the hours open.
 */
function nextCallAt({ state, region, dueAt }: CampaignContact, { rules, startsAt, now }: Plan): string | null {
  if (state !== 'WAITING') return null;
  const due = Math.max(dueAt.getTime(), startsAt);
  const earliest = Math.max(due, now);
  const opening = windowOf(region, rules).nextOpening(earliest);
  if (opening === undefined) return null;
  return new Date(opening === earliest ? due : opening).toISOString();
}

function narrowed(
  manager: EntityManager,
  { id }: Campaign,
  { searchName, state, disposition }: Pick<ExportCampaignContactsRequest, 'searchName' | 'state' | 'disposition'>,
): SelectQueryBuilder<CampaignContact> {
  const query = manager.createQueryBuilder(CampaignContact, 'contact').where('contact.campaign_id = :id', { id });
  if (state !== 'ALL') query.andWhere('contact.state = :state', { state });
  if (disposition !== 'ALL') query.andWhere('contact.disposition = :disposition', { disposition });
  const sought = searchName.trim();
  if (sought)
    query.andWhere('(contact.name ILIKE :sought OR contact.number LIKE :digits)', {
      sought: containing(sought),
      digits: numberContaining(sought),
    });
  return query;
}

/** The campaign-specific columns of an export. */
interface Sheet {
  /** The columns of variables, by name; undefined if there are too many, which are then exported as JSON in one column. */
  readonly variables: ReadonlyMap<string, string> | undefined;
  /** The fields of its `ResultSchema`. */
  readonly fields: readonly string[];
}

async function variableNames(manager: EntityManager, { id }: Campaign): Promise<string[]> {
  const rows: { name: string }[] = await manager.query(
    `SELECT DISTINCT key.name FROM campaign_contacts c CROSS JOIN LATERAL jsonb_object_keys(c.variables) AS key(name)
     WHERE c.campaign_id = $1 ORDER BY key.name LIMIT $2`,
    [id, variableColumnsMax + 1],
  );
  return rows.map(({ name }) => name);
}

/** A variable's column has its name, unless another column has that name. */
function sheetOf({ resultSchema }: Campaign, names: readonly string[]): Sheet {
  const fields = Object.keys(resultSchema?.properties ?? {});
  if (names.length > variableColumnsMax) return { variables: undefined, fields };
  const titleOf = (name: string) => (columnsTaken.includes(name) || fields.includes(name) ? `variables.${name}` : name);
  return { variables: new Map(names.map((name) => [name, titleOf(name)])), fields };
}

function titlesOf({ variables, fields }: Sheet): string[] {
  const ofVariables = variables ? variables.values() : ['variables'];
  return [...exportColumns.first, ...ofVariables, ...fields, ...(fields.length > 0 ? exportColumns.last : [])];
}

interface LastCall {
  readonly lastCallSeconds: number | null;
  /** As in the record of the call. */
  readonly callOutcome: string | null;
  /** The sum over all its calls. */
  readonly creditsUsed: number | null;
}

async function lastCalls(manager: EntityManager, contacts: readonly CampaignContact[]): Promise<ReadonlyMap<number, LastCall>> {
  const rows: (LastCall & { id: number })[] = await manager.query(
    `SELECT c.id, k.duration_seconds AS "lastCallSeconds", k.outcome AS "callOutcome", (
       SELECT sum(a.credits)::float8 FROM campaign_attempts a WHERE a.contact_id = c.id AND a.state = 'ENDED') AS "creditsUsed"
     FROM campaign_contacts c LEFT JOIN calls k ON k.key_id = c.call_key WHERE c.id = ANY($1)`,
    [contacts.map(({ id }) => id)],
  );
  return new Map(rows.map((row) => [row.id, row]));
}

interface ResultContext {
  readonly plan: Plan;
  readonly call: LastCall | undefined;
}

function cellsOf(contact: CampaignContact, { variables, fields }: Sheet, { plan, call }: ResultContext): string[] {
  const last = contact.tries.at(-1);
  const record = {
    ...shownContact(contact),
    nextCallAt: nextCallAt(contact, plan),
    lastCallAt: last ? new Date(last.at).toISOString() : null,
    lastOutcome: call?.callOutcome ?? last?.outcome ?? null,
    lastCallSeconds: call?.lastCallSeconds ?? null,
    creditsUsed: call?.creditsUsed ?? null,
  };
  const given = variables
    ? [...variables.keys()].map((name) => String(ownOf(contact.variables, name) ?? ''))
    : [JSON.stringify(contact.variables)];
  const learned = fields.map((field) => String(ownOf(contact.result ?? {}, field) ?? ''));
  const reason = fields.length > 0 ? [contact.resultReason ?? ''] : [];
  return [...exportColumns.first.map((title) => String(record[title] ?? '')), ...given, ...learned, ...reason];
}

/** The own property of this name, since a field may be called `constructor`. */
function ownOf<Value>(fields: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}
