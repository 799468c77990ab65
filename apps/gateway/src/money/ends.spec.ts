import { type CreditKind, creditKinds, Fault, streamTurn, synthesizeSpeech, transcribeRecording } from '@parley/contracts';
import { ServiceBus } from '@parley/messaging';
import { atRest, eventually, LongWaits } from '@parley/testing';
import fc from 'fast-check';
import { Client, Pool } from 'pg';
import { publicRoutes } from '../api/routes/route-table';
import { act, sendingOf } from '../testing/ends/clients';
import { CuttableGateway } from '../testing/ends/cuttable-gateway';
import { bytesOf, canEnd, ends, type Plan, plans, Scenario, ways } from '../testing/ends/scenario';
import { PlannedConversation, World } from '../testing/ends/services';
import { PlannedSpeech } from '../testing/ends/speech';
import { Harness, type TestOrganization } from '../testing/harness';
import { ScriptedServices } from '../testing/scripted-services';
import { differenceOf, readEquation } from './index';

/** `npm run chaos -- money` is the long run, and prints what it saw. */
const runs = Number(process.env.MONEY_RUNS ?? 8);
const isLong = process.env.MONEY_RUNS !== undefined;
const attemptsMax = 10;
const together = 12;
const crashesTogether = 16;
const seen: Record<string, number> = {};

const pathOf = (way: Plan['way']): string => (way.startsWith('/ws/') ? way.replace(/ .*/, '') : sendingOf({ way }).path);

/** The kinds of credit that a way uses up. */
const creditsOf = (way: Plan['way']): readonly CreditKind[] => {
  if (way === '/ws/sts' || way === '/ws/widgetchat spoken') return creditKinds;
  if (way === 'stt' || way === '/ws/transcribe') return ['STT_API'];
  if (way === 'tts') return ['TTS_API'];
  if (way === 'chat tts') return ['TTT_API', 'TTS_API'];
  return way.startsWith('chat stt') ? ['TTT_API', 'STT_API'] : ['TTT_API'];
};

interface Played {
  readonly scenario: Scenario;
  readonly mine: TestOrganization;
}

