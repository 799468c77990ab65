import { Fault, type FaultCode, type Principal } from '@parley/contracts';
import type { Logger } from '@parley/service-kit';
import type { CreditBook } from './credit-book';
import { CreditCharging } from './charging';
import { SessionMeter } from './session-meter';
import type { CreditOperation, CreditOutcome, Hold } from './operation';

const principal: Principal = { kind: 'wsk', keyId: 'k', orgId: 7, roleTypeId: 1 };
const terms = { tokensPerTurn: 1_000, holdMs: 600_000, initialCredits: {}, lowAt: {}, prices: {}, organizationPrices: new Map() };

/** A charge begun over a book that ends its hold so, and what that book was asked to do without a waiter. */
async function begunWith(outcome: () => Promise<CreditOutcome>) {
  const holds: Hold[] = [];
  const later: CreditOperation[] = [];
  const book = {
    isPlentiful: () => true,
    takeShare: () => undefined,
    holdInTurn: (hold: Hold) => {
      holds.push(hold);
      return outcome();
    },
    do: () => Promise.reject(new Fault('SERVICE_UNAVAILABLE')),
    doLater: async (operation: CreditOperation) => {
      later.push(operation);
      return { outcome: 'done' };
    },
  } as unknown as CreditBook;
  const charging = new CreditCharging(book, terms as never, {} as never);
  const charge = await charging.begin({ principal, estimate: { TTT_API: 1_000 }, requestId: 'r' });
  await charge.granted.catch(() => undefined);
  return { id: holds[0]?.id, charge, later };
}

describe('a spoken turn', () => {
  const settled = async (isPlentiful: boolean) => {
    const done: string[] = [];
    const note = (when: string) => async (operation: CreditOperation) => (
      done.push(`${operation.type} ${when}`),
      { outcome: 'done' }
    );
    const book = { isPlentiful: () => isPlentiful, do: note('at once'), doLater: note('later') } as unknown as CreditBook;
    const charging = new CreditCharging(book, terms as never, {} as never);
    const meter = new SessionMeter(
      charging,
      { principal, requestId: 'r' },
      { kinds: [], log: {} as Logger, onExhausted: () => undefined },
    );
    meter.useTurn({ chargeId: '5c0c5d0e-8d0e-4b62-9a55-0f2f3f1a7c11', tokens: 36 });
    await meter.end();
    return done;
  };

  it('is charged with the next commit of its organization, and at once if credits are short', async () => {
    await expect(settled(true)).resolves.toEqual(['settle later']);
    await expect(settled(false)).resolves.toEqual(['settle at once']);
  });
});

describe('a hold', () => {
  it('of which nobody knows whether it was made is taken back once the books can be written again', async () => {
    const { id, later } = await begunWith(() => Promise.reject(new Fault('SERVICE_UNAVAILABLE')));
    expect(later).toEqual([{ type: 'release', orgId: 7, id, onlyExpired: false }]);
  });

  it('that was refused is none, and nothing is taken back', async () => {
    const refused = { outcome: 'exhausted', kind: 'TTT_API', available: 0, required: 1_000, isTemporary: false } as const;
    expect((await begunWith(async () => refused as never)).later).toEqual([]);
  });

  it('that could not be given back in time is given back later', async () => {
    const { id, charge, later } = await begunWith(async () => ({ outcome: 'done' }));
    await charge.release();
    expect(later).toEqual([{ type: 'release', orgId: 7, id, onlyExpired: false }]);
  });
});

describe('an attempt under an Idempotency-Key', () => {
  const endedWith = async (code: FaultCode) => {
    const settled: CreditOperation[] = [];
    const done = async (operation: CreditOperation) => {
      settled.push(operation);
      return { outcome: 'done' };
    };
    const book = { isPlentiful: () => true, holdInTurn: async () => ({ outcome: 'done' }), do: done } as unknown as CreditBook;
    const charging = new CreditCharging(book, terms as never, {} as never);
    const chargeable = { principal, estimate: { TTT_API: 1_000 }, requestId: 'r', chargeId: 'of the key' };
    const running = charging.run(chargeable, async (charge) => {
      charge.use('TTT_API', 20);
      throw new Fault(code);
    });
    await expect(running).rejects.toMatchObject({ code });
    return settled;
  };

  it.each(['INTERNAL', 'SERVICE_UNAVAILABLE'] as const)('that ends as %s is our fault, and pays for the key', async (code) => {
    expect(await endedWith(code)).toMatchObject([{ type: 'settle', reference: 'of the key', isFailure: false }]);
  });

  it('that its model failed pays for itself', async () => {
    expect(await endedWith('MODEL_PROVIDER_UNAVAILABLE')).toMatchObject([{ type: 'settle', isFailure: true }]);
  });
});
