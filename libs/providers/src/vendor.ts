import { accessSync, constants, mkdirSync } from 'node:fs';
import path from 'node:path';
import type { LanguageModel, SpeechGrade, SpeechToText, SpokenLanguage, TextToSpeech, Voice } from '@parley/ports';
import { ConfigurationError, text } from '@parley/service-kit';
import type { z } from 'zod';

/** Where models lie that an operator has added to this machine. */
export const modelVariables = {
  PARLEY_MODELS: text().default('.cache/models').meta({
    description:
      'The folder of models: for sherpa-onnx and moonshine, which speak and transcribe on this machine; smart-turn, which detects when callers have finished; multilingual-e5-small, which reads knowledge bases in English, Hindi and Marathi. `npm run models -- list` shows them.',
    example: '/var/lib/parley/models',
  }),
};

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

interface ModelOpening<Config> {
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
  /** The variables an operator sets for it. */
  readonly variables: Variables;
  readonly settings: readonly (keyof Variables & string)[];
  /** Loads the client with the model: an installation without keys pays for no client. */
  open(opening: ModelOpening<{ readonly [Name in keyof Variables]?: z.output<Variables[Name]> }>): Promise<LanguageModel>;
}

/** A vendor whose settings and way of opening are checked against its own variables. */
export function defineLanguageModelVendor<const Variables extends z.ZodRawShape>(
  vendor: LanguageModelVendor<Variables>,
): LanguageModelVendor<Variables> {
  return vendor;
}

/** A key of speech that an organization brought, and where it is to be used if not at the provider's own address. */
export interface OwnKey {
  readonly key: string;
  readonly baseURL: string | null;
  /** What to ask for there, where it is not the provider's own choice. */
  readonly model: string | null;
}

/** What an engine of speech is opened with: an organization's own key, or else what the installation is set to. */
export interface SpeechOpening<Variables extends z.ZodRawShape> {
  readonly config: { readonly [Name in keyof Variables]?: z.output<Variables[Name]> };
  readonly own: OwnKey | undefined;
}

/** What every vendor of speech says of itself. */
interface SpeechVendor<Name extends string, Variables extends z.ZodRawShape, Engine> {
  /** Never changes and is never used again: agents refer to it. */
  readonly id: number;
  readonly name: Name;
  readonly isLocal: boolean;
  /** The variables an operator sets for it. */
  readonly variables: Variables;
  /** Variables without which it does not work. */
  readonly settings: readonly (keyof Variables & string)[];
  readonly languages: readonly [SpokenLanguage, ...SpokenLanguage[]];
  readonly grade: SpeechGrade;
  /** How the key of an organization is tried; absent where there is none to bring. */
  readonly keyCheck?: KeyCheck;
  /** Nothing is started before it is used: a service that only lists engines pays for none. */
  open(opening: SpeechOpening<Variables>): Promise<Engine>;
}

interface Voices<Name extends string, Variables extends z.ZodRawShape> extends SpeechVendor<Name, Variables, TextToSpeech> {
  readonly latency: 'instant' | 'live' | 'slow';
  readonly sampleRates: readonly number[];
  /** A voice's id is unique among all providers; `voice` is what its provider calls it. */
  readonly voices: readonly {
    readonly id: number;
    readonly voice: string;
    readonly gender: Voice['gender'];
    readonly languages: readonly SpokenLanguage[];
  }[];
}

interface HearingVendor<Name extends string, Variables extends z.ZodRawShape> extends SpeechVendor<
  Name,
  Variables,
  SpeechToText
> {
  readonly isLive: boolean;
  readonly wordTimings: boolean;
  /** A model's id is unique among all providers; `model` is what its provider calls it. */
  readonly models: readonly { readonly id: number; readonly model: string; readonly languages: readonly SpokenLanguage[] }[];
}

/** Voices whose settings and way of opening are checked against their own variables. */
export function defineVoices<const Name extends string, const Variables extends z.ZodRawShape>(
  vendor: Voices<Name, Variables>,
): Voices<Name, Variables> {
  return vendor;
}

/** The same for a speech-to-text engine. */
export function defineHearing<const Name extends string, const Variables extends z.ZodRawShape>(
  vendor: HearingVendor<Name, Variables>,
): HearingVendor<Name, Variables> {
  return vendor;
}

/** An installation-wide engine, such as a file store: its variables, and how they open it. */
interface Configured<Variables extends z.ZodRawShape, Engine> {
  readonly variables: Variables;
  /** Undefined where the variables do not name it, and the next one of its catalogue is taken. */
  open(config: z.output<z.ZodObject<Variables>>): Engine;
}

/** An engine whose way of opening is checked against its own variables. */
export function defineConfigured<const Variables extends z.ZodRawShape, Engine>(
  engine: Configured<Variables, Engine>,
): Configured<Variables, Engine> {
  return engine;
}

/** A folder that an engine could not write to stops the start: its operator hears of it before a caller does. */
export function requireWritable(variable: string, folder: string, remedy: string): void {
  try {
    mkdirSync(folder, { recursive: true });
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : 'unknown reason';
    throw new ConfigurationError(`${variable} is ${path.resolve(folder)}, which cannot be written (${code}). Set ${remedy}`);
  }
}

/** All of a union at once. */
type AllOf<Union> = (Union extends unknown ? (each: Union) => void : never) extends (each: infer All) => void ? All : never;

/** The variables of vendors together, each under its own name. */
export function variablesOf<Vendor extends { readonly variables: z.ZodRawShape }>(
  vendors: readonly Vendor[],
): AllOf<Vendor['variables']>;
// What the compiler cannot follow through a loop, the signature above says.
export function variablesOf(vendors: readonly { readonly variables: z.ZodRawShape }[]): z.ZodRawShape {
  return Object.fromEntries(vendors.flatMap(({ variables }) => Object.entries(variables)));
}
