import { z } from 'zod';
import { commaList, text } from '../configuration/variables';

/** What a person can remember, a machine can guess. */
const lengthMin = 32;

/** For services that keep secrets, or hash what must not be guessed. */
export const SecretKeyVariables = z.object({
  PARLEY_SECRET_KEY: text()
    .refine((key) => key.length >= lengthMin)
    .meta({
      expected: `at least ${lengthMin} characters, as openssl rand -hex 32 prints them`,
      description: 'The root of key hashes, of tokens and of stored credentials; the same for every service.',
      example: 'openssl rand -hex 32',
      secret: true,
    }),
  PARLEY_SECRET_KEYS_OLD: commaList().default([]).meta({
    description: 'Former values of PARLEY_SECRET_KEY between commas: they still open what they closed, and close nothing new.',
    example: 'the-former-one,the-one-before',
    secret: true,
  }),
});
export type SecretKeyVariables = z.output<typeof SecretKeyVariables>;
