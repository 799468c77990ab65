import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import { Fault } from '@parley/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { RequiredAccess } from '../../endpoint/endpoint';
import { pageFiles } from '../page-files';
import { sendPage } from '../send-page';
import { DemoWidget } from './demo-widget';

/** The page on which a newcomer talks with the demo agent, from our own files. It is there only when a demo widget is wished. */
@Controller('demo')
@RequiredAccess({ keys: 'public', needs: 'nothing' })
export class DemoController {
  private readonly files = pageFiles('demo');

  constructor(private readonly widget: DemoWidget) {}

  @Get()
  page(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    this.file('demo.html', request, reply);
  }

  @Get('widget')
  async publicId(): Promise<{ widget: string | null; phone: string | null }> {
    return { widget: (await this.widget.publicId()) ?? null, phone: this.widget.phoneUrl ?? null };
  }

  @Get(':name')
  file(@Param('name') name: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    const file = this.files.get(name);
    if (!file) throw new Fault('ROUTE_NOT_FOUND');
    sendPage(file, request, reply, this.widget.phoneUrl);
  }
}
