import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { Attempts } from './attempts';
import { ClaimKeeper } from './claim-keeper';
import { Claims } from './claims';
import { IdempotencyGuard } from './idempotency.guard';

/** `Idempotency-Key` on every POST, whoever answers it. The gateway's module adds the ReplayFilter; its guards are asked first. */
@Module({})
export class IdempotencyModule {
  /** `audit` provides the trail that repetitions are noted in. */
  static with(audit: Type | DynamicModule): DynamicModule {
    const guard = { provide: APP_GUARD, useClass: IdempotencyGuard };
    return { module: IdempotencyModule, imports: [audit], providers: [Claims, ClaimKeeper, Attempts, guard] };
  }
}
