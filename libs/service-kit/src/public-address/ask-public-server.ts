import { type Door, publicDoor, wayThrough } from './public-door';

export interface PublicRequest {
  readonly url: string;
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly timeoutMs: number;
  /** What is read of the answer; the rest is left. */
  readonly bytesMax: number;
  readonly signal?: AbortSignal;
}

export interface PublicAnswer {
  readonly status: number;
  readonly body: string;
}

/** A way to ask a server whose address a customer gave. Tests put their own in its place. */
export type AskPublicServer = (request: PublicRequest) => Promise<PublicAnswer>;

/** Asks servers of the open Internet alone. Redirects are answers like any other and never followed. */
export const askPublicServer: AskPublicServer = askThrough(publicDoor);

/** The same with other rules about who may be reached. */
export function askThrough(door: Door): AskPublicServer {
  return async ({ url: address, method = 'GET', headers, body, timeoutMs, bytesMax, signal }) => {
    const url = new URL(address);
    const { start, lookup } = wayThrough(door, url);
    const { promise, resolve: answer, reject } = Promise.withResolvers<PublicAnswer>();
    const until = AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(signal ? [signal] : [])]);
    const outgoing = start(url, { method, headers, lookup, agent: false, signal: until }, (response) => {
      const parts: Buffer[] = [];
      let bytes = 0;
      const finish = () =>
        answer({ status: response.statusCode ?? 0, body: Buffer.concat(parts).subarray(0, bytesMax).toString('utf8') });
      response.on('data', (part: Buffer) => {
        parts.push(part);
        bytes += part.length;
        if (bytes < bytesMax) return;
        finish();
        response.destroy();
      });
      response.on('end', finish).on('error', reject);
    });
    outgoing.on('error', reject).end(body);
    return promise;
  };
}
