import { randomUUID } from 'node:crypto';
import { inspect } from 'node:util';
import { creditsLow, type EventContract, Fault, readPaidTurns, type RequestContract, usageRecorded } from '@parley/contracts';
import { connectionOptions, migrateSchema, Outbox, TenantScope } from '@parley/database';
import type { RegularTasks } from '@parley/service-kit';
import { testDatabase, type TestDatabase } from '@parley/testing';
import { DataSource } from 'typeorm';
import type { z } from 'zod';
import { gatewaySchema } from '../database/schema';
import { RecordedLog } from '../testing/recorded-log';
import { ScriptedBus } from '../testing/scripted-bus';
import { type Charge, CreditCharging } from './charging';
import { CreditBook } from './credit-book';
import { WidgetBudgets } from './widget-budgets';
import { differenceOf, readEquation } from './index';
import { HoldSweeper } from './hold-sweeper';
import type { Amounts, CreditOperation } from './operation';

const initial = { TTT_API: 1_000, TTS_API: 500, STT_API: 60 };
const prices = { TTT_API: 1000, TTS_API: 1000, STT_API: 1000 };
const organizationPrices = new Map();
const topUps = 'owners' as const;
const terms = { initialCredits: initial, lowAt: [300], topUps, tokensPerTurn: 10, holdMs: 60_000, prices, organizationPrices };
const patienceMs = 10_000;

type PaidTurn = z.input<typeof readPaidTurns.reply>['turns'][number];

/** The records of turns as conversation reports them; undefined while it is unavailable. */
class Records extends ScriptedBus {
  constructor(private readonly turns: readonly PaidTurn[] | undefined) {
    super(() => undefined);
  }

  override async ask<Body extends z.ZodType, Answer extends z.ZodType>({
    reply,
  }: RequestContract<Body, Answer>): Promise<z.output<Answer>> {
    if (!this.turns) throw new Fault('SERVICE_UNAVAILABLE');
    return reply.parse({ turns: this.turns });
  }
}

