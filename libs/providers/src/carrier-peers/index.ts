import { createHash, createHmac, generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import type { CarrierDescriptor } from '@parley/ports';
import { withQuery } from '../carrier-http';
import type { StubCarrierApi } from '../carrier-http/stub-carrier-api';
import { signedRequest } from '../loopback/loopback-webhooks';
import { plivoSignature } from '../plivo/plivo-calls';
import { twilioSignature } from '../twilio/twilio-calls';

export { StubCarrierApi } from '../carrier-http/stub-carrier-api';

/** Where a carrier connects its media, and its first message. */
export type MediaPlace =
  | {
      readonly kind: 'websocket';
      readonly url: string;
      readonly headers?: Readonly<Record<string, string>>;
      readonly subprotocols?: readonly string[];
    }
  | { readonly kind: 'tcp'; readonly host: string; readonly port: number };

/** A request of a carrier to the platform. */
interface AskedOfPlatform {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** What determines where a carrier connects its media: the platform's reply, and requests to the carrier's API. */
interface Answered {
  readonly text: string;
  readonly api: StubCarrierApi;
  readonly audioSocket: { readonly host: string; readonly port: number };
}

/** A carrier as seen by the platform: an account, requests as recorded from real carriers, and where it connects its media. */
export interface CarrierPeer {
  readonly name: string;
  readonly carrier: CarrierDescriptor['id'];
  readonly callId: string;
  credentials(apiUrl: string): Record<string, string>;
  /** The requests to its API during a call, the last of which ends the call. */
  readonly commands: readonly string[];
  /** A call does not end with its media, but by a command. */
  readonly endsByCommand?: true;
  /** The request for instructions about an incoming call. */
  incoming(url: string, numbers: { readonly from: string; readonly to: string }): AskedOfPlatform;
  placeOf(answered: Answered): MediaPlace;
}

const secret = 'a-secret-of-the-peers';
const formType = 'application/x-www-form-urlencoded';
const accountSid = 'AC00000000000000000000000000000001';
const telnyxKeys = generateKeyPairSync('ed25519');
const vonageKeys = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
});

function found(text: string, pattern: RegExp): string {
  const address = pattern.exec(text)?.[1];
  if (address === undefined) throw new Error(`the answer names no place of media: ${text}`);
  return address.replaceAll('&amp;', '&');
}

function formPost(url: string, fields: Record<string, string>, headers: (form: URLSearchParams) => Record<string, string>) {
  const form = new URLSearchParams(fields);
  return { method: 'POST', url, headers: { 'content-type': formType, ...headers(form) }, body: form.toString() } as const;
}

function jsonPost(url: string, json: object, headers: (body: string) => Record<string, string>) {
  const body = JSON.stringify(json);
  return { method: 'POST', url, headers: { 'content-type': 'application/json', ...headers(body) }, body } as const;
}

const twilio: CarrierPeer = {
  name: 'Twilio',
  carrier: 'twilio',
  callId: 'CA2ae6ee8a2d9e5a4ef2c4e7d2b6bd44fa',
  credentials: (apiUrl) => ({ accountSid, authToken: secret, apiUrl }),
  commands: [`POST /2010-04-01/Accounts/${accountSid}/Calls/CA2ae6ee8a2d9e5a4ef2c4e7d2b6bd44fa.json`],
  endsByCommand: true,
  incoming(url, { from: From, to: To }) {
    const fields = { CallSid: this.callId, AccountSid: accountSid, From, To, CallStatus: 'ringing', Direction: 'inbound' };
    return formPost(url, fields, (form) => ({ 'x-twilio-signature': twilioSignature(secret, url, form) }));
  },
  placeOf({ text }) {
    const url = found(text, /<Stream[^>]* url="([^"]+)"/);
    const headers = { 'x-twilio-signature': twilioSignature(secret, url, new URLSearchParams()) };
    return { kind: 'websocket', url, headers };
  },
};

