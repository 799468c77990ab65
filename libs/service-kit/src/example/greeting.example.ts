import { setTimeout as delay } from 'node:timers/promises';
import { Body, Controller, HttpCode, Inject, Module, Post } from '@nestjs/common';
import { defineRequest } from '@parley/contracts';
import { type SchemaDefinition, TenantScope } from '@parley/database';
import { Handles, ServiceBus } from '@parley/messaging';
import { Column, DataSource, Entity, type MigrationInterface, PrimaryColumn, type QueryRunner } from 'typeorm';
import { z } from 'zod';
import { duration, listenHost, port } from '../configuration/variables';
import { Logger } from '../logging/logger';
import { defineService } from '../service/run-service';

/** The program run by this library's specs: a gateway, a service behind it, and a row in Postgres. */
const greet = defineRequest({
  subject: 'speech.greet',
  request: z.object({ name: z.string() }),
  reply: z.object({ greeting: z.string() }),
});

@Entity({ name: 'greetings' })
class Greeting {
  @PrimaryColumn('text')
  name: string;

  @Column('text')
  words: string;
}

class CreateGreetings1700000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE TABLE greetings (name text PRIMARY KEY, words text NOT NULL)');
    await runner.query(`INSERT INTO greetings VALUES ('Asha', 'Good morning')`);
  }

  async down(): Promise<void> {}
}

const greetingSchema: SchemaDefinition = {
  schema: 'greeting_example',
  entities: [Greeting],
  migrations: [CreateGreetings1700000000000],
};

const Thinking = Symbol('thinking');

@Controller()
class GreetingController {
  constructor(
    private readonly dataSource: DataSource,
    private readonly scope: TenantScope,
    private readonly log: Logger,
    @Inject(Thinking) private readonly thinkingMs: number,
  ) {}

  @Handles(greet)
  async greet({ name }: { name: string }): Promise<{ greeting: string }> {
    this.log.info('Thinking of a greeting');
    await delay(this.thinkingMs);
    const { words } = await this.dataSource.getRepository(Greeting).findOneByOrFail({ name });
    const joined = { name: 'joined-words', text: 'SELECT $1::text || $2::text AS words', values: [words, ', '] };
    const [said] = await this.scope.once<{ words: string }>(1, joined);
    return { greeting: `${said?.words ?? ''}${name}` };
  }
}

@Module({})
class GreetingModule {}

export const greetingService = defineService({
  name: 'speech',
  config: z.object({
    THINKING: duration({ min: '0s', max: '1m' }).default(0).meta({ description: 'How long a greeting takes.', example: '1s' }),
  }),
  database: greetingSchema,
  module: ({ THINKING }) => ({
    module: GreetingModule,
    controllers: [GreetingController],
    providers: [{ provide: Thinking, useValue: THINKING }],
  }),
});

@Controller()
class DoorController {
  constructor(private readonly bus: ServiceBus) {}

  @Post('greet')
  @HttpCode(200)
  greet(@Body('name') name: string): Promise<{ greeting: string }> {
    return this.bus.ask(greet, { name }, { principal: { kind: 'system', keyId: 'spec', orgId: 1 } });
  }
}

@Module({ controllers: [DoorController] })
class DoorModule {}

export const doorService = defineService({
  name: 'gateway',
  config: z.object({
    HOST: listenHost().default('127.0.0.1').meta({ description: 'The public address.', example: '0.0.0.0' }),
    PORT: port().default(0).meta({ description: 'The public port.', example: '8080' }),
  }),
  module: () => DoorModule,
  http: { port: ({ PORT }) => PORT, host: ({ HOST }) => HOST, hostVariable: 'HOST', configure: () => undefined },
});

/** A client on a slow connection: its body arrives in two separate pieces. */
export function askForGreeting(door: string, headers: Record<string, string> = {}): Promise<Response> {
  const pieces = async function* () {
    yield new TextEncoder().encode('{"name":');
    await delay(20);
    yield new TextEncoder().encode('"Asha"}');
  };
  const body = ReadableStream.from(pieces());
  return fetch(`${door}/greet`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
    duplex: 'half',
  });
}
