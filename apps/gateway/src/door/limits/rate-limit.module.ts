import { type DynamicModule, type ExecutionContext, Injectable, Module } from '@nestjs/common';
import { ThrottlerGuard, ThrottlerModule } from '@nestjs/throttler';
import { Fault } from '@parley/contracts';
import { endpointIn } from '../../endpoint/endpoint';
import { type Plan, publicQuota } from './plans';
import { QuotaNewsController } from './quota-news.controller';
import { Quotas, QuotaStorage } from './quotas';
import { FailedKeys, RateLimits } from './rate-limits';

interface Settings {
  readonly RATE_LIMIT_PLANS: ReadonlyMap<string, Plan>;
  readonly ORGANIZATION_PLANS: ReadonlyMap<number, string>;
  readonly FAILED_KEYS_PER_MINUTE: number;
}

/** The limits of keys, organizations and addresses. */
@Module({})
export class RateLimitModule {
  static with({ RATE_LIMIT_PLANS: plans, ORGANIZATION_PLANS: assignments, FAILED_KEYS_PER_MINUTE }: Settings): DynamicModule {
    const quotas = new Quotas();
    const throttlers = [{ limit: publicQuota.limit, ttl: publicQuota.windowSeconds * 1_000 }];
    const storage = new QuotaStorage(quotas);
    return {
      module: RateLimitModule,
      global: true,
      imports: [ThrottlerModule.forRoot({ throttlers, storage, setHeaders: false })],
      controllers: [QuotaNewsController],
      providers: [
        { provide: Quotas, useValue: quotas },
        { provide: RateLimits, useValue: new RateLimits(quotas, { plans, assignments }) },
        { provide: FailedKeys, useValue: new FailedKeys(quotas, FAILED_KEYS_PER_MINUTE) },
      ],
      exports: [FailedKeys, RateLimits],
    };
  }
}

/** The package's own guard, for what the gateway serves beside its endpoints. Those were counted at their admission. */
@Injectable()
export class AddressGuard extends ThrottlerGuard {
  override canActivate(context: ExecutionContext): Promise<boolean> {
    return endpointIn(context) ? Promise.resolve(true) : super.canActivate(context);
  }

  protected override throwThrottlingException(
    _context: ExecutionContext,
    { timeToBlockExpire }: { timeToBlockExpire: number },
  ): Promise<void> {
    return Promise.reject(new Fault('RATE_LIMITED', { retryAfterSeconds: timeToBlockExpire }));
  }
}
