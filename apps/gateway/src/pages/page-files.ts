import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { FastifyReply, FastifyRequest } from 'fastify';

const folder = path.join(__dirname, '../../public');
const contentTypes: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** One file of our own pages as it is sent. */
export interface PageFile {
  readonly body: Buffer;
  readonly contentType: string;
  readonly etag: string;
}

/** Reads a file of the `public` folder, once at start: nothing that a request says ever becomes a path. */
export function pageFile(name: string, leavesOut?: (line: string) => boolean): PageFile {
  const file = readFileSync(path.join(folder, name));
  const body = leavesOut
    ? Buffer.from(
        file
          .toString('utf8')
          .split('\n')
          .filter((line) => !leavesOut(line))
          .join('\n'),
      )
    : file;
  const hash = createHash('sha256').update(body).digest('base64url').slice(0, 22);
  return { body, contentType: contentTypes[path.extname(name)] ?? 'application/octet-stream', etag: `"${hash}"` };
}

/** Every file of a folder below `public`, by its name. */
export function pageFiles(below: string): ReadonlyMap<string, PageFile> {
  return new Map(readdirSync(path.join(folder, below)).map((name) => [name, pageFile(path.join(below, name))]));
}

// Everything comes from this server and talks to this server; nothing may frame the pages.
const contentSecurityPolicy = (server = ''): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    `connect-src 'self' ${server}`.trim(),
    "media-src 'self' blob:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

/** Sends a file of our own pages, once to a client that keeps it. `talksTo` is another server that it may open a socket to. */
export function sendPage(
  { body, contentType, etag }: PageFile,
  request: FastifyRequest,
  reply: FastifyReply,
  talksTo?: string,
): void {
  reply.headers({
    etag,
    'cache-control': 'no-cache',
    'content-security-policy': contentSecurityPolicy(talksTo),
    'referrer-policy': 'no-referrer',
  });
  if (request.headers['if-none-match'] === etag) reply.status(304).send();
  else reply.type(contentType).send(body);
}
