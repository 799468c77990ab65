import http, { type ClientRequest, type IncomingMessage } from 'node:http';
import https from 'node:https';

/** A server's refusal, with what its protocol says about it. */
class Refused extends Error {
  constructor(
    readonly status: number,
    readonly headers: http.IncomingHttpHeaders,
    complaint: string,
  ) {
    super(`status ${status}: ${complaint}`);
  }
}

const complaintCharactersMax = 500;
const complaintBytesMax = 64 * 1024;
const idleConnectionsMax = 256;

/** Posts JSON to one address over connections that stay open. */
export class JsonPoster {
  private readonly agent: http.Agent;

  constructor(
    private readonly url: URL,
    private readonly headers: Readonly<Record<string, string>>,
  ) {
    const options = { keepAlive: true, maxFreeSockets: idleConnectionsMax };
    this.agent = url.protocol === 'https:' ? new https.Agent(options) : new http.Agent(options);
  }

  /** The response once it has begun, if it is a success. The signal ends the exchange at any time. */
  async post(body: string, signal: AbortSignal): Promise<IncomingMessage> {
    const response = await this.send(body, signal);
    const { statusCode = 0, headers } = response;
    if (statusCode >= 200 && statusCode < 300) return response;
    throw new Refused(statusCode, headers, await complaintOf(response));
  }

  private send(body: string, signal: AbortSignal): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const outgoing = this.begin(body);
      let hasBegun = false;
      const leave = (): void => void outgoing.destroy();
      signal.addEventListener('abort', leave, { once: true });
      outgoing.once('close', () => signal.removeEventListener('abort', leave));
      outgoing.once('response', (response) => {
        hasBegun = true;
        resolve(response);
      });
      outgoing.once('error', (error: NodeJS.ErrnoException) => {
        // The server closed an idle connection just as it was used again: nothing of this request has been answered.
        const wasStale = outgoing.reusedSocket && error.code === 'ECONNRESET' && !hasBegun && !signal.aborted;
        if (wasStale) this.send(body, signal).then(resolve, reject);
        else reject(error);
      });
    });
  }

  private begin(body: string): ClientRequest {
    const { request } = this.url.protocol === 'https:' ? https : http;
    const headers = { ...this.headers, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const outgoing = request(this.url, { method: 'POST', agent: this.agent, headers });
    outgoing.end(body);
    return outgoing;
  }
}

async function complaintOf(response: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const part of response) {
      parts.push(part);
      bytes += parts.at(-1)?.length ?? 0;
      if (bytes > complaintBytesMax) break;
    }
  } catch {
    return 'its complaint broke off';
  }
  return Buffer.concat(parts).toString().slice(0, complaintCharactersMax);
}
