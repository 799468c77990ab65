import { Injectable } from '@nestjs/common';
import {
  defaultRuntimeSettings,
  type FaultDetail,
  invalidFields,
  isMaskedAddress,
  maskedAddress,
  type RuntimeConfig,
  RuntimeSettings,
  secretMask,
  unmaskedAddress,
} from '@parley/contracts';
import { type Call, isCallerPermitted } from '@parley/messaging';
import type { EntityManager } from 'typeorm';
import type { Agent } from './agent.entity';
import { SecretStore } from '../secrets/secret-store';

type Tools = RuntimeSettings['Tools'];

type Tool = Tools[number];

type Header = Tool['headers'][number];

const reference = 'secret:';

/** The secrets in an agent's tools: clients can write them, but only conversations can read them. */
@Injectable()
export class RuntimeSecrets {
  constructor(private readonly store: SecretStore) {}

  /** Settings as stored: each secret is replaced by a reference, and a masked secret by the reference it had. */
  async sealed(manager: EntityManager, agent: Agent, settings: RuntimeSettings): Promise<RuntimeSettings> {
    const { Tools: before } = effectiveRuntime(agent);
    const references = new Map<Header, string>();
    for (const tool of settings.Tools) {
      for (const header of tool.headers.filter(({ isSecret }) => isSecret)) {
        references.set(header, await this.referenceFor(manager, agent.orgId, { tool, header, before }));
      }
    }
    return {
      ...settings,
      Tools: mapHeaders(settings.Tools, (header) => ({ ...header, value: references.get(header) ?? header.value })),
    };
  }

  /** Settings with the secrets in place, for conversations. */
  async opened(manager: EntityManager, agent: Agent): Promise<RuntimeSettings> {
    const settings = effectiveRuntime(agent);
    const ids = settings.Tools.flatMap(({ headers }) => headers.flatMap((header) => secretIdOf(header) ?? []));
    const secrets = await this.store.open(manager, agent.orgId, ids);
    const openedHeader = (header: Header) => ({ ...header, value: secrets.get(secretIdOf(header) ?? '') ?? header.value });
    return { ...settings, Tools: mapHeaders(settings.Tools, openedHeader) };
  }

  private async referenceFor(
    manager: EntityManager,
    orgId: number,
    sent: { tool: Tool; header: Header; before: Tools },
  ): Promise<string> {
    const { tool, header, before } = sent;
    if (header.value !== secretMask) return referenceTo(await this.store.put(manager, orgId, header.value));
    // A secret belongs to its origin: it does not follow a tool to another address.
    const known = before
      .find(({ name, url }) => name === tool.name && new URL(url).origin === new URL(tool.url).origin)
      ?.headers.find(({ name }) => name.toLowerCase() === header.name.toLowerCase());
    if (known && secretIdOf(known) !== undefined) return known.value;
    // Stored in clear before its name made it a secret.
    if (known?.isSecret) return referenceTo(await this.store.put(manager, orgId, known.value));
    const field = `Tools.${tool.name}.headers.${header.name}`;
    throw invalidFields([
      { field, message: `${field} is masked, but no secret is stored for it at ${new URL(tool.url).origin}` },
    ]);
  }
}

/** An agent's effective runtime settings: as saved, or the defaults. Settings added by a later release get their defaults. */
export function effectiveRuntime({ id, runtime }: Pick<Agent, 'id' | 'runtime'>): RuntimeSettings {
  return runtime ? RuntimeSettings.parse({ ...runtime, AgentID: id }) : defaultRuntime({ id });
}

/** An agent's settings before any are saved. */
export function defaultRuntime({ id }: Pick<Agent, 'id'>): RuntimeSettings {
  return defaultRuntimeSettings(id);
}

/** An agent's runtime configuration as its builder reads it. */
export function publicRuntime(agent: Agent): RuntimeConfig {
  const settings = effectiveRuntime(agent);
  const { keyId: AgentKeyID, version: Version } = agent;
  return { ...settings, Tools: masked(settings.Tools), AgentKeyID, Version, UpdatedOn: agent.updatedOn.toISOString() };
}

type Addresses = Partial<Pick<RuntimeSettings, 'Tools' | 'WebhookURL'>>;

/** Settings for this reader: the part of an address after its origin is shown only to those who may change it. */
export function shownTo<Shown extends Addresses>(call: Call, settings: Shown): Shown {
  if (isCallerPermitted(call, 'agents.CanUpdate')) return settings;
  const { Tools, WebhookURL } = settings;
  return {
    ...settings,
    ...(Tools && { Tools: Tools.map((tool) => ({ ...tool, url: maskedAddress(tool.url) })) }),
    ...(WebhookURL && { WebhookURL: maskedAddress(WebhookURL) }),
  };
}

/** The sent addresses with masks replaced by the stored values. A mask without a stored value is refused. */
export function unmasked({ Tools: sentTools, WebhookURL: sentHook }: SentAddresses, agent: Agent): SentAddresses {
  const before = effectiveRuntime(agent);
  const Tools = sentTools?.map((tool) => {
    const known = before.Tools.find(({ name }) => name === tool.name);
    return { ...tool, url: unmaskedAddress(tool.url, known?.url) };
  });
  const WebhookURL = sentHook && unmaskedAddress(sentHook, before.WebhookURL);
  const strange: FaultDetail[] = [
    ...(Tools ?? []).map(({ name, url }) => ({ field: `Tools.${name}.url`, url })),
    { field: 'WebhookURL', url: WebhookURL ?? '' },
  ]
    .filter(({ url }) => isMaskedAddress(url))
    .map(({ field, url }) => ({ field, message: `${field} is masked, but none is stored at ${new URL(url).origin}` }));
  if (strange.length > 0) throw invalidFields(strange);
  return { ...(sentTools !== undefined && { Tools }), ...(sentHook !== undefined && { WebhookURL }) };
}

/** Absent fields as in a request: null restores the default. */
interface SentAddresses {
  readonly Tools?: Tools | null | undefined;
  readonly WebhookURL?: string | null | undefined;
}

/** The value stored in a header in place of its secret. */
function referenceTo(secretId: string): string {
  return reference + secretId;
}

/** The id of the secret that a stored header refers to. */
function secretIdOf({ isSecret, value }: Header): string | undefined {
  return isSecret && value.startsWith(reference) ? value.slice(reference.length) : undefined;
}

/** Tools with all secrets masked. */
export function masked(tools: Tools): Tools {
  return mapHeaders(tools, (header) => (header.isSecret ? { ...header, value: secretMask } : header));
}

function mapHeaders(tools: Tools, change: (header: Header, tool: Tool) => Header): Tools {
  return tools.map((tool) => ({ ...tool, headers: tool.headers.map((header) => change(header, tool)) }));
}
