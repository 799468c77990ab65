import { Controller, Get, Header } from '@nestjs/common';
import { ClientFrame, examplesOf, ServerFrame, socketCloseMeanings, socketWarnings } from '@parley/contracts';
import { keptForLine } from '@parley/messaging';
import { z } from 'zod';
import { RequiredAccess, type SocketCredential } from '../../endpoint/endpoint';
import { type SocketEndpoint, socketEndpoints } from '../hand-written';
import { NamedSchemas } from './named-schemas';

/** One frame of the protocol as the document shows it. */
interface FrameMessage {
  /** Its key among the messages; both sides may send the same type. */
  readonly name: string;
  readonly type: string;
  readonly from: 'client' | 'server';
  readonly message: object;
}

const Typed = z.object({ type: z.string() });

type FrameSchema = (typeof ClientFrame.options)[number] | (typeof ServerFrame.options)[number];

/** The limits that the document mentions. */
interface StatedLimits {
  readonly frameBytesMax: number;
  readonly soundAheadMsMax: number;
  readonly textFramesPerSecond: number;
}

const infoOf = ({ frameBytesMax, soundAheadMsMax, textFramesPerSecond }: StatedLimits) => ({
  title: 'Parley sockets',
  version: '1',
  description:
    'Live voice and chat. Text frames are JSON objects with a `type`, binary frames are sound. Send `session.start` first, and ' +
    `wait for \`session.ready\`; of what you send meanwhile, ${keptForLine.signalsMax} text frames and the last ` +
    `${keptForLine.soundMs / 1_000} s of sound are kept. An invalid frame is answered by \`error\`; too many ` +
    `of them close the socket. A frame may have ${frameBytesMax} bytes, sound may arrive ${soundAheadMsMax / 1_000} s ahead of ` +
    `real time, and there may be ${textFramesPerSecond} text frames per second; beyond that the server stops reading for a while. ` +
    'A refused client gets a socket too: it sends `error` and closes with a code, which a browser can read.',
  license: { name: 'Apache-2.0' },
});

/** Frames that only conversations use; a transcription has no answers. */
const ofAgents = new Set([
  'text',
  'dtmf',
  'interrupt',
  'playback',
  'agent.delta',
  'agent.audio.start',
  'agent.done',
  'agent.interrupted',
]);

const securitySchemes = {
  apiKey: { type: 'httpApiKey', in: 'header', name: 'x-api-key', description: 'An agent key. Browsers cannot send it.' },
  'session-token': {
    type: 'httpApiKey',
    in: 'query',
    name: 'token',
    description: 'From `POST /api/v1/external/session-token`. Opens one socket within a minute.',
  },
  'widget-token': {
    type: 'httpApiKey',
    in: 'query',
    name: 'token',
    description: 'From `POST /api/v1/external/widget-token`. Opens one socket within a minute.',
  },
  origin: {
    type: 'httpApiKey',
    in: 'query',
    name: 'widget',
    description: 'The public id of a widget, from a page whose `Origin` the widget allows.',
  },
} satisfies Record<SocketCredential | 'apiKey', object>;

/** The AsyncAPI 3.0 document of the sockets, made once from the contracts and the endpoints. */
export class SocketDocument {
  /** The serialized document. */
  readonly json: string;

  constructor(address: string, limits: StatedLimits) {
    this.json = JSON.stringify(documentOf(new URL(address), limits));
  }
}

