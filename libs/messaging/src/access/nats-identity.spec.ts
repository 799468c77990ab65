import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { connect } from '@nats-io/transport-node';
import { TestNats } from '@parley/testing';
import { NatsTransport } from '../transport/nats';
import { certificates, namedCertificates } from './certificates.fake';
import { connectionTrouble, type NatsCredentials, identityOptions, newNkey } from './nats-identity';

const folder = mkdtempSync(path.join(tmpdir(), 'parley-identity-'));
const fileOf = (name: string, text: string): string => {
  const file = path.join(folder, name);
  writeFileSync(file, text, { mode: 0o600 });
  return file;
};
afterAll(() => rmSync(folder, { recursive: true }));

const nkey = newNkey();

async function isLetIn(url: string, credentials: NatsCredentials = {}): Promise<boolean> {
  const log = { error: () => undefined, warn: () => undefined, info: () => undefined };
  try {
    const transport = await NatsTransport.connect({ servers: url, name: 'spec', log, credentials });
    await transport.close();
    return true;
  } catch {
    return false;
  }
}

describe('a server with a user for each way', () => {
  let nats: TestNats;
  beforeAll(async () => {
    nats = await TestNats.start(`authorization { users: [
      { user: "ada", password: "p@ss word" }
      { nkey: ${nkey.publicKey} }
    ] }`);
  });
  afterAll(() => nats.stop());

  it('lets in the user of the URL, the one of the variables, and the holder of a seed, also from a file', async () => {
    const withUser = nats.url.replace('//', `//ada:${encodeURIComponent('p@ss word')}@`);
    expect(await isLetIn(withUser)).toBe(true);
    expect(await isLetIn(nats.url, { user: 'ada', password: 'p@ss word' })).toBe(true);
    expect(await isLetIn(nats.url, { nkeySeed: nkey.seed })).toBe(true);
    expect(await isLetIn(nats.url, { nkeySeedFile: fileOf('seed', `# a comment\n${nkey.seed}\n`) })).toBe(true);
  });

  it('admits no other user, and the start fails with that reason instead of waiting', async () => {
    expect(await isLetIn(nats.url)).toBe(false);
    expect(await isLetIn(nats.url, { user: 'ada', password: 'pass' })).toBe(false);
    expect(await isLetIn(nats.url, { nkeySeed: newNkey().seed })).toBe(false);
    expect(await isLetIn(nats.url, { nkeySeedFile: fileOf('nothing', 'no seed') })).toBe(false);
  });
});

describe('a server with certificates', () => {
  let nats: TestNats;
  let plain: TestNats;
  const caFile = fileOf('ca.pem', certificates.authority);
  const certFile = fileOf('client.pem', certificates.clientCertificate);
  const keyFile = fileOf('client.key', certificates.clientKey);
  beforeAll(async () => {
    const [cert, key] = [fileOf('server.pem', certificates.serverCertificate), fileOf('server.key', certificates.serverKey)];
    [nats, plain] = await Promise.all([
      TestNats.start(`tls { cert_file: "${cert}", key_file: "${key}", ca_file: "${caFile}", verify: true }`),
      TestNats.start(),
    ]);
  });
  afterAll(() => Promise.all([nats.stop(), plain.stop()]));
  /** One attempt: a service would try again, as the server may still be about to get its certificate. */
  const isLetInAtOnce = async (url: string, credentials: NatsCredentials = {}): Promise<boolean> => {
    const options = await identityOptions(url, credentials);
    return connect({ ...options, reconnect: false, timeout: 5_000 }).then(
      (connection) => connection.close().then(() => true),
      () => false,
    );
  };
  const overTls = (server: TestNats) => server.url.replace('nats:', 'tls:');

  it('lets in who brings a certificate of the same authority', async () => {
    expect(await isLetInAtOnce(overTls(nats), { caFile, certFile, keyFile })).toBe(true);
  });

  it('is not trusted without its authority, and trusts no client without a certificate', async () => {
    expect(await isLetInAtOnce(overTls(nats), { certFile, keyFile })).toBe(false);
    expect(await isLetInAtOnce(overTls(nats), { caFile })).toBe(false);
  });

  it('is required by tls://: an unencrypted server is sent nothing', async () => {
    expect(await isLetInAtOnce(overTls(plain))).toBe(false);
    expect(await isLetInAtOnce(plain.url)).toBe(true);
  });
});

describe.each([
  ['address', { '127.0.0.1': true, localhost: false }],
  ['hostname', { '127.0.0.1': false, localhost: true }],
] as const)('a server whose certificate is for its %s', (kind, trusted) => {
  it('is trusted by that name only', async () => {
    const { certificate, key } = namedCertificates[kind];
    const [caFile, keyFile] = [fileOf(`${kind}.pem`, certificate), fileOf(`${kind}.key`, key)];
    const nats = await TestNats.start(`tls { cert_file: "${caFile}", key_file: "${keyFile}" }`);
    const outcomeAt = async (host: string) => {
      const url = `tls://${host}:${nats.port}`;
      const options = await identityOptions(url, { caFile });
      return connect({ ...options, reconnect: false, timeout: 5_000 }).then(
        (connection) => connection.close().then(() => true),
        () => false,
      );
    };
    const [right, other] = kind === 'address' ? ['127.0.0.1', 'localhost'] : ['localhost', '127.0.0.1'];
    const trouble = (host: string, file: string) => connectionTrouble(`tls://${host}:${nats.port}`, { caFile: file });
    expect(await trouble(right, caFile)).toBeUndefined();
    expect(await trouble(other, caFile)).toMatch(/does not match certificate/);
    expect(await trouble(right, fileOf('other-ca.pem', certificates.authority))).toMatch(/self-signed certificate/);
    expect(await trouble(right, '/nowhere/ca.pem')).toMatch(/\/nowhere\/ca\.pem doesn't exist/);
    const outcomes = { '127.0.0.1': await outcomeAt('127.0.0.1'), localhost: await outcomeAt('localhost') };
    await nats.stop();
    expect(outcomes).toEqual(trusted);
  });
});
