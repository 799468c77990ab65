import { Controller, Injectable } from '@nestjs/common';
import {
  afterSave,
  type AgentRuntime,
  deleteNumber,
  Fault,
  getNumber,
  listNumbers,
  notThere,
  NumberFields,
  readAgentRuntime,
  saveNumber,
} from '@parley/contracts';
import { containing, isUniqueViolation, numberContaining, pageOf, TenantScope } from '@parley/database';
import {
  agentsOfCaller,
  type Call,
  type HandlerOf,
  Handles,
  maySee,
  organizationOf,
  ServiceBus,
  wholeOrganizationOf,
} from '@parley/messaging';
import type { EntityManager } from 'typeorm';
import type { z } from 'zod';
import { telephoneNumber } from './callable-numbers';
import { findAccount } from './carrier-accounts.service';
import { PhoneNumber } from './entities';

type SaveNumberRequest = z.output<typeof saveNumber.request>;
type ListNumbersRequest = z.output<typeof listNumbers.request>;
type PublicNumber = z.input<typeof getNumber.reply>;
type ListNumbersReply = z.input<typeof listNumbers.reply>;

const columns: Record<ListNumbersRequest['sortColumn'], string> = {
  CreatedOn: 'number.created_on',
  UpdatedOn: 'number.updated_on',
  number: 'number.number',
  label: 'lower(number.label)',
};

/** Numbers, and the agent that answers each. */
@Injectable()
export class Numbers {
  constructor(
    private readonly tenants: TenantScope,
    private readonly bus: ServiceBus,
  ) {}

  async save(wanted: SaveNumberRequest, call: Call): Promise<PublicNumber> {
    const orgId = organizationOf(call);
    const { NumberKeyID } = wanted;
    const before = NumberKeyID ? await this.get(NumberKeyID, call) : null;
    // Requested before anything is locked, on the caller's behalf: NOT_FOUND for an agent that is another organization's, deleted or not visible.
    const saved = afterSave(NumberFields, before, wanted);
    const agent = await this.bus.ask(readAgentRuntime, { AgentID: saved.AgentID });
    try {
      return await this.tenants.run(orgId, (manager) => write(manager, { wanted, agent, call }));
    } catch (error) {
      if (isUniqueViolation(error, 'numbers_once')) {
        throw new Fault('CONFLICT', { message: 'This number of this account already has an agent.', cause: error });
      }
      throw error;
    }
  }

  /** For an unknown or invisible agent or account the result is NOT_FOUND, not an empty list. */
  async list(wanted: ListNumbersRequest, call: Call): Promise<ListNumbersReply> {
    const orgId = organizationOf(call);
    if (wanted.AgentID) await this.bus.ask(readAgentRuntime, { AgentID: wanted.AgentID, mayBeDeleted: true });
    return this.tenants.read(orgId, async (manager) => {
      const query = manager
        .createQueryBuilder(PhoneNumber, 'number')
        .innerJoinAndSelect('number.account', 'account')
        .where('number.org_id = :orgId', { orgId });
      const ids = agentsOfCaller(call);
      if (ids) query.andWhere('number.agent_id = ANY(:ids)', { ids });
      if (wanted.AgentID) query.andWhere('number.agent_id = :agentId', { agentId: wanted.AgentID });
      if (wanted.CarrierAccountKeyID) {
        const { id } = await findAccount(manager, { orgId, keyId: wanted.CarrierAccountKeyID });
        query.andWhere('number.account_id = :id', { id });
      }
      const searched = wanted.searchName.trim();
      if (searched)
        query.andWhere('(number.number ILIKE :digits OR number.label ILIKE :searched)', {
          searched: containing(searched),
          digits: numberContaining(searched),
        });
      const page = await pageOf(query, wanted, { by: columns[wanted.sortColumn] });
      return { ...page, rows: page.rows.map(shown) };
    });
  }

  get(keyId: string, call: Call): Promise<PublicNumber> {
    const orgId = organizationOf(call);
    return this.tenants.read(orgId, async (manager) => shown(await find(manager, keyId, call)));
  }

  delete(keyId: string, call: Call): Promise<PublicNumber> {
    const orgId = organizationOf(call);
    return this.tenants.run(orgId, async (manager) => {
      const number = await find(manager, keyId, call);
      await requireNoCampaign(manager, number);
      await manager.delete(PhoneNumber, { id: number.id });
      return shown(number);
    });
  }

  /** The entry that answers a called number on this account; undefined if neither the number nor a default is known. */
  answererOf(orgId: number, accountId: number, called: string): Promise<PhoneNumber | undefined> {
    return this.tenants.read(orgId, async (manager) => {
      const numbers = await manager.find(PhoneNumber, {
        where: { orgId, accountId },
        take: numbersReadMax,
        order: { id: 'ASC' },
      });
      return numbers.find(({ number }) => isSameNumber(number, called)) ?? numbers.find(({ isDefault }) => isDefault);
    });
  }

  /** The number that an agent calls from: the named one, its own, or the account's default. Only one that the caller may see. */
  callerOf(agentId: number, keyId: string | null | undefined, call: Call): Promise<PhoneNumber> {
    const orgId = organizationOf(call);
    return this.tenants.read(orgId, async (manager) => {
      if (keyId) return find(manager, keyId, call);
      const where = { orgId };
      const numbers = await manager.find(PhoneNumber, {
        where,
        relations: { account: true },
        take: numbersReadMax,
        order: { id: 'ASC' },
      });
      const seen = numbers.filter((number) => maySee(call, number.agentId));
      const own = seen.find((number) => number.agentId === agentId) ?? seen.find(({ isDefault }) => isDefault);
      if (own) return own;
      throw new Fault('CONFLICT', {
        message: 'The agent has no number to call from, and no number is the default: give it one, or name one in NumberKeyID.',
      });
    });
  }
}

