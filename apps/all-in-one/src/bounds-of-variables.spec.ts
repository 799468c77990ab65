import { BrokerVariables, DatabaseVariables, describeConfiguration, ProcessVariables } from '@parley/service-kit';
import { z } from 'zod';
import { services } from './platform';

const shapes: Readonly<Record<string, z.core.$ZodType>>[] = [
  ProcessVariables.shape,
  BrokerVariables.shape,
  DatabaseVariables.shape,
  ...services.map(({ config }) => config.shape),
];

/** Whether a service would start with this value. */
function isTaken(variable: string, value: string): boolean {
  const declared = shapes.flatMap(({ [variable]: schema }) => schema ?? []);
  if (declared.length === 0) throw new Error(`${variable} is not declared`);
  return declared.every((schema) => z.core.safeParse(schema, value).success);
}

const rows = describeConfiguration(services);
const bounds = /^an? (?:duration|integer) from (\d+)(ms|s|m|h|) to (\d+)(ms|s|m|h|)\b/;
const bounded = [...new Map(rows.map((row) => [row.variable, row])).values()].flatMap(({ variable, expected, description }) => {
  const [, least, leastUnit = '', most, mostUnit = ''] = bounds.exec(expected) ?? [];
  return least === undefined ? [] : [{ variable, description, least, leastUnit, most: Number(most), mostUnit }];
});

describe('a variable that is a number or a duration', () => {
  it('has bounds in docs/configuration.md', () => {
    const without = rows.filter(({ expected }) => /^an? (?:duration|integer)\b/.test(expected) && !bounds.test(expected));
    expect(without).toEqual([]);
    expect(bounded.length).toBeGreaterThan(50);
  });

  it.each(bounded)('is refused beyond the documented bounds: $variable', ({ variable, least, leastUnit, most, mostUnit }) => {
    expect(isTaken(variable, `${least}${leastUnit}`)).toBe(true);
    expect(isTaken(variable, `${most}${mostUnit}`)).toBe(true);
    expect(isTaken(variable, `${most + 1}${mostUnit}`)).toBe(false);
    expect(isTaken(variable, `${Number(least) - 1}${leastUnit}`)).toBe(false);
  });

  it.each(bounded)('says what nothing means, or refuses it: $variable', ({ variable, description, leastUnit }) => {
    const nothing = leastUnit ? '0s' : '0';
    if (isTaken(variable, nothing)) expect(description).toMatch(new RegExp(`\\b${nothing}\\b`));
  });
});

describe('a variable that could match nothing', () => {
  it.each([
    ['CORS_ORIGINS', 'app.example.com'],
    ['CORS_ORIGINS', 'https://app.example.com/path'],
    ['CORS_ORIGINS', 'https://app.example.com/'],
    ['CORS_ORIGINS', 'https://app.example.com:443'],
    ['CORS_ORIGINS', 'https://App.example.com'],
    ['CORS_ORIGINS', 'https://*.example.com'],
    ['CORS_ORIGINS', 'null'],
    ['PARLEY_INITIAL_CREDITS', 'TTT_API=5,TTT_API=6'],
    ['CREDIT_PRICES', 'TTS_API=5,TTS_API=5'],
    ['ORGANIZATION_CREDIT_PRICES', '7:TTS_API=5,7:TTS_API=6'],
    ['ORGANIZATION_PLANS', '7=scale,7=trial'],
    ['EMBEDDINGS_DIMENSIONS', '100'],
    ['MAIL_FROM', 'nonsense'],
    ['MAIL_FROM', 'Demo Bazaar team@example.com'],
    ['MAIL_FROM', 'Demo Bazaar <team>'],
    ['SECRETS_DIR', '/nowhere'],
    ['PARLEY_MODELS', '/nowhere'],
    ['POCKETSPHINX_DIR', '/nowhere'],
    ['NATS_CA_FILE', '/nowhere'],
    ['PARLEY_SECRET_KEYS_OLD', 'short'],
    ['PARLEY_SECRET_KEYS_OLD', `${'k'.repeat(32)},short`],
    ['CREDIT_HOLD_TIME', '8m'],
  ])('is refused: %s=%s', (variable, value) => {
    expect(isTaken(variable, value)).toBe(false);
  });

  it.each([
    ['CORS_ORIGINS', 'https://app.example.com,http://localhost:3000,*'],
    ['CORS_ORIGINS', 'capacitor://localhost,chrome-extension://abcdefgh'],
    ['CREDIT_PRICES', 'TTS_API=5,STT_API=5'],
    ['ORGANIZATION_CREDIT_PRICES', '7:TTS_API=5,7:STT_API=6,9:TTS_API=1'],
    ['MAIL_FROM', 'Demo Bazaar <team@example.com>'],
    ['MAIL_FROM', 'no-reply@localhost'],
    ['PARLEY_SECRET_KEYS_OLD', `${'k'.repeat(32)}, ${'l'.repeat(64)}`],
    ['PARLEY_MODELS', __dirname],
  ])('is accepted where it can: %s=%s', (variable, value) => {
    expect(isTaken(variable, value)).toBe(true);
  });
});
