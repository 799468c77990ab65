import { ClientFrame, examplesOf, ServerFrame } from '@parley/contracts';
import { z } from 'zod';
import type { SchemaBook } from '../openapi/schema-book';

/** One frame of the protocol as the document shows it. */
export interface FrameMessage {
  /** Its key among the messages; the type may come from either side. */
  readonly name: string;
  readonly type: string;
  readonly from: 'client' | 'server';
  readonly message: object;
}

const Typed = z.object({ type: z.string() });

/** Every frame of the contracts, with the examples that the contracts show for it. */
export function frameMessages(book: SchemaBook): FrameMessage[] {
  return [
    ...ClientFrame.options.map((schema) => textMessage(schema, 'client', book)),
    soundMessage('client', 'Sound from the microphone, in any pieces, no faster than it is spoken.'),
    ...ServerFrame.options.map((schema) => textMessage(schema, 'server', book)),
    soundMessage('server', 'Sound of the answer, at the rate and in the encoding of `session.ready`.'),
  ];
}

type FrameSchema = (typeof ClientFrame.options)[number] | (typeof ServerFrame.options)[number];

function textMessage(schema: FrameSchema, from: FrameMessage['from'], book: SchemaBook): FrameMessage {
  const type = schema.shape.type.value;
  const all = examplesOf(from === 'client' ? ClientFrame : ServerFrame);
  const examples = all.filter((example) => Typed.parse(example).type === type);
  const { examples: _, ...payload } = book.schemaOf(schema, from === 'client' ? 'input' : 'output');
  const message = {
    name: type,
    title: type,
    summary: schema.description,
    contentType: 'application/json',
    payload,
    examples: examples.map((example) => ({ name: type, payload: example })),
  };
  return { name: `${from}.${type}`, type, from, message };
}

function soundMessage(from: FrameMessage['from'], summary: string): FrameMessage {
  const description =
    'A binary frame: 16-bit little-endian PCM, mono, at the rate that `session.start` chose, or µ-law if it says so.';
  const payload = { type: 'string', format: 'binary' };
  const message = { name: 'sound', title: 'sound', summary, description, contentType: 'application/octet-stream', payload };
  return { name: `${from}.sound`, type: 'sound', from, message };
}
