import { deviceHash, type Principal } from '@parley/contracts';
import { z } from 'zod';
import { Harness, type TestOrganization } from '../../testing/harness';

const IMEI = '490154203237518';
/** Errors are named by their codes. */
const Responses = z.record(z.string(), z.object({ $ref: z.string().default('') }));

describe('a mobile app member bound to a device', () => {
  let harness: Harness;
  let url: string;
  let key: string;
  let organization: TestOrganization;
  beforeAll(async () => {
    harness = await Harness.open();
    ({ url } = await harness.startGateway());
    organization = harness.organization();
    const bound = harness.member(organization.orgId, { roleTypeId: 1, device: deviceHash(IMEI) });
    ({ key } = await harness.key(organization, 'wsk', { memberAdminID: bound.memberId }));
  });
  afterAll(() => harness.close());

  const ask = (path: string, headers: Record<string, string>, body?: object) =>
    fetch(`${url}/api/v1/external${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { 'x-api-key': key, ...(body && { 'content-type': 'application/json' }), ...headers },
      ...(body && { body: JSON.stringify(body) }),
    });

  it.each([
    ['without a word of the device', {}, 'X-Device-IMEI is missing'],
    ['from another device', { 'x-device-imei': '356938035643809' }, 'X-Device-IMEI names another device'],
  ])('may do nothing %s, and the error says why', async (_what, headers, message) => {
    for (const response of [
      await ask('/integrations/keys', headers),
      await ask('/SalesUser/log-call', headers, {}),
      await ask('/SalesUser/mapped-Customer-list', headers, {}),
    ])
      expect([response.status, await response.json()]).toMatchObject([
        403,
        { code: 'DEVICE_LOCKED', message: expect.stringContaining(message), details: [{ field: 'X-Device-IMEI', message }] },
      ]);
  });

  it('works from its own device, and may ask which one that is', async () => {
    expect((await ask('/integrations/keys', { 'x-device-imei': IMEI })).status).toBe(200);
    expect((await ask('/team-management/bind-imei', {}, { IMEI: 'none' })).status).toBe(400);
  });

  it('gets this error exactly where the document lists it', async () => {
    const Document = z.object({ paths: z.record(z.string(), z.record(z.string(), z.object({ responses: Responses }))) });
    const document = Document.parse(await (await fetch(`${url}/openapi.json`)).json());
    const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { responses }]) => ({ path, method: method.toUpperCase(), responses })),
    );
    expect(operations.length).toBeGreaterThan(150);
    const odd = [];
    for (const { path, method, responses } of operations) {
      const response = await fetch(url + path.replaceAll(/\{\w+\}/g, 'x'), { method, headers: { 'x-api-key': key } });
      const { code } = z.object({ code: z.string().optional() }).parse(await response.json());
      const isSaid = responses['403']?.$ref.split('.').includes('DEVICE_LOCKED') ?? false;
      // This operation binds the device, so its conflict means another member's lock.
      if (path.endsWith('/bind-imei')) continue;
      if ((code === 'DEVICE_LOCKED') !== isSaid) odd.push(`${method} ${path}: ${code}`);
    }
    expect(odd).toEqual([]);
  });

  it('does not affect members without a device', async () => {
    const free = await harness.key(organization, 'wsk');
    expect((await ask('/integrations/keys', { 'x-api-key': free.key })).status).toBe(200);
  });
});

describe('a mobile app member without a device', () => {
  const otherIMEI = '356938035643809';
  let harness: Harness;
  let url: string;
  let organization: TestOrganization;
  beforeAll(async () => {
    harness = await Harness.open();
    ({ url } = await harness.startGateway());
    organization = harness.organization();
  });
  afterAll(() => harness.close());

  const joined = async (rights: Partial<Principal> = { awaitsDevice: true }) => {
    const { memberId } = harness.member(organization.orgId, { roleTypeId: 1, ...rights });
    const { key } = await harness.key(organization, 'wsk', { memberAdminID: memberId });
    const ask = async (headers: Record<string, string>) => {
      const response = await fetch(`${url}/api/v1/external/integrations/keys`, { headers: { 'x-api-key': key, ...headers } });
      return { status: response.status, body: z.object({ code: z.string().optional() }).parse(await response.json()) };
    };
    return { memberId, ask, device: () => harness.scripted.members.get(memberId)?.device };
  };

  it('gets the first device that a request names, and no other after it', async () => {
    const { ask, device } = await joined();
    expect(await ask({})).toMatchObject({ status: 200 });
    expect(device()).toBeUndefined();
    expect(await ask({ 'x-device-imei': IMEI })).toMatchObject({ status: 200 });
    expect(device()).toBe(deviceHash(IMEI));
    expect(await ask({ 'x-device-imei': otherIMEI })).toMatchObject({ status: 403, body: { code: 'DEVICE_LOCKED' } });
    expect(await ask({ 'x-device-imei': IMEI })).toMatchObject({ status: 200 });
  });

  it('cannot take the device of another member', async () => {
    harness.member(organization.orgId, { device: deviceHash(otherIMEI) });
    const { ask, device } = await joined();
    expect(await ask({ 'x-device-imei': otherIMEI })).toMatchObject({ status: 403, body: { code: 'DEVICE_LOCKED' } });
    expect(device()).toBeUndefined();
  });

  it.each(['abc', '490154203237519', '000000000000000', '4901542032375180', ''])(
    'is told that a header of %j names no device, and so is everybody else',
    async (given) => {
      for (const { ask } of [await joined(), await joined({}), await joined({ device: deviceHash('490154203237518') })])
        expect(await ask({ 'x-device-imei': given })).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED' } });
    },
  );

  it('keeps its device to itself: a member of the dashboard binds none', async () => {
    const { ask, device } = await joined({});
    expect(await ask({ 'x-device-imei': IMEI })).toMatchObject({ status: 200 });
    expect(device()).toBeUndefined();
  });
});
