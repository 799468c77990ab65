import { once } from 'node:events';
import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Body, Controller, HttpCode, Module, Post, Req, Res } from '@nestjs/common';
import { APP_FILTER, NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Fault, type FaultCode } from '@parley/contracts';
import { DatabaseModule, migrateSchema } from '@parley/database';
import type { FileStore } from '@parley/ports';
import { loadConfiguration, Logger, Metrics, RegularTasks } from '@parley/service-kit';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { GatewayConfig } from '../../config';
import { gatewaySchema } from '../../database/schema';
import { Admission } from '../access/permits';
import { ActionTrail } from '../audit/recorded-actions';
import { FaultFilter } from '../faults';
import { configureHttp } from '../http/configure-http';
import { fastifyOptions } from '../http/fastify-options';
import { bodyOf, gatewayCall } from '../../endpoint/gateway-call';
import { RecordedLog } from '../../testing/recorded-log';
import { testSecret } from '../../testing/running-gateway';
import { IdempotencyModule, ReplayFilter } from './idempotency.guard';

/** What a test asks of the shop, and what the shop did. */
export class ShopState {
  readonly orders: unknown[] = [];
  readonly chargeIds: (string | undefined)[] = [];
  /** Awaited before an order is answered. */
  wait: () => Promise<unknown> = async () => undefined;
  fault: FaultCode | undefined;
  /** What was done until the fault is charged. */
  isCharged = false;
  /** Sound is not made before its client has left. */
  isLeft = false;
  /** The fault is sent as the last event of a stream, instead of breaking the stream off. */
  isTold = false;
}

/** A handler of every kind that a gateway has: rows, forms, streams by Fastify and by hand. */
@Controller()
class ShopController {
  constructor(private readonly till: ShopState) {}

  @Post('orders')
  @HttpCode(200)
  async order(@Body() body: unknown, @Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply) {
    const { signal } = gatewayCall(request, reply, 10_000);
    this.till.chargeIds.push(request.chargeId);
    await this.till.wait();
    if (signal.aborted) throw new Fault('CANCELLED');
    request.isCharged = this.till.isCharged;
    if (this.till.fault) throw new Fault(this.till.fault);
    return { order: this.till.orders.push(body) };
  }

  @Post('forms')
  @HttpCode(200)
  async form(@Req() request: FastifyRequest) {
    const parts: string[] = [];
    for await (const part of request.parts())
      parts.push(part.type === 'file' ? String(await part.toBuffer()) : String(part.value));
    return { order: this.till.orders.push(parts), bytes: parts.join('').length };
  }

  @Post('streams')
  @HttpCode(200)
  stream(@Body() body: unknown, @Res() reply: FastifyReply) {
    const number = this.till.orders.push(body);
    const events = [`event: delta\ndata: ${number}\n\n`, 'event: done\ndata: {}\n\n'];
    void reply.header('content-type', 'text/event-stream').header('x-session-uuid', 's-1').send(Readable.from(events));
  }

  @Post('read-on')
  @HttpCode(200)
  readOn(@Body() body: unknown, @Req() request: FastifyRequest, @Res() reply: FastifyReply) {
    const { till } = this;
    async function* events(): AsyncGenerator<string> {
      yield `data: ${till.orders.push(body)}\n\n`;
      await till.wait();
      if (till.fault && till.isTold) return yield `event: error\ndata: ${JSON.stringify({ code: till.fault })}\n\n`;
      if (till.fault) throw new Fault(till.fault);
      yield 'data: done\n\n';
    }
    const items = events();
    const answer = { reply, call: gatewayCall(request, reply, 10_000) };
    void reply.header('content-type', 'text/event-stream').send(bodyOf(request.claimedAnswer?.readOn(items) ?? items, answer));
  }

  @Post('by-hand')
  async byHand(@Body() body: unknown, @Res() reply: FastifyReply) {
    reply.hijack();
    reply.raw.writeHead(200, { 'Content-Type': 'text/event-stream' });
    reply.raw.write(`data: ${this.till.orders.push(body)}\n\n`);
    await this.till.wait();
    reply.raw.end('data: done\n\n');
  }

  @Post('large')
  @HttpCode(200)
  large(@Body() { megabytes }: { megabytes: number }, @Req() request: FastifyRequest) {
    this.till.chargeIds.push(request.chargeId);
    return { order: this.till.orders.push({}), text: 'x'.repeat(megabytes * 1024 * 1024) };
  }

  /** Its client may have left before it has anything to send. */
  @Post('sound')
  @HttpCode(200)
  async sound(@Body() { megabytes }: { megabytes: number }, @Req() request: FastifyRequest, @Res() reply: FastifyReply) {
    const { till } = this;
    till.chargeIds.push(request.chargeId);
    const order = till.orders.push({});
    if (till.isLeft && !reply.raw.destroyed) await once(reply.raw, 'close');
    async function* sound(): AsyncGenerator<Buffer> {
      for (let part = 0; part < megabytes * 16; part += 1) {
        yield Buffer.alloc(64 * 1024, order);
        // Not all of it is there at once.
        await nextTurn();
      }
    }
    reply.type('audio/wav').header('x-session-uuid', 's-2');
    const answer = { reply, call: gatewayCall(request, reply, 10_000), objectMode: false };
    const items = sound();
    reply.send(bodyOf(request.claimedAnswer?.readOn(items) ?? items, answer));
  }
}

/** Admits everyone. */
const welcome: Pick<Admission, 'admit'> = {
  admit(request) {
    request.principal = {
      kind: 'wsk',
      keyId: String(request.headers['x-caller'] ?? 'spec'),
      orgId: Number(request.headers['x-org'] ?? 1),
      ...('x-agents' in request.headers && { agentIds: [Number(request.headers['x-agents'])] }),
    };
  },
};

/** The shop keeps no audit log. */
const noTrail: ActionTrail = { begin: async () => '', finish: async () => undefined, drop: async () => undefined };

@Module({ providers: [{ provide: ActionTrail, useValue: noTrail }], exports: [ActionTrail] })
class NoTrailModule {}

@Module({})
class ShopModule {}

/** A gateway in front of the shop, on a real Postgres. */
export async function openShop(
  databaseUrl: string,
  till: ShopState,
  files: FileStore,
): Promise<{ url: string; app: NestFastifyApplication }> {
  const config = loadConfiguration(GatewayConfig, { PORT: '0', PARLEY_SECRET_KEY: testSecret });
  await migrateSchema(gatewaySchema, databaseUrl);
  const log = new RecordedLog();
  const lifetime = { draining: new AbortController().signal, overdue: new AbortController().signal };
  const tasks = new RegularTasks(lifetime, log, new Metrics().metricsOf('gateway'));
  const module = {
    module: ShopModule,
    global: true,
    imports: [DatabaseModule.forSchema(gatewaySchema, { url: databaseUrl }), IdempotencyModule.with(NoTrailModule, files)],
    controllers: [ShopController],
    providers: [
      { provide: ShopState, useValue: till },
      { provide: Logger, useValue: log },
      { provide: RegularTasks, useValue: tasks },
      { provide: Admission, useValue: welcome },
      { provide: APP_FILTER, useClass: FaultFilter },
      { provide: APP_FILTER, useClass: ReplayFilter },
    ],
    exports: [Logger, RegularTasks],
  };
  const adapter = new FastifyAdapter({ ...fastifyOptions(config), forceCloseConnections: true });
  const app = await NestFactory.create<NestFastifyApplication>(module, adapter, { logger: false, abortOnError: false });
  await configureHttp(app, config);
  await app.listen(0, '127.0.0.1');
  return { url: await app.getUrl(), app };
}
