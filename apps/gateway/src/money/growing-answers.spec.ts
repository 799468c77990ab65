import { randomUUID } from 'node:crypto';
import { areCreditsSetAside } from '@parley/contracts';
import { connectionOptions, migrateSchema, Outbox, TenantScope } from '@parley/database';
import { testDatabase, type TestDatabase } from '@parley/testing';
import { DataSource } from 'typeorm';
import { gatewaySchema } from '../database/schema';
import { RecordedLog } from '../testing/recorded-log';
import { CreditCharging } from './charging';
import { CreditBook } from './credit-book';
import { differenceOf, readEquation } from './index';
import { exhausted } from './operation';
import { WidgetBudgets } from './widget-budgets';

const initialCredits = { TTT_API: 1_000, TTS_API: 500, STT_API: 60 };
const prices = { TTT_API: 1000, TTS_API: 1000, STT_API: 1000 };
const topUps = 'owners' as const;
const terms = { initialCredits, lowAt: [], topUps, tokensPerTurn: 10, holdMs: 60_000, prices, organizationPrices: new Map() };
const orgId = 1;

const refusal = expect.objectContaining({ outcome: 'exhausted', needed: 1_100, available: 600 });

describe('the refusal of a hold', () => {
  const of = { kind: 'STT_API', needed: 30, available: 12, own: 0 } as const;

  it('says how much others have set aside, and that these may release it', () => {
    const refused = exhausted(of.kind, { ...of, held: 240, isTemporary: true });
    expect(refused.message).toContain('has 12 left, and 240 more are set aside for what is in progress');
    expect(areCreditsSetAside(refused)).toBe(true);
  });

  it('promises nothing where their release would not do', () => {
    const refused = exhausted(of.kind, { ...of, held: 10, isTemporary: false });
    expect(areCreditsSetAside(refused)).toBe(false);
    expect(exhausted(of.kind, { ...of, held: 0, isTemporary: false }).message).toMatch(/has 12 left\.$/);
  });
});

describe('answers that outgrow their holds at the end of a balance', () => {
  let database: TestDatabase;
  let dataSource: DataSource;
  let tenants: TenantScope;
  let book: CreditBook;

  beforeAll(async () => {
    database = await testDatabase();
    await migrateSchema(gatewaySchema, database.url);
    dataSource = await new DataSource(connectionOptions(gatewaySchema, { url: database.url })).initialize();
    tenants = new TenantScope(dataSource);
    book = new CreditBook(tenants, new Outbox(dataSource), terms);
  });
  afterAll(async () => {
    await dataSource.destroy();
    await database.close();
  });

  it('hold what is left where less than the longest would do, or nothing more', async () => {
    const id = randomUUID();
    const hold = { type: 'hold', orgId: 2, expiresAtMs: Date.now() + 60_000 } as const;
    const other = randomUUID();
    await book.do({ ...hold, id: other, estimate: { TTT_API: 400 } }, 5_000);
    await book.do({ ...hold, id, estimate: { TTT_API: 10 } }, 5_000);
    const raise = { ...hold, id, estimate: { TTT_API: 1_100 }, used: {}, isRaise: true } as const;
    const upTo = (amountMin: number) => book.holdUpTo(raise, { kind: 'TTT_API', amountMin });
    expect(await upTo(601)).toEqual(refusal);
    expect(await upTo(600)).toBe(600);
    expect(await book.do({ ...hold, id: randomUUID(), estimate: { TTT_API: 1 } }, 5_000)).toMatchObject({ available: 0 });
    for (const held of [id, other]) await book.do({ type: 'release', orgId: 2, id: held, onlyExpired: false }, 5_000);
  });

  it('end well where the balance covers them; the others end one by one', async () => {
    const [first, step, longest, cost] = [150, 10, 230, 155];
    const charging = new CreditCharging(book, terms, new WidgetBudgets(tenants, new RecordedLog()));
    const grow = async (requestId: string): Promise<boolean> => {
      const charge = await charging.open({
        principal: { kind: 'agt', keyId: 'k', orgId, agentId: 3 },
        estimate: { TTT_API: first },
        requestId,
      });
      for (let held = first + step; held <= longest; held += step) {
        const refusal = await raised(charge.payment?.chargeId ?? '', held);
        if (!refusal) continue;
        charge.use('TTT_API', Math.ceil(((held - step) * cost) / longest));
        await charge.end();
        return false;
      }
      charge.use('TTT_API', cost);
      await charge.end();
      return true;
    };
    /** As a turn extends its charge: what it holds is used. */
    const raised = async (id: string, tokens: number) => {
      const estimate = { TTT_API: tokens };
      const raise = { type: 'hold', orgId, id, estimate, used: estimate, isRaise: true } as const;
      return (await book.holdInTurn({ ...raise, expiresAtMs: Date.now() + 60_000 })).outcome === 'exhausted';
    };
    const ended = await Promise.allSettled(Array.from({ length: 8 }, (_, n) => grow(`r${n}`)));
    const begun = ended.flatMap((end) => (end.status === 'fulfilled' ? [end.value] : []));
    // Six fit by what they cost; while they grow, four fit by what they hold.
    expect(begun.length).toBeGreaterThanOrEqual(6);
    expect(begun.filter(Boolean).length).toBeGreaterThanOrEqual(3);
    const books = await tenants.acrossTenants('the books of the whole test are proven', readEquation);
    expect({ difference: differenceOf(books), breaks: books.breaks, held: books.held }).toEqual({
      difference: 0,
      breaks: 0,
      held: 0,
    });
  });
});
