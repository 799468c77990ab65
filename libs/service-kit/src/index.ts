export { AdminServer } from './admin/admin-server';
export { ServiceHealth, type HealthCheck, type Readiness } from './admin/service-health';
export { describeConfiguration, renderConfiguration, type ConfigurationRow } from './configuration/configuration-table';
export { ConfigurationError, loadConfiguration, type Environment } from './configuration/load-configuration';
export { BrokerVariables, ConnectionVariables, DatabaseVariables, ProcessVariables } from './configuration/platform-variables';
export { processEnvironment } from './configuration/process-environment';
export * from './configuration/variables';
export { csvLine, withoutSafeguard } from './csv-line';
export {
  clockTime,
  dayOf,
  daysBetween,
  daysLater,
  firstInstant,
  firstInstantAfter,
  isDay,
  minuteOfDay,
  startOfDay,
} from './local-days/local-days';
export { createLogger, type LoggingOptions } from './logging/create-logger';
export { Logger, type LogLevel } from './logging/logger';
export { type Figure, type HandledRequest, Metrics, RequestMeter, ServiceFigures } from './metrics/metrics';
export { exitOnUncaught } from './process/crash-guard';
export { exitCodes, lastWords, reasonOf } from './process/exit';
export { openProcess, prestopDelayOf, type ProcessParts } from './process/process-parts';
export { stopOnSignal, type Stopping } from './process/stop-on-signal';
export { type OrganizationKey, OrganizationKeys } from './provider-keys/organization-keys';
export { OrganizationKeysModule } from './provider-keys/organization-keys.module';
export { askPublicServer, type AskPublicServer, askThrough } from './public-address/ask-public-server';
export { fetchPublicServer, type FetchPublicServer, fetchThrough } from './public-address/fetch-public-server';
export { isPublicAddress } from './public-address/public-address';
export { AddressRefused, type Door, publicDoor, wayThrough } from './public-address/public-door';
export { NotOpened, SealedSecrets } from './sealed-secret/sealed-secrets';
export { SecretKeyVariables } from './sealed-secret/secret-key-variables';
export { connectNats, natsCredentials } from './service/connect-nats';
export { Lifetime } from './service/lifetime';
export { runService } from './service/run-service';
export { defineService, type HttpDoor, type ServiceDefinition } from './service/service-definition';
export { startService, type Host, type RunningService } from './service/start-service';
