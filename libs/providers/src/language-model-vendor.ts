import type { LanguageModel } from '@parley/ports';
import type { z } from 'zod';

interface ModelEntry {
  /** Unique among all providers. It never changes and is never used again: agents refer to it. */
  readonly id: number;
  /** What its provider calls it. */
  readonly model: string;
  readonly contextTokens: number;
}

/** A question to a provider that costs nothing or nearly so and that only a working key gets an answer to. */
export interface KeyCheck {
  /** None where every customer has an address of their own. */
  readonly baseUrl: string | null;
  readonly path: string;
  readonly method: 'GET' | 'POST';
  readonly headers: (key: string) => Readonly<Record<string, string>>;
  readonly body?: string;
  /** The catalogue does not know which model a server of the organization's own has, so the organization says it. */
  readonly isModelRequired?: boolean;
}

/** An organization's own access to a provider, used before the installation's. */
export interface OwnAccess {
  readonly apiKey: string;
  /** The server of its choice. Only `fetch` may ask it: the address must not lead into our own network. */
  readonly baseUrl?: string | undefined;
  readonly fetch?: typeof fetch;
  /** What to ask that server for where the catalogue does not say. */
  readonly model?: string | undefined;
}

interface Opening<Config> {
  readonly model: string;
  readonly contextTokens: number;
  readonly config: Config;
  readonly own: OwnAccess | undefined;
}

/** What a vendor of language models says of itself. */
export interface LanguageModelProvider {
  /** Never changes and is never used again: agents refer to it. */
  readonly id: number;
  readonly name: string;
  readonly isLocal: boolean;
  readonly grade: 'demo' | 'production';
  readonly latency: 'instant' | 'live' | 'slow';
  readonly models: readonly [ModelEntry, ...ModelEntry[]];
  /** Variables without which it does not work, unless an organization brings a key of its own. */
  readonly settings: readonly string[];
  /** How the key of an organization is tried; absent where there is none to bring. */
  readonly keyCheck?: KeyCheck;
}

/** A vendor together with its variables, and how a model of it is opened. */
interface LanguageModelVendor<Variables extends z.ZodRawShape> extends LanguageModelProvider {
  /** What an operator sets for it. */
  readonly variables: Variables;
  readonly settings: readonly (keyof Variables & string)[];
  /** Loads the client with the model: an installation without keys pays for no client. */
  open(opening: Opening<{ readonly [Name in keyof Variables]?: z.output<Variables[Name]> }>): Promise<LanguageModel>;
}

/** A vendor whose settings and way of opening are checked against its own variables. */
export function defineLanguageModelVendor<const Variables extends z.ZodRawShape>(
  vendor: LanguageModelVendor<Variables>,
): LanguageModelVendor<Variables> {
  return vendor;
}
