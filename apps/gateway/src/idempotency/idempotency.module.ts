import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { Attempts } from './attempts';
import { ClaimKeeper } from './claim-keeper';
import { Claims } from './claims';
import { IdempotencyGuard } from './idempotency.guard';

/** `Idempotency-Key` on every POST, whoever answers it. The gateway's module adds the ReplayFilter; its guards are asked first. */
@Module({
  providers: [
    Claims,
    ClaimKeeper,
    Attempts,
    { provide: APP_GUARD, useClass: IdempotencyGuard },
  ],
})
export class IdempotencyModule {}
