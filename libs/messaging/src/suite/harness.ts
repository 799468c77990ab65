import { Module, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { ServiceName } from '@parley/contracts';
import { BusServer, type MessageLog, MessagingModule, type Transport, TransportBus } from '../index';
import { limits } from '../limits';
import { Heartbeats } from '../wire/heartbeats';
import { AgentConfigOfTheSuite, DashboardsOfTheSuite, WorkLog, SpeechOfTheSuite } from './services';

/** One broker, as the suite sees it: every connection is another application. */
export interface Installation {
  connect(): Promise<Transport>;
  stop(): Promise<void>;
}

const controllers = {
  'agent-config': AgentConfigOfTheSuite,
  speech: SpeechOfTheSuite,
  dashboards: DashboardsOfTheSuite,
} satisfies Partial<Record<ServiceName, Type>>;

interface StartedService {
  readonly transport: Transport;
  readonly strategy: BusServer;
  close(): Promise<void>;
}

/** Resolves after more beats than a peer may be silent for. */
export async function silencePassed(): Promise<void> {
  const heartbeats = new Heartbeats();
  const passed = Promise.withResolvers<void>();
  let beats = 0;
  heartbeats.watch({ beat: () => (++beats > limits.silentBeatsMax + 1 ? passed.resolve() : undefined) });
  await passed.promise;
  heartbeats.close();
}

/** Everything that one test starts; `leave` stops it all. */
export class Harness {
  readonly workLog = new WorkLog();
  readonly logged: { level: string; fields: object; message: string }[] = [];
  readonly log: MessageLog = {
    error: (fields, message) => void this.logged.push({ level: 'error', fields, message }),
    warn: (fields, message) => void this.logged.push({ level: 'warn', fields, message }),
    info: (fields, message) => void this.logged.push({ level: 'info', fields, message }),
  };
  private readonly leaving: (() => Promise<unknown>)[] = [];

  constructor(private readonly installation: Installation) {}

  caller(): Promise<TransportBus & { transport: Transport }> {
    return this.callerOver(() => this.installation.connect());
  }

  async callerOver(connect: () => Promise<Transport>): Promise<TransportBus & { transport: Transport }> {
    const transport = await connect();
    const bus = new TransportBus(transport, this.log);
    this.leaving.push(async () => {
      bus.close();
      await transport.close();
    });
    return Object.assign(bus, { transport });
  }

  async start(service: keyof typeof controllers, name: string = service): Promise<StartedService> {
    const transport = await this.installation.connect();
    const { log, workLog } = this;
    @Module({
      imports: [MessagingModule.forTransport(transport, { service, log })],
      controllers: [controllers[service]],
      providers: [
        { provide: WorkLog, useValue: workLog },
        { provide: 'NAME', useValue: name },
      ],
    })
    class Application {}
    const strategy = new BusServer(transport, { service, log, drainMs: 2_000 });
    const app = await NestFactory.createMicroservice(Application, { strategy, logger: false });
    await app.listen();
    const close = async () => {
      await app.close();
      await transport.close();
    };
    this.leaving.push(close);
    return { transport, strategy, close };
  }

  async leave(): Promise<void> {
    for (const stop of this.leaving.reverse()) await stop();
  }
}
