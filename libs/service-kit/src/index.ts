export {
  checkConfiguration,
  ConfigurationError,
  describeConfiguration,
  type Environment,
  loadConfiguration,
  processEnvironment,
  renderConfiguration,
} from './configuration/load-configuration';
export * from './configuration/variables';
export { csvRow, withoutSafeguard } from './csv-row';
export {
  clockTime,
  dayOf,
  daysBetween,
  daysLater,
  distinctClocks,
  firstInstant,
  firstInstantAfter,
  isDay,
  minuteOfDay,
  offsetMs,
  startOfDay,
} from './local-days';
export { deleteFolder, OrganizationRemoval } from './service/organization-removal';
export { OrganizationTimeZones } from './organization-time-zones';
export { createLogger, Logger, type LogLevel, ProviderTroubles } from './logging/logger';
export { type Metric, Metrics, ServiceMetrics } from './metrics/metrics';
export {
  exitCodes,
  exitOnUncaught,
  lastWords,
  openProcess,
  type ProcessParts,
  reasonOf,
  stopOnSignal,
} from './process/process-parts';
export { type OrganizationKey, OrganizationKeys, OrganizationKeysModule } from './provider-keys/organization-keys';
export {
  AddressRefused,
  anyAddress,
  askPublicServer,
  type AskPublicServer,
  askThrough,
  type AddressPolicy,
  fetchPublicServer,
  type FetchPublicServer,
  fetchThrough,
  isPublicAddress,
  publicAddresses,
  guardedRequest,
  whyRefused,
} from './public-address/public-address';
export { NotOpened, SealedSecrets, SecretKeyVariables } from './sealed-secret/sealed-secrets';
export { connectNats, eventStore, natsCredentials, natsTrouble, whileNatsIsAwaited } from './service/connect-nats';
export { type Host, type RunningService, type ServiceDefinition, startService } from './service/start-service';
export { Lifetime, RegularTask, RegularTasks } from './service/lifetime';
export { defineService, runService } from './service/run-service';
