import { readFileSync } from 'node:fs';
import path from 'node:path';
import { isMap, parseAllDocuments } from 'yaml';
import { z } from 'zod';

/** The folder that holds docker-compose.yml, k8s/ and everything else. */
export const repository = path.resolve(__dirname, '../..');

export const Mapping = z.record(z.string(), z.unknown());
export type Mapping = z.output<typeof Mapping>;

/** Every document of a YAML file or text; a syntax error or a doubled key throws. */
export function parseYaml(text: string): Mapping[] {
  const documents = parseAllDocuments(text, { merge: true }).filter((document) => isMap(document.contents));
  for (const { errors } of documents) if (errors[0]) throw errors[0];
  return documents.map((document) => Mapping.parse(document.toJS()));
}

/** Every document of a YAML file, by its path in the repository. */
export function readYaml(file: string): Mapping[] {
  return parseYaml(readFileSync(path.join(repository, file), 'utf8'));
}
