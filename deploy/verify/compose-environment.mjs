// What docker-compose.yml gives each service, with the variables put in by Compose's rules: the one place that says it.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';

const root = path.resolve(import.meta.dirname, '../..');
const variable = /\$\{(\w+)(?::(-|\?)([^}]*))?\}/g;

/** The services of docker-compose.yml as they are with these variables. */
export function composeServices(variables) {
  const text = readFileSync(path.join(root, 'docker-compose.yml'), 'utf8');
  return interpolate(parse(text, { merge: true }), variables).services;
}

function interpolate(value, variables) {
  if (typeof value === 'string')
    return value.replaceAll(variable, (_, name, rule, words) => valueOf({ name, rule, words }, variables));
  if (Array.isArray(value)) return value.map((item) => interpolate(item, variables));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, interpolate(item, variables)]));
}

function valueOf({ name, rule, words = '' }, variables) {
  const value = variables[name] ?? '';
  if (value === '' && rule === '?') throw new Error(`${name} ${words}`);
  return value === '' && rule === '-' ? words : value;
}
