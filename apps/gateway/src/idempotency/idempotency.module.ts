import { Module } from '@nestjs/common';
import { APP_INTERCEPTOR } from '@nestjs/core';
import { Attempts } from './attempts';
import { ClaimKeeper } from './claim-keeper';
import { Claims } from './claims';
import { IdempotencyInterceptor } from './idempotency.interceptor';

/** `Idempotency-Key` on every POST, whoever answers it. The gateway's module adds the ReplayFilter. */
@Module({
  providers: [
    Claims,
    ClaimKeeper,
    Attempts,
    { provide: APP_INTERCEPTOR, useClass: IdempotencyInterceptor },
  ],
})
export class IdempotencyModule {}
