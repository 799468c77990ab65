import { z } from 'zod';
import { described } from './described';

/** How every table of choices is asked for. */
export const LookupQuery = described(
  'LookupQuery',
  'The language of the labels.',
  z.object({ language: z.enum(['en', 'hi', 'mr']).default('en') }),
  { language: 'hi' },
);
