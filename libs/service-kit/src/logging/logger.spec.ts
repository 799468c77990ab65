import { PassThrough } from 'node:stream';
import { Fault } from '@parley/contracts';
import { runInCall } from '@parley/messaging';
import { ProviderFailure } from '@parley/ports';
import { createLogger, FrameworkLog, runWithLog } from './logger';

const call = {
  requestId: 'req-1',
  principal: { kind: 'wsk' as const, keyId: 'key-1', orgId: 7 },
  deadlineAtMs: Infinity,
  signal: new AbortController().signal,
  traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
};

function listeningLog({ isReadable = false, writesPii = false } = {}) {
  const destination = new PassThrough({ encoding: 'utf8' });
  const log = createLogger({ level: 'debug', isReadable, writesPii, destination }).with({ service: 'speech' });
  const text = (): string => String(destination.read() ?? '');
  return { log, text, line: (): Record<string, unknown> => JSON.parse(text()) };
}

describe('the log', () => {
  it('adds service, request, organization and trace to every line', () => {
    const { log, line } = listeningLog();
    runInCall(call, () => log.info('Voice chosen', { voiceId: 3 }));
    expect(line()).toEqual({
      level: 'info',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      service: 'speech',
      requestId: 'req-1',
      orgId: 7,
      traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
      voiceId: 3,
      msg: 'Voice chosen',
    });
  });

  it('drops what people said, at any depth', () => {
    const { log, text } = listeningLog();
    log.info('Turn ended', { pii: { transcript: 'my number is 555' }, turn: { pii: { number: '555' } }, 'pii.name': 'Asha 555' });
    expect(text()).not.toContain('555');
  });

  it('logs what people said if the operator allows it', () => {
    const { log, line } = listeningLog({ writesPii: true });
    log.info('Turn ended', { pii: { transcript: 'hello' } });
    expect(line()).toMatchObject({ pii: { transcript: 'hello' } });
  });

  it.each([
    ['an api key header', { headers: { 'x-api-key': 'hunter2' } }],
    ['an authorization header', { request: { headers: { Authorization: 'Bearer hunter2' } } }],
    ['a password in a URL', { url: 'postgres://parley:hunter2@db/parley' }],
    [
      'a password in an error',
      { error: new Error('cannot reach nats://me:hunter2@nats:4222', { cause: new Error('redis://:hunter2@x') }) },
    ],
    ['a key of ours in a sentence', { note: 'used wsk_hunter2hunter2hunter2 twice' }],
    [
      'the values that a driver glues to its errors',
      { error: Object.assign(new Error('duplicate'), { detail: 'Key (email)=(hunter2)' }) },
    ],
  ])('never writes %s', (_what, fields) => {
    const { log, text } = listeningLog();
    log.error('Something failed', fields);
    const written = text();
    expect(written).toContain('Something failed');
    expect(written).not.toContain('hunter2');
  });

  it('tells a refusal in a line, and whatever is or may be a defect with its stack', () => {
    const { log, line } = listeningLog();
    const cause = new Error('read ECONNRESET');
    const logged = (error: Error) => {
      log.warn('A call could not be placed', { error });
      return line().error;
    };
    expect(logged(new ProviderFailure('sip', 'the host has no address', { retryable: true }))).toEqual({
      type: 'ProviderFailure',
      message: 'sip: the host has no address',
    });
    expect(logged(new Fault('VALIDATION_FAILED'))).not.toHaveProperty('stack');
    for (const error of [
      new Error('x is not a function'),
      new Fault('INTERNAL'),
      new Fault('SERVICE_UNAVAILABLE', { cause }),
      new ProviderFailure('sip', 'is away', { retryable: true, cause }),
    ])
      expect(logged(error)).toMatchObject({ stack: expect.stringContaining('logger.spec') });
  });

  it('limits the size of a line', () => {
    const { log, text } = listeningLog();
    const knot: Record<string, unknown> = { words: 'x'.repeat(1_000_000) };
    knot.self = knot;
    log.info('Large', { knot, list: Array.from({ length: 10_000 }, (_, index) => index) });
    expect(text().length).toBeLessThan(40_000);
  });

  it('is readable text at a terminal', () => {
    const { log, text } = listeningLog({ isReadable: true });
    log.warn('Careful', { depth: 3 });
    expect(text()).toMatch(/WARN.*Careful\n\s+service: "speech"\n\s+depth: 3/);
  });

  it('attributes framework lines to the surrounding service', () => {
    const gateway = listeningLog();
    const speech = listeningLog();
    const framework = new FrameworkLog(gateway.log);
    runWithLog(speech.log, () => framework.warn('A port was taken', 'Server'));
    expect(speech.line()).toMatchObject({ level: 'warn', msg: 'A port was taken', context: 'Server' });
    expect(gateway.text()).toBe('');
  });

  it.each([
    ['fields before the sentence', [{ attempts: 3 }, 'Events wait', 'OutboxPublisher']],
    ['the sentence among the fields', [{ attempts: 3, message: 'Events wait' }, 'OutboxPublisher']],
  ])('parses a framework line with %s', (_way, [message, ...details]) => {
    const { log, line } = listeningLog();
    new FrameworkLog(log).warn(message, ...details);
    expect(line()).toMatchObject({ msg: 'Events wait', attempts: 3, context: 'OutboxPublisher' });
  });
});
