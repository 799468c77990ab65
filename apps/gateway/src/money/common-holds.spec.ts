import { randomUUID } from 'node:crypto';
import { Fault, type readPaidTurns, type RequestContract } from '@parley/contracts';
import { connectionOptions, migrateSchema, Outbox, TenantScope } from '@parley/database';
import type { RegularTasks } from '@parley/service-kit';
import { eventually, testDatabase, type TestDatabase } from '@parley/testing';
import fc from 'fast-check';
import { DataSource } from 'typeorm';
import { z } from 'zod';
import { gatewaySchema } from '../database/schema';
import { RecordedLog } from '../testing/recorded-log';
import { ScriptedBus } from '../testing/scripted-bus';
import { type Charge, CreditCharging } from './charging';
import { CreditBook } from './credit-book';
import { HoldSweeper } from './hold-sweeper';
import { differenceOf, readEquation } from './index';
import { commonHoldOf, type CreditOperation, type CreditOutcome } from './operation';
import { WidgetBudgets } from './widget-budgets';

const initialCredits = { TTT_API: 1_000_000, TTS_API: 0, STT_API: 0 };
const prices = { TTT_API: 1000, TTS_API: 1000, STT_API: 1000 };
const topUps = 'owners' as const;
const terms = { initialCredits, lowAt: [], topUps, tokensPerTurn: 100, holdMs: 60_000, prices, organizationPrices: new Map() };
const estimate = { TTT_API: 100 };
const patienceMs = 10_000;

type PaidTurn = z.input<typeof readPaidTurns.reply>['turns'][number];

/** The records of ended turns, as conversation would find them. */
class Records extends ScriptedBus {
  readonly turns: PaidTurn[] = [];

  constructor() {
    super(() => undefined);
  }

  override async ask<Body extends z.ZodType, Answer extends z.ZodType>(
    { reply }: RequestContract<Body, Answer>,
    body: z.input<Body>,
  ): Promise<z.output<Answer>> {
    const Asked = z.object({
      charges: z.array(z.object({ orgId: z.int(), chargeId: z.string(), lastChargeId: z.string().optional() })),
    });
    const { charges } = Asked.parse(body);
    const isAsked = ({ orgId, chargeId }: PaidTurn): boolean =>
      charges.some(
        (each) => each.orgId === orgId && each.chargeId <= chargeId && chargeId <= (each.lastChargeId ?? each.chargeId),
      );
    return reply.parse({ turns: this.turns.filter(isAsked) });
  }
}

/** A book whose settlements nobody can write in time. */
class UnwritableBook extends CreditBook {
  override do(operation: CreditOperation, patienceMs: number): Promise<CreditOutcome> {
    return operation.type === 'settle' ? Promise.reject(new Fault('SERVICE_UNAVAILABLE')) : super.do(operation, patienceMs);
  }
}