const plivo: CarrierPeer = {
  name: 'Plivo',
  carrier: 'plivo',
  callId: 'fb2a04a1',
  credentials: (apiUrl) => ({ authId: 'MA1', authToken: secret, apiUrl }),
  commands: ['DELETE /v1/Account/MA1/Call/fb2a04a1/'],
  endsByCommand: true,
  incoming(url, { from: From, to: To }) {
    const fields = { CallUUID: this.callId, From, To, CallStatus: 'ringing', Direction: 'inbound', Event: 'StartApp' };
    const nonce = randomUUID();
    return formPost(url, fields, (form) => ({
      'x-plivo-signature-v3': plivoSignature(secret, { url, form, nonce }),
      'x-plivo-signature-v3-nonce': nonce,
    }));
  },
  placeOf: ({ text }) => ({ kind: 'websocket', url: found(text, /<Stream[^>]*>([^<]+)</) }),
};

const exotel: CarrierPeer = {
  name: 'Exotel',
  carrier: 'exotel',
  callId: 'exo-1',
  credentials: (apiUrl) => ({ accountSid: 'ex', apiKey: 'k', apiToken: 't', webhookSecret: secret, apiUrl }),
  commands: [],
  incoming(url, { from, to }) {
    const query = new URLSearchParams({ CallSid: this.callId, CallFrom: from, CallTo: to, Direction: 'incoming', key: secret });
    return { method: 'GET', url: `${url}?${query}`, headers: {} };
  },
  placeOf: ({ text }) => ({ kind: 'websocket', url: found(text, /"url":"([^"]+)"/) }),
};

/** A token signed like Vonage's. */
function vonageToken(body: string): string {
  const coded = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  const payload_hash = createHash('sha256').update(body).digest('hex');
  const claims = { iat: Math.floor(Date.now() / 1000), jti: randomUUID(), ...(body !== '' && { payload_hash }) };
  const text = `${coded({ alg: 'HS256', typ: 'JWT' })}.${coded(claims)}`;
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
}

const vonage: CarrierPeer = {
  name: 'Vonage',
  carrier: 'vonage',
  callId: 'u-1',
  credentials: (apiUrl) => ({
    applicationId: '5f617394-2f40-4162-9d8e-0f2a4b6c8d0e',
    privateKey: vonageKeys.privateKey,
    signatureSecret: secret,
    apiUrl,
  }),
  commands: ['PUT /v1/calls/u-1'],
  incoming(url, { from, to }) {
    const call = { from, to, uuid: this.callId, conversation_uuid: 'CON-1', region_url: 'https://api-us-3.vonage.com' };
    return jsonPost(url, call, (body) => ({ authorization: `Bearer ${vonageToken(body)}` }));
  },
  placeOf: ({ text }) => ({
    kind: 'websocket',
    url: found(text, /"uri":"([^"]+)"/),
    headers: { authorization: `Bearer ${vonageToken('')}` },
  }),
};

const telnyx: CarrierPeer = {
  name: 'Telnyx',
  carrier: 'telnyx',
  callId: 'v3:1',
  credentials: (apiUrl) => {
    const publicKey = telnyxKeys.publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('base64');
    return { apiKey: 'k', connectionId: 'c1', publicKey, apiUrl };
  },
  commands: ['POST /v2/calls/v3%3A1/actions/answer', 'POST /v2/calls/v3%3A1/actions/hangup'],
  endsByCommand: true,
  incoming(url, { from, to }) {
    const payload = { call_control_id: this.callId, connection_id: 'c1', from, to, direction: 'incoming', state: 'parked' };
    const event = { data: { event_type: 'call.initiated', id: randomUUID(), record_type: 'event', payload } };
    return jsonPost(url, event, (body) => {
      const time = String(Math.floor(Date.now() / 1000));
      const signature = sign(null, Buffer.from(`${time}|${body}`), telnyxKeys.privateKey).toString('base64');
      return { 'telnyx-signature-ed25519': signature, 'telnyx-timestamp': time };
    });
  },
  // Telnyx is instructed by API requests instead of a document.
  placeOf: ({ api }) => {
    const command = api.asked.find(({ path }) => path.endsWith('/actions/answer'));
    return { kind: 'websocket', url: found(command?.body ?? '', /"stream_url":"([^"]+)"/) };
  },
};

