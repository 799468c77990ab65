import { z } from 'zod';
import { commaList, text } from '../configuration/variables';

/** For services that keep secrets of their users. */
export const SecretKeyVariables = z.object({
  PARLEY_SECRET_KEY: text().meta({
    description: 'The root of every hash and sealed secret of this installation. Long and random; losing it loses them.',
    example: 'openssl rand -hex 32',
    secret: true,
  }),
  PARLEY_SECRET_KEYS_OLD: commaList().default([]).meta({
    description: 'Former values of PARLEY_SECRET_KEY, between commas, until what they sealed is sealed anew.',
    example: 'the key of last year',
    secret: true,
  }),
});
export type SecretKeyVariables = z.output<typeof SecretKeyVariables>;
