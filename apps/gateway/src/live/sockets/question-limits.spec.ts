import type { Principal } from '@parley/contracts';
import { completed } from '../../door/limits/plans';
import { Quotas } from '../../door/limits/quotas';
import { RateLimits } from '../../door/limits/rate-limits';
import { QuestionLimits } from './socket-gateways';

/** More than any limit on one visitor, address or widget. */
const many = 10_000;
const hourly = (limit: number) => ({ limit, windowSeconds: 3_600 });
/** Of organization 2 only four questions an hour are answered, of its widgets and keys together. */
const plans = {
  plans: new Map([
    ['standard', completed({ key: { chat: hourly(many) }, organization: { chat: hourly(many) } })],
    ['small', completed({ key: {}, organization: { chat: hourly(4) } })],
  ]),
  assignments: new Map([[2, 'small']]),
};

describe('typed questions of a widget’s visitors', () => {
  let limits: QuestionLimits;
  let visitors = 0;

  // The clock stands still, so that no place comes free.
  beforeEach(() => (limits = new QuestionLimits(new RateLimits(new Quotas(() => 1_000_000), plans))));

  /** A newly connected visitor, who asks and says how many of the questions were admitted. */
  const visitor = ({ address = '203.0.113.7', widget = 'one', orgId = 1 } = {}) => {
    visitors += 1;
    const principal: Principal = { kind: 'agt', keyId: `widget ${widget}`, orgId, agentId: 1 };
    const counted = { ...principal, keyId: `${principal.keyId} ${address}` };
    const admitted = { principal, counted, widget: { keyId: widget }, address, requestId: `request-${visitors}` };
    return (questions: number) =>
      Array.from({ length: questions }, () => limits.take(admitted)).filter((refused) => !refused).length;
  };
  const host = (index: number) => `198.51.${Math.floor(index / 200)}.${(index % 200) + 1}`;
  /** Questions admitted of visitors who each ask ten. */
  const askedBy = (all: readonly ReturnType<typeof visitor>[]) => all.reduce((sum, ask) => sum + ask(10), 0);

  it('are limited to 20 of one connection', () => {
    expect(visitor()(30)).toBe(20);
  });

  it('are limited to 60 of one address, however often it connects', () => {
    expect(askedBy(Array.from({ length: 10 }, () => visitor()))).toBe(60);
    expect(visitor({ address: '203.0.113.8' })(1)).toBe(1);
    expect(visitor({ widget: 'another' })(1)).toBe(1);
  });

  it('are limited to 60 of one IPv6 network, whose holder has addresses without end', () => {
    expect(askedBy(Array.from({ length: 10 }, (_, index) => visitor({ address: `2001:db8:1:2::${index + 1}` })))).toBe(60);
    expect(visitor({ address: '2001:db8:1:3::1' })(1)).toBe(1);
  });

  it('are limited to 600 of one widget, from however many addresses', () => {
    expect(askedBy(Array.from({ length: 70 }, (_, index) => visitor({ address: host(index) })))).toBe(600);
    expect(visitor({ widget: 'another' })(1)).toBe(1);
  });

  it('are limited with the organization’s plan, over all its widgets', () => {
    const all = ['one', 'another', 'third'].map((widget, index) => visitor({ widget, address: host(index), orgId: 2 }));
    expect(askedBy(all)).toBe(4);
  });

  it('take nothing from others’ limits once refused', () => {
    visitor()(many);
    visitor()(many);
    const others = Array.from({ length: 3 }, (_, index) => visitor({ address: host(index) }));
    expect(others.map((ask) => ask(20))).toEqual([20, 20, 20]);
  });
});
