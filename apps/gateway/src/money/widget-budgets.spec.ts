import { randomUUID } from 'node:crypto';
import { connectionOptions, migrateSchema, TenantScope } from '@parley/database';
import { atRest, eventually, testDatabase, type TestDatabase } from '@parley/testing';
import { Client } from 'pg';
import { DataSource } from 'typeorm';
import { gatewaySchema } from '../database/schema';
import { RecordedLog } from '../testing/recorded-log';
import { type BudgetedWidget, WidgetBudgets } from './widget-budgets';

const orgId = 1;
const dailyCredits = 1_000;

describe('a widget’s daily budget', () => {
  let database: TestDatabase;
  let dataSource: DataSource;
  let tenants: TenantScope;
  let log: RecordedLog;
  let widget: BudgetedWidget;

  const gateway = () => new WidgetBudgets(tenants, log);
  const refused = { code: 'RATE_LIMITED', message: expect.stringContaining('today') };
  const day = async (): Promise<{ used: number; aside: number }> => {
    const [row] = await tenants.read(orgId, (manager) =>
      manager.query<{ used: number; aside: number }[]>(
        `SELECT (SELECT coalesce(sum(units), 0)::int FROM widget_days WHERE widget_key = $1) AS used,
           (SELECT coalesce(sum(units), 0)::int FROM widget_holds WHERE widget_key = $1) AS aside`,
        [widget.keyId],
      ),
    );
    return row ?? { used: 0, aside: 0 };
  };

  beforeAll(async () => {
    database = await testDatabase();
    await migrateSchema(gatewaySchema, database.url);
    dataSource = await new DataSource(connectionOptions(gatewaySchema, { url: database.url })).initialize();
    tenants = new TenantScope(dataSource);
  });
  beforeEach(() => {
    log = new RecordedLog();
    widget = { orgId, keyId: randomUUID(), dailyCredits };
  });
  afterAll(async () => {
    await dataSource.destroy();
    await database.close();
  });

  it('is not exceeded by twenty concurrent visitors with growing answers, over two gateways', async () => {
    const gateways = [gateway(), gateway()];
    const ask = async (budgets: WidgetBudgets): Promise<number> => {
      const charge = randomUUID();
      let used = 0;
      try {
        await budgets.hold(widget, charge, 100);
        await budgets.raise(orgId, charge, { credits: 180, used: 0 });
        used = 180;
      } finally {
        await budgets.end(orgId, charge, used);
      }
      return used;
    };
    const asked = await Promise.allSettled(Array.from({ length: 20 }, (_, n) => ask(gateways[n % 2] ?? gateway())));
    const answered = asked.filter(({ status }) => status === 'fulfilled').length;
    for (const each of asked) if (each.status === 'rejected') expect(each.reason).toMatchObject(refused);
    // The budget is used up, although the visitors competed for it.
    expect(answered).toBe(5);
    expect(await day()).toEqual({ used: 900, aside: 0 });
  });

  it('waits for a day that another gateway changes with one connection, however many visitors ask', async () => {
    const budgets = gateway();
    const first = randomUUID();
    await budgets.hold(widget, first, 10);
    const [other, observer] = [0, 1].map(() => new Client({ connectionString: database.adminUrl }));
    if (!other || !observer) throw new TypeError('there are two');
    await Promise.all([other.connect(), observer.connect()]);
    try {
      await other.query('BEGIN');
      await other.query('SELECT FROM gateway.widget_days WHERE widget_key = $1 FOR UPDATE', [widget.keyId]);
      const asked = Array.from({ length: 8 }, () => budgets.hold(widget, randomUUID(), 10));
      const raised = budgets.raise(orgId, first, { credits: 20, used: 0 });
      const ended = budgets.end(orgId, randomUUID(), 1);
      const locked = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`;
      const waiting = async (): Promise<number> => (await observer.query(locked)).rowCount ?? 0;
      await eventually('a visitor waits', async () => (await waiting()) > 0);
      let seen = 0;
      await atRest('those that wait', () => {
        void waiting().then((count) => (seen = count));
        return seen;
      });
      expect(seen).toBe(1);
      await other.query('COMMIT');
      expect(await Promise.all([...asked, raised, ended])).toEqual([...asked.map(() => 10), 20, undefined]);
    } finally {
      await Promise.all([other.end(), observer.end()]);
    }
  });

  it('counts what was used and no longer what was reserved, once, whoever ends the charge', async () => {
    const charge = randomUUID();
    await gateway().hold(widget, charge, 900);
    await expect(gateway().hold(widget, randomUUID(), 101)).rejects.toMatchObject(refused);
    await Promise.all([gateway().end(orgId, charge, 300), gateway().end(orgId, charge, 300), gateway().end(orgId, charge, 300)]);
    expect(await day()).toEqual({ used: 300, aside: 0 });
    await gateway().hold(widget, randomUUID(), 700);
  });

  it('refuses at once what would not fit after all others, and lets the rest wait for them', async () => {
    const [ended, hopeless, patient, other] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
    await gateway().hold(widget, ended, 100);
    await gateway().end(orgId, ended, 100);
    for (const charge of [hopeless, patient]) await gateway().hold(widget, charge, 10);
    await gateway().hold(widget, other, 800);
    const order: string[] = [];
    const waiting = gateway()
      .raise(orgId, patient, { credits: 900, used: 0 })
      .finally(() => order.push('patient'));
    await expect(gateway().raise(orgId, hopeless, { credits: 901, used: 0 })).rejects.toMatchObject(refused);
    order.push('hopeless');
    await Promise.all([hopeless, other].map((charge) => gateway().end(orgId, charge, 0)));
    await waiting;
    expect(order).toEqual(['hopeless', 'patient']);
  });

  it('is raised as far as it reaches, where less would do', async () => {
    const [ended, charge] = [randomUUID(), randomUUID()];
    await gateway().hold(widget, ended, 700);
    await gateway().end(orgId, ended, 700);
    await gateway().hold(widget, charge, 10);
    const raise = (creditsMin: number) => gateway().raise(orgId, charge, { credits: 900, creditsMin, used: 0 });
    await expect(raise(301)).rejects.toMatchObject(refused);
    expect([await raise(300), await day()]).toEqual([300, { used: 700, aside: 300 }]);
    expect(await gateway().raise(orgId, charge, { credits: 200, used: 0 })).toBe(200);
  });

  it('is raised to the part that others leave, if they do not end in time', async () => {
    const charge = randomUUID();
    await gateway().hold(widget, randomUUID(), 600);
    await gateway().hold(widget, charge, 10);
    const now = performance.now.bind(performance);
    let aheadMs = 0;
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => now() + aheadMs);
    const raising = gateway().raise(orgId, charge, { credits: 1_100, creditsMin: 50, used: 0 });
    aheadMs = 60_000;
    expect(await raising).toBe(400);
    clock.mockRestore();
  });

  it('keeps what a dead gateway had reserved, and says when the next day begins', async () => {
    await gateway().hold(widget, randomUUID(), 1_000);
    const late = gateway().hold(widget, randomUUID(), 1);
    await expect(late).rejects.toMatchObject({ code: 'RATE_LIMITED', retryAfterSeconds: expect.any(Number) });
    expect(await day()).toEqual({ used: 0, aside: 1_000 });
  });

  it('is not needed for a charge that reserved nothing, and is never raised for anybody but visitors', async () => {
    const [overdrawn, foreign] = [randomUUID(), randomUUID()];
    await gateway().hold(widget, randomUUID(), 1_000);
    await gateway().hold(widget, overdrawn, 0);
    await gateway().end(orgId, overdrawn, 77.2);
    await gateway().raise(orgId, foreign, { credits: 5_000, used: 0 });
    await gateway().end(orgId, foreign, 5_000);
    expect(await day()).toEqual({ used: 78, aside: 1_000 });
    expect(log.lines).toEqual([]);
  });

  it('answers eight visitors at once, though less is left than each may need: they wait for one another', async () => {
    const small = { ...widget, dailyCredits: 2_500 };
    const ask = async (): Promise<number> => {
      const charge = randomUUID();
      const reserved = await gateway().hold(small, charge, 1_000, { isPatient: true });
      await gateway().end(orgId, charge, 30);
      return reserved;
    };
    await Promise.all(Array.from({ length: 8 }, ask));
    expect(await day()).toEqual({ used: 240, aside: 0 });
  });

  it('is used to its end: what is left reserves a shorter answer, and none when nothing is left', async () => {
    const small = { ...widget, dailyCredits: 100 };
    const reserved: number[] = [];
    for (const used of [30, 30, 30, 10]) {
      const charge = randomUUID();
      reserved.push(await gateway().hold(small, charge, 1_000, { isPatient: true }));
      await gateway().end(orgId, charge, used);
    }
    expect(reserved).toEqual([100, 70, 40, 10]);
    await expect(gateway().hold(small, randomUUID(), 1_000, { isPatient: true })).rejects.toMatchObject(refused);
    expect(await day()).toEqual({ used: 100, aside: 0 });
  });

  it('is separate for each widget and organization', async () => {
    await gateway().hold(widget, randomUUID(), 1_000);
    await gateway().hold({ ...widget, keyId: randomUUID() }, randomUUID(), 1_000);
    await gateway().hold({ ...widget, orgId: 2 }, randomUUID(), 1_000);
  });
});
