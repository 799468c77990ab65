import type { Principal } from '@parley/contracts';
import { TestNats } from '@parley/testing';
import { Harness } from '../suite/harness';
import { greet } from '../suite/services';
import { NatsTransport } from '../transport/nats';
import { type Caller, callerKey, newCallKey, principalJson, privateCallKey, SignedPrincipals } from './signed-principals';

const owner: Principal = { kind: 'wsk', keyId: 'k', orgId: 7, memberId: 'm', roleTypeId: 1 };
const system: Principal = { kind: 'system', keyId: 'agent-config', orgId: 7 };
const minuteMs = 60_000;

const gatewayKey = newCallKey('gateway');
const configKey = newCallKey('agent-config');
const callers = [gatewayKey, configKey].map(({ publicKey }) => callerKey(publicKey));
const partyOf = (caller: Caller, seed?: string, known = callers) =>
  new SignedPrincipals({ caller, callers: known, ...(seed === undefined ? {} : { privateKey: privateCallKey(seed) }) });
const gateway = partyOf('gateway', gatewayKey.seed);
const agentConfig = partyOf('agent-config', configKey.seed);
const speech = partyOf('speech');

describe('a signed principal', () => {
  beforeEach(() => jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick'] }));
  afterEach(() => jest.useRealTimers());

  it('is believed by everybody, and by those to whom it is passed on', () => {
    const heard = speech.decode(gateway.encode(owner, minuteMs));
    expect(heard).toEqual(owner);
    expect(agentConfig.decode(speech.encode(heard, minuteMs))).toEqual(owner);
  });

  it('is refused without a signature, with any byte changed, and with the signature of another', () => {
    const text = gateway.encode(owner, minuteMs);
    expect(() => speech.decode(principalJson(owner))).toThrow();
    for (let at = 0; at < text.length; at += 1) {
      const changed = text.slice(0, at) + String.fromCharCode(text.charCodeAt(at) ^ 1) + text.slice(at + 1);
      // The last letter of base64 has bits that mean nothing.
      if (at < text.length - 1) expect(() => speech.decode(changed)).toThrow();
    }
    const stranger = newCallKey('gateway');
    const forged = partyOf('gateway', stranger.seed, [callerKey(stranger.publicKey)]).encode(owner, minuteMs);
    expect(() => speech.decode(forged)).toThrow();
  });

  it('speaks for an organization as a service itself, and for no member, key or right', () => {
    expect(speech.decode(agentConfig.encode(system, minuteMs))).toEqual(system);
    const others: Principal[] = [
      owner,
      { ...system, keyId: 'gateway' },
      { ...system, roleTypeId: 1 },
      { ...system, permissions: { agents: ['CanView'] } },
    ];
    // A modified sender still has its key, and is refused at the other end.
    const lenient = partyOf('gateway', configKey.seed, [{ ...callers[1], caller: 'gateway' } as (typeof callers)[number]]);
    for (const principal of others) {
      expect(() => agentConfig.encode(principal, minuteMs)).toThrow();
      expect(() => speech.decode(lenient.encode(principal, minuteMs))).toThrow();
      expect(() => speech.decode(lenient.encode(principal, minuteMs).replace('} gateway ', '} agent-config '))).toThrow();
    }
    expect(() => speech.encode({ ...system, keyId: 'speech' }, minuteMs)).toThrow();
  });

  it('is believed until its call is over and not for long after; on a line, for hours', () => {
    const [call, line] = [gateway.encode(owner, minuteMs), gateway.encode(owner, 4 * 60 * minuteMs)];
    jest.advanceTimersByTime(2.9 * minuteMs);
    expect(speech.decode(call)).toEqual(owner);
    jest.advanceTimersByTime(0.3 * minuteMs);
    expect(() => speech.decode(call)).toThrow();
    expect(() => partyOf('speech').decode(call)).toThrow();
    jest.advanceTimersByTime(3.9 * 60 * minuteMs);
    expect(speech.decode(line)).toEqual(owner);
    jest.advanceTimersByTime(60 * minuteMs);
    expect(() => speech.decode(line)).toThrow();
  });

  it('is signed once for many calls, and again when it expires or changes', () => {
    const texts = new Set(Array.from({ length: 50 }, () => gateway.encode({ ...owner }, 10_000)));
    expect(texts.size).toBe(1);
    jest.advanceTimersByTime(2.9 * minuteMs);
    texts.add(gateway.encode(owner, 10_000));
    expect(texts.size).toBe(2);
    const changing = { ...owner };
    gateway.encode(changing, 10_000);
    changing.orgId = 8;
    expect(speech.decode(gateway.encode(changing, 10_000)).orgId).toBe(8);
  });

  it('continues during a key change: the new key is distributed, then signs, then the old one is removed', () => {
    const next = newCallKey('gateway');
    const both = [...callers, callerKey(next.publicKey)];
    const before = gateway.encode(owner, minuteMs);
    const service = partyOf('speech', undefined, both);
    const renewed = partyOf('gateway', next.seed, both).encode(owner, minuteMs);
    expect(service.decode(before)).toEqual(owner);
    expect(service.decode(renewed)).toEqual(owner);
    expect(() => partyOf('speech', undefined, [callerKey(next.publicKey)]).decode(before)).toThrow();
    expect(() => partyOf('gateway', next.seed, callers)).toThrow('not among the callers');
  });
});

it('a service behind a broker works for a principal that the gateway vouches for, and for no forged one', async () => {
  const nats = await TestNats.start();
  const plain = { servers: nats.url, name: 'forger' };
  const harness = new Harness({
    connect: () => NatsTransport.connect({ ...plain, principals: speech }),
    stop: () => nats.stop(),
  });
  try {
    await harness.start('agent-config');
    const signing = await harness.callerOver(() => NatsTransport.connect({ ...plain, principals: gateway }));
    const forging = await harness.callerOver(() => NatsTransport.connect(plain));
    expect(await signing.ask(greet, { name: 'Ada' }, { principal: owner })).toMatchObject({ text: 'Hello Ada' });
    await expect(forging.ask(greet, { name: 'Ada' }, { principal: owner })).rejects.toMatchObject({ code: 'INTERNAL' });
    expect(JSON.stringify(harness.logged.map(({ fields }) => String('err' in fields && fields.err)))).toContain(
      'principal was refused',
    );
  } finally {
    await harness.leave();
    await nats.stop();
  }
});
