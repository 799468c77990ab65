import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import { SkipThrottle } from '@nestjs/throttler';
import { Fault } from '@parley/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { RequiredAccess } from '../endpoint/endpoint';
import { DemoWidget } from './demo/demo.controller';
import { pageFile, type PageFile, sendPage } from './page-files';

const assetNames = [
  'pages.css',
  'icon.svg',
  'landing.js',
  'accept-invite.js',
  'elements.js',
  'reference.js',
  'operation-view.js',
  'socket-view.js',
  'schemas.js',
  'try-it.js',
];

/** The landing page and the API reference, from our own files. */
@Controller()
@RequiredAccess({ keys: 'public', needs: 'nothing' })
export class PagesController {
  private readonly landing: PageFile;
  private readonly reference = pageFile('docs.html');
  private readonly invitation = pageFile('accept-invite.html');
  private readonly assets = new Map(assetNames.map((name) => [name, pageFile(name)]));

  /** Nobody is led to a demo that this installation does not have. */
  constructor(demo: DemoWidget) {
    this.landing = pageFile('index.html', (line) => !demo.isWished && line.includes('href="/demo"'));
  }

  @Get()
  landingPage(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    sendPage(this.landing, request, reply);
  }

  @Get('docs')
  referencePage(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    sendPage(this.reference, request, reply);
  }

  @Get('accept-invite')
  invitationPage(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    sendPage(this.invitation, request, reply);
  }

  @Get('assets/:name')
  asset(@Param('name') name: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    const file = this.assets.get(name);
    if (!file) throw new Fault('ROUTE_NOT_FOUND');
    sendPage(file, request, reply);
  }
}

/** Whether the public door answers. Whether its process is ready for traffic is told on the admin port. */
@SkipThrottle()
@Controller('health')
@RequiredAccess({ keys: 'public', needs: 'nothing' })
export class HealthController {
  @Get()
  live(): { status: string } {
    return { status: 'live' };
  }
}
