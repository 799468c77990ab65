import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';

const connections = new Agent({ keepAlive: true, maxSockets: 2000 });
const stamp = /left@(\d+)/;

/** A stream of events whose first word has come. */
export interface OpenStream {
  /** From the moment at which the model sent its first word to the one at which we had it. */
  readonly firstWordMs: number;
  /** Reads the rest. */
  end(): Promise<void>;
  /** Leaves it, as a client does that closes its window. */
  leave(): void;
}

/** Asks for a streamed answer and waits for the first word of it. The clock of the stamp is that of all processes of this machine. */
export async function openStream(url: string, headers: Record<string, string>, body: string): Promise<OpenStream> {
  const outgoing = request(url, { method: 'POST', headers, agent: connections }).end(body);
  const [response]: [IncomingMessage] = await once(outgoing, 'response').then(([first]) => [first]);
  if (response.statusCode !== 200) throw new Error(`a stream was refused: ${response.statusCode}`);
  let text = '';
  while (!stamp.test(text)) {
    const [piece] = await once(response, 'data');
    text += String(piece);
  }
  const firstWordMs = Number(process.hrtime.bigint() - BigInt(stamp.exec(text)?.[1] ?? 0)) / 1_000_000;
  return {
    firstWordMs,
    end: async () => {
      response.resume();
      if (!response.readableEnded) await once(response, 'end');
    },
    leave: () => void outgoing.destroy(),
  };
}
