import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { variablesIn } from './compose-file';
import { repository } from './yaml-documents';

type Secrets = Readonly<Record<string, Readonly<Record<string, string>>>>;
type ComposeVariables = ReturnType<typeof variablesIn>;

/** A file of the repository, with UPDATE_DOCS (`isUpdated`) completed before it is read. */
export function keptComplete(file: string, isUpdated: boolean, complete: (text: string) => string): string {
  const full = path.join(repository, file);
  if (isUpdated) writeFileSync(full, complete(readFileSync(full, 'utf8')));
  return readFileSync(full, 'utf8');
}

/** Settings of which each service has one stand together. */
const kinds = [/^NATS_NKEY_/u, /_REPLICAS$/u];

/** .env.example with the variables of docker-compose.yml that it lacks: required ones empty, others as a comment with their default. */
export function withMissingSettings(text: string, variables: ComposeVariables): string {
  const lines = text.trimEnd().split('\n');
  const nameIn = (line: string): string => /^#?(\w+)=/u.exec(line)?.[1] ?? '';
  for (const { name, default: usual = '', isRequired } of variables) {
    if (lines.some((line) => nameIn(line) === name)) continue;
    const kind = kinds.find((each) => each.test(name));
    const last = kind ? lines.findLastIndex((line) => kind.test(nameIn(line))) : -1;
    lines.splice(last === -1 ? lines.length : last + 1, 0, `${isRequired ? '' : '#'}${name}=${usual}`);
  }
  return `${lines.join('\n')}\n`;
}

/** k8s/secret.example.yaml with the secrets of `npm run keys` that it lacks, empty. */
export function withMissingSecrets(text: string, secrets: Secrets): string {
  const documents = text.trimEnd().split('\n---\n');
  for (const [process, variables] of Object.entries(secrets)) {
    const found = documents.findIndex((document) => document.includes(`\n  name: parley-${process}\n`));
    const present = documents[found] ?? emptySecretOf(process);
    const missing = Object.entries(variables).filter(([name]) => !present.includes(`\n  ${name}: `));
    const place = found === -1 ? documents.length : found;
    documents[place] = [present, ...missing.map(([name, value]) => `  ${name}: ${exampleOf(name, value)}`)].join('\n');
  }
  return `${documents.join('\n---\n')}\n`;
}

function emptySecretOf(process: string): string {
  return `apiVersion: v1
kind: Secret
metadata:
  name: parley-${process}
  namespace: parley
type: Opaque
stringData:`;
}

function exampleOf(name: string, value: string): string {
  return name === 'DATABASE_URL' ? value.replace(/:[^:/@]+@/u, ':password@') : "''";
}
