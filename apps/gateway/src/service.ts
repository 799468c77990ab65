import { defineService } from '@parley/service-kit';
import { GatewayConfig } from './config';
import { gatewaySchema } from './database/schema';
import { GatewayModule } from './gateway.module';
import { configureHttp } from './door/http/configure-http';
import { fastifyOptions } from './door/http/fastify-options';

/** The only public door of the platform. */
export const gateway = defineService({
  name: 'gateway',
  config: GatewayConfig,
  database: gatewaySchema,
  module: (config) => GatewayModule.with(config),
  http: {
    port: (config) => config.PORT,
    host: (config) => config.HOST,
    server: fastifyOptions,
    configure: configureHttp,
  },
});

// For the host's checks of every endpoint: that it is answered, and that it shows nothing to strangers.
export { everyRoute, notYet } from './api/routes/route-table';
export { handWritten } from './api/hand-written';
