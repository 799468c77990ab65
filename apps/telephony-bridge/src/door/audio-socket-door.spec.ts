import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { listCalls } from '@parley/contracts';
import { eventually } from '@parley/testing';
import { BridgeHarness, freePort } from '../testing/bridge-harness.suite';

const frame = (kind: number, payload: Uint8Array): Buffer => {
  const head = Buffer.alloc(3);
  head.writeUInt8(kind);
  head.writeUInt16BE(payload.length, 1);
  return Buffer.concat([head, payload]);
};

describe('an AudioSocket', () => {
  let harness: BridgeHarness;
  let port: number;
  beforeAll(async () => {
    port = await freePort();
    harness = await BridgeHarness.open({ AUDIOSOCKET_PORT: String(port) });
  });
  afterAll(() => harness.close());

  const dial = async (uuid: string) => {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined);
    await once(socket, 'connect');
    socket.write(frame(0x01, Buffer.from(uuid.replaceAll('-', ''), 'hex')));
    return socket;
  };

  it('belongs to the call whose token it starts with, once, and ends with it', async () => {
    const shop = await harness.shop();
    const { callId } = harness.network.newCall();
    const incoming = { kind: 'incoming', callId, from: '+919820012345', to: shop.number.number } as const;
    const { plan } = await harness.network.tell(shop.webhooks.answer, [incoming]);
    if (plan?.kind !== 'connect') throw new Error('not taken');
    const token = plan.mediaUrl.split('/').at(-1) ?? '';
    const socket = await dial(token);
    await eventually('the agent is on the line', () => harness.scripted.lines.length === 1);
    const { opening, sounds } = harness.scripted.last;
    expect(opening).toMatchObject({ encoding: 'pcm16', sampleRate: 8000 });
    socket.write(frame(0x10, new Uint8Array(320).fill(0x33)));
    await eventually('the agent hears', () => sounds.length > 0);
    expect(Buffer.concat(sounds)).toEqual(Buffer.alloc(320, 0x33));
    const again = await dial(token);
    again.resume();
    await once(again, 'close');
    socket.end(frame(0x00, new Uint8Array()));
    await eventually('the call is over', async () => (await shop.ask(listCalls, { state: 'COMPLETED' })).totalCount === 1);
  });

  it('and a WebSocket without a token lose their connection, even if they keep their half of it', async () => {
    const unknown = await dial(randomUUID());
    const { port: httpPort } = new URL(harness.url);
    const upgrade = connect({ port: Number(httpPort), host: '127.0.0.1', allowHalfOpen: true }).on('error', () => undefined);
    await once(upgrade, 'connect');
    const head = [
      'GET /telephony/loopback/an-unknown-token-0123 HTTP/1.1',
      'Host: here',
      'Connection: Upgrade',
      'Upgrade: websocket',
    ];
    upgrade.write(`${head.join('\r\n')}\r\n\r\n`);
    const [answer] = await once(upgrade, 'data');
    expect(String(answer)).toMatch(/^HTTP\/1.1 403 /);
    for (const socket of [unknown, upgrade])
      await eventually('it is closed', () => {
        socket.write('x');
        return socket.destroyed;
      });
  });
});
