import fc from 'fast-check';
import type { CreditAccount, CreditOperation } from './operation';
import { Books } from './books';

const orgId = 1;
const spender = {};
const far = 4_000_000_000_000;
const account = (kind: CreditAccount['kind'], available: number): CreditAccount => ({
  orgId,
  kind,
  available,
  held: 0,
  unitsPerThousand: 1000,
  lowAt: [],
});
const open = (units: number) =>
  new Books([account('TTT_API', units), account('TTS_API', units), account('STT_API', units)], [], []);
const hold = (id: string, tokens: number): CreditOperation => ({
  type: 'hold',
  orgId,
  id,
  estimate: { TTT_API: tokens },
  expiresAtMs: far,
});
const settle = (id: string, tokens: number): CreditOperation => ({
  type: 'settle',
  orgId,
  id,
  used: { TTT_API: tokens },
  spender,
});
const tokensOf = (books: Books) => books.changes.accounts.find(({ kind }) => kind === 'TTT_API');

const operation: fc.Arbitrary<CreditOperation> = fc.oneof(
  fc.record({
    type: fc.constant('hold' as const),
    orgId: fc.constant(orgId),
    id: fc.constantFrom('a', 'b', 'c', 'd'),
    expiresAtMs: fc.constantFrom(1, far),
    estimate: fc.record({ TTT_API: fc.nat(60), TTS_API: fc.nat(60) }, { requiredKeys: [] }),
    used: fc.record({ TTT_API: fc.nat(30), TTS_API: fc.nat(30) }, { requiredKeys: [] }),
  }),
  fc.record({
    type: fc.constant('settle' as const),
    orgId: fc.constant(orgId),
    id: fc.constantFrom('a', 'b', 'c', 'd'),
    reference: fc.constantFrom('e', 'f'),
    spender: fc.constant(spender),
    used: fc.record({ TTT_API: fc.nat(90) }),
  }),
  fc.record({
    type: fc.constant('settle' as const),
    orgId: fc.constant(orgId),
    id: fc.constantFrom('a', 'b', 'c', 'd'),
    spender: fc.constant(spender),
    used: fc.record({ TTT_API: fc.nat(90), TTS_API: fc.nat(90) }, { requiredKeys: [] }),
  }),
  fc.record({
    type: fc.constant('release' as const),
    orgId: fc.constant(orgId),
    id: fc.constantFrom('a', 'b', 'c', 'd'),
    onlyExpired: fc.boolean(),
  }),
  fc.record({
    type: fc.constant('topUp' as const),
    orgId: fc.constant(orgId),
    id: fc.constantFrom('x', 'y'),
    kind: fc.constant('TTT_API' as const),
    units: fc.integer({ min: 1, max: 50 }),
    note: fc.constant(''),
    spender: fc.constant(spender),
  }),
);

