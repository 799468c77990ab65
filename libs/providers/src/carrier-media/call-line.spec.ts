import { once } from 'node:events';
import type { MediaEvent, WireMessage } from '@parley/ports';
import { ManualClock } from '@parley/ports/suites';
import { WebSocket, WebSocketServer } from 'ws';
import { audioForkMedia } from '../audio-fork';
import { audioSocketMedia } from '../asterisk-audiosocket/audiosocket-media';
import { twilioMedia } from '../twilio';
import { mediaOverWebSocket } from './index';

const start = JSON.stringify({
  event: 'start',
  start: { streamSid: 'MZ1', callSid: 'CA1', mediaFormat: { encoding: 'audio/x-mulaw', sampleRate: 8000 }, customParameters: {} },
});

/** A Twilio line whose wire only records. */
function openLine(protocol = twilioMedia) {
  const clock = new ManualClock();
  const events: MediaEvent[] = [];
  const sent: WireMessage[] = [];
  const wire = {
    send: (message: WireMessage) => void sent.push(message),
    close: () => void sent.push('closed'),
    bufferedBytes: 0,
  };
  const media = protocol.open({ wire, clock, hear: (event) => events.push(event) });
  return { clock, events, sent, wire, media };
}

describe('the line of a call', () => {
  it('leaves no timer behind when it ends, in any state', () => {
    const { clock, media } = openLine();
    media.receive(start);
    media.send(new Uint8Array(100));
    media.mark('m');
    media.hangUp();
    expect(clock.waiting).toBeGreaterThan(0);
    media.disconnected({ isClean: false, message: 'reset' });
    expect(clock.waiting).toBe(0);
    const paced = openLine(audioSocketMedia);
    paced.media.receive(
      Buffer.concat([Buffer.from([1, 0, 16]), Buffer.alloc(16, 1), Buffer.from([16, 1, 64]), Buffer.alloc(320)]),
    );
    paced.media.send(new Uint8Array(32_000));
    expect(paced.clock.waiting).toBeGreaterThan(0);
    paced.media.close('lost', 'x');
    expect(paced.clock.waiting).toBe(0);
  });

  it('is lost, instead of leaking memory, when the carrier stops reading', () => {
    const { media, wire, events, sent } = openLine();
    media.receive(start);
    wire.bufferedBytes = 1024 * 1024 + 1;
    media.send(new Uint8Array(160));
    expect(events.at(-1)).toMatchObject({ kind: 'ended', reason: 'lost' });
    expect(sent.at(-1)).toBe('closed');
  });

  it('buffers at most two minutes of audio, and reports what it drops', () => {
    const { media, events } = openLine(audioForkMedia);
    media.receive('{"sampleRate":8000}');
    for (let second = 0; second < 200; second++) media.send(new Uint8Array(16_000));
    expect(events.filter(({ kind }) => kind === 'warning').length).toBeGreaterThan(60);
  });

  it('releases held audio in pieces of 20 ms', () => {
    const { media, clock, sent } = openLine(audioForkMedia);
    media.receive('{"sampleRate":8000}');
    for (let second = 0; second < 30; second++) media.send(new Uint8Array(16_000));
    clock.pass(40_000);
    const lengths = sent.map((message) => message.length);
    expect(lengths.reduce((sum, length) => sum + length, 0)).toBe(480_000);
    expect(Math.min(...lengths)).toBeGreaterThanOrEqual(320);
  });

  it('passes audio on without copying if the carrier’s format is the same', () => {
    const { media, events, sent } = openLine(audioForkMedia);
    media.receive('{"sampleRate":8000}');
    const [theirs, ours] = [new Uint8Array(320).fill(1), new Uint8Array(320).fill(2)];
    media.receive(theirs);
    media.send(ours);
    expect(events.at(-1)).toMatchObject({ kind: 'audio' });
    expect(events.some((event) => event.kind === 'audio' && event.bytes === theirs)).toBe(true);
    expect(sent.at(-1)).toBe(ours);
  });

  it('reports at most a hundred warnings, and keeps at most a thousand marks', () => {
    const { media, events } = openLine();
    media.receive(start);
    for (let i = 0; i < 3000; i++) media.mark(`m${i}`);
    expect(events.filter(({ kind }) => kind === 'warning')).toHaveLength(100);
    media.clear();
    expect(events.filter(({ kind }) => kind === 'mark')).toHaveLength(1000);
  });
});

describe('a line over a real WebSocket', () => {
  /** Our end of a connection, on the test's clock, and the other end. */
  async function connected() {
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const theirs = new WebSocket(`ws://127.0.0.1:${port}`, { autoPong: false });
    const [socket] = await once(server, 'connection');
    const clock = new ManualClock();
    const events: MediaEvent[] = [];
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    const { promise: started, resolve: begin } = Promise.withResolvers<void>();
    const media = mediaOverWebSocket(socket, {
      protocol: twilioMedia,
      clock,
      hear: (event) => {
        events.push(event);
        if (event.kind === 'started') begin();
        if (event.kind === 'ended') resolve();
      },
    });
    if (theirs.readyState !== WebSocket.OPEN) await once(theirs, 'open');
    return { server, theirs, clock, events, media, ended, started };
  }

  it('is lost if the other end answers no ping, even if the connection stands', async () => {
    const { server, theirs, clock, events, ended, started } = await connected();
    theirs.send(start);
    await started;
    clock.pass(10_000);
    await once(theirs, 'ping');
    clock.pass(10_000);
    await ended;
    expect(events.at(-1)).toMatchObject({ kind: 'ended', reason: 'lost', message: expect.stringContaining('does not answer') });
    server.close();
  });

  it('is lost if it breaks, or closes without the carrier’s final message', async () => {
    for (const leave of ['terminate', 'close'] as const) {
      const { server, theirs, events, ended, started } = await connected();
      theirs.send(start);
      await started;
      theirs[leave]();
      await ended;
      expect(events.at(-1)).toMatchObject({ kind: 'ended', reason: 'lost' });
      server.close();
    }
  });
});
