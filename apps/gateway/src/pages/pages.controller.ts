import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';
import { Controller, type DynamicModule, Get, Module, Param, Req, Res } from '@nestjs/common';
import { SkipThrottle } from '@nestjs/throttler';
import { Fault } from '@parley/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { GatewayConfig } from '../config';
import { RequiredAccess } from '../endpoint/endpoint';

const publicIdLengthMax = 100;

/** The demo page's widget, as configured. */
class DemoWidget {
  constructor(private readonly config: Pick<GatewayConfig, 'DEMO_WIDGET' | 'DEMO_WIDGET_FILE' | 'DEMO_PHONE_URL'>) {}

  /** Whether there is a demo page. */
  get isEnabled(): boolean {
    return Boolean(this.config.DEMO_WIDGET ?? this.config.DEMO_WIDGET_FILE);
  }

  /** The address of the telephone on the page, which calls the agent. */
  get phoneUrl(): string | undefined {
    return this.config.DEMO_PHONE_URL;
  }

  /** Its public id; undefined until the file exists, which the first start writes after it begins to serve requests. */
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

/** The page where newcomers talk to the demo agent, served from our own files. Exists only if a demo widget is configured. */
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

/** The demo page, if enabled. */
@Module({})
export class DemoModule {
  static with(config: GatewayConfig): DynamicModule {
    const widget = new DemoWidget(config);
    const controllers = widget.isEnabled ? [DemoController] : [];
    return { module: DemoModule, controllers, providers: [{ provide: DemoWidget, useValue: widget }], exports: [DemoWidget] };
  }
}

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

/** The landing page and the API reference, served from our own files. */
@Controller()
@RequiredAccess({ keys: 'public', needs: 'nothing' })
export class PagesController {
  private readonly landing: PageFile;
  private readonly reference = pageFile('docs.html');
  private readonly invitation = pageFile('accept-invite.html');
  private readonly assets = new Map(assetNames.map((name) => [name, pageFile(name)]));

  /** Leaves out the link to the demo if there is none. */
  constructor(demo: DemoWidget) {
    this.landing = pageFile('index.html', (line) => !demo.isEnabled && line.includes('href="/demo"'));
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

/** Whether the public port answers. Readiness for traffic is reported on the admin port. */
@SkipThrottle()
@Controller('health')
@RequiredAccess({ keys: 'public', needs: 'nothing' })
export class HealthController {
  @Get()
  live(): { status: string } {
    return { status: 'live' };
  }
}

const folder = path.join(__dirname, '../../public');
const contentTypes: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** One of our own page files. */
interface PageFile {
  readonly body: Buffer;
  readonly contentType: string;
  readonly etag: string;
}

/** Reads a file of the `public` folder once, at start: no part of a request ever becomes a path. */
function pageFile(name: string, leavesOut?: (line: string) => boolean): PageFile {
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

/** Every file in a folder below `public`, by name. */
function pageFiles(below: string): ReadonlyMap<string, PageFile> {
  return new Map(readdirSync(path.join(folder, below)).map((name) => [name, pageFile(path.join(below, name))]));
}

// Everything is loaded from this server and connects only to it; nothing may frame the pages.
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

/** Sends one of our own page files, with caching. `talksTo` is another server that the page may open a socket to. */
function sendPage({ body, contentType, etag }: PageFile, request: FastifyRequest, reply: FastifyReply, talksTo?: string): void {
  reply.headers({
    etag,
    'cache-control': 'no-cache',
    'content-security-policy': contentSecurityPolicy(talksTo),
    'referrer-policy': 'no-referrer',
  });
  if (request.headers['if-none-match'] === etag) reply.status(304).send();
  else reply.type(contentType).send(body);
}
