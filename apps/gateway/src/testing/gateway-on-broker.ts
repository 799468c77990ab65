import { rmSync, mkdtempSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { type CreditKind, getCreditBalance, listCreditUsage, type Principal, type ServiceName } from '@parley/contracts';
import { BusServer, InProcessBroker } from '@parley/messaging';
import { Harness } from './harness';

/** A real gateway on a broker where a test adds further services, with a folder for its uploads. */
export class GatewayOnBroker {
  private readonly stops: (() => Promise<unknown>)[] = [];

  private constructor(
    readonly harness: Harness,
    readonly url: string,
    private readonly broker: InProcessBroker,
    readonly folder: string,
  ) {}

  static async open(environment: Record<string, string> = {}): Promise<GatewayOnBroker> {
    const folder = mkdtempSync(path.join(tmpdir(), 'parley-gateway-'));
    const broker = new InProcessBroker();
    const harness = await Harness.open({
      connect: async () => broker.connect(),
      stop: async () => rmSync(folder, { recursive: true }),
    });
    const { url } = await harness.startGateway({ FILES_DIR: folder, ...environment });
    return new GatewayOnBroker(harness, url, broker, folder);
  }

  /** Lets a test's controller act as a service. */
  async play(service: ServiceName, controller: Type): Promise<void> {
    class Application {}
    const strategy = new BusServer(this.broker.connect(), { service });
    const app = await NestFactory.createMicroservice(
      { module: Application, controllers: [controller] },
      { strategy, logger: false },
    );
    await app.listen();
    this.stops.push(() => app.close());
  }

  /** The files that the gateway has stored or not finished storing. */
  async files(): Promise<string[]> {
    const entries = await readdir(this.folder, { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => path.relative(this.folder, path.join(parentPath, name)));
  }

  async balance(kind: CreditKind, principal: Principal) {
    return (await this.harness.bus.ask(getCreditBalance, {}, { principal })).balances.find((account) => account.kind === kind);
  }

  async charged(kind: CreditKind, principal: Principal): Promise<number[]> {
    const { rows } = await this.harness.bus.ask(listCreditUsage, { kind, pageSize: 200, sortOrder: 'ASC' }, { principal });
    return rows.filter(({ entry }) => entry === 'CHARGE').map(({ units }) => units);
  }

  async close(): Promise<void> {
    for (const stop of this.stops) await stop();
    await this.harness.close();
  }
}
