import type { Principal } from '@parley/contracts';
import { PlainPrincipals } from '../access/signed-principals';
import { decodeRequest, encodeRequest, textOf } from './body';

const principal: Principal = { kind: 'wsk', keyId: 'schlüssel 🔑', orgId: 7, memberId: 'm', roleTypeId: 1 };
const traced = { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', tracestate: 'a=1,b= 2' };

const principals = new PlainPrincipals();

describe('a request', () => {
  it.each([
    { requestId: 'r-1', leftMs: 5_000 },
    { requestId: 'r-1', leftMs: 5_000, principal },
    { requestId: 'r-1', leftMs: 1, ...traced },
    { requestId: 'r-1', leftMs: 60_000, principal, ...traced },
    { requestId: 'r-1', leftMs: 60_000, principal, traceparent: traced.traceparent },
  ])('arrives unchanged with its call and body: %j', (headers) => {
    const { headers: heard, body } = decodeRequest(encodeRequest(headers, '{"name":"Zoë\\n"}', principals), principals);
    expect(heard).toEqual(headers);
    expect(textOf(body)).toBe('{"name":"Zoë\\n"}');
  });

  it('has no time left if it does not say how much', () => {
    const nothing = { requestId: 'unknown', leftMs: 0 };
    expect(decodeRequest(new Uint8Array(), principals).headers).toEqual(nothing);
    expect(decodeRequest(Buffer.from([255, 255, 255, 255]), principals).headers).toEqual(nothing);
  });

  it('is refused if its principal cannot be read', () => {
    const bytes = encodeRequest({ requestId: 'r-1 {"kind":"root"}', leftMs: 1 }, '{}', principals);
    expect(() => decodeRequest(bytes, principals)).toThrow();
  });
});
