// What docker-compose.yml gives each service, with the variables put in by Compose's rules: the one place that says it.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';

const root = path.resolve(import.meta.dirname, '..');
const variable = /\$\{(\w+)(?::(-|\?)([^}]*))?\}/g;

/** The services of docker-compose.yml as they are with these variables. */
export function composeServices(variables) {
  return interpolate(composeFile(), variables).services;
}

/** The image of a service, by the name that it has where .env says nothing. */
export function composeImage(service) {
  return interpolate(composeFile().services[service].image, {});
}

function composeFile() {
  return parse(readFileSync(path.join(root, 'docker-compose.yml'), 'utf8'), { merge: true });
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
