import { AgentTool } from '@parley/contracts';
import { z } from 'zod';
import { masked } from '../runtime/secret-headers';
import type { FieldChange } from './public-state';

const Tools = z.array(AgentTool);

/** A change as clients read it: that a secret of a tool changed shows, the secret does not. */
export function withoutSecrets({ field, before, after }: FieldChange): FieldChange {
  if (field !== 'Tools') return { field, before, after };
  return { field, before: masked(Tools.parse(before)), after: masked(Tools.parse(after)) };
}
