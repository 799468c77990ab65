import { z } from 'zod';
import { defineRequest } from '../messages';
import { described } from '../vocabulary';

const textsMax = 32;

/** For other services: what texts mean, as vectors of the engine that knowledge is searched with. */
export const readTextVectors = defineRequest({
  subject: 'knowledge-ingest.text.vectors',
  timeoutMs: 20_000,
  request: described(
    'TextVectorsRequest',
    'Some texts.',
    z.object({ texts: z.array(z.string().max(2000)).min(1).max(textsMax) }),
    {
      texts: ['When do you deliver?'],
    },
  ),
  reply: described(
    'TextVectors',
    'A vector of unit length for each text, in order. Only those of the same `space` compare; at `paraphrase` two ask the same.',
    z.object({
      space: z.string(),
      paraphrase: z.number(),
      vectors: z.array(z.array(z.number()).max(4096)).max(textsMax),
    }),
    { space: 'local-512', paraphrase: 0.8, vectors: [[0.6, 0.8]] },
  ),
});
