import { Fault } from '@parley/contracts';
import { agentPrincipal, keys, ownerPrincipal, post, type RunningGateway, runGateway } from '../../testing/running-gateway';

let gateway: RunningGateway;
beforeAll(async () => {
  gateway = await runGateway();
});
afterAll(() => gateway.close());

async function json(path: string, init: RequestInit = {}): Promise<{ status: number; body: unknown }> {
  const response = await fetch(gateway.url + path, init);
  return { status: response.status, body: await response.json() };
}

describe('wraps a reply', () => {
  test('flat, with its own fields beside the status', async () => {
    expect(await json('/api/v1/ask', post({ question: 'Open today?' }, keys.agent))).toEqual({
      status: 200,
      body: { statusCode: 200, answer: 'Yes.' },
    });
  });

  test('as data', async () => {
    const body = { statusCode: 200, message: 'OK', data: { id: 5 } };
    expect(await json('/api/v1/things', post({ name: 'n' }, keys.owner))).toEqual({ status: 200, body });
  });

  test('as a page of a list', async () => {
    const body = { statusCode: 200, data: ['a', 'b'], totalCount: 2, pageNo: 1, pageSize: 20 };
    expect(await json('/api/v1/things?pageNo=1', { headers: { 'x-api-key': keys.owner } })).toEqual({ status: 200, body });
  });
});

describe('asks the service', () => {
  test('with the request id, the key’s owner and a deadline', async () => {
    const before = Date.now();
    await json('/api/v1/ask', post({ question: 'Open today?' }, keys.agent, { 'x-request-id': 'order-4711' }));
    const { call, body } = gateway.bus.asked.at(-1) ?? {};
    expect(body).toEqual({ question: 'Open today?' });
    expect(call).toMatchObject({ requestId: 'order-4711', principal: agentPrincipal });
    expect(call?.deadlineAtMs).toBeGreaterThanOrEqual(before + 10_000);
    expect(call?.signal.aborted).toBe(false);
  });

  test('with query and path merged into one input', async () => {
    await json('/api/v1/things/3?note=x', { method: 'DELETE', headers: { 'x-api-key': keys.owner } });
    expect(gateway.bus.asked.at(-1)).toMatchObject({ body: { thingID: '3', note: 'x' }, call: { principal: ownerPrincipal } });
  });

  test('without letting a query reach a prototype', async () => {
    await json('/api/v1/things?__proto__=x&pageNo=1', { headers: { 'x-api-key': keys.owner } });
    expect(Object.getPrototypeOf(gateway.bus.asked.at(-1)?.body)).toBe(Object.prototype);
  });
});

describe('refuses', () => {
  test.each([
    ['a missing field', {}, [{ field: 'question', message: 'question is required' }]],
    ['a wrong type', { question: 5 }, [{ field: 'question', message: 'question must be a string that is not empty' }]],
    ['an empty text', { question: '' }, [{ field: 'question', message: 'question must be a string that is not empty' }]],
    ['a number beyond its bound', { question: '?', n: 10 }, [{ field: 'n', message: 'n must be an integer of at most 9' }]],
    ['an array for an object', [], [{ field: '', message: 'the input must be an object' }]],
    ['null, as if nothing was sent', 'null', [{ field: 'question', message: 'question is required' }]],
  ])('%s and names it', async (_what, body, details) => {
    const answer = await json('/api/v1/ask', post(body, keys.agent));
    const message = details[0]?.message;
    expect(answer).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED', message, details } });
  });

  test('every wrong field at once', async () => {
    const { body } = await json('/api/v1/things', post({ name: 'x'.repeat(31), email: 'nobody' }, keys.owner));
    expect(body).toMatchObject({
      details: [
        { field: 'name', message: 'name must be a string of at most 30 characters' },
        { field: 'email', message: 'email must be an e-mail address' },
      ],
    });
  });

  test('a call without a key before its body is read', async () => {
    expect(await json('/api/v1/ask', post({}))).toMatchObject({ status: 401, body: { code: 'API_KEY_MISSING' } });
  });

  test.each(['agt_00000000nobody', 'x', 'k'.repeat(201)])('the unknown key %s', async (key) => {
    expect(await json('/api/v1/ask', post({ question: '?' }, key))).toMatchObject({
      status: 401,
      body: { code: 'API_KEY_INVALID' },
    });
  });

  test('a key of another kind', async () => {
    const answer = await json('/api/v1/ask', post({ question: '?' }, keys.owner));
    expect(answer).toMatchObject({
      status: 403,
      body: {
        code: 'SCOPE_MISSING',
        message: expect.stringMatching(/^This route takes an agent key, and this is a workspace key\. .*integrations\.CanAdd/),
      },
    });
  });

  test('a member without the permission', async () => {
    const answer = await json('/api/v1/things', post({ name: 'n' }, keys.viewer));
    expect(answer).toMatchObject({
      status: 403,
      body: {
        code: 'SCOPE_MISSING',
        message:
          'This needs the permission agents.CanUpdate, which the member of this key does not have. ' +
          'An Owner or Admin can grant it with `team-management/add-update-Invitation`.',
      },
    });
  });
});

describe('when the service fails', () => {
  async function answerTo(failure: unknown) {
    const failing = await runGateway({ reply: () => Promise.reject(failure) });
    const response = await fetch(`${failing.url}/api/v1/ask`, post({ question: '?' }, keys.agent));
    const text = await response.text();
    await failing.close();
    return { status: response.status, retryAfter: response.headers.get('retry-after'), text, lines: failing.log };
  }

  test('passes on its fault', async () => {
    const { status, text } = await answerTo(new Fault('CREDITS_EXHAUSTED'));
    expect([status, JSON.parse(text)]).toMatchObject([403, { code: 'CREDITS_EXHAUSTED' }]);
  });

  test.each([
    [new Fault('SERVICE_UNAVAILABLE', { retryAfterSeconds: 4.2 }), '5'],
    [new Fault('SERVICE_UNAVAILABLE'), '1'],
    [new Fault('RATE_LIMITED', { retryAfterSeconds: 30 }), '30'],
    [new Fault('CONFLICT', { retryAfterSeconds: 30 }), null],
  ])('sets Retry-After: %s', async (failure, retryAfter) => {
    expect((await answerTo(failure)).retryAfter).toBe(retryAfter);
  });

  test('hides unexpected errors, and logs them once', async () => {
    const { status, text, lines } = await answerTo(new Error('duplicate key value violates "contacts_phone_key"'));
    expect([status, JSON.parse(text)]).toMatchObject([500, { code: 'INTERNAL', message: 'Something failed on our side.' }]);
    expect(text).not.toContain('contacts_phone_key');
    const errors = lines.filter(({ level }) => level === 'error');
    expect(errors).toHaveLength(1);
    expect(errors[0]?.fields).toMatchObject({
      code: 'INTERNAL',
      error: { message: expect.stringContaining('contacts_phone_key') },
    });
  });

  test('hides a thrown value that is no error', async () => {
    expect(JSON.parse((await answerTo('secret words')).text)).toMatchObject({ code: 'INTERNAL', details: [] });
  });
});
