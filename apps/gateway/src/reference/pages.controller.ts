import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import { Fault } from '@parley/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { RequiredAccess } from '../access/access.guard';
import { type PageFile, pageFile } from './page-files';

// Everything comes from this server and talks to this server; nothing may frame the pages.
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "media-src 'self' blob:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const assetNames = ['pages.css', 'icon.svg', 'elements.js', 'reference.js', 'operation-view.js', 'socket-view.js', 'schemas.js', 'try-it.js'];

/** The landing page and the API reference, from our own files. */
@Controller()
@RequiredAccess({ keys: 'public', needs: 'nothing' })
export class PagesController {
  private readonly landing = pageFile('index.html');
  private readonly reference = pageFile('docs.html');
  private readonly assets = new Map(assetNames.map((name) => [name, pageFile(name)]));

  @Get()
  landingPage(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    send(this.landing, request, reply);
  }

  @Get('docs')
  referencePage(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    send(this.reference, request, reply);
  }

  @Get('assets/:name')
  asset(@Param('name') name: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    const file = this.assets.get(name);
    if (!file) throw new Fault('ROUTE_NOT_FOUND');
    send(file, request, reply);
  }
}

function send({ body, contentType, etag }: PageFile, request: FastifyRequest, reply: FastifyReply): void {
  reply.headers({
    etag,
    'cache-control': 'no-cache',
    'content-security-policy': contentSecurityPolicy,
    'referrer-policy': 'no-referrer',
  });
  if (request.headers['if-none-match'] === etag) reply.status(304).send();
  else reply.type(contentType).send(body);
}
