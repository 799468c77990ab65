import { accessSync, constants } from 'node:fs';
import path from 'node:path';
import type { LanguageModel, SpeechGrade, SpeechToText, SpokenLanguage, TextToSpeech, Voice } from '@parley/ports';
import { ConfigurationError, existingFolder, makeFolders } from '@parley/service-kit';
import type { z } from 'zod';

/** The folder of local models that the operator has added. */
export const modelVariables = {
  PARLEY_MODELS: existingFolder().default('.cache/models').meta({
    description:
      'The folder that contains models: for sherpa-onnx and moonshine, which speak and transcribe on this machine; smart-turn, which detects when callers have finished; multilingual-e5-small, which reads knowledge bases in English, Hindi and Marathi. `npm run models -- list` shows them.',
    example: '/var/lib/parley/models',
  }),
};

/** Says that none of these models is there, and which command adds one. Every tenant may read it, so it does not say where. */
export function noModelOf(names: readonly string[]): string {
  const wanted = names.join(' or ');
  const [what, one] = names.length === 1 ? [wanted, 'it'] : ['model', 'one'];
  const ways = `\`npm run models -- add ${wanted}\`, or in a container \`node tools/models.mjs add ${wanted}\``;
  return `finds no ${what} in PARLEY_MODELS: ${ways}, downloads ${one}`;
}

interface ModelEntry {
  /** Unique among all providers. It never changes and is never reused, since agents refer to it. */
  readonly id: number;
  /** The provider's name for it. */
  readonly model: string;
  readonly contextTokens: number;
}

/** A request that is free, or nearly so, and succeeds only with a valid key. */
export interface KeyCheck {
  /** Null if every customer has their own address. */
  readonly baseUrl: string | null;
  readonly path: string;
  readonly method: 'GET' | 'POST';
  readonly headers: (key: string) => Readonly<Record<string, string>>;
  readonly body?: string;
  /** Whether the organization has to name the model, since the catalogue does not know what its own server has. */
  readonly isModelRequired?: boolean;
}

/** An organization's own access to a provider, which takes precedence over the installation's. */
export interface OwnAccess {
  readonly apiKey: string;
  /** The server it chose, which may be reached only by `fetch`, so that it cannot be in our own network. */
  readonly baseUrl?: string | undefined;
  readonly fetch?: typeof fetch;
  /** The model to request if the catalogue has none. */
  readonly model?: string | undefined;
}

interface ModelOpening<Config> {
  readonly model: string;
  readonly contextTokens: number;
  readonly config: Config;
  readonly own: OwnAccess | undefined;
}

/** The description of a vendor of language models. */
export interface LanguageModelProvider {
  /** Never changes and is never reused, since agents refer to it. */
  readonly id: number;
  readonly name: string;
  readonly isLocal: boolean;
  readonly grade: 'demo' | 'production';
  readonly latency: 'instant' | 'live' | 'slow';
  readonly models: readonly [ModelEntry, ...ModelEntry[]];
  /** Variables without which it does not work, unless an organization has its own key. */
  readonly settings: readonly string[];
  /** How an organization's own key is tested. Absent if it cannot bring one. */
  readonly keyCheck?: KeyCheck;
}

/** A vendor with its variables, and how to open its models. */
interface LanguageModelVendor<Variables extends z.ZodRawShape> extends LanguageModelProvider {
  /** The variables an operator sets for it. */
  readonly variables: Variables;
  readonly settings: readonly (keyof Variables & string)[];
  /** Opens a model. The client is loaded only then, so that installations without keys do not pay for it. */
  open(opening: ModelOpening<{ readonly [Name in keyof Variables]?: z.output<Variables[Name]> }>): Promise<LanguageModel>;
}

/** Defines a vendor, whose settings and `open` are type-checked against its variables. */
export function defineLanguageModelVendor<const Variables extends z.ZodRawShape>(
  vendor: LanguageModelVendor<Variables>,
): LanguageModelVendor<Variables> {
  return vendor;
}

/** An organization's key for a speech provider, and the address if not the provider's own. */
export interface OwnKey {
  readonly key: string;
  readonly baseURL: string | null;
  /** The model to request; null for the provider's default. */
  readonly model: string | null;
}

/** What a speech engine is opened with: an organization's key, or the installation's settings. */
export interface SpeechOpening<Variables extends z.ZodRawShape> {
  readonly config: { readonly [Name in keyof Variables]?: z.output<Variables[Name]> };
  readonly own: OwnKey | undefined;
}

/** The description of a speech vendor. */
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
  /** How an organization's own key is tested. Absent if it cannot bring one. */
  readonly keyCheck?: KeyCheck;
  /** Opens the engine. Nothing is started before it is used, so that services that only list engines do not pay for them. */
  open(opening: SpeechOpening<Variables>): Promise<Engine>;
}

interface Voices<Name extends string, Variables extends z.ZodRawShape> extends SpeechVendor<Name, Variables, TextToSpeech> {
  readonly latency: 'instant' | 'live' | 'slow';
  readonly sampleRates: readonly number[];
  /** A voice's id is unique among all providers; `voice` is the provider's name for it. */
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
  /** A model's id is unique among all providers; `model` is the provider's name for it. */
  readonly models: readonly { readonly id: number; readonly model: string; readonly languages: readonly SpokenLanguage[] }[];
}

/** Defines voices, whose settings and `open` are type-checked against their variables. */
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

/** An installation-wide engine, such as a file store: its variables, and how to open it. */
interface Configured<Variables extends z.ZodRawShape, Engine> {
  readonly variables: Variables;
  /** Undefined if it is not configured, in which case the next one of its catalogue is used. */
  open(config: z.output<z.ZodObject<Variables>>): Engine;
}

/** Defines an engine, whose `open` is type-checked against its variables. */
export function defineConfigured<const Variables extends z.ZodRawShape, Engine>(
  engine: Configured<Variables, Engine>,
): Configured<Variables, Engine> {
  return engine;
}

/** Throws at the start if a folder is not writable, so that the operator learns of it before a caller does. */
export function requireWritable(variable: string, folder: string, remedy: string): void {
  try {
    makeFolders(folder);
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : 'unknown reason';
    throw new ConfigurationError(`${variable} is ${path.resolve(folder)}, which cannot be written (${code}). Set ${remedy}`);
  }
}

/** The intersection of a union's members. */
type AllOf<Union> = (Union extends unknown ? (each: Union) => void : never) extends (each: infer All) => void ? All : never;

/** The variables of all vendors, by name. */
export function variablesOf<Vendor extends { readonly variables: z.ZodRawShape }>(
  vendors: readonly Vendor[],
): AllOf<Vendor['variables']>;
// The overload above states the type, which the compiler cannot infer from the loop.
export function variablesOf(vendors: readonly { readonly variables: z.ZodRawShape }[]): z.ZodRawShape {
  return Object.fromEntries(vendors.flatMap(({ variables }) => Object.entries(variables)));
}
