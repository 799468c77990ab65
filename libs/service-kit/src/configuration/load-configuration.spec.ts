import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { z } from 'zod';
import { checkConfiguration, loadConfiguration } from './load-configuration';
import {
  choice,
  commaList,
  duration,
  existingFile,
  existingFolder,
  flag,
  fraction,
  integer,
  port,
  variableText,
  url,
} from './variables';

const schema = z.object({
  PORT: port().default(8080).meta({ description: 'The public port.', example: '8080' }),
  CACHE_TTL: duration({ min: '1s', max: '1h' }).default(30_000).meta({ description: 'How long keys are remembered.' }),
  MODE: choice(['plain', 'fancy']).default('plain').meta({ description: 'How it looks.' }),
  ORIGINS: commaList().default([]).meta({ description: 'Allowed origins.' }),
  UPSTREAM: url('http', 'https').optional().meta({ description: 'The model server.' }),
  SIGNING_KEY: variableText().meta({ description: 'Signs tokens.', secret: true, example: 'a long random word' }),
  WORKERS: integer({ min: 1, max: 8 }).default(2).meta({ description: 'Worker threads.' }),
  SHARE: fraction().default(1).meta({ description: 'A share.' }),
  EAGER: flag().default(false).meta({ description: 'A switch.' }),
  BATCH: integer({ min: 16, max: 64, step: 16 }).optional().meta({ description: 'A size.' }),
  FOLDER: existingFolder().optional().meta({ description: 'A place.' }),
  PROMPTS: existingFile().optional().meta({ description: 'A file.' }),
  UPSTREAM_KEY: variableText()
    .optional()
    .meta({ description: 'For UPSTREAM.', needs: ['UPSTREAM'] }),
});

const load = (environment: Record<string, string>) => loadConfiguration(schema, { SIGNING_KEY: 'k', ...environment });

