/** ONNX's numbers of element types. */
const elementTypes = { float32: 1, uint8: 2, int8: 3, int64: 7 } as const;

type Elements = Float32Array | Uint8Array | Int8Array | BigInt64Array;
type OnnxAttribute = number | { readonly float: number } | readonly number[];

const [integerKind, bytesKind, float32Kind] = [0, 2, 5];

/**
 * Builds an ONNX model operator by operator, for weights in another format. ONNX files are protocol buffers: numbered fields, each a
 * number or bytes with their length.
 */
export class OnnxGraph {
  private readonly nodes: Buffer[] = [];
  private readonly constants = new Map<string, Buffer>();
  private readonly inputs: Buffer[] = [];
  private count = 0;

  /** An input of each run; a named dimension may differ between runs. */
  input(name: string, type: 'float32' | 'int64', dimensions: readonly (number | string)[]): string {
    this.inputs.push(field(11, valueOf(name, type, dimensions)));
    return name;
  }

  /** A constant tensor. */
  constant(name: string, dimensions: readonly number[], data: Elements): string {
    this.constants.set(name, field(5, tensorOf(name, dimensions, data)));
    return name;
  }

  /** Adds an operator with one result. Operators of onnxruntime's own include their domain: `com.microsoft.Gelu`. */
  one(operator: string, inputs: readonly string[], attributes: Readonly<Record<string, OnnxAttribute>> = {}): string {
    const [result] = this.several(operator, 1, inputs, attributes);
    return result ?? '';
  }

  /** Adds an operator with several results. */
  several(
    operator: string,
    resultCount: number,
    inputs: readonly string[],
    attributes: Readonly<Record<string, OnnxAttribute>> = {},
  ): string[] {
    const results = Array.from({ length: resultCount }, () => `v${(this.count += 1)}`);
    const about = Object.entries(attributes).map(([name, value]) => field(5, attributeOf(name, value)));
    this.nodes.push(field(1, nodeOf(operator, { inputs, results, about })));
    return results;
  }

  /** The bytes of the model, with one output. */
  model(answer: string, dimensions: readonly (number | string)[]): Buffer {
    const output = field(12, valueOf(answer, 'float32', dimensions));
    const graph = Buffer.concat([...this.nodes, field(2, 'model'), ...this.constants.values(), ...this.inputs, output]);
    const runtimeOwn = field(8, Buffer.concat([field(1, 'com.microsoft'), number(2, 1)]));
    return Buffer.concat([number(1, 8), field(7, graph), field(8, number(2, 17)), runtimeOwn]);
  }
}

/** A field of a message, as it stands in a file: all of its bytes, and those after its number and length. */
export interface WireField {
  readonly id: number;
  readonly whole: Buffer;
  readonly content: Buffer;
}

/** Reads the fields of a message in their order. */
export function fieldsOf(message: Buffer): WireField[] {
  const fields: WireField[] = [];
  for (let at = 0; at < message.length;) {
    const key = varintAt(message, at);
    const [from, end] = contentAt(message, key.end, key.value & 7);
    fields.push({ id: key.value >> 3, whole: message.subarray(at, end), content: message.subarray(from, end) });
    at = end;
  }
  return fields;
}

function contentAt(message: Buffer, at: number, kind: number): readonly [from: number, end: number] {
  if (kind === integerKind) return [at, varintAt(message, at).end];
  if (kind === float32Kind) return [at, at + 4];
  if (kind !== bytesKind) throw new TypeError('this is no ONNX model');
  const length = varintAt(message, at);
  return [length.end, length.end + length.value];
}

/** The numbers of a field, which has one or a list. */
export function numbersIn(content: Buffer): number[] {
  const numbers: number[] = [];
  for (let at = 0; at < content.length;) {
    const { value, end } = varintAt(content, at);
    numbers.push(value);
    at = end;
  }
  return numbers;
}

function varintAt(message: Buffer, from: number): { readonly value: number; readonly end: number } {
  let value = 0;
  for (let at = from; at < message.length; at++) {
    const byte = message[at] ?? 0;
    value += (byte & 127) * 2 ** (7 * (at - from));
    if (byte < 128) return { value, end: at + 1 };
  }
  throw new TypeError('this is no ONNX model');
}

interface NodeParts {
  readonly inputs: readonly string[];
  readonly results: readonly string[];
  /** Its attributes, and whatever else its message has. */
  readonly about: readonly Buffer[];
}

/** An operator's message. Operators of onnxruntime's own include their domain. */
export function nodeOf(operator: string, { inputs, results, about }: NodeParts): Buffer {
  const ends = [...inputs.map((name) => field(1, name)), ...results.map((name) => field(2, name))];
  const [, domain = '', type = operator] = /^(.+)\.(\w+)$/u.exec(operator) ?? [];
  return Buffer.concat([...ends, field(4, type), ...about, ...(domain === '' ? [] : [field(7, domain)])]);
}

/** A constant tensor's message. */
export function tensorOf(name: string, dimensions: readonly number[], data: Elements): Buffer {
  const raw = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  const shape = dimensions.map((size) => number(1, size));
  return Buffer.concat([...shape, number(2, elementTypes[typeOf(data)]), field(8, name), field(9, raw)]);
}

function typeOf(data: Elements): keyof typeof elementTypes {
  if (data instanceof Float32Array) return 'float32';
  if (data instanceof Uint8Array) return 'uint8';
  return data instanceof Int8Array ? 'int8' : 'int64';
}

/** The message of an input or output. */
export function valueOf(name: string, type: 'float32' | 'int64', dimensions: readonly (number | string)[]): Buffer {
  const shape = dimensions.map((size) => field(1, typeof size === 'string' ? field(2, size) : number(1, size)));
  const tensor = Buffer.concat([number(1, elementTypes[type]), field(2, Buffer.concat(shape))]);
  return Buffer.concat([field(1, name), field(2, field(1, tensor))]);
}

function attributeOf(name: string, value: OnnxAttribute): Buffer {
  if (typeof value === 'number') return Buffer.concat([field(1, name), number(3, value), number(20, 2)]);
  if ('float' in value) return Buffer.concat([field(1, name), float(2, value.float), number(20, 1)]);
  return Buffer.concat([field(1, name), ...value.map((each) => number(8, each)), number(20, 7)]);
}

function number(id: number, value: number): Buffer {
  return Buffer.concat([varint((id << 3) | integerKind), varint(value)]);
}

function float(id: number, value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeFloatLE(value);
  return Buffer.concat([varint((id << 3) | float32Kind), bytes]);
}

export function field(id: number, value: string | Buffer): Buffer {
  const bytes = typeof value === 'string' ? Buffer.from(value) : value;
  return Buffer.concat([varint((id << 3) | bytesKind), varint(bytes.length), bytes]);
}

/** Encodes a varint: seven bits per byte, lowest first; negative numbers in two's complement of 64 bits. */
function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  do {
    const low = Number(rest & 127n);
    rest >>= 7n;
    bytes.push(rest > 0n ? low | 128 : low);
  } while (rest > 0n);
  return Buffer.from(bytes);
}
