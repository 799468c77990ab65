import { once } from 'node:events';
import { createServer } from 'node:http';
import { bytesOfMs, type CallNotice, type MediaEvent, secretFieldsOf } from '@parley/ports';
import { realClock } from '@parley/voice-session';
import { WebSocketServer } from 'ws';
import { z } from 'zod';
import { mediaOverWebSocket } from '../carrier-media';
import { loopback, LoopbackNetwork, serveNetwork } from '../loopback';
import { carriers } from '.';
import { unchecked } from '../carrier-http/stub-carrier-api';

describe('the catalogue of carriers', () => {
  it('has no duplicate ids, and ids that fit into a URL', () => {
    const ids = carriers.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^[a-z][a-z0-9-]{1,31}$/);
  });

  it.each(carriers)('marks the secrets of $name', (carrier) => {
    const secrets = secretFieldsOf(carrier);
    const suspicious = Object.keys(carrier.credentials.shape).filter((field) =>
      /token|secret|password|privatekey|apikey/i.test(field),
    );
    expect(secrets.sort()).toEqual(suspicious.sort());
    expect(secrets.length).toBeGreaterThan(0);
  });

  const addressFields: Readonly<Record<string, (host: string) => string>> = {
    trunk: (host) => `sip:${host};transport=tcp`,
    domain: (host) => host,
    publicHost: (host) => host,
    ariUrl: (host) => `http://${host}:8088/ari`,
  };
  const addresses = carriers.flatMap(({ name, credentials }) =>
    Object.entries(credentials.shape).flatMap(([field, schema]) => {
      const written = addressFields[field];
      return written ? [{ name, field, takes: (host: string) => z.safeParse(schema, written(host)).success }] : [];
    }),
  );

  it.each(addresses)('refuses hosts that cannot exist in $field of $name', ({ takes }) => {
    expect(['pbx.example', '10.0.0.5', 'xn--mnchen-3ya.de'].map(takes)).toEqual([true, true, true]);
    expect(['a..b', 'a-.example', 'xn--', '-'].filter(takes)).toEqual([]);
  });

  it.each(carriers)('describes the media of $name in consistent numbers', ({ capabilities: { media } }) => {
    const [format] = media.formats;
    if (!format) throw new Error('a carrier without a format');
    expect(media.chunk.bytesMax).toBeGreaterThanOrEqual(media.chunk.bytesMin);
    expect(media.chunk.bytesMin % media.chunk.bytesMultiple).toBe(0);
    expect(media.leadMs).toBeLessThanOrEqual(Math.max(media.aheadMsMax, 60));
    expect(bytesOfMs(format, media.leadMs)).toBeGreaterThanOrEqual(media.chunk.bytesMin);
  });
});

describe('a whole call over real sockets', () => {
  it('rings, is answered over HTTP, talks over a WebSocket and ends, with the network in another process', async () => {
    const notices: CallNotice[] = [];
    const events: MediaEvent[] = [];
    const { promise: isOver, resolve: over } = Promise.withResolvers<void>();
    const { promise: isMarked, resolve: marked } = Promise.withResolvers<void>();
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const publicUrl = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
    const network = new LoopbackNetwork({ clock: realClock });
    network.connect('+15550000009', {
      answers: 'picks-up',
      ringMs: 10,
      script: [
        { kind: 'press', digits: '7' },
        { kind: 'wait', ms: 60_000 },
      ],
    });
    const remote = await serveNetwork(network);
    const credentials = loopback.credentials.parse({ networkUrl: remote.url });
    const carrier = loopback.open(credentials, { publicUrl, clock: realClock });
    server.on('request', async (request, response) => {
      const body = Buffer.concat(await request.toArray());
      const asked = { method: 'POST', path: request.url ?? '', headers: request.headers, body };
      expect(carrier.webhooks?.verify(asked, new Date())).toEqual({ isGenuine: true });
      const told = carrier.webhooks?.read(asked) ?? [];
      notices.push(...told);
      const reply =
        told[0]?.kind === 'answering'
          ? await carrier.webhooks?.answer(told[0].callId, {
              kind: 'connect',
              mediaUrl: `${publicUrl.replace('http', 'ws')}/media/tok`,
              statusUrl: '',
            })
          : carrier.webhooks?.acknowledged;
      response.writeHead(reply?.status ?? 500).end(reply?.body);
      if (told.some((notice) => notice.kind === 'state' && notice.state === 'completed')) over();
    });
    const sockets = new WebSocketServer({ server });
    sockets.on('connection', (socket) => {
      if (!carrier.media) throw new Error('no media');
      const media = mediaOverWebSocket(socket, {
        protocol: carrier.media,
        clock: realClock,
        hear: (event) => {
          events.push(event);
          if (event.kind === 'mark') marked();
          if (event.kind === 'started') {
            media.send(new Uint8Array(800).fill(0x10));
            media.mark('heard');
          }
        },
      });
      void isMarked.then(() => media.hangUp());
    });
    const urls = { answerUrl: `${publicUrl}/answer`, statusUrl: `${publicUrl}/status`, mediaUrl: '' };
    const order = {
      ...urls,
      reference: 'r1',
      from: '+1',
      to: unchecked('+15550000009'),
      ringSeconds: 5,
      secondsMax: 60,
      detectMachine: false,
    };
    const placed = await carrier.control?.place(order);
    expect((await carrier.control?.place(order))?.callId).toBe(placed?.callId);
    await isOver;
    expect(notices.flatMap((notice) => (notice.kind === 'state' ? [notice.state] : []))).toEqual([
      'ringing',
      'answered',
      'completed',
    ]);
    expect(events.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['started', 'audio', 'digit', 'mark', 'ended']));
    expect(events.at(-1)).toMatchObject({ kind: 'ended', reason: 'hung-up' });
    expect(await carrier.control?.find({ reference: 'r1', from: '', to: '', placedAfter: new Date(0) })).toMatchObject({
      state: 'completed',
    });
    network.close();
    sockets.close();
    await remote.close();
    server.closeAllConnections();
    server.close();
  });
});
