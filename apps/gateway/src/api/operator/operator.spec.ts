import {
  assignPlan,
  beginOperatorAction,
  endOperatorAction,
  getCreditBalance,
  listAudit,
  listOperatorActions,
  type Principal,
  readOperatorTerms,
  savePlan,
  sealGatewaySecrets,
  setOperatorPrices,
  topUpCredits,
} from '@parley/contracts';
import { eventually } from '@parley/testing';
import { Harness, type TestOrganization } from '../../testing/harness';

const operator = (orgId = 0): { principal: Principal } => ({
  principal: { kind: 'system', keyId: 'admin', orgId, roleTypeId: 1 },
});

describe('the operator of an installation', () => {
  let harness: Harness;
  let urls: string[];
  let mine: TestOrganization;

  beforeAll(async () => {
    harness = await Harness.open();
    const environment = { CREDIT_PRICES: 'TTS_API=900', CREDIT_TOP_UPS: 'operator' };
    urls = [(await harness.startGateway(environment)).url, (await harness.startGateway(environment)).url];
  });
  beforeEach(() => {
    mine = harness.organization();
  });
  afterAll(() => harness.close());

  const price = async ({ owner }: TestOrganization) => {
    const { balances } = await harness.bus.ask(getCreditBalance, {}, { principal: owner });
    return balances.find(({ kind }) => kind === 'TTS_API')?.unitsPerThousand;
  };

  it.each([
    ['prices', () => harness.bus.ask(setOperatorPrices, { OrgID: null, prices: { TTS_API: 0 } }, { principal: mine.owner })],
    ['plans', () => harness.bus.ask(savePlan, { name: 'free', limits: {} }, { principal: mine.owner })],
    ['who has which plan', () => harness.bus.ask(assignPlan, { OrgID: mine.orgId, name: null }, { principal: mine.owner })],
    ['secrets', () => harness.bus.ask(sealGatewaySecrets, {}, { principal: { ...mine.owner, keyId: 'admin' } })],
    ['the list of actions', () => harness.bus.ask(listOperatorActions, {}, { principal: { ...mine.owner, kind: 'system' } })],
  ])('is the only one who may change %s', async (_what, attempt) => {
    await expect(attempt()).rejects.toMatchObject({ code: 'SCOPE_MISSING' });
  });

  it('is the only one who adds credits where CREDIT_TOP_UPS says so', async () => {
    const grant = { kind: 'TTS_API', units: 70, reference: '5b0c7f0e-6d55-4a86-9f3c-1f8f6f0c2a11' } as const;
    const { key } = await harness.key(mine, 'wsk');
    const init = {
      method: 'POST',
      body: JSON.stringify(grant),
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
    };
    for (const url of urls) {
      const refused = await fetch(`${url}/api/v1/external/credits/top-up`, init);
      expect([refused.status, await refused.json()]).toMatchObject([
        403,
        { code: 'SCOPE_MISSING', message: expect.stringContaining('by the operator') },
      ]);
    }
    const { balance } = await harness.bus.ask(topUpCredits, grant, operator(mine.orgId));
    expect(balance).toBe(1_000_070);
  });

  it('re-seals nothing where the present secret has sealed everything', async () => {
    expect(await harness.bus.ask(sealGatewaySecrets, {}, operator())).toEqual({ sealed: 0, unopened: 0 });
  });

  it('sets prices for all or for one organization, which override the configuration, and removes them', async () => {
    const other = harness.organization();
    expect([await price(mine), await price(other)]).toEqual([900, 900]);
    await harness.bus.ask(setOperatorPrices, { OrgID: null, prices: { TTS_API: 1_200 } }, operator());
    await harness.bus.ask(setOperatorPrices, { OrgID: mine.orgId, prices: { TTS_API: 1_500 } }, operator());
    expect([await price(mine), await price(other), await price(harness.organization())]).toEqual([1_500, 1_200, 1_200]);
    await harness.bus.ask(setOperatorPrices, { OrgID: mine.orgId, prices: { TTS_API: null } }, operator());
    expect(await price(mine)).toBe(1_200);
    await harness.bus.ask(setOperatorPrices, { OrgID: null, prices: { TTS_API: null } }, operator());
    expect([await price(mine), await price(other)]).toEqual([900, 900]);
  });

  it('assigns a plan, which every gateway enforces, and removes it', async () => {
    const { key } = await harness.key(mine, 'wsk');
    const policies = () =>
      Promise.all(
        urls.map(async (url) => {
          const answer = await fetch(`${url}/api/v1/external/credits/balance`, { headers: { 'x-api-key': key } });
          return answer.headers.get('ratelimit-policy');
        }),
      );
    const standard = await policies();
    await harness.bus.ask(savePlan, { name: 'tiny', limits: { key: { read: { limit: 77, windowSeconds: 60 } } } }, operator());
    await harness.bus.ask(assignPlan, { OrgID: mine.orgId, name: 'tiny' }, operator());
    await eventually('both gateways hold it to the plan', async () =>
      (await policies()).every((policy) => policy?.includes('"key";q=77;')),
    );
    const { plans, assignments } = await harness.bus.ask(readOperatorTerms, {}, operator());
    expect([plans.map(({ name }) => name), assignments]).toEqual([['tiny'], [{ OrgID: mine.orgId, name: 'tiny' }]]);
    await expect(harness.bus.ask(savePlan, { name: 'tiny', limits: null }, operator())).rejects.toMatchObject({
      code: 'CONFLICT',
      message: `Organizations have the plan tiny: ${mine.orgId}.`,
    });
    await harness.bus.ask(assignPlan, { OrgID: mine.orgId, name: null }, operator());
    await eventually('the standard plan is back', async () => (await policies()).join() === standard.join());
  });

  it('cannot remove a saved plan that organizations have, unless the configuration has one of that name', async () => {
    const own = await Harness.open();
    const configured = { RATE_LIMIT_PLANS: '{"scale":{}}', ORGANIZATION_PLANS: '7=scale' };
    await own.startGateway(configured);
    await own.bus.ask(savePlan, { name: 'scale', limits: {} }, operator());
    expect(await own.bus.ask(savePlan, { name: 'scale', limits: null }, operator())).toMatchObject({ name: 'scale' });
    await own.close();
  });

  it('cannot assign an undefined plan', async () => {
    const giving = harness.bus.ask(assignPlan, { OrgID: mine.orgId, name: 'imagined' }, operator());
    await expect(giving).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('cannot remove a plan that was not saved', async () => {
    const removing = harness.bus.ask(savePlan, { name: 'imagined', limits: null }, operator());
    await expect(removing).rejects.toMatchObject({ code: 'NOT_FOUND', message: 'There is no saved plan imagined.' });
  });

  it('uses a reference for one grant of one organization, which may be repeated', async () => {
    const other = harness.organization();
    const grant = (OrgID: number, credits: object, reference = 'INV-7') =>
      harness.bus.ask(
        beginOperatorAction,
        { operator: 'asha', action: 'credits.grant', OrgID, request: { credits, reference, note: String(Math.random()) } },
        operator(),
      );
    await grant(mine.orgId, { TTT_API: 10, TTS_API: 7 });
    await expect(grant(mine.orgId, { TTS_API: 7, TTT_API: 10 })).resolves.toBeDefined();
    const refused = {
      code: 'CONFLICT',
      message: `This reference was used to grant TTT_API=10, TTS_API=7 to organization ${mine.orgId}: use one reference for each grant.`,
    };
    for (const credits of [{ TTT_API: 10 }, { TTT_API: 10, TTS_API: 8 }, { TTT_API: 10, TTS_API: 7, STT_API: 1 }])
      await expect(grant(mine.orgId, credits)).rejects.toMatchObject(refused);
    await expect(grant(other.orgId, { TTT_API: 10, TTS_API: 7 })).rejects.toMatchObject(refused);
    await expect(grant(other.orgId, { TTT_API: 10, TTS_API: 7 }, 'INV-8')).resolves.toBeDefined();
    const [, latest] = await harness.bus.ask(listOperatorActions, { count: 2 }, operator());
    expect(latest).toMatchObject({ OrgID: other.orgId, outcome: 'CONFLICT' });
  });

  it('binds a reference to nothing when its grant named an organization that does not exist', async () => {
    const grant = (OrgID: number) =>
      harness.bus.ask(
        beginOperatorAction,
        { operator: 'asha', action: 'credits.grant', OrgID, request: { credits: { TTT_API: 10 }, reference: 'INV-9' } },
        operator(),
      );
    const begun = await grant(999_999);
    await harness.bus.ask(endOperatorAction, { ...begun, OrgID: 999_999, outcome: 'NOT_FOUND', reply: {} }, operator());
    await expect(grant(mine.orgId)).resolves.toBeDefined();
    await expect(grant(harness.organization().orgId)).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining(`to organization ${mine.orgId}`),
    });
  });

  it('grants credits once per reference', async () => {
    const grant = { kind: 'STT_API', units: 60, reference: '7b1e0c52-2f7a-4f0e-9a55-6c1f3b2d8e10' } as const;
    const first = await harness.bus.ask(topUpCredits, grant, operator(mine.orgId));
    expect(await harness.bus.ask(topUpCredits, grant, operator(mine.orgId))).toEqual(first);
  });

  it('is recorded in the installation’s log and in the tenant’s audit log, also when it failed', async () => {
    const attempt = { operator: 'asha', action: 'credits.grant', OrgID: mine.orgId, request: { units: 60 } };
    const begun = await harness.bus.ask(beginOperatorAction, attempt, operator());
    const [line] = await harness.bus.ask(listOperatorActions, { count: 1 }, operator());
    expect(line).toMatchObject({ operator: 'asha', OrgID: mine.orgId, outcome: 'UNKNOWN' });
    await harness.bus.ask(endOperatorAction, { ...begun, OrgID: mine.orgId, outcome: 'CONFLICT', reply: {} }, operator());
    const [ended] = await harness.bus.ask(listOperatorActions, { count: 1 }, operator());
    expect(ended).toMatchObject({ operator: 'asha', outcome: 'CONFLICT' });
    const { rows } = await harness.bus.ask(listAudit, {}, { principal: mine.owner });
    expect(rows).toMatchObject([{ action: 'operator.credits.grant', subject: 'operator asha', outcome: 'CONFLICT' }]);
  });
});
