import { inputExamples, namedExamples } from './examples';
import type { Operation } from './operation';
import type { JsonSchema, SchemaBook } from './schema-book';

const formType = 'multipart/form-data';
const fileSchema = '#/components/schemas/FileReference';
type Fields = NonNullable<JsonSchema['properties']>;

/** The body of an operation. Services get a reference to a file; a client sends the file itself, and only in a form. */
export function requestBodyOf({ input, bodyTypes }: Operation, schemas: SchemaBook): object {
  const { required = [] } = schemas.shapeOf(input, 'input');
  const content = bodyTypes.map((type) => [type, type === formType ? formOf(input, schemas) : jsonOf(input, schemas)]);
  return { required: required.length > 0, content: Object.fromEntries(content) };
}

function jsonOf(input: Operation['input'], schemas: SchemaBook): object {
  const shape = schemas.shapeOf(input, 'input');
  const { properties = {} } = shape;
  const fields = Object.entries(properties).filter(([, schema]) => !isFile(schema));
  const isWhole = fields.length === Object.keys(properties).length;
  const schema = isWhole ? schemas.schemaOf(input, 'input') : { ...shape, properties: Object.fromEntries(fields) };
  return { schema, ...namedExamples(inputExamples(input, false)) };
}

function formOf(input: Operation['input'], schemas: SchemaBook): object {
  const { examples: _, ...shape } = schemas.shapeOf(input, 'input');
  const properties: Fields = Object.fromEntries(
    Object.entries(shape.properties ?? {}).map(([name, schema]) => [
      name,
      isFile(schema) ? { type: 'string', format: 'binary' } : schema,
    ]),
  );
  return {
    schema: { ...shape, properties },
    ...namedExamples(inputExamples(input, true).map((example) => withoutFiles(example, properties))),
  };
}

/** An example as a form shows it: the file stands for itself by its name. */
function withoutFiles(example: unknown, properties: Fields): unknown {
  const fields = Object.entries(Object(example));
  return Object.fromEntries(fields.map(([name, value]) => [name, isBinary(properties[name]) ? 'the bytes of the file' : value]));
}

function isFile(schema: Fields[string]): boolean {
  return typeof schema === 'object' && schema.$ref === fileSchema;
}

function isBinary(schema: Fields[string] | undefined): boolean {
  return typeof schema === 'object' && schema.format === 'binary';
}
