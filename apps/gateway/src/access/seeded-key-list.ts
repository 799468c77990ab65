import { Principal } from '@parley/contracts';
import { z } from 'zod';

const keysMax = 1000;
const SeededKey = z.object({ key: z.string().min(8).max(200), principal: Principal });

/** Keys and their principals as an operator writes them: a JSON list. */
export const SeededKeyList = z
  .string()
  .transform(parseJson)
  .pipe(z.array(SeededKey).max(keysMax))
  .meta({ expected: 'a JSON list of { "key", "principal" }' });
export type SeededKeyList = z.output<typeof SeededKeyList>;

function parseJson(text: string, context: z.RefinementCtx): unknown {
  try {
    return JSON.parse(text);
  } catch {
    context.addIssue({ code: 'custom', message: 'expected JSON' });
    return z.NEVER;
  }
}