const ari = (apiUrl: string) => ({
  ariUrl: `${apiUrl}/ari`,
  ariUser: 'parley',
  ariPassword: 'p',
  dialString: 'PJSIP/{digits}@trunk',
  webhookSecret: secret,
});

/** The `CURL` requests of the dialplan in the docs. */
function dialplanAsks(channel: string, url: string, { from, to }: { from: string; to: string }): AskedOfPlatform {
  return formPost(withQuery(url, 'key', secret), { channel, from, to, event: 'incoming' }, () => ({}));
}

const audioSocket: CarrierPeer = {
  name: 'AudioSocket',
  carrier: 'asterisk-audiosocket',
  callId: '1763790000.41',
  credentials: ari,
  commands: ['DELETE /ari/channels/1763790000.41'],
  incoming(url, numbers) {
    return dialplanAsks(this.callId, url, numbers);
  },
  placeOf: ({ audioSocket: { host, port } }) => ({ kind: 'tcp', host, port }),
};

const chanWebSocket: CarrierPeer = {
  name: 'chan_websocket',
  carrier: 'asterisk-websocket',
  callId: '1763790000.42',
  credentials: ari,
  commands: ['DELETE /ari/channels/1763790000.42'],
  incoming(url, numbers) {
    return dialplanAsks(this.callId, url, numbers);
  },
  // The dialplan gets only the token, and knows the address.
  placeOf: ({ text }) => ({
    kind: 'websocket',
    url: `/telephony/asterisk-websocket/${found(text, /^connect (\S+)$/)}`,
    subprotocols: ['media'],
  }),
};

const audioFork: CarrierPeer = {
  name: 'an audio fork',
  carrier: 'audio-fork',
  callId: 'js-1',
  credentials: (apiUrl) => ({ accountSid: 'a', apiKey: 'k', webhookSecret: secret, apiUrl }),
  commands: ['PUT /v1/Accounts/a/Calls/js-1'],
  incoming(url, { from, to }) {
    const call = { call_sid: this.callId, call_status: 'trying', direction: 'inbound', from, to, account_sid: 'a' };
    return jsonPost(url, call, (body) => {
      const time = Math.floor(Date.now() / 1000);
      const signature = createHmac('sha256', secret).update(`${time}.${body}`).digest('hex');
      return { 'jambonz-signature': `t=${time},v1=${signature}` };
    });
  },
  placeOf: ({ text }) => ({
    kind: 'websocket',
    url: found(text, /"url":"([^"]+)"/),
    headers: { authorization: `Basic ${Buffer.from(`parley:${secret}`).toString('base64')}` },
    subprotocols: ['audio.jambonz.org'],
  }),
};

const loopback: CarrierPeer = {
  name: 'the simulated network',
  carrier: 'loopback',
  callId: 'LB1',
  credentials: () => ({ secret }),
  commands: [],
  incoming(url, { from, to }) {
    const body = JSON.stringify({ event: 'incoming', callId: this.callId, reference: 'r1', from, to });
    return { method: 'POST', url, ...signedRequest(secret, url, body) };
  },
  placeOf: ({ text }) => ({ kind: 'websocket', url: found(text, /"mediaUrl":"([^"]+)"/) }),
};

/** All carriers that send HTTP requests, which excludes SIP. */
export const carrierPeers: readonly CarrierPeer[] = [
  twilio,
  plivo,
  exotel,
  vonage,
  telnyx,
  audioSocket,
  chanWebSocket,
  audioFork,
  loopback,
];
