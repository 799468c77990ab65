import { type DynamicModule, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Broadcasts, ServiceBus } from '@parley/messaging';
import { Lifetime, Logger } from '@parley/service-kit';
import { Principals } from './access/principals';
import { ActionTrail } from './audit/action-trail';
import type { GatewayConfig } from './config';
import { Unmetered } from './credits/unmetered';
import { Charging } from './credits/charging';
import { GatewayModule } from './gateway.module';
import { configureHttp } from './http/configure-http';
import { fastifyOptions } from './http/fastify-options';
import { OpenSockets } from './keys/open-sockets';
import type { RouteTable } from './routes/route-table';
import { EntryTokens } from './tokens/entry-tokens';
import { WidgetsService } from './widgets/widgets.service';

/** What a host gives to the gateway. */
interface Surroundings {
  readonly bus: ServiceBus;
  readonly logger: Logger;
  /** Who holds which key, in the place of Postgres. */
  readonly principals: Principals;
  /** Who keeps the credits; without it nobody pays. */
  readonly charging?: Charging;
  /** Other rows than the public ones. */
  readonly table?: RouteTable;
}

/** Seeded keys are the only way in: there are no tokens and no widgets where there is no Postgres. */
const noOtherWayIn = [
  { provide: EntryTokens, useValue: { redeem: async () => ({ refused: 'unknown' }) } },
  { provide: WidgetsService, useValue: { embedded: async () => undefined } },
  OpenSockets,
];

const knownOfKeys = [Principals, EntryTokens, WidgetsService, OpenSockets];

@Module({})
class GivenPrincipals {}

/** Ends when its process does. */
class Lifelong extends Lifetime {
  readonly draining = new AbortController().signal;
}

/** Writes nothing down. */
class NoTrail extends ActionTrail {
  async begin(): Promise<string> {
    return '';
  }

  async finish(): Promise<void> {}

  async drop(): Promise<void> {}
}

/** A gateway that is alone has nobody to tell. */
class NobodyElse extends Broadcasts {
  announce(): void {}

  onMissed(): () => void {
    return () => undefined;
  }
}

@Module({ providers: [{ provide: ActionTrail, useClass: NoTrail }], exports: [ActionTrail] })
class NoAudit {}

@Module({})
class GivenCredits {}

@Module({})
class HostModule {
  static with({ bus, logger, principals, table, charging = new Unmetered() }: Surroundings, config: GatewayConfig): DynamicModule {
    const providers = [
      { provide: ServiceBus, useValue: bus },
      { provide: Logger, useValue: logger },
      { provide: Broadcasts, useValue: new NobodyElse() },
      { provide: Lifetime, useValue: new Lifelong() },
    ];
    const known = { provide: Principals, useValue: principals };
    const keys = { module: GivenPrincipals, providers: [known, ...noOtherWayIn], exports: knownOfKeys };
    const money = { module: GivenCredits, providers: [{ provide: Charging, useValue: charging }], exports: [Charging] };
    const given = { keys, audit: NoAudit, money: [money] };
    const imports = [GatewayModule.with(config, { ...given, ...(table && { table }) })];
    return { module: HostModule, global: true, imports, providers, exports: [Broadcasts, Lifetime, ServiceBus, Logger] };
  }
}

/** The gateway on a bus of the caller's choice, for tests and measurements. It is set up as `service.ts` sets it up. */
export async function createGatewayApp(config: GatewayConfig, surroundings: Surroundings): Promise<NestFastifyApplication> {
  const adapter = new FastifyAdapter({ ...fastifyOptions(config), return503OnClosing: false, forceCloseConnections: 'idle' });
  const options = { logger: false, abortOnError: false } as const;
  const app = await NestFactory.create<NestFastifyApplication>(HostModule.with(surroundings, config), adapter, options);
  await configureHttp(app, config);
  return app;
}
