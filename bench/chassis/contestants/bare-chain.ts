// The lower bound for the chain: Fastify, the NATS client and a subscription in another process, with nothing of ours between
// them.
import { connect, type Msg, type NatsConnection } from '@nats-io/transport-node';
import Fastify from 'fastify';

const [port, natsUrl = '', isAnswering] = process.argv.slice(2);
const subject = 'bench.bare-chain';
const languages = [1, 2, 3].map((LanguageID) => ({
  LanguageKeyID: `55f3b5d7-9e1a-4c3d-8e5f-7a9b1c3d5e7${LanguageID}`,
  LanguageID,
  name: 'english',
  label: 'English',
  tag: 'en-IN',
}));

/** At the end of each turn of the event loop, sends everything from that turn in one socket write. */
function gathering(nats: NatsConnection): (subject: string, text: string, reply?: string) => void {
  let said: Parameters<NatsConnection['publish']>[] = [];
  const send = (): void => {
    const leaving = said;
    said = [];
    for (const message of leaving) nats.publish(...message);
  };
  return (address, text, reply) => {
    if (said.push([address, text, reply === undefined ? {} : { reply }]) === 1) setImmediate(send);
  };
}

async function answer(): Promise<void> {
  const nats = await connect({ servers: natsUrl, noAsyncTraces: true });
  const say = gathering(nats);
  nats.subscribe(subject, { queue: 'bare', callback: (_error, { reply = '' }) => say(reply, JSON.stringify(languages)) });
  await nats.flush();
}

async function ask(): Promise<void> {
  const nats = await connect({ servers: natsUrl, noAsyncTraces: true });
  const waiting = new Map<string, (answer: Msg) => void>();
  const inbox = `bench.inbox.${process.pid}`;
  nats.subscribe(`${inbox}.*`, {
    callback: (_error, message) => {
      waiting.get(message.subject)?.(message);
      waiting.delete(message.subject);
    },
  });
  const say = gathering(nats);
  let asked = 0;
  const server = Fastify();
  server.get('/', async () => {
    asked += 1;
    const address = `${inbox}.${asked}`;
    const answered = new Promise<Msg>((resolve) => waiting.set(address, resolve));
    say(subject, '{}', address);
    return { statusCode: 200, message: 'OK', data: (await answered).json() };
  });
  await server.listen({ host: '127.0.0.1', port: Number(port) });
}

void (isAnswering ? answer() : ask()).then(() => process.stdout.write('listening\n'));