describe('everything produced is charged', () => {
  const world = new World();
  let harness: Harness;
  let url: string;
  let admin: Client;
  let operator: Pool;

  beforeAll(async () => {
    harness = await Harness.open(undefined, ['conversation']);
    const providers = [
      { provide: World, useValue: world },
      { provide: ScriptedServices, useValue: harness.scripted },
      { provide: ServiceBus, useValue: harness.bus },
    ];
    await harness.play('conversation', PlannedConversation, providers);
    await harness.play('speech', PlannedSpeech, providers);
    ({ url } = await harness.startGateway());
    admin = new Client({ connectionString: harness.database.adminUrl });
    operator = new Pool({ connectionString: harness.database.adminUrl, max: 2 });
    await admin.connect();
    await admin.query('SET search_path = gateway');
  });
  afterAll(async () => {
    if (isLong) process.stdout.write(`${JSON.stringify({ ...seen, difference: differenceOf(await equation()) }, null, 2)}\n`);
    await Promise.all([admin.end(), operator.end()]);
    await harness.close();
  });

  const equation = () => readEquation({ query: async (sql) => (await admin.query(sql)).rows });

  const play = (plan: Plan, at = url): Promise<Played> =>
    asPlanned(() => playOnce({ scenario: new Scenario(plan), mine: harness.organization() }, at), isPaid);

  const playAgain = ({ scenario, mine }: Played): Promise<Played> =>
    asPlanned(() => playOnce({ scenario: scenario.again(), mine }));

  /** A client that a stalling machine refused asks again, so that every planned end takes place. */
  const asPlanned = async (
    playing: () => Promise<Played>,
    onRefusal?: (refused: Played) => Promise<void>,
    attempt = 1,
  ): Promise<Played> => {
    const played = await playing();
    const { plan, answer, isAsPlanned, isRefusedForNow } = played.scenario;
    note(`${plan.way}, ${isAsPlanned ? plan.end : `refused as ${answer?.code}`}`);
    if (isAsPlanned) return played;
    if (!isRefusedForNow || attempt === attemptsMax)
      throw new Error(`${JSON.stringify(plan)} was answered ${JSON.stringify(answer)}`);
    await onRefusal?.(played);
    return asPlanned(playing, onRefusal, attempt + 1);
  };

  const note = (what: string): void => void (seen[what] = (seen[what] ?? 0) + 1);

  const playOnce = async ({ scenario, mine }: Played, at = url): Promise<Played> => {
    const { plan } = scenario;
    world.scenarios.set(mine.orgId, scenario);
    const priceOf = (units: number) =>
      operator.query('UPDATE gateway.credit_accounts SET units_per_thousand = $2 WHERE org_id = $1', [mine.orgId, units]);
    await priceOf(1_000);
    const earlier = await heldAs(mine.orgId);
    scenario.onBegin = async () => {
      const isOver = async () => scenario.answer !== undefined || isAdmitted(mine.orgId, earlier);
      await eventually('its hold is written, and with it the price', isOver);
      if (!scenario.answer) await priceOf(plan.laterPrice);
    };
    await act({ harness, url: at }, mine, scenario);
    return { scenario, mine };
  };

  const heldAs = async (orgId: number): Promise<string[]> =>
    (await operator.query<{ id: string }>('SELECT DISTINCT id FROM gateway.credit_holds WHERE org_id = $1', [orgId])).rows.map(
      ({ id }) => id,
    );

  /** Work may begin while its hold is being written. An attempt under a key that has paid holds nothing. */
  const isAdmitted = async (orgId: number, earlier: readonly string[]): Promise<boolean> => {
    const { rowCount } = await operator.query(
      `SELECT FROM gateway.credit_holds WHERE org_id = $1 AND id <> ALL($2::uuid[])
       UNION ALL SELECT FROM gateway.credit_ledger WHERE org_id = $1 AND entry = 'CHARGE' LIMIT 1`,
      [orgId, earlier],
    );
    return rowCount === 1;
  };

  /** Every unit that the services produced, and no other. */
  const arePaid = async (played: readonly Played[]): Promise<void> => {
    await expireHoldsOf(played.filter(({ scenario }) => scenario.leavesHold));
    for (const each of played) await isPaid(each);
    expect(differenceOf(await equation())).toBe(0);
  };

  const isPaid = async ({ scenario, mine }: Played): Promise<void> => {
    const expected = JSON.stringify(scenario.produced);
    let [ledger, held] = ['', 0];
    const state = () => `ledger ${ledger}, held ${held}, ${scenario.isIdle ? 'idle' : 'still at work'}`;
    const told = () => `${JSON.stringify(scenario.plan)} produced ${expected}, ${state()}`;
    await eventually('the ledger says what was produced', async () => {
      ledger = JSON.stringify(await chargedTo(mine.orgId));
      held = await heldOf(mine.orgId);
      return scenario.isIdle && ledger === JSON.stringify(scenario.produced) && held === 0;
    }).catch(() => {
      throw new Error(told());
    });
  };

  const isCharged = ({ scenario, mine }: Played): Promise<void> =>
    eventually(
      `${JSON.stringify(scenario.plan)} is charged`,
      async () => JSON.stringify(await chargedTo(mine.orgId)) === JSON.stringify(scenario.produced),
    );

  /** Expires all holds of these organizations. */
  const expireHoldsOf = (played: readonly Played[]) =>
    admin.query('UPDATE credit_holds SET expires_at = now() WHERE org_id = ANY($1)', [played.map(({ mine }) => mine.orgId)]);

  /** As if their dead gateway's lease on their keys had lapsed: they are answered by another one, and then from what is stored. */
  const repeated = async (played: readonly Played[]): Promise<Played[]> => {
    const lapse = `UPDATE idempotent_requests SET lease_until = '-infinity' WHERE status IS NULL AND org_id = ANY($1)`;
    await admin.query(lapse, [played.map(({ mine }) => mine.orgId)]);
    const again = await Promise.all(played.map(playAgain));
    for (const { scenario } of again) expect(scenario.isIdle).toBe(true);
    const replayed = await Promise.all(again.map(playAgain));
    for (const { scenario } of replayed) expect(scenario.produced).toEqual({ TTT_API: 0, TTS_API: 0, STT_API: 0 });
    return again;
  };

  const chargedTo = async (orgId: number): Promise<Record<CreditKind, number>> => {
    const { rows } = await admin.query<{ kind: CreditKind; units: string }>(
      `SELECT kind, -sum(units) AS units FROM credit_ledger WHERE org_id = $1 AND entry = 'CHARGE' GROUP BY kind`,
      [orgId],
    );
    const by = new Map(rows.map(({ kind, units }) => [kind, Number(units)]));
    return { TTT_API: by.get('TTT_API') ?? 0, TTS_API: by.get('TTS_API') ?? 0, STT_API: by.get('STT_API') ?? 0 };
  };

  const heldOf = async (orgId: number): Promise<number> => {
    const { rows } = await admin.query<{ held: string }>('SELECT sum(held) AS held FROM credit_accounts WHERE org_id = $1', [
      orgId,
    ]);
    return Number(rows[0]?.held ?? 0);
  };

  const notedFor = async (orgId: number): Promise<Record<string, number>> => {
    const { rows } = await admin.query<{ kind: string; used: string }>(
      `SELECT kind, sum(used) AS used FROM (SELECT kind, used FROM credit_holds WHERE org_id = $1
       UNION ALL SELECT kind, -units FROM credit_ledger WHERE org_id = $1 AND entry = 'CHARGE') noted GROUP BY kind`,
      [orgId],
    );
    return Object.fromEntries(rows.map(({ kind, used }) => [kind, Number(used)]));
  };

  const areNoted = async (played: readonly Played[]): Promise<void> => {
    for (const { scenario, mine } of played) {
      await eventually('what is used is noted', async () => {
        const noted = await notedFor(mine.orgId);
        const { way } = scenario.plan;
        if ((way === 'tts' || way === 'chat tts') && !noted.TTS_API) return false;
        return creditKinds.every((kind) => (noted[kind] ?? 0) >= scenario.produced[kind]);
      });
    }
  };

  it('is drawn for every endpoint that charges, and for each kind of credit that it charges', () => {
    const charging = [...publicRoutes.rows, ...publicRoutes.handWritten].flatMap(({ path, charges = [] }) =>
      charges.map((kind) => `${path} ${kind}`),
    );
    const drawn = ways.flatMap((way) => creditsOf(way).map((kind) => `${pathOf(way)} ${kind}`));
    expect(charging.length).toBeGreaterThan(0);
    expect(new Set(drawn)).toEqual(new Set(charging));
  });

  it('is drawn until it is answered: a refusal is no answer that costs nothing', async () => {
    const usual = { pieces: 4, at: 0, bytes: 0, isLate: false, engine: 'STT_API', returns: 'never', laterPrice: 1_000 } as const;
    for (const way of ['ttt', 'chat stt stream', 'tts', '/ws/widgetchat typed'] as const) {
      const plan: Plan = { ...usual, way, end: 'complete', isKeyed: !way.startsWith('/ws/') };
      world.refusals.push(new Fault('SERVICE_UNAVAILABLE'), new Fault('DEADLINE_EXCEEDED'));
      const played = await play(plan);
      await arePaid([played]);
      expect(creditKinds.filter((kind) => played.scenario.produced[kind] > 0)).toEqual(creditsOf(way));
      world.refusals.push(new Fault('CONFLICT'));
      await expect(play({ ...plan, end: 'leave' })).rejects.toThrow('CONFLICT');
    }
  });

  it.each(ways)('over %s, at each kind of end', async (way) => {
    const of = (end: Plan['end']): Plan[] =>
      [0, 2].flatMap((at) =>
        [false, true].flatMap((isLate) =>
          [false, true].flatMap((isKeyed) =>
            creditKinds.map((engine) => ({
              way,
              end,
              pieces: 4,
              at,
              bytes: Math.floor((at / 4) * bytesOf({ way, end, pieces: 4 })),
              isLate,
              engine,
              isKeyed,
              returns: 'never',
              laterPrice: isKeyed ? 0 : 5_000,
            })),
          ),
        ),
      );
    const isHttp = !way.startsWith('/ws/');
    const drawn = ends
      .filter((end) => canEnd(way, end))
      .flatMap(of)
      .filter(({ isLate, isKeyed }) => (/^chat (stt|tts)/.test(way) || !isLate) && (isHttp || !isKeyed))
      .filter(({ engine, end }) => engine === 'STT_API' || (end === 'failure' && creditsOf(way).length === creditKinds.length));
    const played = await Promise.all(drawn.map((plan) => play(plan)));
    await arePaid(played);
    for (const { scenario } of played.filter(({ scenario: { plan } }) => plan.end === 'complete'))
      expect(creditKinds.filter((kind) => scenario.produced[kind] > 0)).toEqual(creditsOf(way));
  });

  /** How long an answer may take. A channel has no deadline: the speech service ends its session. */
  const timeOf = ({ way, isLate }: Pick<Plan, 'way' | 'isLate'>): number => {
    if (way === 'ttt') return 60_000;
    if (way === 'stt') return transcribeRecording.timeoutMs;
    return way === 'tts' || (way === 'chat tts' && isLate) ? synthesizeSpeech.timeoutMs : streamTurn.timeoutMs;
  };

  /** Only sound that has begun has no way left to say why it ends. */
  const toldOf = ({ way, isLate, at }: Plan): string =>
    at > 0 && (way === 'tts' || (way === 'chat tts' && isLate)) ? 'CUT' : 'DEADLINE_EXCEEDED';

  const timed = ways.filter((way) => !way.startsWith('/ws/') || way === '/ws/widgetchat typed');
  const timedPlans = timed.flatMap((way) => (way === 'chat tts' ? [false, true] : [false]).map((isLate) => ({ way, isLate })));

  it.each(timedPlans)('over $way, at its own deadline (in its sound: $isLate)', async ({ way, isLate }) => {
    const usual = {
      way,
      isLate,
      end: 'late',
      engine: 'STT_API',
      pieces: 4,
      bytes: 0,
      returns: 'never',
      laterPrice: 1_000,
    } as const;
    const isKeyed = way.startsWith('/ws/') ? [false] : [false, true];
    const drawn: Plan[] = [0, 2].flatMap((at) => isKeyed.map((keyed) => ({ ...usual, at, isKeyed: keyed })));
    const timeMs = timeOf({ way, isLate });
    using waits = new LongWaits(timeMs - 9_000, timeMs);
    const begun = drawn.map((plan) => ({ scenario: new Scenario(plan), mine: harness.organization() }));
    const playing = begun.map((each) => playOnce(each));
    await Promise.all(begun.map(({ scenario }) => scenario.reached.promise));
    // Both sides have a timer for each answer. What the services have sent arrives before these ring, as it does in minutes.
    expect(await atRest('the timers', () => waits.held)).toBeGreaterThanOrEqual(2 * drawn.length);
    waits.end();
    await arePaid(await Promise.all(playing));
    expect(begun.map(({ scenario }) => scenario.told)).toEqual(drawn.map(toldOf));
  });

  it(
    'with many different ends at the same time',
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(plans(), { minLength: together, maxLength: together }), async (drawn) => {
          await arePaid(await Promise.all(drawn.map((plan) => play(plan))));
        }),
        { numRuns: runs, endOnFailure: true },
      );
    },
    120_000 + runs * 30_000,
  );

  it(
    'if two gateways die midway, by a surviving one',
    async () => {
      const isNoted = ({ way, isLate }: Plan): boolean =>
        way === 'tts' ||
        way === 'stt' ||
        (way === 'chat tts' && isLate) ||
        (way.startsWith('/ws/') && way !== '/ws/widgetchat typed');
      const crash = async (drawn: Plan[]): Promise<void> => {
        const dying = [await CuttableGateway.start(harness), await CuttableGateway.start(harness)];
        let played: Played[] = [];
        try {
          const playing = drawn.map((plan, at) => play(plan, dying[at % dying.length]?.url));
          // If one fails, the others are still using gateways that are about to be closed.
          await Promise.allSettled(playing);
          played = await Promise.all(playing);
          await areNoted(played.filter(({ scenario: { plan } }) => isNoted(plan)));
          for (const gateway of dying) gateway.cutOff();
          for (const { scenario } of played) scenario.left.resolve();
          await eventually('the services have ended their work', () => played.every(({ scenario }) => scenario.isIdle));
          const returning = (when: Plan['returns']) =>
            played.filter(({ scenario: { plan } }) => plan.isKeyed && !plan.way.startsWith('/ws/') && plan.returns === when);
          // One key pays once for what we lost: for the answer, if that comes before the dead gateway's hold has expired.
          const early = returning('early');
          const answered = await repeated(early);
          played = [...played.filter((each) => !early.includes(each)), ...answered];
          // A charge that comes after its hold has expired has the price of that moment.
          for (const each of answered) await isCharged(each);
          await expireHoldsOf(played);
          await arePaid(played);
          const late = returning('late');
          const again = await repeated(late);
          // A key for which nothing was produced before the crash pays for its answer, however late.
          const paid = again.filter((_, at) => creditKinds.every((kind) => late[at]?.scenario.produced[kind] === 0));
          played = [...played.filter(({ mine }) => !paid.some((each) => each.mine === mine)), ...paid];
          await arePaid(played);
        } finally {
          await Promise.all(dying.map((gateway) => gateway.comeBackAndStop()));
        }
        // What it would settle on its return had been charged by then.
        await arePaid(played);
      };
      const drawn = fc.array(plans(fc.constant('crash')), {
        minLength: crashesTogether,
        maxLength: crashesTogether,
      });
      await fc.assert(fc.asyncProperty(drawn, crash), { numRuns: isLong ? Math.ceil(runs / 20) : 1, endOnFailure: true });
    },
    240_000 + runs * 10_000,
  );
});
