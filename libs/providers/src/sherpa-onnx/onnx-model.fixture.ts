// Builds tiny ONNX models, which test the code around a model without half a gigabyte of weights. Field numbers are those of
// onnx.proto.
const elementTypes = { float: 1, int8: 3, int64: 7 } as const;

/** An input or output of a model. A named dimension varies at run time. */
export interface Port {
  readonly name: string;
  readonly type: keyof typeof elementTypes;
  readonly shape: readonly (number | string)[];
}

interface Constant {
  readonly type: keyof typeof elementTypes;
  readonly values: readonly number[];
  /** If absent, it is a vector. */
  readonly shape?: readonly number[];
}

/** An operation with its result, operands and integer attributes. */
export type Node = readonly [operation: string, result: string, ...operands: (string | Readonly<Record<string, number>>)[]];

export interface Model {
  readonly inputs: readonly Port[];
  readonly outputs: readonly Port[];
  readonly constants: Readonly<Record<string, Constant>>;
  readonly nodes: readonly Node[];
  readonly metadata: Readonly<Record<string, string | number>>;
}

/** A vector of floats. */
export function numbers(...values: readonly number[]): Constant {
  return { type: 'float', values };
}

/** A vector of integers. */
export function whole(...values: readonly number[]): Constant {
  return { type: 'int64', values };
}

/** Weights of 8 bits. */
export function rounded(values: readonly number[], shape: readonly number[] = [values.length]): Constant {
  return { type: 'int8', values, shape };
}

/** The bytes of an ONNX file. */
export function onnxModel({ inputs, outputs, constants, nodes, metadata }: Model): Buffer {
  const graph = [
    ...nodes.map((node) => message(1, nodeBytes(node))),
    message(2, 'graph'),
    ...Object.entries(constants).map(([name, constant]) => message(5, constantBytes(name, constant))),
    ...inputs.map((port) => message(11, portBytes(port))),
    ...outputs.map((port) => message(12, portBytes(port))),
  ];
  const properties = Object.entries(metadata).map(([key, value]) => message(14, [message(1, key), message(2, String(value))]));
  const runtimeOwn = message(8, [message(1, 'com.microsoft'), integer(2, 1)]);
  return Buffer.concat([integer(1, 8), message(8, [integer(2, 13)]), runtimeOwn, message(7, graph), ...properties]);
}

function nodeBytes([operation, result, ...rest]: Node): Buffer[] {
  return [
    ...rest.map((item) => (typeof item === 'string' ? message(1, item) : Buffer.concat(Object.entries(item).map(attribute)))),
    message(2, result),
    message(4, operation),
  ];
}

function attribute([name, value]: readonly [string, number]): Buffer {
  return message(5, [message(1, name), integer(3, value), integer(20, 2)]);
}

function constantBytes(name: string, { type, values, shape = [values.length] }: Constant): Buffer[] {
  const arrays = {
    float: () => Float32Array.from(values),
    int8: () => Int8Array.from(values),
    int64: () => BigInt64Array.from(values, BigInt),
  };
  const elements = arrays[type]();
  return [
    ...shape.map((size) => integer(1, size)),
    integer(2, elementTypes[type]),
    message(8, name),
    message(9, [Buffer.from(elements.buffer)]),
  ];
}

function portBytes({ name, type, shape }: Port): Buffer[] {
  const sizes = shape.map((size) => message(1, typeof size === 'number' ? [integer(1, size)] : [message(2, size)]));
  return [message(1, name), message(2, [message(1, [integer(1, elementTypes[type]), message(2, sizes)])])];
}

function message(field: number, content: string | readonly Buffer[]): Buffer {
  const bytes = typeof content === 'string' ? Buffer.from(content) : Buffer.concat(content);
  return Buffer.concat([varint(field * 8 + 2), varint(bytes.length), bytes]);
}

function integer(field: number, value: number): Buffer {
  return Buffer.concat([varint(field * 8), varint(value)]);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  return Buffer.from([...bytes, rest]);
}
