/** @quiet Thousands are asked, each of which has three seconds. */
import { type Principal, readMemberPrincipal } from '@parley/contracts';
import { Controller, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { z } from 'zod';
import { type Call, InProcessBroker, TransportBus } from '../index';
import { limits } from '../limits';
import { ServedCall } from './accepted-requests';
import { BusServer, Handles } from './bus-server';

const [noisy, quiet, greedy] = [1, 2, 3];
const memberId = '2c4e6a80-1b3d-4f57-9a7b-8c9d0e1f2a3b';
const ofOrganization = (orgId: number): Principal => ({ kind: 'system', keyId: 'spec', orgId });

describe('a service under many requests', () => {
  const begun: number[] = [];
  let hold = Promise.resolve();
  let bus: TransportBus;
  let stop: () => Promise<void>;

  @Controller()
  class TeamSales {
    @Handles(readMemberPrincipal)
    async read(_body: object, { principal }: Call): Promise<z.input<typeof readMemberPrincipal.reply>> {
      const orgId = principal?.orgId ?? 0;
      begun.push(orgId);
      await hold;
      return { orgId, memberId };
    }
  }
  @Module({ controllers: [TeamSales] })
  class Application {}

  beforeAll(async () => {
    const broker = new InProcessBroker();
    const strategy = new BusServer(broker.connect(), { service: 'team-sales' });
    const app = await NestFactory.createMicroservice(Application, { strategy, logger: false });
    await app.listen();
    bus = new TransportBus(broker.connect());
    stop = async () => {
      bus.close();
      await app.close();
    };
  });
  beforeEach(() => {
    begun.length = 0;
  });
  afterAll(() => stop());

  const ask = (orgId: number, signal?: AbortSignal) =>
    bus.ask(readMemberPrincipal, { orgId, memberId }, { principal: ofOrganization(orgId), timeoutMs: 30_000, signal });

  it('starts work in turns of the organizations', async () => {
    const all = [...Array.from({ length: 300 }, () => ask(noisy)), ask(quiet)];
    await Promise.all(all);
    expect(begun).toHaveLength(301);
    expect(begun.indexOf(quiet)).toBeLessThan(20);
  });

  it('does not start what its caller gave up while it waited', async () => {
    const gone = new AbortController();
    const all = Array.from({ length: 100 }, (_, n) => ask(noisy, n < 50 ? undefined : gone.signal));
    gone.abort();
    const outcomes = await Promise.allSettled(all);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(50);
    expect(begun).toHaveLength(50);
  });

  it('has room for another organization when one has reached its limit of calls in progress', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    hold = promise;
    const theirs = Array.from({ length: limits.callsOfOneMax + 1 }, () => ask(greedy));
    const refused = await Promise.race(
      theirs.map((one) =>
        one.then(
          () => undefined,
          (error: unknown) => error,
        ),
      ),
    );
    expect(refused).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    const mine = ask(quiet);
    resolve();
    await expect(mine).resolves.toMatchObject({ orgId: quiet });
    const outcomes = await Promise.allSettled(theirs);
    expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(1);
    await expect(ask(greedy)).resolves.toMatchObject({ orgId: greedy });
  });
});

describe('a call whose deadline has passed', () => {
  it('allows work that outlives a read-only answer to write', () => {
    const call = new ServedCall({ requestId: 'read', leftMs: 1_000 });
    call.onlyReads = true;
    call.end();
    expect(call.onlyReads).toBe(false);
  });

  it('is aborted for its listeners when the deadline is noticed before the timer fires', () => {
    const call = new ServedCall({ requestId: 'late', leftMs: 0 });
    const told: unknown[] = [];
    call.signal.addEventListener('abort', () => told.push(call.signal.reason));
    expect(call.abandoned).toMatchObject({ code: 'DEADLINE_EXCEEDED' });
    call.end();
    expect(told).toEqual([call.abandoned]);
  });
});
