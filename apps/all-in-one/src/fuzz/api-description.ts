import type { ValidateFunction } from 'ajv';
import Ajv2020 from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { z } from 'zod';

/** A piece of JSON Schema as the document writes it. */
export type JsonSchema = z.core.JSONSchema.BaseSchema;

const AnySchema = z.custom<JsonSchema>((value) => typeof value === 'object' && value !== null);
const Examples = z.record(z.string(), z.object({ value: z.unknown() })).default({});
const BodyForm = z.object({ schema: AnySchema, examples: Examples });
/** Only query and path parameters are generated; headers are described once for all requests. */
const Parameter = z.object({
  name: z.string(),
  in: z.enum(['query', 'path']),
  schema: AnySchema,
  example: z.unknown().optional(),
});
const Media = z.object({
  schema: AnySchema.optional(),
  'x-event-data': AnySchema.optional(),
  examples: z.record(z.string(), z.unknown()).default({}),
});
const Answer = z.object({ content: z.record(z.string(), Media).default({}) });
const Described = z.object({
  operationId: z.string(),
  parameters: z
    .array(z.union([z.object({ $ref: z.string() }), Parameter]))
    .default([])
    .transform((all) => all.flatMap((each) => ('$ref' in each ? [] : [each]))),
  requestBody: z.object({ content: z.record(z.string(), BodyForm) }).default({ content: {} }),
  responses: z.record(z.string(), z.union([z.object({ $ref: z.string() }), Answer])),
  'x-keys': z.union([z.literal('public'), z.array(z.string())]),
});
const Document = z.object({
  paths: z.record(z.string(), z.record(z.string(), Described)),
  components: z.object({ schemas: z.record(z.string(), AnySchema), responses: z.record(z.string(), Answer) }),
});

/** The one shape of every error. */
export const errorSchema: JsonSchema = { $ref: '#/components/schemas/ErrorBody' };

/** One kind of content that an answer may have. */
export interface AnswerContent {
  /** The schema; undefined if the document promises bytes. */
  readonly shape?: JsonSchema;
  readonly isEvents: boolean;
  /** The documented error codes; empty for answers that are not errors. */
  readonly codes: readonly string[];
}

/** One operation of the document, ready to be called and checked. */
export interface Operation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly z.output<typeof Parameter>[];
  readonly bodies: Readonly<Record<string, z.output<typeof BodyForm>>>;
  /** By status, then by content type. */
  readonly answers: ReadonlyMap<number, ReadonlyMap<string, AnswerContent>>;
  /** The kinds of key it accepts. */
  readonly keys: readonly string[];
}

/** The API as its own document describes it to clients. */
export class ApiDescription {
  readonly schemas: Readonly<Record<string, JsonSchema>>;
  readonly operations: readonly Operation[];
  private readonly checks = new Map<string, ValidateFunction>();
  private readonly ajv = new Ajv2020({ strict: false });
  private readonly responses: Readonly<Record<string, z.output<typeof Answer>>>;

  constructor(json: unknown) {
    const { paths, components } = Document.parse(json);
    addFormats(this.ajv);
    this.ajv.addSchema({ $id: 'api:', components: { schemas: components.schemas } });
    this.schemas = components.schemas;
    this.responses = components.responses;
    this.operations = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, described]) => this.operation(method.toUpperCase(), path, described)),
    );
  }

  /** How a value violates this schema; undefined if it does not. */
  misfit(schema: JsonSchema, value: unknown): string | undefined {
    const text = JSON.stringify(schema).replaceAll('"#/', '"api:#/');
    const check = this.checks.get(text) ?? this.ajv.compile(JSON.parse(text));
    // Compiling a schema costs far more than using it, and most answers share a few schemas.
    this.checks.set(text, check);
    return check(value) ? undefined : this.ajv.errorsText(check.errors);
  }

  private operation(method: string, path: string, described: z.output<typeof Described>): Operation {
    const { operationId: id, parameters, requestBody, responses } = described;
    const keys = described['x-keys'] === 'public' ? [] : described['x-keys'];
    const answers = Object.entries(responses).map(([status, answer]): [number, ReadonlyMap<string, AnswerContent>] => [
      Number(status),
      this.contentsOf('$ref' in answer ? answer.$ref : answer),
    ]);
    return {
      id,
      method,
      path,
      parameters,
      bodies: requestBody.content,
      answers: new Map(answers),
      keys,
    };
  }

  private contentsOf(answer: string | z.output<typeof Answer>): ReadonlyMap<string, AnswerContent> {
    if (typeof answer === 'string')
      return this.contentsOf(this.responses[answer.replace('#/components/responses/', '')] ?? { content: {} });
    return new Map(Object.entries(answer.content).map(([type, media]) => [type, this.contentOf(type, media)]));
  }

  private contentOf(type: string, { schema, 'x-event-data': event, examples }: z.output<typeof Media>): AnswerContent {
    // For bytes and CSV the document promises no schema.
    const shape = event ?? (type === 'application/json' ? schema : undefined);
    return {
      ...(shape && { shape }),
      isEvents: event !== undefined,
      codes: shape?.$ref === errorSchema.$ref ? Object.keys(examples) : [],
    };
  }
}
