import type { ServiceBus } from '@parley/messaging';
import type { Logger } from '@parley/service-kit';
import type { Home } from './home';
import type { Options } from './options';

/** What both forms of the platform on one machine are given. */
export interface Ground {
  readonly options: Options;
  readonly home: Home;
  /** The port of the first gateway. */
  readonly doorPort: number;
  /** The port of the first telephony bridge. */
  readonly telephonyPort: number;
  /** Where the service that owns a schema connects, as the role that it is there. */
  databaseUrlOf(schema: string): string;
  /** The person's environment with what this machine adds: the secret key, the data directories. */
  readonly environment: NodeJS.ProcessEnv;
  readonly log: Logger;
}

/** The whole platform at work, in one process or in many. */
export interface Platform {
  /** Where the gateways answer; there is at least one. */
  readonly baseUrls: readonly [string, ...string[]];
  /** A line to the services for the host itself: it seeds the demo. */
  readonly bus: ServiceBus;
  stop(): Promise<void>;
}
