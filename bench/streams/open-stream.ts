import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';

const connections = new Agent({ keepAlive: true, maxSockets: 2000 });
const stamp = /left@(\d+)/;

/** A stream of events whose first word has arrived. */
export interface OpenStream {
  /** From when the model sent its first word until it arrived here. */
  readonly firstWordMs: number;
  /** Reads the rest. */
  end(): Promise<void>;
  /** Disconnects, like a client that closes its window. */
  leave(): void;
}

/** Requests a streamed answer and waits for its first word. All processes of this machine share the clock of the timestamp. */
export async function openStream(url: string, headers: Record<string, string>, body: string): Promise<OpenStream> {
  const outgoing = request(url, { method: 'POST', headers, agent: connections }).end(body);
  const [response]: [IncomingMessage] = await once(outgoing, 'response').then(([first]) => [first]);
  if (response.statusCode !== 200) throw new Error(`a stream was refused: ${response.statusCode}`);
  const ended = once(response, 'end');
  const sentAt = await stampIn(response);
  const firstWordMs = Number(process.hrtime.bigint() - sentAt) / 1_000_000;
  return {
    firstWordMs,
    end: async () => void (await ended),
    leave: () => {
      ended.catch(() => undefined);
      outgoing.destroy();
    },
  };
}

/** Listens continuously: events that arrive together would otherwise be missed. */
function stampIn(response: IncomingMessage): Promise<bigint> {
  let text = '';
  return new Promise((resolve, reject) => {
    response.on('data', (piece: Buffer) => {
      text += piece.toString();
      const found = stamp.exec(text);
      if (found) resolve(BigInt(found[1] ?? 0));
    });
    response.once('close', () => reject(new Error('a stream ended without its first word')));
  });
}
