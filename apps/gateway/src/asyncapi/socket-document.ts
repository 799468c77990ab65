import { socketCloseMeanings, socketWarnings } from '@parley/contracts';
import { SchemaBook } from '../openapi/schema-book';
import type { SocketCredential } from '../routes/hand-written';
import { type Door, doors } from '../sockets/doors';
import { socketLimits } from '../sockets/socket-limits';
import { type FrameMessage, frameMessages } from './frame-messages';

const { frameBytesMax, soundAheadMsMax, textFramesPerSecond } = socketLimits;

const info = {
  title: 'Parley sockets',
  version: '1',
  description:
    'Live voice and chat. Text frames are JSON objects with a `type`, binary frames are sound. Say `session.start` first, and ' +
    'wait for `session.ready`; what you say meanwhile is kept. A frame that is not understood is answered by `error`, too many ' +
    `of them close the socket. A frame may have ${frameBytesMax} bytes, sound may come ${soundAheadMsMax / 1_000} s ahead of ` +
    `real time and ${textFramesPerSecond} text frames a second; beyond that the server stops reading for a while. ` +
    'Who is refused gets a socket too: it says `error` and closes with a code, which a browser can read.',
  license: { name: 'Apache-2.0' },
};

/** What only an agent does or needs; a transcriber answers nothing. */
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
    type: 'httpApiKey', in: 'query', name: 'token',
    description: 'From `POST /api/v1/external/session-token`. Opens one socket within a minute.',
  },
  'widget-token': {
    type: 'httpApiKey', in: 'query', name: 'token',
    description: 'From `POST /api/v1/external/widget-token`. Opens one socket within a minute.',
  },
  origin: {
    type: 'httpApiKey', in: 'query', name: 'widget',
    description: 'The public id of a widget, from a page whose `Origin` the widget allows.',
  },
} satisfies Record<SocketCredential | 'apiKey', object>;

/** The AsyncAPI 3.0 document of the sockets, made once from the contracts and the doors. */
export class SocketDocument {
  /** The document as it is sent. */
  readonly json: string;

  constructor(address: string) {
    this.json = JSON.stringify(documentOf(new URL(address)));
  }
}

function documentOf({ protocol, host }: URL): object {
  const book = new SchemaBook();
  const frames = frameMessages(book);
  const entries = [...doors.values()].map((door) => ({ door, here: frames.filter((frame) => isSpokenAt(door, frame)) }));
  return {
    asyncapi: '3.0.0',
    info,
    defaultContentType: 'application/json',
    servers: { here: { host, protocol: protocol.replace(':', '') } },
    channels: Object.fromEntries(entries.map(({ door, here }) => [door.endpoint.operationId, channelOf(door, here)])),
    operations: Object.fromEntries(entries.flatMap(({ door, here }) => operationsOf(door, here))),
    components: {
      messages: Object.fromEntries(frames.map(({ name, message }) => [name, message])),
      schemas: book.toJSON(),
      securitySchemes,
    },
    'x-close-codes': Object.entries(socketCloseMeanings).map(([code, meaning]) => ({ code: Number(code), meaning })),
    'x-warnings': Object.entries(socketWarnings).map(([code, meaning]) => ({ code, meaning })),
  };
}

function isSpokenAt({ talk }: Door, { type, name }: FrameMessage): boolean {
  return talk !== 'transcription' || (!ofAgents.has(type) && name !== 'server.sound');
}

function channelOf({ endpoint, charges }: Door, frames: readonly FrameMessage[]): object {
  return {
    address: endpoint.path,
    title: endpoint.summary,
    description: `Charges ${charges.map((kind) => `\`${kind}\``).join(', ')} credits as they are used.`,
    servers: [{ $ref: '#/servers/here' }],
    messages: Object.fromEntries(frames.map(({ name }) => [name, { $ref: `#/components/messages/${name}` }])),
    bindings: { ws: { method: 'GET', bindingVersion: '0.1.0' } },
  };
}

function operationsOf({ endpoint }: Door, frames: readonly FrameMessage[]): [string, object][] {
  const { operationId, summary, credentials = [], keys } = endpoint;
  const schemes = [...(keys.length > 0 ? ['apiKey'] : []), ...credentials];
  const security = schemes.map((name) => ({ $ref: `#/components/securitySchemes/${name}` }));
  const operation = (from: FrameMessage['from'], action: 'receive' | 'send'): [string, object] => [
    `${operationId}.${action}`,
    {
      action,
      channel: { $ref: `#/channels/${operationId}` },
      summary: `${summary}: what the ${from} says`,
      security,
      messages: frames
        .filter((frame) => frame.from === from)
        .map(({ name }) => ({ $ref: `#/channels/${operationId}/messages/${name}` })),
    },
  ];
  return [operation('client', 'receive'), operation('server', 'send')];
}