describe('CreditBook', () => {
  let database: TestDatabase;
  let dataSource: DataSource;
  let tenants: TenantScope;
  let outbox: Outbox;
  let book: CreditBook;
  let orgId = 0;

  const newBook = () => new CreditBook(tenants, outbox, terms);
  const asker = () => ({ kind: 'agt', keyId: 'k', orgId, agentId: 3 }) as const;
  const chargingBy = (of = newBook()) => new CreditCharging(of, terms, new WidgetBudgets(tenants, new RecordedLog()));
  const hold = (id: string, estimate: Amounts, expiresAtMs = Date.now() + 60_000) =>
    ({ type: 'hold', orgId, id, estimate, expiresAtMs, isNew: true }) as const;
  const note = (id: string, noted: number) => ({ ...hold(id, { TTT_API: 20 }, 1), used: { TTT_API: noted }, isNew: false });
  const settle = (id: string, used: Amounts): CreditOperation => ({ type: 'settle', orgId, id, used, spender: {} });
  const release = (id: string): CreditOperation => ({ type: 'release', orgId, id, onlyExpired: false });
  const account = async (kind = 'TTT_API') => {
    const text = 'SELECT available::int, held::int FROM credit_accounts WHERE kind = $1';
    return (await tenants.read(orgId, (manager) => manager.query(text, [kind])))[0] as unknown;
  };
  const sweeper = (turns: readonly PaidTurn[] | undefined, of = book) =>
    new HoldSweeper(tenants, of, new Records(turns), new RecordedLog(), {} as RegularTasks);
  const recorded = (chargeId: string, completionTokens: number, audioSeconds = 0): PaidTurn => {
    const tokenUsage = { promptTokens: 20, completionTokens, totalTokens: 20 + completionTokens };
    return { orgId, chargeId, AgentID: 12, tokenUsage, audioSeconds };
  };
  const equation = () => tenants.acrossTenants('the books of the whole test are proven', readEquation);
  const eventsOf = ({ subject }: EventContract) =>
    dataSource.query('SELECT payload FROM outbox WHERE org_id = $1 AND subject = $2 ORDER BY seq', [orgId, subject]);

  beforeAll(async () => {
    database = await testDatabase();
    await migrateSchema(gatewaySchema, database.url);
    dataSource = await new DataSource(connectionOptions(gatewaySchema, { url: database.url })).initialize();
    tenants = new TenantScope(dataSource);
    outbox = new Outbox(dataSource);
    book = newBook();
  });
  beforeEach(() => (orgId += 1));
  afterEach(async () => {
    jest.useRealTimers();
    const books = await equation();
    expect({ difference: differenceOf(books), breaks: books.breaks, held: books.held }).toEqual({
      difference: 0,
      breaks: 0,
      held: books.openHolds,
    });
  });
  afterAll(async () => {
    await dataSource.destroy();
    await database.close();
  });
  it('grants a new organization its credits once, through the ledger, whichever gateway sees it first', async () => {
    const books = Array.from({ length: 8 }, newBook);
    await Promise.all(books.map((each) => each.do(release(randomUUID()), patienceMs)));
    const rows = await tenants.read(orgId, (manager) =>
      manager.query('SELECT kind, entry, units::int FROM credit_ledger ORDER BY kind'),
    );
    expect(rows).toEqual(
      Object.entries(initial)
        .map(([kind, units]) => ({ kind, entry: 'GRANT', units }))
        .sort((a, b) => (a.kind < b.kind ? -1 : 1)),
    );
  });

  it.each([1, 2, 3])('admits exactly as many of 256 callers as there is credit for, over two gateways (round %i)', async () => {
    const [first, second] = [chargingBy(book), chargingBy()];
    const calls = Array.from({ length: 256 }, (_, n) =>
      (n % 2 ? first : second).run({ principal: asker(), estimate: { TTT_API: 10 }, requestId: `r${n}` }, async (charge) =>
        charge.use('TTT_API', 10),
      ),
    );
    const outcomes = await Promise.allSettled(calls);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(100);
    const refusals = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason.code] : []));
    expect(refusals).toEqual(Array.from({ length: 156 }, () => 'CREDITS_EXHAUSTED'));
    expect(await account()).toEqual({ available: 0, held: 0 });
    const lines = await tenants.read(orgId, (manager) =>
      manager.query(`SELECT count(*)::int AS n, sum(units)::int AS sum FROM credit_ledger WHERE entry = 'CHARGE'`),
    );
    expect(lines).toEqual([{ n: 100, sum: -1000 }]);
  });

  it.each([1, 2])(
    'answers as many of a hundred concurrent questions as the balance covers, over %i gateways',
    async (gateways) => {
      const cost = 40;
      const longest = 480;
      const books = Array.from({ length: gateways }, newBook);
      const ask = async (of: CreditBook, requestId: string): Promise<void> => {
        const charge = await chargingBy(of).open({ principal: asker(), estimate: { TTT_API: 170 }, requestId });
        try {
          await charge.extend({ TTT_API: longest });
          charge.use('TTT_API', cost);
        } finally {
          await charge.end();
        }
      };
      const asked = Array.from({ length: 100 }, (_, n) => ask(books[n % gateways] ?? book, `r${n}`));
      const outcomes = await Promise.allSettled(asked);
      const answered = outcomes.filter(({ status }) => status === 'fulfilled').length;
      // As long as the longest answer fits into the rest, another is answered.
      expect(answered).toBe(1 + Math.floor((initial.TTT_API - longest) / cost));
      const refusals = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason.code] : []));
      expect(new Set(refusals)).toEqual(new Set(['CREDITS_EXHAUSTED']));
      expect(await account()).toEqual({ available: initial.TTT_API - answered * cost, held: 0 });
    },
  );

  it('rejects at once what can never fit, and serves callers waiting for held credits in order', async () => {
    const charging = chargingBy(book);
    const open = (tokens: number, isImpatient = false) =>
      charging.open({ principal: asker(), estimate: { TTT_API: tokens }, requestId: 'r', isImpatient });
    await expect(open(1_001)).rejects.toMatchObject({ code: 'CREDITS_EXHAUSTED' });
    const first = await open(900);
    await expect(open(200, true)).rejects.toMatchObject({ code: 'CREDITS_EXHAUSTED' });
    const waiting = [open(200), open(50)];
    await first.release();
    for (const charge of await Promise.all(waiting)) await charge.release();
  });

  it('starts work before its hold is granted only if the account recently had a hundred times as much', async () => {
    const charging = chargingBy();
    const begin = (tokens: number) => charging.begin({ principal: asker(), estimate: { TTT_API: tokens }, requestId: 'r' });
    const isUnderWay = ({ granted }: Charge) => inspect(granted).includes('pending');
    const unknown = await begin(10);
    expect(isUnderWay(unknown)).toBe(false);
    await unknown.release();
    const plentiful = await begin(10);
    expect(isUnderWay(plentiful)).toBe(true);
    await plentiful.release();
    const scarce = await begin(11);
    expect(isUnderWay(scarce)).toBe(false);
    await scarce.release();
    expect(await account()).toEqual({ available: 1000, held: 0 });
  });

  it.each([
    { code: 'SERVICE_UNAVAILABLE', expected: [-5] },
    { code: 'MODEL_PROVIDER_UNAVAILABLE', expected: [-7, -5] },
  ] as const)('charges an attempt that ended with $code and its retry under one key: $expected', async ({ code, expected }) => {
    const error = new Fault(code);
    const charging = chargingBy();
    const chargeable = { principal: asker(), estimate: { TTT_API: 10 }, requestId: 'r', chargeId: randomUUID() };
    const attempt = charging.run(chargeable, async (charge) => {
      charge.use('TTT_API', 5);
      throw error;
    });
    await expect(attempt).rejects.toBe(error);
    await charging.run(chargeable, async (charge) => charge.use('TTT_API', 7));
    const lines = `SELECT units::int AS units FROM credit_ledger WHERE entry = 'CHARGE' ORDER BY units`;
    const charged: { units: number }[] = await tenants.read(orgId, (manager) => manager.query(lines));
    expect(charged.map(({ units }) => units)).toEqual(expected);
    expect(await account()).toMatchObject({ held: 0 });
  });

  it('refuses a hold that lost a race, and leaves nothing held', async () => {
    const charging = chargingBy();
    await charging.run({ principal: asker(), estimate: { TTT_API: 1 }, requestId: 'r' }, async (charge) =>
      charge.use('TTT_API', 0),
    );
    await book.do(settle(randomUUID(), { TTT_API: 1000 }), patienceMs);
    const outrun = await charging.begin({ principal: asker(), estimate: { TTT_API: 10 }, requestId: 'r' });
    await expect(outrun.granted).rejects.toMatchObject({ code: 'CREDITS_EXHAUSTED' });
    await outrun.release();
    expect(await account()).toEqual({ available: 0, held: 0 });
  });

  it('ends a charge one way, in any race of settlement, release and sweeper', async () => {
    const rival = newBook();
    for (let round = 0; round < 20; round += 1) {
      const id = randomUUID();
      await book.do(hold(id, { TTT_API: 20 }, 1), patienceMs);
      await Promise.all([
        rival.do({ type: 'release', orgId, id, onlyExpired: true }, patienceMs),
        book.do(settle(id, { TTT_API: 7 }), patienceMs),
        rival.do(settle(id, { TTT_API: 7 }), patienceMs),
        rival.do(release(id), patienceMs),
      ]);
    }
    expect(await account()).toEqual({ available: 1000 - 20 * 7, held: 0 });
  });

  describe('with remembered balances', () => {
    const used = async () => {
      const text = `SELECT units::int FROM credit_ledger WHERE entry = 'CHARGE' ORDER BY seq`;
      const rows: { units: number }[] = await tenants.read(orgId, (manager) => manager.query(text));
      return rows.map(({ units }) => units);
    };

    it('looks nothing up for a charge from hold over notes to settlement, nor for its events', async () => {
      await book.do(release(randomUUID()), patienceMs);
      const lookUp = jest.spyOn(tenants, 'acrossTenantsEndingWith');
      const id = randomUUID();
      for (const operation of [hold(id, { TTT_API: 20 }), note(id, 5), settle(id, { TTT_API: 7 })])
        await book.do(operation, patienceMs);
      expect(lookUp).not.toHaveBeenCalled();
      lookUp.mockRestore();
      expect([await account(), await used()]).toEqual([{ available: 993, held: 0 }, [-7]]);
      expect(await eventsOf(usageRecorded)).toEqual([{ payload: { kind: 'TTT_API', AgentID: null, units: 7, requests: 1 } }]);
    });

    it('does not take a hold for open that another gateway ended, even if the account looks unchanged', async () => {
      const [mine, theirs] = [randomUUID(), randomUUID()];
      const rival = newBook();
      await book.do(release(randomUUID()), patienceMs);
      await book.do(hold(mine, { TTT_API: 20 }), patienceMs);
      await rival.do(release(mine), patienceMs);
      await rival.do(hold(theirs, { TTT_API: 20 }), patienceMs);
      await book.do(settle(mine, { TTT_API: 7 }), patienceMs);
      expect([await account(), await used()]).toEqual([{ available: 973, held: 20 }, [-7]]);
      await rival.do(release(theirs), patienceMs);
    });

    it('refuses nothing that others made possible, and charges the current price', async () => {
      const id = randomUUID();
      await book.do(release(randomUUID()), patienceMs);
      await tenants.run(orgId, (manager) =>
        manager.query('UPDATE credit_accounts SET units_per_thousand = 2000, available = available + 0'),
      );
      await newBook().do(
        { type: 'topUp', orgId, id: randomUUID(), kind: 'TTT_API', units: 5_000, note: '', spender: {} },
        patienceMs,
      );
      expect(await book.do(hold(id, { TTT_API: 2_000 }), patienceMs)).toEqual({ outcome: 'done' });
      await book.do(settle(id, { TTT_API: 10 }), patienceMs);
      expect([await account(), await used()]).toEqual([{ available: 5_980, held: 0 }, [-20]]);
    });

    it.each([0, 1])('does once what Postgres did without acknowledgement (operation %i of a charge)', async (which) => {
      const id = randomUUID();
      await book.do(release(randomUUID()), patienceMs);
      const write = tenants.acrossTenantsOnce.bind(tenants);
      const spy = jest.spyOn(tenants, 'acrossTenantsOnce').mockImplementation(async (reason, statement) => {
        const rows = await write(reason, statement);
        if (spy.mock.calls.length === which + 1) throw Object.assign(new Error('the connection is gone'), { code: '57P01' });
        return [...rows];
      });
      for (const operation of [hold(id, { TTT_API: 20 }), settle(id, { TTT_API: 7 })]) await book.do(operation, patienceMs);
      expect(spy.mock.calls.length).toBe(which + 1);
      spy.mockRestore();
      expect([await account(), await used()]).toEqual([{ available: 993, held: 0 }, [-7]]);
    });

    it('keeps the books consistent with three gateways on one account', async () => {
      const books = [book, newBook(), newBook()];
      const one = async (n: number): Promise<void> => {
        const [opener, ender] = [books[n % 3], books[n % 7 === 0 ? (n + 1) % 3 : n % 3]];
        const id = randomUUID();
        await opener?.do(hold(id, { TTT_API: 3, TTS_API: n % 2 }), patienceMs);
        await ender?.do(n % 5 === 0 ? release(id) : settle(id, { TTT_API: 2 }), patienceMs);
      };
      for (let round = 0; round < 5; round += 1) await Promise.all(Array.from({ length: 60 }, (_, n) => one(n)));
      expect(await account()).toEqual({ available: 1000 - 5 * 48 * 2, held: 0 });
    });
  });

  it('releases what a crashed gateway held, once, with two sweepers, and still charges its late settlement', async () => {
    const id = randomUUID();
    await book.do(hold(id, { TTT_API: 400, TTS_API: 100 }, Date.now() - 1), patienceMs);
    expect(await account()).toEqual({ available: 600, held: 400 });
    const sweepers = [sweeper([]), sweeper([], newBook())];
    const released = await Promise.all(sweepers.map((each) => each.sweep()));
    expect(released.sort()).toEqual([0, 1]);
    expect(await account()).toEqual({ available: 1000, held: 0 });
    await book.do(settle(id, { TTT_API: 50 }), patienceMs);
    expect([await account(), await account('TTS_API')]).toEqual([
      { available: 950, held: 0 },
      { available: 500, held: 0 },
    ]);
  });

  it('charges once what a turn’s record says it used, if nobody settled it', async () => {
    const id = randomUUID();
    await book.do(hold(id, { TTT_API: 400, STT_API: 10 }, Date.now() - 1), patienceMs);
    const turns = [recorded(id, 30, 7)];
    const ended = await Promise.all([sweeper(turns).sweep(), sweeper(turns, newBook()).sweep()]);
    expect(ended.sort()).toEqual([0, 1]);
    expect(await book.do(settle(id, { TTT_API: 50, STT_API: 7 }), patienceMs)).toEqual({ outcome: 'repeated' });
    expect([await account(), await account('STT_API')]).toEqual([
      { available: 950, held: 0 },
      { available: 53, held: 0 },
    ]);
  });

  it('keeps a turn’s hold while its record is unavailable, and ends others meanwhile', async () => {
    const [turn, sound] = [randomUUID(), randomUUID()];
    await book.do(hold(turn, { TTT_API: 400 }, Date.now() - 1), patienceMs);
    await book.do(hold(sound, { TTS_API: 100 }, Date.now() - 1), patienceMs);
    await expect(sweeper(undefined).sweep()).rejects.toThrow(Fault);
    expect([await account(), await account('TTS_API')]).toEqual([
      { available: 600, held: 400 },
      { available: 500, held: 0 },
    ]);
    expect(await sweeper([recorded(turn, 30)]).sweep()).toBe(1);
    expect(await account()).toEqual({ available: 950, held: 0 });
  });

  it('performs background work with the next commit or soon, and at once for whoever waits for it, as when this process ends', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'performance', 'Date'] });
    const [first, second, last] = [randomUUID(), randomUUID(), randomUUID()];
    for (const id of [first, second]) await book.do(hold(id, { TTT_API: 100 }), patienceMs);
    const later = book.doLater(settle(first, { TTT_API: 10 }), patienceMs);
    await book.do(release(second), patienceMs);
    expect(await account()).toEqual({ available: 990, held: 0 });
    await later;
    await book.do(hold(last, { TTT_API: 100 }), patienceMs);
    void book.doLater(settle(last, { TTT_API: 10 }), patienceMs);
    await book.beforeApplicationShutdown();
    expect(await account()).toEqual({ available: 980, held: 0 });
  });

  it('leaves a hold alone until it expires', async () => {
    const id = randomUUID();
    await book.do(hold(id, { TTT_API: 400 }), patienceMs);
    expect(await sweeper([]).sweep()).toBe(0);
    await book.do(release(id), patienceMs);
  });

  it('reports low credits once, in the transaction that causes it', async () => {
    for (const tokens of [600, 150, 50]) await book.do(settle(randomUUID(), { TTT_API: tokens }), patienceMs);
    expect(await eventsOf(creditsLow)).toEqual([{ payload: { kind: 'TTT_API', available: 250, threshold: 300 } }]);
  });

  it('refuses to change or delete a ledger line, even for the table’s owner', async () => {
    await book.do(settle(randomUUID(), { TTT_API: 1 }), patienceMs);
    for (const statement of ['UPDATE credit_ledger SET units = 0', 'DELETE FROM credit_ledger', 'TRUNCATE credit_ledger']) {
      await expect(tenants.run(orgId, (manager) => manager.query(statement))).rejects.toThrow('append-only');
    }
  });

  it('hides other organizations’ rows, and refuses to write there', async () => {
    await book.do(hold(randomUUID(), { TTT_API: 1 }, Date.now() + 100), patienceMs);
    const [mine, theirs] = [orgId, orgId + 1_000];
    for (const table of ['credit_accounts', 'credit_holds', 'credit_ledger']) {
      const count = (org: number) => tenants.read(org, (manager) => manager.query(`SELECT count(*)::int AS n FROM ${table}`));
      expect([(await count(mine))[0].n > 0, (await count(theirs))[0].n]).toEqual([true, 0]);
    }
    const stolen = `INSERT INTO credit_ledger (org_id, kind, entry, units, balance_after, reference) VALUES (${mine}, 'TTT_API', 'TOP_UP', 9, 9, gen_random_uuid())`;
    await expect(tenants.run(theirs, (manager) => manager.query(stolen))).rejects.toThrow('row-level security');
  });

  it('delays only one organization when its account is locked elsewhere', async () => {
    await book.do(release(randomUUID()), patienceMs);
    const blocker = dataSource.createQueryRunner();
    await blocker.query(`BEGIN; SELECT set_config('parley.org_id', '${orgId}', true)`);
    await blocker.query('SELECT FROM credit_accounts WHERE org_id = $1 FOR UPDATE', [orgId]);
    const blocked = book.do(settle(randomUUID(), { TTT_API: 1 }), patienceMs);
    orgId += 1;
    await book.do(settle(randomUUID(), { TTT_API: 1 }), patienceMs);
    await blocker.query('COMMIT');
    await blocker.release();
    expect(await blocked).toEqual({ outcome: 'done' });
  });
});
