import { Injectable } from '@nestjs/common';
import {
  type AgentRuntime,
  Fault,
  placeholdersOf,
  type previewCampaign,
  readAgentRuntime,
  type testCampaign,
  withPlaceholders,
} from '@parley/contracts';
import { TenantScope } from '@parley/database';
import { type Call, organizationOf, ServiceBus } from '@parley/messaging';
import type { z } from 'zod';
import { notThere } from '../callers';
import { PlacedCalls } from '../orders/call-orders';
import { PhoneNumber } from '../accounts/entities';
import { CampaignContact } from './campaign-contact.entity';
import { findSeen } from './campaign-records';
import type { Campaign } from './campaign.entity';
import { variablesOf } from './campaign-telephone';

type Wish = z.output<typeof previewCampaign.request>;
type Preview = z.input<typeof previewCampaign.reply>;
type TestWish = z.output<typeof testCampaign.request>;

/** Shows and tries what a campaign will do, before it does it. */
@Injectable()
export class CampaignPreview {
  constructor(
    private readonly tenants: TenantScope,
    private readonly bus: ServiceBus,
    private readonly placed: PlacedCalls,
  ) {}

  async of({ CampaignKeyID, CampaignContactKeyID, variables }: Wish, call: Call): Promise<Preview> {
    const { campaign, contact } = await this.read(CampaignKeyID, CampaignContactKeyID, call);
    if (CampaignContactKeyID && !contact) throw notThere('contact of this campaign');
    const agent = await this.bus.ask(readAgentRuntime, { AgentID: campaign.agentId });
    const given = variables ?? (contact ? variablesOf(contact) : {});
    const unfilled = placeholdersOf(agent.Greeting, agent.SystemPrompt).filter(({ name }) => !isGiven(given, name));
    return {
      CampaignContactKeyID: contact?.keyId ?? null,
      CampaignContactID: contact?.id ?? null,
      ContactNumber: contact?.number ?? null,
      variables: given,
      ...filled(agent, given),
      unfilled,
    };
  }

  /** A call like those of the campaign, which is none of them: it waits for room, and counts nowhere. */
  async test({ CampaignKeyID, to, variables, reference }: TestWish, call: Call): Promise<z.input<typeof testCampaign.reply>> {
    const { campaign, contact } = await this.read(CampaignKeyID, undefined, call);
    const where = { orgId: organizationOf(call), number: campaign.callerNumber };
    const number = await this.tenants.read(where.orgId, (manager) => manager.findOneBy(PhoneNumber, where));
    if (!number) throw new Fault('CONFLICT', { message: `The organization has no number ${campaign.callerNumber} any more.` });
    return this.placed.place(
      {
        AgentID: campaign.agentId,
        to,
        NumberKeyID: number.keyId,
        voicemail: campaign.voicemail,
        ringSeconds: campaign.ringSeconds,
        variables: variables ?? (contact ? variablesOf(contact) : {}),
        ...(reference !== undefined && { reference }),
      },
      call,
    );
  }

  /** The campaign, and the contact that is named or called first. */
  private read(keyId: string, contactKey: string | null | undefined, call: Call): Promise<Read> {
    return this.tenants.read(organizationOf(call), async (manager) => {
      const campaign = await findSeen(manager, keyId, call);
      const where = { campaignId: campaign.id, ...(contactKey && { keyId: contactKey }) };
      const contact = await manager.findOne(CampaignContact, { where, order: { id: 'ASC' } });
      return { campaign, contact };
    });
  }
}

interface Read {
  readonly campaign: Campaign;
  readonly contact: CampaignContact | null;
}

function isGiven(variables: Preview['variables'], name: string): boolean {
  return Object.hasOwn(variables, name) && variables[name] !== null;
}

function filled({ Greeting, SystemPrompt }: AgentRuntime, variables: Preview['variables']): Pick<Preview, 'greeting' | 'prompt'> {
  return { greeting: withPlaceholders(Greeting, variables), prompt: withPlaceholders(SystemPrompt, variables) };
}
