import { Controller, Injectable } from '@nestjs/common';
import { getRuntimeConfig, type RuntimeConfig, RuntimeSettings, saveRuntimeConfig } from '@parley/contracts';
import { TenantScope } from '@parley/database';
import { type Call, type HandlerOf, Handles, organizationOf } from '@parley/messaging';
import type { z } from 'zod';
import { type Agent, findAgent } from '../definition/agent.entity';
import { findProvider } from '../providers/catalogue';
import { AgentHistory, requireVersion } from '../definition/agent-history';
import { RuntimeCheck } from './runtime-check';
import { defaultRuntime, publicRuntime, RuntimeSecrets } from '../definition/runtime-secrets';

type Sent = Omit<z.output<typeof saveRuntimeConfig.request>, 'Version'>;

/** How agents hear, think and speak. A configuration is a part of its agent: saving it makes a version. */
@Injectable()
export class RuntimeConfigs {
  constructor(
    private readonly tenants: TenantScope,
    private readonly checks: RuntimeCheck,
    private readonly secrets: RuntimeSecrets,
    private readonly history: AgentHistory,
  ) {}

  /** What is left out stays as it is. */
  async save({ Version, ...sent }: z.output<typeof saveRuntimeConfig.request>, call: Call): Promise<RuntimeConfig> {
    const orgId = organizationOf(call);
    const { AgentID } = sent;
    const before = await this.tenants.read(orgId, (manager) => findAgent(manager, call, { AgentID }));
    // Another service may be asked, so no lock waits for it.
    await this.checks.check(withSent(before, sent), orgId);
    return this.tenants.run(orgId, async (manager) => {
      const stored = await findAgent(manager, call, { AgentID }, { isForUpdate: true });
      requireVersion(stored, Version);
      const settings = withSent(stored, sent);
      const runtime = await this.secrets.sealed(manager, stored, settings);
      return publicRuntime(await this.history.keep(manager, call, { stored, state: { definition: stored.definition, runtime } }));
    });
  }

  get(choice: z.output<typeof getRuntimeConfig.request>, call: Call): Promise<RuntimeConfig> {
    return this.tenants.read(organizationOf(call), async (manager) => publicRuntime(await findAgent(manager, call, choice)));
  }
}

/**
 * The settings of an agent with what was sent in their place: what is absent stays, null brings the default back, of a group of
 * settings as well. A provider without a model means its first.
 */
function withSent(agent: Agent, { EndOfTurn, Interruption, IdlePrompts, ...sent }: Sent): RuntimeSettings {
  const before = publicRuntime(agent);
  const defaults = defaultRuntime(agent);
  const group = (name: 'EndOfTurn' | 'Interruption' | 'IdlePrompts', said: object | null | undefined) =>
    said === null ? defaults[name] : replaced(before[name], said ?? {}, defaults[name]);
  const settings = RuntimeSettings.parse({
    ...replaced(before, sent, defaults),
    EndOfTurn: group('EndOfTurn', EndOfTurn),
    Interruption: group('Interruption', Interruption),
    IdlePrompts: group('IdlePrompts', IdlePrompts),
  });
  return withModels(settings, sent);
}

function replaced(before: object, sent: object, defaults: object): object {
  const said = Object.entries(sent).filter(([, value]) => value !== undefined);
  return {
    ...before,
    ...Object.fromEntries(said.map(([name, value]) => [name, value === null ? Reflect.get(defaults, name) : value])),
  };
}

/** Whoever names a provider and no model gets that provider, not the installation's. */
function withModels(settings: RuntimeSettings, sent: Omit<Sent, 'EndOfTurn' | 'Interruption' | 'IdlePrompts'>): RuntimeSettings {
  const { LLMProviderID, VoiceProviderID } = sent;
  return {
    ...settings,
    ...(LLMProviderID && !sent.LLMModelID && { LLMModelID: firstOf('LLM', LLMProviderID, settings.LLMModelID) }),
    ...(VoiceProviderID && !sent.VoiceID && { VoiceID: firstOf('VOICE', VoiceProviderID, settings.VoiceID) }),
  };
}

function firstOf(kind: 'LLM' | 'VOICE', providerId: number, present: number | null): number | null {
  const models = findProvider(kind, providerId)?.models ?? [];
  return models.some(({ id }) => id === present) ? present : (models[0]?.id ?? present);
}

type Save = HandlerOf<typeof saveRuntimeConfig>;
type Get = HandlerOf<typeof getRuntimeConfig>;

/** Runtime configurations over the bus. */
@Controller()
export class RuntimeConfigController {
  constructor(private readonly configs: RuntimeConfigs) {}

  @Handles(saveRuntimeConfig)
  save(body: Parameters<Save>[0], call: Call): ReturnType<Save> {
    return this.configs.save(body, call);
  }

  @Handles(getRuntimeConfig)
  get(choice: Parameters<Get>[0], call: Call): ReturnType<Get> {
    return this.configs.get(choice, call);
  }
}
