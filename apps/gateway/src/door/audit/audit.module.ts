import {
  type BeforeApplicationShutdown,
  type DynamicModule,
  Injectable,
  Module,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { Logger, SealedSecrets, type SecretKeyVariables } from '@parley/service-kit';
import { ActionTrail } from './attempt';
import { AuditController, AuditReader } from './audit.controller';
import { AuditTrail } from './audit-trail';
import { ChainKeeper } from './chain';

const sweepEveryMs = 60_000;

/** Writes down, now and then, what a gateway that died had begun. */
@Injectable()
class AuditSweep implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly trail: AuditTrail,
    private readonly log: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.sweep(), sweepEveryMs);
    this.timer.unref();
  }

  beforeApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  private async sweep(): Promise<void> {
    try {
      const count = await this.trail.sweep();
      if (count > 0) this.log.warn('Management actions ended without a word', { count });
    } catch (error) {
      this.log.warn('The audit log could not be swept', { err: error });
    }
  }
}

/** The audit log: written by the gateway's own routes, read over the bus. */
@Module({})
export class AuditModule {
  static with({ PARLEY_SECRET_KEY: secretKey, PARLEY_SECRET_KEYS_OLD: oldSecretKeys }: SecretKeyVariables): DynamicModule {
    const seals = { provide: SealedSecrets, useValue: new SealedSecrets({ secretKey, oldSecretKeys }) };
    const trail = { provide: ActionTrail, useExisting: AuditTrail };
    return {
      module: AuditModule,
      controllers: [AuditController],
      providers: [seals, ChainKeeper, AuditReader, AuditSweep, AuditTrail, trail],
      exports: [ActionTrail],
    };
  }
}
