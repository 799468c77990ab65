import type { FastifyReply, FastifyRequest } from 'fastify';
import type { PageFile } from './page-files';

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