const numbersReadMax = 5_000;
const digitsCompared = 8;

/** Compares numbers that carriers may write with a plus, with zeros or as dialled. */
export function isSameNumber(stored: string, called: string): boolean {
  if (stored === called) return true;
  const [one, other] = [digitsOf(stored), digitsOf(called)];
  if (one.length < digitsCompared || other.length < digitsCompared) return false;
  return one.endsWith(other) || other.endsWith(one);
}

function digitsOf(number: string): string {
  return /^\+?[\d\s().-]+$/.test(number) ? number.replace(/\D/g, '').replace(/^0+/, '') : '';
}

interface Writing {
  readonly wanted: SaveNumberRequest;
  readonly agent: AgentRuntime;
  readonly call: Call;
}

async function write(manager: EntityManager, { wanted, agent, call }: Writing): Promise<PublicNumber> {
  const orgId = organizationOf(call);
  const { NumberKeyID: keyId } = wanted;
  // Locked until the commit, and read again, since it may have changed since the agent was looked up.
  if (keyId) await manager.findOne(PhoneNumber, { where: { orgId, keyId }, lock: { mode: 'pessimistic_write' } });
  const known = keyId ? await find(manager, keyId, call) : null;
  const fields = afterSave(NumberFields, known && shown(known), wanted);
  const account = await findAccount(manager, { orgId, keyId: fields.CarrierAccountKeyID });
  const number = known ?? manager.create(PhoneNumber, { orgId });
  if (known && known.number !== canonical(fields.number)) await requireNoCampaign(manager, known);
  const isDefault = fields.isDefault === 1;
  // A default answers all other numbers of the account.
  if (isDefault && !(known?.isDefault && known.accountId === account.id)) wholeOrganizationOf(call, 'Defaults of an account');
  if (isDefault) await manager.update(PhoneNumber, { orgId, accountId: account.id, isDefault }, { isDefault: false });
  const values = {
    account,
    accountId: account.id,
    number: canonical(fields.number),
    label: fields.label,
    agentId: fields.AgentID,
    // If another save changed the agent meanwhile, that one has checked it.
    agentKey: fields.AgentID === agent.AgentID ? agent.AgentKeyID : number.agentKey,
    isDefault,
  };
  const saved = await manager.save(PhoneNumber, Object.assign(number, values, { updatedOn: new Date() }));
  return shown(await find(manager, saved.keyId, call));
}

/** Throws if a running campaign uses the number, whose calls would stop. */
async function requireNoCampaign(manager: EntityManager, { orgId, number }: PhoneNumber): Promise<void> {
  const [campaign] = await manager.query<{ name: string }[]>(
    `SELECT name FROM campaigns
     WHERE org_id = $1 AND status = 'RUNNING' AND (caller_number = $2 OR $2 = ANY(more_caller_numbers)) ORDER BY id LIMIT 1`,
    [orgId, number],
  );
  if (campaign)
    throw new Fault('CONFLICT', {
      message: `The campaign ${campaign.name} calls from ${number}: pause it, or give it another number first.`,
    });
}

/** E.164 for a full number, anything else unchanged: carriers, and the simulated network, may know our numbers by other names. */
function canonical(written: string): string {
  return written.startsWith('+') ? (telephoneNumber(written, [])?.number ?? written) : written;
}

async function find(manager: EntityManager, keyId: string, call: Call): Promise<PhoneNumber> {
  const number = await manager.findOne(PhoneNumber, {
    where: { orgId: organizationOf(call), keyId },
    relations: { account: true },
  });
  if (!number || !maySee(call, number.agentId)) throw notThere('number');
  return number;
}

function shown(number: PhoneNumber): PublicNumber {
  return {
    NumberKeyID: number.keyId,
    NumberID: number.id,
    CarrierAccountKeyID: number.account.keyId,
    CarrierAccountID: number.account.id,
    carrier: number.account.carrier,
    number: number.number,
    label: number.label,
    AgentID: number.agentId,
    AgentKeyID: number.agentKey,
    isDefault: number.isDefault ? 1 : 0,
    CreatedOn: number.createdOn.toISOString(),
    UpdatedOn: number.updatedOn.toISOString(),
  };
}

type SaveNumberHandler = HandlerOf<typeof saveNumber>;
type ListNumbersHandler = HandlerOf<typeof listNumbers>;
type GetNumberHandler = HandlerOf<typeof getNumber>;

/** Numbers over the bus. */
@Controller()
export class NumbersController {
  constructor(private readonly numbers: Numbers) {}

  @Handles(saveNumber)
  save(wanted: Parameters<SaveNumberHandler>[0], call: Call): ReturnType<SaveNumberHandler> {
    return this.numbers.save(wanted, call);
  }

  @Handles(listNumbers)
  list(query: Parameters<ListNumbersHandler>[0], call: Call): ReturnType<ListNumbersHandler> {
    return this.numbers.list(query, call);
  }

  @Handles(getNumber)
  get({ NumberKeyID }: Parameters<GetNumberHandler>[0], call: Call): ReturnType<GetNumberHandler> {
    return this.numbers.get(NumberKeyID, call);
  }

  @Handles(deleteNumber)
  delete({ NumberKeyID }: Parameters<GetNumberHandler>[0], call: Call): ReturnType<GetNumberHandler> {
    return this.numbers.delete(NumberKeyID, call);
  }
}
