import { z } from 'zod';

const secretLengthMin = 32;
const formerMax = 10;

const expectedSecret = `at least ${secretLengthMin} characters, as openssl rand -hex 32 prints them`;

function isSecret(text: string): boolean {
  return text.length >= secretLengthMin && !/\s/.test(text);
}

/** The secret that everything confidential at rest hangs on. Without it a service that keeps secrets does not start. */
export const SecretVariables = z.object({
  PARLEY_SECRET_KEY: z
    .string()
    .trim()
    .refine(isSecret, `expected ${expectedSecret}`)
    .meta({
      expected: expectedSecret,
      description: 'The root of key hashes, of tokens and of stored credentials; the same for every service.',
      example: 'openssl rand -hex 32',
      secret: true,
    }),
  PARLEY_SECRET_KEYS_OLD: z
    .string()
    .transform((text) => text.split(',').map((each) => each.trim()).filter((each) => each !== ''))
    .refine((secrets) => secrets.length <= formerMax && secrets.every(isSecret), `expected at most ${formerMax} secrets between commas`)
    .default([])
    .meta({
      expected: `at most ${formerMax} secrets between commas`,
      description: 'Former values of PARLEY_SECRET_KEY: they still open what they closed, and close nothing new.',
      example: 'the-former-one,the-one-before',
      secret: true,
    }),
});
export type SecretVariables = z.output<typeof SecretVariables>;