describe('Books', () => {
  it('keep granted = balance + held + ledger, never below zero, after any sequence of operations', () => {
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 60 }), (operations) => {
        const books = open(100);
        for (const each of operations) {
          books.apply(each);
          const { accounts, entries, keptHolds } = books.changes;
          for (const { kind, available, held } of accounts) {
            const moved = entries.filter(({ account: { kind: of } }) => of === kind).reduce((sum, { units }) => sum + units, 0);
            const open = keptHolds.filter((part) => part.kind === kind).reduce((sum, { units }) => sum + units, 0);
            expect({ total: available + held, held, isSane: available >= 0 }).toEqual({
              total: 100 + moved,
              held: open,
              isSane: true,
            });
          }
        }
        const lines = books.changes.entries.map(({ id, account: { kind } }) => `${id} ${kind}`);
        expect(new Set(lines).size).toBe(lines.length);
      }),
      { numRuns: 500 },
    );
  });

  it('hold every kind of a request or none', () => {
    const books = open(50);
    const both = books.apply({ type: 'hold', orgId, id: 'a', estimate: { TTT_API: 10, TTS_API: 51 }, expiresAtMs: far });
    expect(both).toEqual({
      outcome: 'exhausted',
      kind: 'TTS_API',
      available: 50,
      needed: 51,
      own: 0,
      held: 0,
      isTemporary: false,
    });
    expect(books.changes.isEmpty).toBe(true);
  });

  it('count what a charge already holds as available to it', () => {
    const books = open(50);
    books.apply(hold('a', 20));
    const raised = { type: 'hold', orgId, id: 'a', estimate: { TTT_API: 70 }, expiresAtMs: far, isRaise: true } as const;
    expect(books.apply(raised)).toMatchObject({ outcome: 'exhausted', available: 50, needed: 70 });
  });

  it('refuse what does not fit and still grant the smaller one after it', () => {
    const books = open(50);
    expect(['a', 'b', 'c'].map((id, n) => books.apply(hold(id, [40, 20, 10][n] ?? 0)).outcome)).toEqual([
      'done',
      'exhausted',
      'done',
    ]);
  });

  it('charge a settlement above the hold down to zero, and report the unpaid rest', () => {
    const books = open(50);
    books.apply(hold('a', 20));
    books.apply(settle('a', 70));
    expect(tokensOf(books)).toMatchObject({ available: 0, held: 0 });
    expect(books.changes.entries).toMatchObject([{ id: 'a', units: -50, unpaid: 20 }]);
  });

  it('charge a settlement that arrives after its hold was released, once', () => {
    const books = open(50);
    books.apply(hold('a', 20));
    books.apply({ type: 'release', orgId, id: 'a', onlyExpired: false });
    expect(books.apply(settle('a', 7)).outcome).toBe('done');
    expect(books.apply(settle('a', 7)).outcome).toBe('repeated');
    expect(books.apply(hold('a', 7)).outcome).toBe('repeated');
    expect(tokensOf(books)).toMatchObject({ available: 43, held: 0 });
  });

  it('let a sweeper release only expired holds', () => {
    const books = open(50);
    books.apply(hold('a', 20));
    books.apply({ type: 'hold', orgId, id: 'b', estimate: { TTT_API: 5 }, expiresAtMs: 1 });
    const sweep = (id: string) => books.apply({ type: 'release', orgId, id, onlyExpired: true }).outcome;
    expect([sweep('a'), sweep('b'), sweep('b')]).toEqual(['repeated', 'done', 'repeated']);
    expect(tokensOf(books)).toMatchObject({ available: 30, held: 20 });
  });

  it('raise a hold to the requested amount, never lower it, and leave it if there is not enough', () => {
    const books = open(50);
    const ask = (tokens: number) => books.apply(hold('a', tokens)).outcome;
    expect([ask(20), ask(35), ask(10), ask(51)]).toEqual(['done', 'done', 'done', 'exhausted']);
    expect(tokensOf(books)).toMatchObject({ available: 15, held: 35 });
    books.apply(settle('a', 30));
    expect(tokensOf(books)).toMatchObject({ available: 20, held: 0 });
  });

  it('release what a hold waiting for more has not used, and nothing if it can never be granted', () => {
    const books = open(50);
    books.apply(hold('a', 20));
    books.apply(hold('b', 20));
    const raise = (tokens: number) =>
      books.apply({
        type: 'hold',
        orgId,
        id: 'a',
        estimate: { TTT_API: tokens },
        used: { TTT_API: 5 },
        expiresAtMs: far,
        isRaise: true,
      });
    expect(raise(51)).toMatchObject({ outcome: 'exhausted', isTemporary: false });
    expect(tokensOf(books)).toMatchObject({ available: 10, held: 40 });
    expect(raise(40)).toMatchObject({ outcome: 'exhausted', isTemporary: true });
    expect(tokensOf(books)).toMatchObject({ available: 25, held: 25 });
    books.apply({ type: 'release', orgId, id: 'b', onlyExpired: false });
    expect(raise(40)).toEqual({ outcome: 'done' });
    expect(tokensOf(books)).toMatchObject({ available: 10, held: 40 });
  });

  it('open no hold for a raise that arrives after its release', () => {
    const books = open(50);
    books.apply(hold('a', 20));
    const raise = { type: 'hold', orgId, id: 'a', estimate: { TTT_API: 40 }, used: {}, expiresAtMs: far, isRaise: true } as const;
    expect(books.apply(raise)).toEqual({ outcome: 'done' });
    books.apply({ type: 'release', orgId, id: 'a', onlyExpired: false });
    expect(books.apply(raise)).toEqual({ outcome: 'repeated' });
    expect(tokensOf(books)).toMatchObject({ available: 50, held: 0 });
  });

  it('charge an expired hold what was noted as used, and return the rest', () => {
    const books = open(50);
    books.apply({ type: 'hold', orgId, id: 'a', estimate: { TTT_API: 20 }, expiresAtMs: 1 });
    books.apply({ type: 'hold', orgId, id: 'a', estimate: { TTT_API: 8 }, used: { TTT_API: 8 }, expiresAtMs: 1 });
    books.apply({ type: 'release', orgId, id: 'a', onlyExpired: true });
    expect(tokensOf(books)).toMatchObject({ available: 42, held: 0 });
    expect(books.apply(settle('a', 20)).outcome).toBe('repeated');
  });

  it('charge the tokens of a turn’s record rather than the estimate that its reader noted', () => {
    const books = open(50);
    books.apply({ type: 'hold', orgId, id: 'a', estimate: { TTT_API: 20 }, used: { TTT_API: 12 }, expiresAtMs: 1 });
    books.apply({ type: 'release', orgId, id: 'a', onlyExpired: true, produced: { TTT_API: 9 } });
    expect(tokensOf(books)).toMatchObject({ available: 41, held: 0 });
  });

  const attempt = (id: string, expiresAtMs = far): CreditOperation => ({
    type: 'hold',
    orgId,
    id,
    reference: 'key',
    estimate: { TTT_API: 20 },
    expiresAtMs,
  });
  const settleOf = (id: string, tokens: number) => ({ ...settle(id, tokens), reference: 'key' }) as CreditOperation;
  const lose = (id: string, tokens: number): CreditOperation => ({
    type: 'release',
    orgId,
    id,
    reference: 'key',
    onlyExpired: true,
    produced: { TTT_API: tokens },
  });

  it.each([
    ['the lost one, where nobody came back before its hold expired', [lose('a', 7), settleOf('b', 9)], 7],
    ['the answered one, where it came first', [settleOf('b', 9), lose('a', 7)], 9],
  ] as const)('charge one of two attempts under a key: %s', (_title, operations, charged) => {
    const books = open(50);
    for (const each of [attempt('a', 1), attempt('b')]) expect(books.apply(each)).toEqual({ outcome: 'done' });
    for (const each of operations) books.apply(each);
    expect(books.changes.entries.map(({ id, units }) => [id, units])).toEqual([['key', -charged]]);
    expect(tokensOf(books)).toMatchObject({ available: 50 - charged, held: 0 });
    expect(books.apply(attempt('c'))).toEqual({ outcome: 'repeated' });
    expect(books.apply(settleOf('c', 9))).toEqual({ outcome: 'repeated' });
    expect(tokensOf(books)).toMatchObject({ available: 50 - charged, held: 0 });
  });

  it('charge an attempt that failed for itself, so that the next one under its key pays as well, and each once', () => {
    const books = open(50);
    books.apply(attempt('a'));
    const failed = { ...settleOf('a', 5), isFailure: true } as CreditOperation;
    const outcomes = [failed, settleOf('a', 5), lose('a', 5), attempt('b'), settleOf('b', 12)].map(
      (each) => books.apply(each).outcome,
    );
    expect(outcomes).toEqual(['done', 'repeated', 'repeated', 'done', 'done']);
    expect(books.changes.entries.map(({ id, units }) => [id, units])).toEqual([
      ['a', -5],
      ['key', -12],
    ]);
  });

  it('charge nothing more for a failure told by a gateway that was taken for dead', () => {
    const books = open(50);
    books.apply(attempt('a', 1));
    books.apply(lose('a', 7));
    expect(books.apply({ ...settleOf('a', 7), isFailure: true } as CreditOperation)).toEqual({ outcome: 'repeated' });
    expect(books.changes.entries).toMatchObject([{ id: 'key', units: -7 }]);
  });

  it('keep an id free whose failed attempt was charged under another id', () => {
    const books = open(50);
    books.apply(hold('a', 20));
    books.apply({ type: 'settle', orgId, id: 'a', reference: 'b', used: { TTT_API: 5 }, spender });
    books.apply(hold('a', 20));
    books.apply(settle('a', 12));
    expect(books.changes.entries.map(({ id, units }) => [id, units])).toEqual([
      ['b', -5],
      ['a', -12],
    ]);
    expect(tokensOf(books)).toMatchObject({ available: 33, held: 0 });
  });

  it('report a fall below a threshold once, and again after the balance rose', () => {
    const books = new Books([{ ...account('TTT_API', 100), lowAt: [80, 50] }], [], []);
    for (const [id, tokens] of [
      ['a', 15],
      ['b', 10],
      ['c', 5],
      ['d', 30],
    ] as const)
      books.apply(settle(id, tokens));
    books.apply({ type: 'topUp', orgId, id: 'x', kind: 'TTT_API', units: 60, note: '', spender });
    books.apply(settle('e', 25));
    expect(books.changes.thresholdsCrossed.map(({ threshold, account: { available } }) => [threshold, available])).toEqual([
      [80, 75],
      [50, 40],
      [80, 75],
    ]);
  });

  it.each(['settle', 'raise', 'expire'] as const)(
    'charge what was admitted at its price, if prices change before it may %s',
    (end) => {
      const dearer = (accounts: CreditAccount[]) => accounts.map((each) => ({ ...each, unitsPerThousand: 7000 }));
      const before = open(100);
      before.apply({ type: 'hold', orgId, id: 'a', estimate: { TTT_API: 10 }, used: { TTT_API: 6 }, expiresAtMs: 1 });
      const books = new Books(dearer(before.current), before.changes.keptHolds, []);
      if (end === 'expire') {
        const produced = { TTT_API: 8, STT_API: 2 };
        books.apply({ type: 'release', orgId, id: 'a', onlyExpired: true, produced, spender });
      } else {
        if (end === 'raise') books.apply({ type: 'hold', orgId, id: 'a', estimate: { TTT_API: 90 }, expiresAtMs: far });
        books.apply({ type: 'settle', orgId, id: 'a', used: { TTT_API: 8, STT_API: 2 }, spender });
      }
      expect(books.changes.entries.map(({ units }) => units)).toEqual([-8, -2]);
      books.apply(hold('b', 10));
      books.apply(settle('b', 1));
      expect(books.changes.entries.at(-1)?.units).toBe(-7);
    },
  );

  it('round the price up', () => {
    const books = new Books([{ ...account('TTT_API', 100), unitsPerThousand: 1 }], [], []);
    books.apply(settle('a', 1001));
    expect(books.changes.entries[0]?.units).toBe(-2);
  });
});