describe('turns that share a hold', () => {
  let database: TestDatabase;
  let dataSource: DataSource;
  let tenants: TenantScope;
  let records: Records;
  let book: CreditBook;
  let charging: CreditCharging;
  let orgId = 0;

  const newBook = () => new CreditBook(tenants, new Outbox(dataSource), terms);
  const chargingBy = (of: CreditBook) => new CreditCharging(of, terms, new WidgetBudgets(tenants, new RecordedLog()));
  const principal = () => ({ kind: 'agt', keyId: 'k', orgId, agentId: 3 }) as const;
  const idOf = (charge: Charge): string => charge.payment?.chargeId ?? '';
  const begin = (by = charging) => by.open({ principal: principal(), estimate, requestId: 'r' });
  const rows = <Row>(statement: string): Promise<Row[]> => tenants.read(orgId, (manager) => manager.query<Row[]>(statement));
  const holds = async (): Promise<string[]> =>
    (await rows<{ id: string }>('SELECT id FROM credit_holds ORDER BY id')).map(({ id }) => id);
  const charged = () =>
    rows<{ reference: string; units: number }>(
      `SELECT reference, -units::int AS units FROM credit_ledger WHERE entry = 'CHARGE' ORDER BY units`,
    );
  const available = async (): Promise<number> =>
    (await rows<{ available: number }>(`SELECT available::int FROM credit_accounts WHERE kind = 'TTT_API'`))[0]?.available ?? 0;
  const equation = () => tenants.acrossTenants('the books of the whole test are proven', readEquation);
  const balances = async (): Promise<void> => {
    const books = await equation();
    const { breaks, held, openHolds } = books;
    expect({ difference: differenceOf(books), breaks, held: held - openHolds }).toEqual({ difference: 0, breaks: 0, held: 0 });
  };
  const settle = (id: string, TTT_API: number, by = book) =>
    by.do({ type: 'settle', orgId, id, used: { TTT_API }, spender: {} }, patienceMs);
  const sweep = (of = book): Promise<number> =>
    new HoldSweeper(tenants, of, records, new RecordedLog(), {} as RegularTasks).sweep();
  const write = (statement: string) => tenants.run(orgId, (manager) => manager.query(statement));
  const expire = () => write(`UPDATE credit_holds SET expires_at = now() - interval '1 second'`);
  const record = (id: string, totalTokens: number): void => {
    const tokenUsage = { promptTokens: totalTokens, completionTokens: 0, totalTokens };
    records.turns.push({ orgId, chargeId: id, AgentID: 12, tokenUsage, audioSeconds: 0 });
  };

  /** A busy organization: its common hold is open, and these charges, with holds of their own, are in progress. */
  const busy = async (by = charging): Promise<Charge[]> => {
    const charges = [await begin(by)];
    while (!(await holds()).some((id) => id === commonHoldOf(id))) charges.push(await begin(by));
    return charges;
  };
  const shares = async (count: number, by = charging): Promise<Charge[]> => {
    const charges = await Promise.all(Array.from({ length: count }, () => begin(by)));
    const own = new Set(await holds());
    expect(charges.filter((charge) => own.has(idOf(charge)))).toEqual([]);
    return charges;
  };
  const end = (charges: readonly Charge[]) => Promise.all(charges.map((charge) => charge.release()));

  beforeAll(async () => {
    database = await testDatabase();
    await migrateSchema(gatewaySchema, database.url);
    dataSource = await new DataSource(connectionOptions(gatewaySchema, { url: database.url })).initialize();
    tenants = new TenantScope(dataSource);
  });
  beforeEach(() => {
    orgId += 1;
    records = new Records();
    book = newBook();
    charging = chargingBy(book);
  });
  afterEach(async () => {
    await book.beforeApplicationShutdown();
    await balances();
  });
  afterAll(async () => {
    await dataSource.destroy();
    await database.close();
  });

  it('leave what two gateways noted under a hold of its own as it is: the larger, though each remembers only its note', async () => {
    const id = randomUUID();
    const rival = newBook();
    const noted = (units: number) =>
      ({ type: 'hold', orgId, id, estimate, used: { TTT_API: units }, expiresAtMs: Date.now() }) as const;
    await book.do({ ...noted(0), isNew: true }, patienceMs);
    await rival.do(noted(9), patienceMs);
    await book.do(noted(5), patienceMs);
    await expect(rows('SELECT used::int FROM credit_holds')).resolves.toEqual([{ used: 9 }]);
    await book.do({ type: 'release', orgId, id, onlyExpired: false }, patienceMs);
  });

  it('have no rows of their own, are charged each, and leave nothing held', async () => {
    const own = await busy();
    const before = await holds();
    const sharing = await shares(12);
    expect(await holds()).toEqual(before);
    expect(sharing.map((charge) => commonHoldOf(idOf(charge)))).toEqual(
      sharing.map(() => before.find((id) => id === commonHoldOf(id))),
    );
    sharing.forEach((charge, at) => charge.use('TTT_API', at + 1));
    await Promise.all(sharing.map((charge, at) => (at % 2 ? charge.settle() : charge.settleRecorded())));
    await end(own);
    await book.caughtUp(orgId);
    expect(await charged()).toEqual(sharing.map((charge, at) => ({ reference: idOf(charge), units: at + 1 })));
    expect(await holds()).toEqual([]);
  });

  it('have holds of their own in a quiet organization, near the end of the balance, and under an Idempotency-Key', async () => {
    const few = [await begin(), await begin()];
    expect(await holds()).toHaveLength(2);
    const own = await busy();
    const chargeId = randomUUID();
    own.push(await charging.open({ principal: principal(), estimate, requestId: 'r', chargeId }));
    own.push(await charging.open({ principal: principal(), estimate: { TTT_API: 100, STT_API: 0 }, requestId: 'r' }));
    expect(await holds()).toEqual(expect.arrayContaining(own.slice(-2).map(idOf)));
    await settle(randomUUID(), (await available()) - 5_000);
    const late = await begin();
    expect(await holds()).toContain(idOf(late));
    await eventually('the common hold is given back', async () => !(await holds()).some((id) => id === commonHoldOf(id)));
    await end([...few, ...own, late]);
  });

  it('grow their hold when they are many', async () => {
    const own = await busy();
    const charges = await shares(16);
    const beyond = await begin();
    expect(await holds()).toContain(idOf(beyond));
    await eventually('there is room for twice as many', async () => {
      const more = await begin();
      charges.push(more);
      return !(await holds()).includes(idOf(more));
    });
    charges.push(...(await shares(14)));
    await end([...own, ...charges, beyond]);
    await book.caughtUp(orgId);
    expect(await holds()).toEqual([]);
  });

  it('are charged once, whichever gateway is first, even if the account looks unchanged', async () => {
    const own = await busy();
    const [first, second] = await shares(2);
    if (!first || !second) throw new Error('two were asked for');
    const other = newBook();
    await settle(idOf(first), 70, other);
    const topUp = { type: 'topUp', orgId, id: randomUUID(), kind: 'TTT_API', units: 70, note: '', spender: {} } as const;
    await other.do(topUp, patienceMs);
    first.use('TTT_API', 70);
    await first.settle();
    second.use('TTT_API', 30);
    await second.settle();
    await settle(idOf(second), 30, other);
    expect((await charged()).map(({ units }) => units)).toEqual([30, 70]);
    await end(own);
  });

  it('are paid from their hold if the balance ends first', async () => {
    const own = await busy();
    const sharing = await shares(3);
    await settle(randomUUID(), (await available()) - 50);
    for (const charge of sharing) charge.use('TTT_API', 100);
    await Promise.all(sharing.map((charge) => charge.settle()));
    expect(await rows('SELECT sum(unpaid)::int AS unpaid FROM credit_ledger')).toEqual([{ unpaid: 0 }]);
    await end(own);
  });

  it('get holds of their own to grow, from any gateway, but not once they have ended', async () => {
    const own = await busy();
    const [growing, ended] = await shares(2);
    if (!growing || !ended) throw new Error('two were asked for');
    const other = newBook();
    const raise = { type: 'hold', orgId, expiresAtMs: Date.now() + 60_000, isRaise: true } as const;
    await other.holdInTurn({ ...raise, id: idOf(growing), estimate: { TTT_API: 900 }, used: { TTT_API: 100 } });
    expect(await rows(`SELECT units::int FROM credit_holds WHERE id = '${idOf(growing)}'`)).toEqual([{ units: 900 }]);
    growing.use('TTT_API', 850);
    await growing.settle();
    ended.use('TTT_API', 10);
    await ended.settle();
    await other.holdInTurn({ ...raise, id: idOf(ended), estimate: { TTT_API: 900 } });
    await other.holdInTurn({ ...raise, id: randomUUID(), estimate: { TTT_API: 900 } });
    await end(own);
    await book.caughtUp(orgId);
    expect(await holds()).toEqual([]);
    expect((await charged()).map(({ units }) => units)).toEqual([10, 850]);
  });

  it('pay the prices of their admission, and later ones those of theirs', async () => {
    const own = await busy();
    const [early] = await shares(1);
    await write('UPDATE credit_accounts SET units_per_thousand = 3000');
    early?.use('TTT_API', 10);
    await early?.settle();
    const late = await begin();
    late.use('TTT_API', 10);
    await late.settle();
    expect((await charged()).map(({ units }) => units)).toEqual([10, 30]);
    await end(own);
  });

  it('are charged by their records if their gateway dies, each once, and those that left none are not', async () => {
    const own = await busy();
    const [unsettled, settled, unrecorded] = await shares(3);
    if (!unsettled || !settled || !unrecorded) throw new Error('three were asked for');
    settled.use('TTT_API', 20);
    await settled.settle();
    record(idOf(unsettled), 40);
    record(idOf(settled), 20);
    record(randomUUID(), 90);
    const survivor = newBook();
    expect(await sweep(survivor)).toBe(0);
    await expire();
    await Promise.all([sweep(survivor), sweep(newBook())]);
    expect(await charged()).toEqual([
      { reference: idOf(settled), units: 20 },
      { reference: idOf(unsettled), units: 40 },
    ]);
    expect(await holds()).toEqual([]);
    // It was not dead after all.
    unsettled.use('TTT_API', 40);
    unrecorded.use('TTT_API', 5);
    await Promise.all([unsettled.settle(), unrecorded.settle(), end(own)]);
    expect((await charged()).map(({ units }) => units)).toEqual([5, 20, 40]);
  });

  it('of which it is unknown what they owe keep a hold until their records are read', async () => {
    const own = await busy();
    const [left, ended] = await shares(2);
    if (!left || !ended) throw new Error('two were asked for');
    left.leave(Date.now() + 60_000);
    await eventually('it has a hold of its own', async () => (await holds()).includes(idOf(left)));
    record(idOf(left), 60);
    ended.use('TTT_API', 10);
    await Promise.all([ended.settle(), end(own)]);
    await book.caughtUp(orgId);
    expect(await holds()).toEqual([idOf(left)]);
    await expire();
    await sweep();
    expect((await charged()).map(({ units }) => units)).toEqual([10, 60]);
  });

  it('of its own expires with its turn if it is left, and is read then', async () => {
    const left = await begin();
    const untilMs = Date.now() + 90_000;
    left.leave(untilMs);
    const expiry = `SELECT extract(epoch FROM expires_at) * 1000 AS at, units::int FROM credit_holds WHERE id = '${idOf(left)}'`;
    const ending = async () => (await rows<{ at: string; units: number }>(expiry)).map(({ at, units }) => [Number(at), units]);
    await eventually('it expires sooner', async () => Math.round((await ending())[0]?.[0] ?? 0) === untilMs);
    expect((await ending())[0]?.[1]).toBe(estimate.TTT_API);
    record(idOf(left), 60);
    await expire();
    await sweep();
    expect(await charged()).toEqual([{ reference: idOf(left), units: 60 }]);
  });

  it('keep their hold if they are left when the balance has too few for holds of their own', async () => {
    const own = await busy();
    const [left] = await shares(1);
    if (!left) throw new Error('one was asked for');
    record(idOf(left), 60);
    await settle(randomUUID(), (await available()) - 50);
    left.leave(Date.now() + 60_000);
    await Promise.all([book.caughtUp(orgId), end(own)]);
    await book.beforeApplicationShutdown();
    expect(await holds()).toEqual([commonHoldOf(idOf(left))]);
    await expire();
    await sweep();
    expect(await charged()).toContainEqual({ reference: idOf(left), units: 60 });
  });

  it('are charged even if their settlement could not be written', async () => {
    const unwritable = new UnwritableBook(tenants, new Outbox(dataSource), terms);
    const failing = chargingBy(unwritable);
    const own = await busy(failing);
    const [lost, other] = await shares(2, failing);
    if (!lost || !other) throw new Error('two were asked for');
    record(idOf(lost), 30);
    lost.use('TTT_API', 30);
    await expect(lost.settle()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    await end([...own, other]);
    await unwritable.beforeApplicationShutdown();
    expect(await holds()).toEqual([commonHoldOf(idOf(lost))]);
    await expire();
    await sweep();
    expect((await charged()).map(({ units }) => units)).toEqual([30]);
    expect(await holds()).toEqual([]);
  });

  it('balance at every instant, whatever happens to them, and each is charged what it used', async () => {
    const happenings = fc.record({
      used: fc.integer({ min: 0, max: 100 }),
      how: fc.constantFrom('settle', 'settleLater', 'release', 'leave', 'grow', 'owe', 'elsewhere', 'die'),
    });
    const play = async (plan: { used: number; how: string }[]): Promise<void> => {
      orgId += 1;
      [book, records] = [newBook(), new Records()];
      charging = chargingBy(book);
      const other = newBook();
      const own = await busy();
      const expected: number[] = [];
      await Promise.all(
        plan.map(async ({ used, how }, at) => {
          const charge = await begin();
          const isCharged = how !== 'release' && (used > 0 || how.startsWith('settle'));
          if (isCharged) expected.push(used);
          if (['leave', 'die', 'elsewhere'].includes(how) && used > 0) record(idOf(charge), used);
          if (how === 'leave') return charge.leave(Date.now() + 60_000);
          if (how === 'die') return;
          if (how === 'grow') await charge.extend({ TTT_API: 200 });
          if (how === 'owe') charge.recordOwed({ TTT_API: Math.floor(used / 2) });
          if (how === 'elsewhere' && used > 0) await settle(idOf(charge), used, other);
          if (at % 5 === 0) await balances();
          if (how === 'release') return charge.release();
          charge.use('TTT_API', used);
          if (how === 'settleLater') return charge.settleRecorded();
          return how === 'settle' ? charge.settle() : charge.end();
        }),
      );
      await end(own);
      await book.beforeApplicationShutdown();
      await expire();
      await sweep(other);
      expect((await charged()).map(({ units }) => units)).toEqual(expected.toSorted((one, two) => one - two));
      expect(await holds()).toEqual([]);
      await balances();
    };
    await fc.assert(fc.asyncProperty(fc.array(happenings, { minLength: 20, maxLength: 40 }), play), { numRuns: 15 });
  }, 60_000);
});
