import { agentConfigMeanings } from './agent-config';
import { callMeanings } from './calls';
import { conversationMeanings } from './conversation';
import { figureMeanings } from './figures';
import { gatewayMeanings } from './gateway';
import { knowledgeMeanings } from './knowledge';
import { peopleMeanings } from './people';
import { meantEverywhere } from './everywhere';

const tables = [
  meantEverywhere,
  agentConfigMeanings,
  conversationMeanings,
  gatewayMeanings,
  knowledgeMeanings,
  peopleMeanings,
  callMeanings,
  figureMeanings,
];

/** Every sentence by its key. A key that two tables have is a mistake that a test names. */
export const fieldMeanings: ReadonlyMap<string, string> = new Map(tables.flatMap((table) => Object.entries(table)));

/** Keys that more than one table has. */
export const meaningsGivenTwice: readonly string[] = tables
  .flatMap((table) => Object.keys(table))
  .filter((key, index, all) => all.indexOf(key) !== index);

/** What a field is: said of it in its parent, in its schema, or of its name anywhere. */
export function meaningOf(field: string, { schema, parent }: { schema: string; parent: string | undefined }): string | undefined {
  const keys = [...(parent ? [`${parent}.${field}`] : []), `${schema}.${field}`, field];
  return keys.map((key) => fieldMeanings.get(key)).find((found) => found !== undefined);
}
