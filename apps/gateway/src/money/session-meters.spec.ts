import { randomUUID } from 'node:crypto';
import { Controller } from '@nestjs/common';
import {
  chargeOnce,
  type CreditKind,
  extendCharge,
  listCreditUsage,
  openSessionMeter,
  readPaidTurns,
  sessionMeterLost,
} from '@parley/contracts';
import { Handles, Hears, TransportBus } from '@parley/messaging';
import { eventually } from '@parley/testing';
import { SocketHarness } from '../live/sockets/socket-harness.suite';
import { Client } from 'pg';
import type { z } from 'zod';
import { CuttableGateway } from '../testing/ends/cuttable-gateway';
import type { TestOrganization } from '../testing/harness';
import { msUntilNote } from './session-meter';

const lostMeters: { orgId: number | null; requestId: string }[] = [];

@Controller()
class Bridge {
  @Hears(sessionMeterLost)
  hear(lost: z.output<typeof sessionMeterLost.payload>, { orgId }: { orgId: number | null }): void {
    lostMeters.push({ orgId, ...lost });
  }
}

@Controller()
class Turns {
  @Handles(readPaidTurns)
  paid(): z.input<typeof readPaidTurns.reply> {
    return { turns: [] };
  }
}

describe('the usage of sessions', () => {
  it('is noted for all of them in the same moments, within three seconds', () => {
    const beganAtMs = [10_000, 10_001, 10_499.5, 10_999];
    const notedAtMs = beganAtMs.map((nowMs) => nowMs + msUntilNote(nowMs));
    expect(new Set(notedAtMs)).toEqual(new Set([13_000]));
    expect(msUntilNote(11_000)).toBe(3_000);
  });
});

