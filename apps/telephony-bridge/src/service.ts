import { defineService } from '@parley/service-kit';
import { TelephonyBridgeVariables } from './config';
import { TelephonyBridgeModule } from './telephony-bridge.module';

/** Carriers' media streams, calls, campaigns' dialling and live counts. */
export const telephonyBridge = defineService({
  name: 'telephony-bridge',
  config: TelephonyBridgeVariables,
  module: () => TelephonyBridgeModule,
});