describe('configuration', () => {
  it('reads a secret from the file in its _FILE variable, and nothing that is not secret', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'parley-secret-'));
    const file = path.join(folder, 'signing-key');
    writeFileSync(file, 'from a file\n');
    expect(load({ SIGNING_KEY: '', SIGNING_KEY_FILE: file }).SIGNING_KEY).toBe('from a file');
    expect(load({ SIGNING_KEY_FILE: file }).SIGNING_KEY).toBe('k');
    expect(load({ PORT_FILE: file }).PORT).toBe(8080);
    rmSync(folder, { recursive: true });
    expect(() => load({ SIGNING_KEY: '', SIGNING_KEY_FILE: file })).toThrow('which cannot be read: ENOENT');
  });

  it('reads a secret from the secrets folder, unless it is set directly', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'parley-secrets-'));
    const SECRETS_DIR = folder;
    expect(() => load({ SIGNING_KEY: '', SECRETS_DIR })).toThrow('SIGNING_KEY is missing');
    writeFileSync(path.join(folder, 'SIGNING_KEY'), 'from the folder\n');
    writeFileSync(path.join(folder, 'PORT'), '9000');
    expect(load({ SIGNING_KEY: '', SECRETS_DIR })).toMatchObject({ SIGNING_KEY: 'from the folder', PORT: 8080 });
    expect(load({ SECRETS_DIR }).SIGNING_KEY).toBe('k');
    rmSync(path.join(folder, 'SIGNING_KEY'));
    mkdirSync(path.join(folder, 'SIGNING_KEY'));
    expect(() => load({ SIGNING_KEY: '', SECRETS_DIR })).toThrow('which cannot be read: EISDIR');
    rmSync(folder, { recursive: true });
    const lost = `SECRETS_DIR is ${JSON.stringify(folder)}: expected a folder that exists and can be read`;
    expect(() => load({ SIGNING_KEY: '', SECRETS_DIR })).toThrow(new Error(lost));
  });

  it('reads every kind of variable from text and applies the defaults', () => {
    const given = {
      PORT: '9000',
      CACHE_TTL: '5m',
      ORIGINS: 'https://a.example, https://b.example',
      WORKERS: '8',
      SHARE: '0.25',
      EAGER: 'yes',
    };
    expect(load(given)).toEqual({
      PORT: 9000,
      CACHE_TTL: 300_000,
      MODE: 'plain',
      ORIGINS: ['https://a.example', 'https://b.example'],
      SIGNING_KEY: 'k',
      WORKERS: 8,
      SHARE: 0.25,
      EAGER: true,
    });
  });

  it.each([
    [{ PORT: 'eighty' }, 'PORT is "eighty": expected an integer from 0 to 65535'],
    [{ PORT: '65536' }, 'PORT is "65536": expected an integer from 0 to 65535'],
    [{ CACHE_TTL: '30' }, 'CACHE_TTL is "30": expected a duration from 1s to 1h, with its unit (ms, s, m or h)'],
    [{ CACHE_TTL: '999ms' }, 'CACHE_TTL is "999ms": expected a duration from 1s to 1h, with its unit (ms, s, m or h)'],
    [{ CACHE_TTL: '61m' }, 'CACHE_TTL is "61m": expected a duration from 1s to 1h, with its unit (ms, s, m or h)'],
    [{ BATCH: '24' }, 'BATCH is "24": expected an integer from 16 to 64, a multiple of 16'],
    [{ FOLDER: '/nowhere' }, 'FOLDER is "/nowhere": expected a folder that exists and can be read'],
    [{ FOLDER: '/etc/passwd' }, 'FOLDER is "/etc/passwd": expected a folder that exists and can be read'],
    [{ PROMPTS: '/nowhere' }, 'PROMPTS is "/nowhere": expected a file that exists and can be read'],
    [{ UPSTREAM_KEY: 'k' }, 'UPSTREAM_KEY is set without UPSTREAM: expected both, or neither'],
    [{ MODE: 'Fancy' }, 'MODE is "Fancy": expected one of plain, fancy'],
    [{ EAGER: 'maybe' }, 'EAGER is "maybe": expected true or false'],
    [{ SHARE: '1.5' }, 'SHARE is "1.5": expected a number from 0 to 1'],
    [{ UPSTREAM: 'ftp://files' }, 'UPSTREAM is "ftp://files": expected a URL that starts with http:// or https://'],
    [
      { UPSTREAM: 'ftp://me:hush@files' },
      'UPSTREAM is "ftp://me:[redacted]@files": expected a URL that starts with http:// or https://',
    ],
    [{ SIGNING_KEY: '' }, 'SIGNING_KEY is missing: expected text in one line, for example a long random word'],
    [
      { PORT: 'x', WORKERS: '9' },
      'PORT is "x": expected an integer from 0 to 65535; WORKERS is "9": expected an integer from 1 to 8',
    ],
  ])('stops at %j with one line that says what is wrong and what is expected', (environment, line) => {
    expect(() => load(environment)).toThrow(new Error(line));
  });

  it('never repeats a wrong secret', () => {
    const secret = z.object({ PIN: integer({ min: 1_000, max: 9_999 }).meta({ description: 'A pin.', secret: true }) });
    const line = 'PIN is not valid (its value is secret): expected an integer from 1000 to 9999';
    expect(() => loadConfiguration(secret, { PIN: 'hunter2' })).toThrow(new Error(line));
  });

  it('treats an empty variable as absent', () => {
    expect(load({ PORT: ' ' }).PORT).toBe(8080);
  });

  it('reports several schemas in one line', () => {
    const other = z.object({ OTHER: flag() });
    const line =
      'OTHER is missing: expected true or false; SIGNING_KEY is missing: expected text in one line, for example a long random word';
    expect(() => checkConfiguration([other, schema], {})).toThrow(new Error(line));
  });

  it('answers any text with a value within bounds or with a single line', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (PORT) => {
        try {
          expect(load({ PORT }).PORT).toBeGreaterThanOrEqual(0);
        } catch (error) {
          expect(String(error)).toMatch(/^ConfigurationError: PORT is ".*": expected an integer from 0 to 65535$/);
        }
      }),
    );
  });
});
