import { extractCallResult, type Principal } from '@parley/contracts';
import { ProviderFailure, ScriptedLanguageModel, spoken } from '@parley/ports';
import { BuiltinModel } from '@parley/providers/builtin-model';
import { Installation, type Shop } from '../installation.suite';

const ResultSchema = {
  properties: { will_pay: { type: 'boolean' as const }, guests: { type: 'integer' as const } },
};

describe('the result of a conversation', () => {
  let installation: Installation;
  let shop: Shop;
  let sessionUUID: string;
  const model = new ScriptedLanguageModel(() => []);
  beforeAll(async () => {
    installation = await Installation.start();
  });
  beforeEach(async () => {
    shop = installation.shop();
    installation.model = model;
    model.script = () => spoken('Noted. How many guests will come?');
    ({ sessionUUID } = await installation.ask(shop.caller, 'I will pay tomorrow.'));
    await installation.ask(shop.caller, 'Four.', { sessionUUID });
    model.requests.length = 0;
  });
  afterAll(() => installation.stop());

  const bridge = (): Principal => ({ kind: 'system', keyId: 'telephony-bridge', orgId: shop.owner.orgId });
  const extract = (principal: Principal = bridge()) =>
    installation.bus.ask(extractCallResult, { sessionUUID, ResultSchema }, { principal });

  it('is extracted by its agent’s model, and reports the tokens used', async () => {
    model.script = () => spoken('{"will_pay": true, "guests": 4}');
    expect(await extract()).toEqual({ result: { will_pay: true, guests: 4 }, reason: null, tokens: 15 });
    expect(model.requests[0]?.messages[0]?.text).toContain('Caller: I will pay tomorrow.\nAgent: Noted.');
  });

  it.each([
    ['a model', undefined],
    ['rules', new BuiltinModel()],
  ])('names required fields that nobody mentioned, read by %s', async (_name, reader) => {
    if (reader) installation.model = reader;
    model.script = () => spoken('{"will_pay": true, "guests": 4, "due_day": null, "note": null}');
    const day = { type: 'string' as const, format: 'date' as const };
    const properties = { ...ResultSchema.properties, due_day: day, note: { type: 'string' as const } };
    const wanted = { sessionUUID, ResultSchema: { properties, required: ['will_pay', 'due_day', 'note'] } };
    expect(await installation.bus.ask(extractCallResult, wanted, { principal: bridge() })).toMatchObject({
      result: { will_pay: true, guests: 4, due_day: null, note: null },
      reason: 'Required, but not said: due_day, note.',
    });
  });

  it('is found by rules if there is no model, and costs nothing', async () => {
    installation.model = new BuiltinModel();
    expect(await extract()).toEqual({ result: { will_pay: true, guests: 4 }, reason: null, tokens: 0 });
  });

  it('is tried again later if the model fails', async () => {
    model.script = () => {
      throw new ProviderFailure('scripted', 'is away', { retryable: true });
    };
    await expect(extract()).rejects.toMatchObject({ code: 'MODEL_PROVIDER_UNAVAILABLE' });
  });

  it('is available to services only, and only within the organization', async () => {
    await expect(extract(shop.owner)).rejects.toMatchObject({ code: 'SCOPE_MISSING' });
    const stranger: Principal = { ...bridge(), orgId: installation.shop().owner.orgId };
    await expect(extract(stranger)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});
