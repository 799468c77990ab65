import type { Environment } from './load-configuration';

/** The variables that this process was started with. Nothing else in the kit looks at `process.env`. */
export function processEnvironment(): Environment {
  return process.env;
}
