import { sign, verify } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { services } from '../platform';
import { callerKey, isUserSeed, privateCallKey } from '@parley/messaging';
import {
  changePassword,
  keepNkey,
  keepSecret,
  newCallKeyLines,
  newInstallationKeys,
  newNkeyOf,
  readersOf,
  writeSecrets,
} from './installation-keys';

describe('an installation’s secrets in files', () => {
  let home: string;
  let folder: string;
  beforeEach(() => {
    home = mkdtempSync(path.join(tmpdir(), 'parley-keys-'));
    folder = path.join(home, 'secrets');
  });
  afterEach(() => rmSync(home, { recursive: true }));

  const read = (process: string, name: string) => readFileSync(path.join(folder, process, name), 'utf8');
  const modeOf = (...names: string[]) => (statSync(path.join(folder, ...names)).mode & 0o777).toString(8);

  it('are in a folder per process that no other user can enter, with any umask', () => {
    const before = process.umask(0o077);
    const keys = newInstallationKeys();
    writeSecrets(folder, keys);
    process.umask(before);
    expect(readdirSync(path.join(folder, 'gateway'))).toEqual([
      'DATABASE_URL',
      'NATS_NKEY',
      'PARLEY_CALL_KEY',
      'PARLEY_SECRET_KEY',
    ]);
    expect(readdirSync(path.join(folder, 'dashboards'))).toEqual(['DATABASE_URL', 'NATS_NKEY']);
    expect(readdirSync(folder)).not.toContain('nats');
    expect(read('gateway', 'NATS_NKEY')).toBe(`${keys.secrets['gateway']?.['NATS_NKEY']}\n`);
    expect([modeOf(), modeOf('gateway'), modeOf('gateway', 'NATS_NKEY')]).toEqual(['700', '755', '444']);
  });

  it('never overwrite those in use', () => {
    writeSecrets(folder, newInstallationKeys());
    const before = read('gateway', 'PARLEY_SECRET_KEY');
    expect(() => writeSecrets(folder, newInstallationKeys())).toThrow('is there already');
    expect(read('gateway', 'PARLEY_SECRET_KEY')).toBe(before);
  });

  it('include a provider’s key for each service that reads it, which can be replaced', () => {
    writeSecrets(folder, newInstallationKeys());
    const keep = (name: string, value: string) => keepSecret(folder, { name, value }, services);
    expect(keep('DEEPGRAM_API_KEY', 'first').sort()).toEqual(['agent-config', 'speech']);
    keep('DEEPGRAM_API_KEY', 'second');
    expect([read('speech', 'DEEPGRAM_API_KEY'), read('agent-config', 'DEEPGRAM_API_KEY')]).toEqual(['second\n', 'second\n']);
    // The server of the profile `storage` knows it too.
    expect(keep('S3_SECRET_ACCESS_KEY', 'shared')).toContain('storage');
    expect(read('storage', 'S3_SECRET_ACCESS_KEY')).toBe(read('gateway', 'S3_SECRET_ACCESS_KEY'));
    const own = read('speech', 'NATS_NKEY');
    for (const name of ['NATS_NKEY', 'DATABASE_URL', 'PARLEY_CALL_KEY'])
      expect(() => keep(name, 'the same for all')).toThrow('of its own');
    expect(read('speech', 'NATS_NKEY')).toBe(own);
    expect(() => keep('PORT', '8080')).toThrow('no service reads a secret PORT');
    expect(() => keep('DEEPGRAM_API_KEYS', 'x')).toThrow('no service reads');
    expect(() => keep('DEEPGRAM_API_KEY', '')).toThrow('which is empty');
    expect(() => keep('DEEPGRAM_API_KEY', 'one\ntwo')).toThrow('is not kept: it must be text in one line');
    expect(() => keep('SMTP_URL', 'smtp://mail:1025\nsmtp://other:1025')).toThrow('is not kept: it must be a URL');
    expect(read('speech', 'DEEPGRAM_API_KEY')).toBe('second\n');
    const old = 'o'.repeat(32);
    expect(keep('PARLEY_SECRET_KEYS_OLD', `${old},${old}`)).toContain('gateway');
    for (const wrong of ['short', `${old},short`, `${old}\n${old}`])
      expect(() => keep('PARLEY_SECRET_KEYS_OLD', wrong)).toThrow('it must be values of at least 32 characters between commas');
    expect(read('gateway', 'PARLEY_SECRET_KEYS_OLD')).toBe(`${old}\n`);
    const root = read('gateway', 'PARLEY_SECRET_KEY');
    expect(() => keep('PARLEY_SECRET_KEY', 'abc')).toThrow('it must be at least 32 characters');
    expect(read('gateway', 'PARLEY_SECRET_KEY')).toBe(root);
    const [former, next, another] = [read('gateway', 'PARLEY_SECRET_KEY').trim(), 'n'.repeat(32), 'a'.repeat(32)];
    for (const key of [next, next, another]) keep('PARLEY_SECRET_KEY', key);
    expect(read('telephony-bridge', 'PARLEY_SECRET_KEY')).toBe(`${another}\n`);
    // Nothing that may have sealed something is lost, however often the steps are repeated.
    expect(read('telephony-bridge', 'PARLEY_SECRET_KEYS_OLD')).toBe(`${next},${former},${old}\n`);
    expect(() => keepSecret(path.join(home, 'elsewhere'), { name: 'SMTP_URL', value: 'x' }, services)).toThrow('make it by');
  });

  it('change one database password everywhere: for the process, for an empty Postgres, and for the one that runs', () => {
    writeSecrets(folder, newInstallationKeys('db.example.com:6543/voice?sslmode=verify-full'));
    const passwordIn = (url: string) => new URL(url.trim()).password;
    for (const [name, stored, roles] of [
      ['conversation', 'DATABASE_PASSWORD_CONVERSATION', ['parley_conversation', 'parley_conversation_system']],
      ['knowledge-ingest', 'DATABASE_PASSWORD_KNOWLEDGE', ['parley_knowledge', 'parley_knowledge_system']],
      ['admin', 'DATABASE_PASSWORD_ADMIN', ['parley_admin']],
      ['migrate', 'PARLEY_DATABASE_PASSWORD', ['parley']],
    ] as const) {
      const before = read(name, 'DATABASE_URL');
      const statements = changePassword(folder, name);
      const password = read('postgres', stored).trim();
      expect(read(name, 'DATABASE_URL')).toBe(before.replace(passwordIn(before), password));
      expect(password).not.toBe(passwordIn(before));
      expect(statements).toEqual(roles.map((role) => `ALTER ROLE ${role} PASSWORD '${password}';`));
    }
  });

  it('change the password in the address of a standby too, and nothing where a file is missing', () => {
    writeSecrets(folder, newInstallationKeys());
    const standby = 'postgres://parley_dashboards:before@standby:5432/parley?sslmode=require';
    keepSecret(folder, { name: 'DATABASE_READ_URL', value: standby }, services);
    changePassword(folder, 'dashboards');
    const password = read('postgres', 'DATABASE_PASSWORD_DASHBOARDS').trim();
    expect(read('dashboards', 'DATABASE_READ_URL').trim()).toBe(standby.replace('before', password));
    for (const name of ['speech', 'nats', 'anything']) expect(() => changePassword(folder, name)).toThrow('has a password');
    const kept = read('postgres', 'DATABASE_PASSWORD_GATEWAY');
    rmSync(path.join(folder, 'gateway', 'DATABASE_URL'));
    expect(() => changePassword(folder, 'gateway')).toThrow('gateway/DATABASE_URL');
    expect(read('postgres', 'DATABASE_PASSWORD_GATEWAY')).toBe(kept);
  });

  it('make one nkey: the seed for its process, the public half for the server', () => {
    const before = newInstallationKeys();
    writeSecrets(folder, before);
    for (const [name, variable] of [
      ['conversation', 'NATS_NKEY_CONVERSATION'],
      ['migrate', 'NATS_NKEY_SETUP'],
    ] as const) {
      const { publicKey, variable: given, seed } = newNkeyOf(name);
      expect(given).toBe(variable);
      expect(publicKey).toMatch(/^U[A-Z2-7]{55}$/);
      expect(publicKey).not.toBe(before.publicKeys[variable]);
      keepNkey(folder, name, seed);
      expect(read(name, 'NATS_NKEY')).toBe(`${seed}\n`);
      expect(isUserSeed(seed)).toBe(true);
    }
    expect(read('gateway', 'NATS_NKEY').trim()).toBe(before.secrets['gateway']?.['NATS_NKEY']);
    for (const name of ['postgres', 'anything']) expect(() => newNkeyOf(name)).toThrow('has an nkey');
  });

  it('make one pair for signing calls: what every service has to know, and what the process signs with', () => {
    const [known = '', signing = '', ...more] = newCallKeyLines('gateway');
    expect(more).toEqual([]);
    const callers = [callerKey(known.replace('PARLEY_CALLERS=', ''))];
    const privateKey = privateCallKey(signing.replace('PARLEY_CALL_KEY=', ''));
    const signed = sign(null, Buffer.from('a call'), privateKey);
    expect(callers[0]?.caller).toBe('gateway');
    expect(callers.map(({ key }) => verify(null, Buffer.from('a call'), key, signed))).toEqual([true]);
    for (const name of ['speech-to-text', 'nats']) expect(() => newCallKeyLines(name)).toThrow('is no process that signs calls');
  });

  it('name the Postgres of the installation everywhere, and refuse what is no address', () => {
    const address = 'db.example.com:6543/voice?sslmode=verify-full';
    const urls = Object.values(newInstallationKeys(address).secrets).flatMap(({ DATABASE_URL }) => DATABASE_URL ?? []);
    expect(urls).toHaveLength(9);
    for (const url of urls)
      expect(url).toMatch(/^postgres:\/\/parley\w*:\w{64}@db\.example\.com:6543\/voice\?sslmode=verify-full$/);
    for (const wrong of [
      'postgres://db.example.com:5432/parley',
      'db.example.com:5432',
      'someone:word@db.example.com/parley',
      '',
    ])
      expect(() => newInstallationKeys(wrong)).toThrow('is no address of a database');
  });

  it('go to the Secrets of those who read them', () => {
    expect(readersOf({ name: 'PARLEY_SECRET_KEY', value: 'n'.repeat(32) }, services).sort()).toEqual([
      'agent-config',
      'gateway',
      'telephony-bridge',
    ]);
    expect(() => readersOf({ name: 'NATS_NKEY', value: 'one for all' }, services)).toThrow('of its own');
  });
});
