import { Module } from '@nestjs/common';

/** Root of the telephony bridge: carriers, calls and campaigns are imported here. */
@Module({})
export class TelephonyBridgeModule {}
