import { type DynamicModule, Module } from '@nestjs/common';
import { ThrottlerModule } from '@nestjs/throttler';
import { FailedKeys } from './failed-keys';
import { type Plan, publicQuota } from './plans';
import { QuotaNewsController } from './quota-news.controller';
import { QuotaStorage } from './quota-storage';
import { Quotas } from './quotas';
import { RateLimits } from './rate-limits';

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
