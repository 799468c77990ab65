import type { Home } from './home';
import type { Options } from './options';
import { secretKeyOf } from './secret-key';

/** Enough to try everything: on one machine nobody has to top up first. Elsewhere an operator decides. */
export const plentyOfCredits = 'TTT_API=10000000,TTS_API=1000000,STT_API=360000';

interface Place {
  readonly options: Options;
  readonly home: Home;
  /** The port of the first gateway, chosen already. */
  readonly doorPort: number;
}

/** What services on a laptop are told: where to keep files, this home's secrets and the door; what somebody decided stays. */
export function laptopEnvironment(environment: NodeJS.ProcessEnv, place: Place): NodeJS.ProcessEnv {
  const { options: { host }, home, doorPort } = place;
  const decided = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  // An address that stands for all of a machine's is no address to be found at.
  const findable = ['0.0.0.0', '::'].includes(host) ? '127.0.0.1' : host;
  return {
    PARLEY_SECRET_KEY: secretKeyOf(home),
    PARLEY_INITIAL_CREDITS: plentyOfCredits,
    PUBLIC_URL: `http://${findable}:${doorPort}`,
    FILES_DIR: home.path('files'),
    VECTORS_DIR: home.path('vectors'),
    DEMO_WIDGET_FILE: home.path('demo-widget'),
    ...decided,
    HOST: host,
    PORT: String(doorPort),
  };
}