describe('a session', () => {
  let by: SocketHarness;
  let mine: TestOrganization;
  let admin: Client;

  beforeAll(async () => {
    by = await SocketHarness.open({ PARLEY_INITIAL_CREDITS: 'TTT_API=5000,TTS_API=3000,STT_API=100' });
    await by.harness.play('telephony-bridge', Bridge);
    await by.harness.play('conversation', Turns);
    admin = new Client({ connectionString: by.harness.database.adminUrl });
    await admin.connect();
    await admin.query('SET search_path = gateway');
  });
  beforeEach(() => (mine = by.harness.organization()));
  afterAll(async () => {
    await admin.end();
    await by.harness.close();
  });

  const charged = () => by.charged(mine);
  const account = (kind: CreditKind) => by.account(mine, kind);

  describe('metered by another service', () => {
    const meter = async (usedBefore: z.input<(typeof openSessionMeter)['opening']>['usedBefore'] = []) => {
      const principal = { kind: 'system', keyId: 'spec', orgId: mine.orgId } as const;
      const { channel } = await by.harness.bus.open(openSessionMeter, { ...mine.agent, usedBefore }, { principal });
      return channel;
    };
    const heard = async (channel: Awaited<ReturnType<typeof meter>>): Promise<string[]> => {
      const types: string[] = [];
      for await (const item of channel.incoming) if ('signal' in item) types.push(item.signal.type);
      return types;
    };

    it('is held while its line is open and charged to the unit when it ends', async () => {
      const channel = await meter();
      expect(await account('STT_API')).toMatchObject({ balance: 100, held: 30 });
      channel.signal({ type: 'usage', usage: [{ kind: 'STT_API', units: 7 }] });
      channel.signal({ type: 'usage', usage: [{ kind: 'TTT_API', units: 412 }] });
      channel.signal({ type: 'end' });
      expect(await heard(channel)).toEqual(['settled']);
      expect(await charged()).toEqual({ STT_API: 7, TTT_API: 412 });
      expect(await account('STT_API')).toMatchObject({ balance: 93, held: 0 });
    });

    it('is charged even if the holder vanishes', async () => {
      const channel = await meter();
      channel.signal({ type: 'usage', usage: [{ kind: 'STT_API', units: 3 }] });
      channel.close('lost');
      await eventually('it is charged', async () => (await charged()).STT_API === 3);
      await eventually('nothing is held', async () => (await account('STT_API')).held === 0);
    });

    it('is charged, and leaves nothing held, when its holder is killed', async () => {
      const transport = await by.harness.connect();
      const principal = { kind: 'system', keyId: 'spec', orgId: mine.orgId } as const;
      const { channel } = await new TransportBus(transport).open(openSessionMeter, mine.agent, { principal });
      channel.signal({ type: 'usage', usage: [{ kind: 'STT_API', units: 3 }] });
      await eventually('it was heard', async () => (await account('STT_API')).held === 30);
      await transport.close();
      await eventually('it is charged', async () => (await charged()).STT_API === 3);
      await eventually('nothing is held', async () => (await by.held(mine)) === 0);
    });

    it('holds nothing for a caller that gave up waiting for slow books', async () => {
      await account('STT_API');
      await admin.query('BEGIN');
      await admin.query('SELECT FROM credit_accounts WHERE org_id = $1 FOR UPDATE', [mine.orgId]);
      const principal = { kind: 'system', keyId: 'spec', orgId: mine.orgId } as const;
      const opened = by.harness.bus.open(openSessionMeter, mine.agent, { principal, timeoutMs: 300 });
      await expect(opened).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED' });
      await admin.query('ROLLBACK');
      // Whatever is queued later runs after the hold.
      const later = { ...mine.agent, ChargeID: randomUUID(), usage: [{ kind: 'STT_API' as const, units: 1 }] };
      await by.harness.bus.ask(chargeOnce, later, { principal });
      await eventually('nothing is held', async () => (await by.held(mine)) === 0);
      expect(await charged()).toEqual({ STT_API: 1 });
    });

    it('is charged what was noted, once its hold expires, if gateway and holder are both killed', async () => {
      const dying = await CuttableGateway.start(by.harness);
      try {
        const channels = await Promise.all([meter(), meter(), meter()]);
        const isLost = channels.map((channel) => channel.closed);
        for (const channel of channels) channel.signal({ type: 'usage', usage: [{ kind: 'STT_API', units: 1 }] });
        const noted = 'SELECT coalesce(sum(used), 0)::int AS used FROM credit_holds WHERE org_id = $1';
        const usedOf = async () => (await admin.query<{ used: number }>(noted, [mine.orgId])).rows[0]?.used;
        await eventually('it is noted', async () => (await usedOf()) === 3);
        dying.cutOff();
        for (const channel of channels) channel.close('killed');
        await Promise.all(isLost);
        await eventually('whoever lives has charged its own', async () => (await usedOf()) !== 3);
        await admin.query('UPDATE credit_holds SET expires_at = now() WHERE org_id = $1', [mine.orgId]);
        await eventually('nothing is held', async () => (await by.held(mine)) === 0);
        expect(await charged()).toEqual({ STT_API: 3 });
      } finally {
        await dying.comeBackAndStop();
      }
      expect(await charged()).toEqual({ STT_API: 3 });
    });

    it('is reported with everything charged, earlier meters included, if its holder fell silent, but not if the holder ended it', async () => {
      const ended = await meter();
      ended.signal({ type: 'usage', usage: [{ kind: 'STT_API', units: 2 }] });
      ended.signal({ type: 'end' });
      await heard(ended);
      const lost = await meter([{ kind: 'STT_API', units: 10 }]);
      lost.signal({
        type: 'usage',
        usage: [
          { kind: 'STT_API', units: 3 },
          { kind: 'TTS_API', units: 40 },
        ],
      });
      lost.close('lost');
      await eventually('it is told', () => lostMeters.some(({ orgId }) => orgId === mine.orgId));
      const usage = [
        { kind: 'STT_API', units: 13 },
        { kind: 'TTS_API', units: 40 },
      ];
      expect(lostMeters.filter(({ orgId }) => orgId === mine.orgId)).toEqual([
        { orgId: mine.orgId, requestId: expect.any(String), usage },
      ]);
    });

    it('is metered for services only, not for clients’ requests that are passed on', async () => {
      await expect(by.harness.bus.open(openSessionMeter, mine.agent, { principal: mine.owner })).rejects.toMatchObject({
        code: 'SCOPE_MISSING',
      });
    });

    it('is charged once for work with an id, even without credits, and for services only', async () => {
      const principal = { kind: 'system', keyId: 'spec', orgId: mine.orgId } as const;
      const wish = { ...mine.agent, ChargeID: randomUUID(), usage: [{ kind: 'TTT_API' as const, units: 4_990 }] };
      const charge = () => by.harness.bus.ask(chargeOnce, wish, { principal });
      await Promise.all([charge(), charge(), charge()]);
      expect([await charge(), await charged()]).toEqual([{ isCharged: true }, { TTT_API: 4_990 }]);
      const other = { ...wish, ChargeID: randomUUID() };
      expect(await by.harness.bus.ask(chargeOnce, other, { principal })).toEqual({ isCharged: true });
      expect(await account('TTT_API')).toMatchObject({ balance: 0, held: 0 });
      await expect(by.harness.bus.ask(chargeOnce, other, { principal: mine.owner })).rejects.toMatchObject({
        code: 'SCOPE_MISSING',
      });
    });

    it('lets eight calls use what there is: each turn holds its longest answer, none is unpaid, and nothing stays held', async () => {
      const principal = { kind: 'system', keyId: 'spec', orgId: mine.orgId } as const;
      const channels = await Promise.all(Array.from({ length: 8 }, () => meter()));
      let produced = 0;
      const speak = async (channel: (typeof channels)[number]): Promise<'answered' | 'refused'> => {
        const chargeId = randomUUID();
        const usage = [{ kind: 'TTT_API' as const, units: 1_500 }];
        const opening = { chargeId, usage, tokensMin: 1_000, opens: {} };
        const held = await by.harness.bus.ask(extendCharge, opening, { principal }).catch(() => undefined);
        const tokens = held?.tokens ?? 0;
        produced += tokens;
        channel.signal({ type: 'turn', chargeId, tokens });
        return held ? 'answered' : 'refused';
      };
      const ends = await Promise.all(channels.map(speak));
      expect(new Set(ends)).toEqual(new Set(['answered', 'refused']));
      for (const channel of channels) channel.signal({ type: 'end' });
      for (const channel of channels) expect(await heard(channel)).toEqual(['settled']);
      await eventually('nothing is held', async () => (await by.held(mine)) === 0);
      const { rows } = await by.harness.bus.ask(listCreditUsage, { pageSize: 200 }, { principal: mine.owner });
      expect(rows.reduce((sum, { unpaidUnits }) => sum + unpaidUnits, 0)).toBe(0);
      expect([await charged(), produced <= 5_000]).toEqual([{ TTT_API: produced }, true]);
    });

    it('holds nothing for a turn that was withdrawn while it waited for credits', async () => {
      const principal = { kind: 'system', keyId: 'spec', orgId: mine.orgId } as const;
      const channel = await meter();
      const [first, withdrawn, last] = [randomUUID(), randomUUID(), randomUUID()];
      const openTurn = (chargeId: string, units: number, signal?: AbortSignal) =>
        by.harness.bus.ask(
          extendCharge,
          { chargeId, usage: [{ kind: 'TTT_API', units }], tokensMin: units, opens: {} },
          { principal, signal },
        );
      await openTurn(first, 4_000);
      const left = new AbortController();
      const waiting = openTurn(withdrawn, 1_500, left.signal);
      await account('TTT_API');
      left.abort();
      await expect(waiting).rejects.toThrow();
      channel.signal({ type: 'turn', chargeId: withdrawn, tokens: 0 });
      channel.signal({ type: 'turn', chargeId: first, tokens: 0 });
      // It was in front of this one, which needs everything that there is.
      await openTurn(last, 4_999);
      channel.signal({ type: 'turn', chargeId: last, tokens: 0 });
      await eventually('only the token of the session is held', async () => (await account('TTT_API')).held === 1);
      channel.signal({ type: 'end' });
      expect(await heard(channel)).toEqual(['settled']);
    });

    const leaveOnly = async (seconds: number): Promise<void> => {
      await account('STT_API');
      const set = 'UPDATE credit_accounts SET available = $2 WHERE org_id = $1 AND kind = $3';
      await admin.query(set, [mine.orgId, seconds, 'STT_API']);
    };

    it.each([30, 62, 27, 93])('leaves enough of %i audio seconds for others to begin', async (seconds) => {
      await leaveOnly(seconds);
      const opened = await Promise.allSettled(Array.from({ length: 6 }, () => meter()));
      expect(opened.map(({ status }) => status)).toEqual(Array(6).fill('fulfilled'));
      for (const channel of opened) if (channel.status === 'fulfilled') channel.value.signal({ type: 'end' });
      await eventually('nothing is held', async () => (await by.held(mine)) === 0);
    });

    it('ends before a voice that is not transcribed yet is longer than can be paid', async () => {
      await leaveOnly(12);
      const channel = await meter();
      const types = heard(channel);
      const hear = (seconds: number): void => channel.signal({ type: 'undecided', seconds });
      for (const seconds of [3, 7]) {
        hear(seconds);
        await eventually('what may be used is held', async () => (await account('STT_API')).held === seconds + 4);
      }
      hear(12);
      await eventually('the last of it is held', async () => (await account('STT_API')).held === 0);
      channel.signal({ type: 'usage', usage: [{ kind: 'STT_API', units: 12 }] });
      channel.signal({ type: 'end' });
      expect(await types).toEqual(['exhausted', 'settled']);
      expect(await charged()).toEqual({ STT_API: 12 });
      expect(await account('STT_API')).toMatchObject({ balance: 0, held: 0 });
    });

    it('is reported when nothing more can be paid for, and cannot begin then', async () => {
      const channel = await meter();
      const types = heard(channel);
      channel.signal({ type: 'usage', usage: [{ kind: 'STT_API', units: 100 }] });
      await eventually('all is spent', async () => (await account('STT_API')).balance === 0);
      await expect(meter()).rejects.toMatchObject({ code: 'CREDITS_EXHAUSTED' });
      channel.signal({ type: 'end' });
      expect(await types).toEqual(['exhausted', 'settled']);
    });
  });
});
