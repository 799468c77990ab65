import { TestNats, testDatabase, type TestDatabase } from '@parley/testing';
import { newCallKey } from '@parley/messaging';
import { askForGreeting } from '../example/greeting.example';
import { ServiceProcess } from '../example/service-process.example';

const callKey = newCallKey('gateway');

describe('a service in a process of its own', () => {
  let nats: TestNats;
  let database: TestDatabase;
  let processes: ServiceProcess[] = [];

  beforeAll(async () => {
    [nats, database] = await Promise.all([TestNats.start(), testDatabase()]);
  });
  afterEach(async () => {
    for (const each of processes) each.signal('SIGKILL');
    await Promise.all(processes.map((each) => each.exitCode()));
    processes = [];
  });
  afterAll(async () => {
    await Promise.all([nats.stop(), database.close()]);
  });

  const start = (script: string, environment: Record<string, string> = {}): ServiceProcess => {
    const place = { NATS_URL: nats.url, DATABASE_URL: database.url, PARLEY_CALLERS: callKey.publicKey };
    const started = ServiceProcess.start(script, { ...place, ...environment });
    processes.push(started);
    return started;
  };
  const startBoth = async (environment: Record<string, string>) => {
    const speech = start('run-greeting.example.ts', environment);
    const gateway = start('run-door.example.ts', { PORT: '0', PARLEY_CALL_KEY: callKey.seed });
    await speech.line('Service started');
    const { httpPort } = await gateway.line('Service started');
    return { speech, gateway, door: `http://127.0.0.1:${httpPort}` };
  };

  it('finishes a request in flight after SIGTERM and exits with 0', async () => {
    const { speech, gateway, door } = await startBoth({ THINKING: '500ms' });
    const answer = askForGreeting(door);
    await speech.line('Thinking of a greeting');
    gateway.signal('SIGTERM');
    speech.signal('SIGTERM');
    const response = await answer;
    expect(response.status).toBe(200);
    expect(response.headers.get('connection')).toBe('close');
    expect(await Promise.all([gateway.exitCode(), speech.exitCode()])).toEqual([0, 0]);
    expect([gateway.lastWords, speech.lastWords]).toEqual(['', '']);
  });

  it('gives up work that outlasts the limit, tells the caller, and exits with 1', async () => {
    const { speech, door } = await startBoth({ THINKING: '1m', DRAIN_SECONDS: '1' });
    const answer = askForGreeting(door);
    await speech.line('Thinking of a greeting');
    speech.signal('SIGTERM');
    expect(await speech.exitCode()).toBe(1);
    expect(speech.lines.at(-1)).toMatchObject({ level: 'error', msg: 'Work in flight did not finish in time', limitSeconds: 1 });
    expect((await answer).status).toBeGreaterThanOrEqual(500);
  });

  it('exits at once with 1 on a second signal', async () => {
    const { speech, door } = await startBoth({ THINKING: '1m' });
    const answer = askForGreeting(door);
    await speech.line('Thinking of a greeting');
    speech.signal('SIGTERM');
    await speech.line('Stopping');
    speech.signal('SIGINT');
    expect(await speech.exitCode()).toBe(1);
    expect(speech.lines.at(-1)).toMatchObject({ msg: 'Stopped at once by a second signal' });
    await answer;
  });

  it('stops before it starts with one line and 78 when its configuration is wrong', async () => {
    const speech = start('run-greeting.example.ts', { NATS_URL: '', THINKING: 'long', DATABASE_URL: 'mysql://me:hush@db' });
    expect(await speech.exitCode()).toBe(78);
    expect(speech.lines).toEqual([]);
    expect(speech.lastWords.split('\n')).toEqual([
      'parley speech: ' +
        'NATS_URL is missing: expected a URL that starts with nats:// or tls://, for example nats://127.0.0.1:4222; ' +
        'DATABASE_URL is not valid (its value is secret): expected a URL that starts with postgres:// or postgresql://; ' +
        'THINKING is "long": expected a duration from 0s to 1m, with its unit (ms, s, m or h)',
      '',
    ]);
  });

  it('stops with 78 when it does not know who may sign for whom, or holds a key that others would not accept', async () => {
    const unknowing = start('run-greeting.example.ts', { PARLEY_CALLERS: '' });
    const unbelieved = start('run-door.example.ts', { PORT: '0', PARLEY_CALL_KEY: newCallKey('gateway').seed });
    expect(await Promise.all([unknowing.exitCode(), unbelieved.exitCode()])).toEqual([78, 78]);
    expect(unknowing.lastWords).toContain('PARLEY_CALLERS is missing');
    expect(unbelieved.lastWords).toContain('the public half of the call key of gateway is not among the callers');
    expect(unbelieved.lastWords).not.toContain(callKey.seed);
  });

  it('stops with 78 and names the variable where NATS or Postgres cannot take what it says', async () => {
    const unkeyed = start('run-greeting.example.ts', { NATS_NKEY: 'SUABAD' });
    const strange = start('run-greeting.example.ts', { DATABASE_URL: database.url.replace(/:[^:@]+@/, ':guess@') });
    expect(await Promise.all([unkeyed.exitCode(), strange.exitCode()])).toEqual([78, 78]);
    expect(unkeyed.lastWords).toMatch(/NATS_NKEY is not valid \(its value is secret\): expected the seed of a user’s nkey/);
    expect(strange.lastWords).toMatch(/DATABASE_URL is refused by 127\.0\.0\.1:\d+\/\w+: password authentication failed/);
    expect(strange.lastWords).not.toContain('guess');
  });

  it('stops with 78 and names the variables where NATS refuses its user, or the file of its key cannot be read', async () => {
    const guarded = await TestNats.start('authorization { users: [{ user: "ada", password: "secret" }] }');
    const place = { NATS_URL: guarded.url };
    const unknown = start('run-greeting.example.ts', place);
    const wrong = start('run-greeting.example.ts', { ...place, NATS_USER: 'ada', NATS_PASSWORD: 'guess' });
    const unread = start('run-greeting.example.ts', { ...place, NATS_NKEY_FILE: '/nowhere/key' });
    expect(await Promise.all([unknown.exitCode(), wrong.exitCode(), unread.exitCode()])).toEqual([78, 78, 78]);
    await guarded.stop();
    const refused = /NATS at 127\.0\.0\.1:\d+ refuses this process .*NATS_NKEY or NATS_NKEY_FILE, or NATS_USER and NATS_PASSWORD/;
    expect([unknown.lastWords, wrong.lastWords]).toEqual([expect.stringMatching(refused), expect.stringMatching(refused)]);
    expect(unread.lastWords).toContain('NATS_NKEY_FILE is "/nowhere/key": expected a file that exists and can be read');
  });

  it('stops with 78 and one line that names the variable whose address this machine does not have', async () => {
    const misspelt = start('run-greeting.example.ts', { ADMIN_HOST: '999.1.1.1' });
    // Kept for documentation, so that no machine has it.
    const foreign = start('run-greeting.example.ts', { ADMIN_HOST: '192.0.2.1' });
    const door = start('run-door.example.ts', { HOST: '192.0.2.1', PORT: '0', PARLEY_CALL_KEY: callKey.seed });
    expect(await Promise.all([misspelt, foreign, door].map((each) => each.exitCode()))).toEqual([78, 78, 78]);
    expect([misspelt, foreign, door].map(({ lastWords }) => lastWords)).toEqual([
      'parley speech: ADMIN_HOST is "999.1.1.1": expected an address of this machine or a name of one, such as 127.0.0.1 or 0.0.0.0\n',
      'parley speech: ADMIN_HOST is "192.0.2.1": this machine cannot listen there (EADDRNOTAVAIL)\n',
      'parley gateway: HOST is "192.0.2.1": this machine cannot listen there (EADDRNOTAVAIL)\n',
    ]);
  });

  it('says why it waits for a broker whose TLS does not fit its variables', async () => {
    const speech = start('run-greeting.example.ts', { NATS_URL: nats.url.replace('nats:', 'tls:') });
    const { reason } = await speech.line('Waiting for NATS');
    expect(reason).toMatch(/tls.*: check NATS_URL, NATS_CA_FILE, NATS_CERT_FILE and NATS_KEY_FILE$/i);
    speech.signal('SIGTERM');
    expect(await speech.exitCode()).toBe(0);
  });

  it('waits for a broker that is not there yet, says so, and leaves when told', async () => {
    const speech = start('run-greeting.example.ts', { NATS_URL: 'nats://127.0.0.1:9' });
    await speech.line('Waiting for NATS');
    speech.signal('SIGTERM');
    expect(await speech.exitCode()).toBe(0);
  });

  it('ends where its exit hangs, and says so', async () => {
    const hung = start('hung-exit.example.ts');
    expect(await hung.exitCode()).not.toBe(0);
    expect(hung.lastWords).toBe('parley: the process did not end within 100 ms of its exit, and is killed\n');
  });

  it('logs an uncaught error once, and exits with 1', async () => {
    const crashing = start('crash.example.ts');
    expect(await crashing.exitCode()).toBe(1);
    expect(crashing.lines).toEqual([
      expect.objectContaining({ level: 'error', error: expect.objectContaining({ message: 'nobody caught this' }) }),
    ]);
  });
});
