import { processEnvironment } from '@parley/service-kit';
import { readOptions, type Options } from './options';

export interface Start {
  readonly options: Options;
  readonly environment: NodeJS.ProcessEnv;
}

/** What a person asked for on the command line and in the environment; on a laptop logs are readable and quiet. */
export function readStart(args: readonly string[]): Start {
  const environment = { PARLEY_ENVIRONMENT: 'development', PARLEY_LOG_LEVEL: 'warn', ADMIN_PORT: '0', ...processEnvironment() };
  return { options: readOptions(args, environment), environment };
}
