// The floor of the chain: Fastify, the client of NATS, a subscription in another process, and nothing of ours between them. With a model
// the subscription asks it, as a turn does; with Postgres each end has a row committed before its answer, many rows at a time.
import { Agent, request } from 'node:http';
import { connect, type Msg, type NatsConnection } from '@nats-io/transport-node';
import Fastify from 'fastify';
import { Client } from 'pg';
import { z } from 'zod';

const { port, natsUrl, modelUrl, postgresUrl } = z
  .object({
    natsUrl: z.string(),
    /** Of the end that clients ask; without it the process is the one that answers. */
    port: z.int().optional(),
    modelUrl: z.string().optional(),
    postgresUrl: z.string().optional(),
  })
  .parse(JSON.parse(process.argv[2] ?? '{}'));
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

const agent = new Agent({ keepAlive: true });

/** The words of a streamed answer. */
function wordsOf(question: string): Promise<string> {
  const messages = [{ role: 'user', content: question }];
  const body = JSON.stringify({ model: 'bare', stream: true, messages });
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  return new Promise((resolve, reject) => {
    const asked = request(modelUrl ?? '', { method: 'POST', agent, headers }, (response) => {
      let events = '';
      response.setEncoding('utf8').on('data', (text: string) => (events += text));
      response.on('end', () => {
        const data = events.split('\n').filter((line) => line.startsWith('data: {'));
        resolve(data.map((line) => JSON.parse(line.slice('data: '.length)).choices[0]?.delta?.content ?? '').join(''));
      });
    });
    asked.on('error', reject).end(body);
  });
}

interface Row {
  readonly id: string;
  readonly said: string;
}

/** Commits rows of one text each; those that come during a commit share the next one. */
async function rowsOf(table: string): Promise<(row: Row) => Promise<void>> {
  const client = new Client({ connectionString: postgresUrl });
  await client.connect();
  await client.query(`DROP TABLE IF EXISTS ${table}; CREATE TABLE ${table} (id uuid PRIMARY KEY, said text)`);
  const insert = { name: table, text: `INSERT INTO ${table} SELECT * FROM json_to_recordset($1) AS (id uuid, said text)` };
  let waiting: { row: Row; done(): void }[] = [];
  let isBusy = false;
  const commit = async (): Promise<void> => {
    isBusy = true;
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      await client.query({ ...insert, values: [JSON.stringify(batch.map(({ row }) => row))] });
      for (const { done } of batch) done();
    }
    isBusy = false;
  };
  return (row) =>
    new Promise((done) => {
      waiting.push({ row, done });
      if (!isBusy) void commit();
    });
}

async function answer(): Promise<void> {
  const nats = await connect({ servers: natsUrl, noAsyncTraces: true });
  const say = gathering(nats);
  const store = postgresUrl === undefined ? undefined : await rowsOf('bare_turns');
  const toAnswer = async (message: Msg): Promise<void> => {
    const { id, question } = message.json<{ id: string; question: string }>();
    const said = await wordsOf(question);
    await store?.({ id, said });
    say(message.reply ?? '', JSON.stringify({ said }));
  };
  const callback = (_error: unknown, message: Msg): void => {
    if (modelUrl === undefined) say(message.reply ?? '', JSON.stringify(languages));
    else void toAnswer(message);
  };
  nats.subscribe(subject, { queue: 'bare', callback });
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
  const charge = postgresUrl === undefined ? undefined : await rowsOf('bare_charges');
  let asked = 0;
  const answered = async (question: string): Promise<object> => {
    asked += 1;
    const address = `${inbox}.${asked}`;
    const answer = new Promise<Msg>((resolve) => waiting.set(address, resolve));
    say(subject, question, address);
    return { statusCode: 200, message: 'OK', data: (await answer).json() };
  };
  const server = Fastify();
  server.get('/', () => answered('{}'));
  server.post('/', async ({ body }) => {
    const id = crypto.randomUUID();
    const { question } = z.object({ question: z.string() }).parse(body);
    const [reply] = await Promise.all([answered(JSON.stringify({ id, question })), charge?.({ id, said: question })]);
    return reply;
  });
  await server.listen({ host: '127.0.0.1', port });
}

void (port === undefined ? answer() : ask()).then(() => process.stdout.write('listening\n'));
