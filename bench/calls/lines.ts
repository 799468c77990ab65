import { connect } from 'node:net';
import { once } from 'node:events';
import { randomUUID } from 'node:crypto';
import { muLaw } from '@parley/audio';
import { carrierPeers, type CarrierPeer, StubCarrierApi } from '@parley/providers/carrier-peers';
import { FrameClock, SipEndpoint } from '@parley/sip';
import { WebSocket } from 'ws';
import { type FrameKind, questionFrames, samples } from './talk';

/** Reports the agent's sound on a line; a line with its own jitter buffer also says whether it had to conceal a loss. */
export type HearSound = (ms: number, isSilent: boolean, wasFilledIn?: boolean) => void;
export interface CallerLine {
  /** Sends 20 ms of voice or silence. */
  send(frame: FrameKind): void;
  close(): void;
}

/** The platform's addresses, as known to one carrier's account. */
export interface Place {
  readonly webhookUrl: string;
  readonly number: string;
  readonly audioSocketPort: number;
  readonly sipPort: number;
}

export type OpenLine = (place: Place, heard: HearSound) => Promise<CallerLine>;

/** One frame of each kind, encoded for the line. */
function framesAs<Frame>(write: (frame: Int16Array) => Frame): Record<FrameKind, Frame> {
  const frame = (kind: FrameKind): Frame => write(new Int16Array(160).fill(samples[kind]));
  return { silent: frame('silent'), asking: frame('asking'), last: frame('last') };
}

const from = '+919820012345';
const api = new StubCarrierApi();

async function answered(peer: CarrierPeer, { webhookUrl, number: to, audioSocketPort: port }: Place) {
  const { method, url, headers, body } = peer.incoming(webhookUrl, { from, to });
  const reply = await fetch(url, { method, headers, ...(body !== undefined && { body }) });
  const text = await reply.text();
  if (!reply.ok) throw new Error(`the platform answered ${reply.status}: ${text}`);
  return { text, place: peer.placeOf({ text, api, audioSocket: { host: '127.0.0.1', port } }) };
}

/** The recorded carrier; each call gets its own. */
function peerOf(carrier: string, callId: string): CarrierPeer {
  const peer = carrierPeers.find((each) => each.carrier === carrier);
  if (!peer) throw new Error(`no peer speaks for ${carrier}`);
  return { ...peer, callId };
}

/** Asterisk's AudioSocket: PCM over TCP in frames of 20 ms. */
export const audioSocketLine: OpenLine = async (place, heard) => {
  const { text } = await answered(peerOf('asterisk-audiosocket', randomUUID()), place);
  const socket = connect(place.audioSocketPort, '127.0.0.1').setNoDelay(true);
  await once(socket, 'connect');
  const framed = (kind: number, payload: Uint8Array) =>
    Buffer.concat([Buffer.from([kind, payload.length >> 8, payload.length & 0xff]), payload]);
  socket.write(framed(0x01, Buffer.from((text.split(' ').at(-1) ?? '').replaceAll('-', ''), 'hex')));
  const frames = framesAs((frame) => framed(0x10, new Uint8Array(frame.buffer)));
  let rest: Buffer = Buffer.alloc(0);
  socket.on('data', (part) => {
    rest = rest.length === 0 ? part : Buffer.concat([rest, part]);
    while (rest.length >= 3 && rest.length >= 3 + rest.readUInt16BE(1)) {
      const bytes = rest.readUInt16BE(1);
      if (rest[0] === 0x10) heard(bytes / 16, rest[3] === 0 && rest[4] === 0);
      rest = rest.subarray(3 + bytes);
    }
  });
  return { send: (frame) => void socket.write(frames[frame]), close: () => socket.destroy() };
};

const media = '"event":"media"';

/** Twilio's media stream: G.711 in base64 in JSON. */
export const jsonLine: OpenLine = async (place, heard) => {
  const peer = peerOf('twilio', `CA${randomUUID().replaceAll('-', '')}`);
  const { place: at } = await answered(peer, place);
  if (at.kind !== 'websocket') throw new Error('no WebSocket');
  const socket = new WebSocket(at.url, { headers: at.headers, perMessageDeflate: false });
  await once(socket, 'open');
  const streamSid = `MZ${randomUUID().replaceAll('-', '')}`;
  const framed = (samples: Int16Array) => {
    const payload = Buffer.from(muLaw.encode(samples)).toString('base64');
    return JSON.stringify({
      event: 'media',
      sequenceNumber: '2',
      media: { track: 'inbound', chunk: '1', timestamp: '5', payload },
      streamSid,
    });
  };
  const mediaFormat = { encoding: 'audio/x-mulaw', sampleRate: 8000, channels: 1 };
  const start = { accountSid: 'AC1', streamSid, callSid: peer.callId, tracks: ['inbound'], mediaFormat, customParameters: {} };
  socket.send(JSON.stringify({ event: 'connected', protocol: 'Call', version: '1.0.0' }));
  socket.send(JSON.stringify({ event: 'start', sequenceNumber: '1', start, streamSid }));
  const frames = framesAs(framed);
  socket.on('message', (data: Buffer) => {
    const text = data.toString('latin1');
    // Marks are echoed at once: what is measured is the time until sound is sent.
    if (!text.includes(media)) return socket.send(text);
    const at = text.indexOf('"payload":"') + '"payload":"'.length;
    const characters = text.indexOf('"', at) - at;
    heard((characters * 3) / 4 / 8, text.startsWith('////', at));
  });
  return { send: (frame) => socket.send(frames[frame]), close: () => socket.terminate() };
};

let endpoint: Promise<SipEndpoint> | undefined;

/** SIP, with G.711 over RTP. */
export const sipLine: OpenLine = async ({ number: user, sipPort: port }, heard) => {
  endpoint ??= SipEndpoint.open({
    host: '127.0.0.1',
    port: 0,
    media: { host: '127.0.0.1', from: 42_000, to: 43_999 },
    admission: { trusted: ['127.0.0.1'] },
    callsMax: 1000,
    clock: new FrameClock(),
    incoming: (call) => call.refuse(480),
  });
  const { promise: isUp, resolve: up, reject } = Promise.withResolvers<void>();
  const call = await (
    await endpoint
  ).place({
    to: { user, host: '127.0.0.1', port, parameters: new Map() },
    from: { user: from },
    ringMs: 30_000,
    listener: {
      answered: up,
      sound: ({ payload, isConcealed }) => heard(payload.length / 8, payload[0] === 0xff, isConcealed),
      ended: ({ words }) => reject(new Error(`the call ended: ${words}`)),
    },
  });
  if (typeof call === 'string') throw new Error(`the call could not be placed: ${call}`);
  await isUp;
  const { asking, last } = framesAs((frame) => muLaw.encode(frame));
  const question = Buffer.concat([...new Array<Uint8Array>(questionFrames - 1).fill(asking), last]);
  let isAsking = false;
  // The endpoint has its own clock: a frame handed over by another clock would sometimes arrive after its tick and leave a gap in
  // the question. Silence is sent automatically.
  const send = (frame: FrameKind): void => {
    if (frame === 'asking' && !isAsking) call.sound.send(question);
    isAsking = frame === 'asking';
  };
  return { send, close: () => call.hangUp() };
};
