import { open } from 'node:fs/promises';
import { Controller, type DynamicModule, Get, Module, Param, Req, Res } from '@nestjs/common';
import { Fault } from '@parley/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { GatewayConfig } from '../../config';
import { RequiredAccess } from '../../endpoint/endpoint';
import { pageFiles, sendPage } from '../page-files';

const publicIdLengthMax = 100;

/** The widget through which visitors of the demo page talk, as the operator or the host of this machine named it. */
export class DemoWidget {
  constructor(private readonly config: Pick<GatewayConfig, 'DEMO_WIDGET' | 'DEMO_WIDGET_FILE' | 'DEMO_PHONE_URL'>) {}

  /** Whether there is a demo page at all. */
  get isWished(): boolean {
    return Boolean(this.config.DEMO_WIDGET ?? this.config.DEMO_WIDGET_FILE);
  }

  /** Where the telephone of the page is, by which the agent is called. */
  get phoneUrl(): string | undefined {
    return this.config.DEMO_PHONE_URL;
  }

  /** Its public id; undefined while the file has not been written, which happens after the first start's door is open. */
  async publicId(): Promise<string | undefined> {
    const { DEMO_WIDGET, DEMO_WIDGET_FILE } = this.config;
    const text = DEMO_WIDGET ?? (DEMO_WIDGET_FILE ? await beginningOf(DEMO_WIDGET_FILE) : '');
    return /^wdg_[\w-]+$/.exec(text.trim())?.[0];
  }
}

async function beginningOf(file: string): Promise<string> {
  const handle = await open(file).catch(() => undefined);
  if (!handle) return '';
  try {
    const { buffer, bytesRead } = await handle.read({ buffer: Buffer.alloc(publicIdLengthMax) });
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await handle.close();
  }
}

/** The page on which a newcomer talks with the demo agent, from our own files. It is there only when a demo widget is wished. */
@Controller('demo')
@RequiredAccess({ keys: 'public', needs: 'nothing' })
class DemoController {
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

/** The demo page, where somebody wishes it. */
@Module({})
export class DemoModule {
  static with(config: GatewayConfig): DynamicModule {
    const widget = new DemoWidget(config);
    const controllers = widget.isWished ? [DemoController] : [];
    return { module: DemoModule, controllers, providers: [{ provide: DemoWidget, useValue: widget }], exports: [DemoWidget] };
  }
}
