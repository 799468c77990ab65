import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Ajv, type ValidateFunction } from 'ajv';
import { z } from 'zod';

const Description = z.object({
  paths: z.record(z.string(), z.record(z.string(), z.unknown())),
  components: z.object({ schemas: z.record(z.string(), z.unknown()) }),
});
const Operation = z.object({
  parameters: z.array(z.object({ name: z.string(), in: z.string() })).default([]),
  requestBody: z.object({ content: z.object({ 'application/json': z.object({ schema: z.unknown() }) }) }).optional(),
});

/** The path of Qdrant's published API description, if available. */
export function qdrantDescriptionFile(fromEnvironment: string | undefined): string | undefined {
  const root = path.resolve(__dirname, '../../../..');
  const file = fromEnvironment ?? path.join(root, '../shared/data/qdrant-openapi-1.19.json');
  return existsSync(file) ? file : undefined;
}

/** Converts nullable types to JSON Schema, and forbids additional properties, so that unknown fields are detected. */
function toJsonSchema(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(toJsonSchema);
  if (typeof node !== 'object' || node === null) return node;
  const entries = Object.entries(node).filter(([key]) => !['nullable', 'format', 'example', 'discriminator'].includes(key));
  const schema = Object.fromEntries(entries.map(([key, value]) => [key, toJsonSchema(value)]));
  if (!('nullable' in node) || node.nullable !== true) return closed(schema);
  return Object.keys(schema).length === 0 ? { type: 'null' } : { anyOf: [closed(schema), { type: 'null' }] };
}

function closed(schema: Record<string, unknown>): Record<string, unknown> {
  return schema.type === 'object' && 'properties' in schema && !('additionalProperties' in schema)
    ? { ...schema, additionalProperties: false }
    : schema;
}

/** Checks requests against Qdrant's own API description. */
export class OpenApiChecker {
  private readonly description: z.output<typeof Description>;
  private readonly ajv = new Ajv({ strict: false, allErrors: false });
  private readonly validators = new Map<string, ValidateFunction>();

  constructor(file: string) {
    this.description = Description.parse(JSON.parse(readFileSync(file, 'utf8')));
    this.ajv.addSchema({ $id: 'qdrant', components: toJsonSchema(this.description.components) });
  }

  /** A one-line description of what is wrong with a request; undefined if nothing is. */
  violation(method: string, url: URL, body: unknown): string | undefined {
    const route = this.routeOf(method, url.pathname);
    const operation = Operation.safeParse(route && this.description.paths[route]?.[method.toLowerCase()]).data;
    if (!route || !operation) return `${method} ${url.pathname} is not in the description`;
    const known = new Set(operation.parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name));
    const unknown = [...url.searchParams.keys()].find((name) => !known.has(name));
    if (unknown) return `${method} ${route} knows no parameter ${unknown}`;
    if (!operation.requestBody) return body === undefined ? undefined : `${method} ${route} takes no body`;
    const validate = this.validatorOf(`${method} ${route}`, operation.requestBody.content['application/json'].schema);
    return validate(body) ? undefined : `${method} ${route}: ${this.ajv.errorsText(validate.errors?.slice(0, 5))}`;
  }

  /** Finds a route, preferring literal segments to placeholders: `points/query` is not a point called query. */
  private routeOf(method: string, pathname: string): string | undefined {
    const parts = pathname.split('/');
    const fits = (route: string) => {
      const names = route.split('/');
      return names.length === parts.length && names.every((name, index) => name.startsWith('{') || name === parts[index]);
    };
    const taking = Object.keys(this.description.paths).filter((route) =>
      Object.hasOwn(this.description.paths[route] ?? {}, method.toLowerCase()),
    );
    return taking.filter(fits).sort((a, b) => a.split('{').length - b.split('{').length)[0];
  }

  private validatorOf(name: string, schema: unknown): ValidateFunction {
    const known = this.validators.get(name);
    if (known) return known;
    const text = JSON.stringify(toJsonSchema(schema)).replaceAll('"#/components', '"qdrant#/components');
    const validate = this.ajv.compile(z.record(z.string(), z.unknown()).parse(JSON.parse(text)));
    this.validators.set(name, validate);
    return validate;
  }
}