function documentOf({ protocol, host }: URL, limits: StatedLimits): object {
  const schemas = new NamedSchemas();
  const frames = frameMessages(schemas);
  const entries = [...socketEndpoints.values()].map((socket) => ({
    socket,
    here: frames.filter((frame) => belongsTo(socket, frame)),
  }));
  return {
    asyncapi: '3.0.0',
    info: infoOf(limits),
    defaultContentType: 'application/json',
    servers: { here: { host, protocol: protocol.replace(':', '') } },
    channels: Object.fromEntries(entries.map(({ socket, here }) => [socket.endpoint.operationId, channelOf(socket, here)])),
    operations: Object.fromEntries(entries.flatMap(({ socket, here }) => operationsOf(socket, here))),
    components: {
      messages: Object.fromEntries(frames.map(({ name, message }) => [name, message])),
      schemas: schemas.toJSON(),
      securitySchemes,
    },
    'x-close-codes': Object.entries(socketCloseMeanings).map(([code, meaning]) => ({ code: Number(code), meaning })),
    'x-warnings': Object.entries(socketWarnings).map(([code, meaning]) => ({ code, meaning })),
  };
}

function belongsTo({ relay }: SocketEndpoint, { type, name }: FrameMessage): boolean {
  return relay !== 'transcription' || (!ofAgents.has(type) && name !== 'server.sound');
}

function channelOf({ endpoint, charges }: SocketEndpoint, frames: readonly FrameMessage[]): object {
  return {
    address: endpoint.path,
    title: endpoint.summary,
    description: `Charges ${charges.map((kind) => `\`${kind}\``).join(', ')} credits as they are used.`,
    servers: [{ $ref: '#/servers/here' }],
    messages: Object.fromEntries(frames.map(({ name }) => [name, { $ref: `#/components/messages/${name}` }])),
    bindings: { ws: { method: 'GET', bindingVersion: '0.1.0' } },
  };
}

function operationsOf({ endpoint }: SocketEndpoint, frames: readonly FrameMessage[]): [string, object][] {
  const { operationId, summary, credentials = [], keys } = endpoint;
  const schemes = [...(keys.length > 0 ? ['apiKey'] : []), ...credentials];
  const security = schemes.map((name) => ({ $ref: `#/components/securitySchemes/${name}` }));
  const operation = (from: FrameMessage['from'], action: 'receive' | 'send'): [string, object] => [
    `${operationId}.${action}`,
    {
      action,
      channel: { $ref: `#/channels/${operationId}` },
      summary: `${summary}: what the ${from} sends`,
      security,
      messages: frames
        .filter((frame) => frame.from === from)
        .map(({ name }) => ({ $ref: `#/channels/${operationId}/messages/${name}` })),
    },
  ];
  return [operation('client', 'receive'), operation('server', 'send')];
}

/** Every frame in the contracts, with its examples. */
function frameMessages(schemas: NamedSchemas): FrameMessage[] {
  return [
    ...ClientFrame.options.map((schema) => textMessage(schema, 'client', schemas)),
    soundMessage('client', 'Sound from the microphone, in any pieces, no faster than real time.'),
    ...ServerFrame.options.map((schema) => textMessage(schema, 'server', schemas)),
    soundMessage('server', 'Sound of the answer, at the rate and in the encoding of `session.ready`.'),
  ];
}

function textMessage(schema: FrameSchema, from: FrameMessage['from'], schemas: NamedSchemas): FrameMessage {
  const type = schema.shape.type.value;
  const all = examplesOf(from === 'client' ? ClientFrame : ServerFrame);
  const examples = all.filter((example) => Typed.parse(example).type === type);
  const { examples: _, ...payload } = schemas.schemaOf(schema, from === 'client' ? 'input' : 'output');
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
    'A binary frame: 16-bit little-endian PCM, mono, at the rate that `session.start` chose, or µ-law if it chose that.';
  const payload = { type: 'string', format: 'binary' };
  const message = { name: 'sound', title: 'sound', summary, description, contentType: 'application/octet-stream', payload };
  return { name: `${from}.sound`, type: 'sound', from, message };
}

/** The description of the sockets, made from the contracts when the gateway starts. */
@Controller()
@RequiredAccess({ keys: 'public', needs: 'nothing' })
export class AsyncApiController {
  constructor(private readonly document: SocketDocument) {}

  @Get('asyncapi.json')
  @Header('content-type', 'application/json; charset=utf-8')
  asyncapi(): string {
    return this.document.json;
  }
}
