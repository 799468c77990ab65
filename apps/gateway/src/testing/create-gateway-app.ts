import { type DynamicModule, Injectable, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Broadcasts, ServiceBus } from '@parley/messaging';
import { Lifetime, Logger, Metrics, RegularTasks, ServiceMetrics } from '@parley/service-kit';
import type { RouteTable } from '../api/routes/route-table';
import type { GatewayConfig } from '../config';
import { ActionTrail } from '../door/audit/recorded-actions';
import { fastifyOptions } from '../door/http/fastify-options';
import { OpenConnections } from '../door/limits/open-connections';
import { Principals } from '../endpoint/gateway-call';
import { EntryTokens } from '../door/access/entry-tokens';
import { WidgetsService } from '../door/access/widgets.service';
import { Charge, Charging } from '../money/charging';
import { configureGateway, GatewayModule } from '../service';

/** Charges nothing: for a gateway without Postgres, in tests and measurements. */
@Injectable()
class Unmetered extends Charging {
  readonly tokensPerTurn = 1;

  begin(): Promise<Charge> {
    return Promise.resolve(this.ofTurn());
  }

  ofTurn(): Charge {
    const done = async () => ({ outcome: 'done' }) as const;
    const book = { do: done, doLater: done, holdInTurn: done, holdUpTo: async () => Number.MAX_SAFE_INTEGER };
    return new Charge(book, { orgId: 0, id: '', spender: {} });
  }
}

/** What a gateway under test is connected to. */
interface Surroundings {
  readonly bus: ServiceBus;
  readonly logger: Logger;
  /** Who holds which key, in place of Postgres. */
  readonly principals: Principals;
  /** If absent, nothing is charged. */
  readonly charging?: Charging;
  /** Replaces the public table. */
  readonly table?: RouteTable;
}

/** Only seeded keys admit: without Postgres there are no tokens and widgets. */
const withoutTokensAndWidgets = [
  { provide: EntryTokens, useValue: { redeem: async () => ({ refused: 'unknown' }) } },
  { provide: WidgetsService, useValue: { embedded: async () => undefined, ofToken: async () => undefined } },
  OpenConnections,
];

const knownOfKeys = [Principals, EntryTokens, WidgetsService, OpenConnections];

@Module({})
class GivenPrincipals {}

/** Never drains: lives as long as the process. */
class EndlessLifetime extends Lifetime {
  readonly draining = new AbortController().signal;
  readonly overdue = new AbortController().signal;
}

/** Records nothing. */
class NoTrail extends ActionTrail {
  async begin(): Promise<string> {
    return '';
  }

  async finish(): Promise<void> {}

  async drop(): Promise<void> {}
}

/** A single gateway has no others to inform. */
class NoOtherGateways extends Broadcasts {
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
  static with(
    { bus, logger, principals, table, charging = new Unmetered() }: Surroundings,
    config: GatewayConfig,
  ): DynamicModule {
    const providers = [
      { provide: ServiceBus, useValue: bus },
      { provide: Logger, useValue: logger },
      { provide: Broadcasts, useValue: new NoOtherGateways() },
      { provide: Lifetime, useValue: new EndlessLifetime() },
      { provide: ServiceMetrics, useValue: new Metrics().metricsOf('gateway') },
      RegularTasks,
    ];
    const known = { provide: Principals, useValue: principals };
    const keys = { module: GivenPrincipals, providers: [known, ...withoutTokensAndWidgets], exports: knownOfKeys };
    const charges = [{ provide: Charging, useValue: charging }];
    const money = { module: GivenCredits, providers: charges, exports: [Charging] };
    const given = { keys, audit: NoAudit, money: [money] };
    const imports = [GatewayModule.with(config, { ...given, ...(table && { table }) })];
    return {
      module: HostModule,
      global: true,
      imports,
      providers,
      exports: [Broadcasts, Lifetime, RegularTasks, ServiceMetrics, ServiceBus, Logger],
    };
  }
}

/** A gateway on a given bus, for tests and measurements, configured as `service.ts` configures it. */
export async function createGatewayApp(config: GatewayConfig, surroundings: Surroundings): Promise<NestFastifyApplication> {
  const adapter = new FastifyAdapter({ ...fastifyOptions(config), return503OnClosing: false, forceCloseConnections: 'idle' });
  const options = { logger: false, abortOnError: false } as const;
  const app = await NestFactory.create<NestFastifyApplication>(HostModule.with(surroundings, config), adapter, options);
  await configureGateway(app, config);
  return app;
}
