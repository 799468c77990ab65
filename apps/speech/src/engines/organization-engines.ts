import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { SharedBreakers, type SpeechToText, type TextToSpeech } from '@parley/ports';
import {
  openSpeechToText,
  openTextToSpeech,
  type OwnKey,
  type SpeechProviderConfig,
  type TranscribeProviderName,
  transcribeProviders,
  type VoiceProviderName,
  voiceProviders,
} from '@parley/providers/speech-catalogue';
import { type OrganizationKey, OrganizationKeys } from '@parley/service-kit';
import { LRUCache } from 'lru-cache';
import { EngineSettings, type SharedSettings, SpeechEngines } from './speech-engines';

/** Opens engines with the keys of organizations. */
export interface OwnEngines {
  speaking(name: VoiceProviderName, key: OwnKey): Promise<TextToSpeech>;
  hearing(name: TranscribeProviderName, key: OwnKey): Promise<SpeechToText>;
}

/** The installation's own engines, and how to open others. */
export class InstalledEngines implements OnApplicationShutdown {
  constructor(
    readonly speaking: readonly TextToSpeech[],
    readonly hearing: readonly SpeechToText[],
    readonly own: OwnEngines,
  ) {}

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([...this.speaking, ...this.hearing].map((engine) => engine.close()));
  }

  /** Every engine that is configured, those of production grade before those of demo grade. */
  static async by(config: SpeechProviderConfig): Promise<InstalledEngines> {
    const isConfigured = ({ settings }: { settings: readonly (keyof SpeechProviderConfig)[] }): boolean =>
      settings.every((setting) => config[setting]);
    const speaking = await Promise.all(voiceProviders.filter(isConfigured).map(({ name }) => openTextToSpeech(name, config)));
    const hearing = await Promise.all(transcribeProviders.filter(isConfigured).map(({ name }) => openSpeechToText(name, config)));
    return new InstalledEngines(speaking.toSorted(byGrade), hearing.toSorted(byGrade), {
      speaking: (name, key) => openTextToSpeech(name, config, key),
      hearing: (name, key) => openSpeechToText(name, config, key),
    });
  }
}

type Graded = { capabilities: { grade: 'demo' | 'production' } };

function byGrade(a: Graded, b: Graded): number {
  return Number(a.capabilities.grade === 'demo') - Number(b.capabilities.grade === 'demo');
}

interface Keyed<Name> {
  readonly name: Name;
  readonly key: OrganizationKey;
}

const setsMax = 1000;

/** The engines that an organization may use: by its own keys first, then the installation's. */
@Injectable()
export class OrganizationEngines {
  /** Cached, because each set remembers which of its engines fail. */
  private readonly sets = new LRUCache<number, { readonly keys: string; readonly engines: SpeechEngines }>({ max: setsMax });
  private readonly breakers = new Map<string, SharedBreakers>();
  private opened = 0;

  constructor(
    private readonly installed: InstalledEngines,
    private readonly keys: OrganizationKeys,
    @Inject(EngineSettings) private readonly settings: SharedSettings,
  ) {}

  /** For a caller of this organization. */
  async of(orgId: number): Promise<SpeechEngines> {
    const [voices, models] = await Promise.all([
      this.keyed(orgId, 'VOICE', voiceProviders),
      this.keyed(orgId, 'TRANSCRIBE', transcribeProviders),
    ]);
    const keys = JSON.stringify([voices, models]);
    const known = this.sets.get(orgId);
    if (known?.keys === keys) return known.engines;
    const speaking = await Promise.all(voices.map(({ name, key }) => this.installed.own.speaking(name, key)));
    const hearing = await Promise.all(models.map(({ name, key }) => this.installed.own.hearing(name, key)));
    const hasKeys = speaking.length + hearing.length > 0;
    const engines = hasKeys ? this.together(orgId, speaking, hearing) : this.installedFor(orgId);
    this.sets.set(orgId, { keys, engines });
    return engines;
  }

  private installedFor(orgId: number): SpeechEngines {
    const breakerOf = (name: string) => this.breakersOf(name).of(orgId);
    return new SpeechEngines(this.installed.speaking, this.installed.hearing, { ...this.settings, breakerOf });
  }

  private breakersOf(name: string): SharedBreakers {
    const breakers = this.breakers.get(name) ?? new SharedBreakers();
    this.breakers.set(name, breakers);
    return breakers;
  }

  /** An organization's key replaces the installation's for the same provider, which this organization then never uses. */
  private together(orgId: number, speaking: readonly TextToSpeech[], hearing: readonly SpeechToText[]): SpeechEngines {
    this.opened += 1;
    // Speech cached under an earlier key may sound different.
    const owner = `organization ${orgId}, set ${this.opened}`;
    return new SpeechEngines(
      [...speaking, ...without(speaking, this.installed.speaking)],
      [...hearing, ...without(hearing, this.installed.hearing)],
      { ...this.settings, owner },
    );
  }

  private async keyed<Name extends string>(
    orgId: number,
    providerKind: 'VOICE' | 'TRANSCRIBE',
    providers: readonly { readonly id: number; readonly name: Name; readonly isLocal: boolean }[],
  ): Promise<Keyed<Name>[]> {
    const keys = providers
      .filter(({ isLocal }) => !isLocal)
      .map(async ({ id: providerID, name }) => {
        const key = await this.keys.keyOf(orgId, { providerKind, providerID });
        return key ? [{ name, key }] : [];
      });
    return (await Promise.all(keys)).flat();
  }
}

interface Provided {
  readonly capabilities: { readonly provider: string };
}

function without<Engine extends Provided>(replaced: readonly Provided[], engines: readonly Engine[]): Engine[] {
  const names = new Set(replaced.map(({ capabilities }) => capabilities.provider));
  return engines.filter(({ capabilities }) => !names.has(capabilities.provider));
}
