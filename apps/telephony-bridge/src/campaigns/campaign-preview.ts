import { Injectable } from '@nestjs/common';
import {
  type AgentRuntime,
  Fault,
  notThere,
  fillingOf,
  placeholdersOf,
  type previewCampaign,
  readAgentRuntime,
  type testCampaign,
  personaFilling,
  withPlaceholders,
} from '@parley/contracts';
import { TenantScope } from '@parley/database';
import { type Call, organizationOf, ServiceBus } from '@parley/messaging';
import type { z } from 'zod';
import { PlacedCalls } from '../orders/call-orders';
import { PhoneNumber } from '../accounts/entities';
import { type Campaign, CampaignContact } from './campaign.entity';
import { findSeen } from './campaign-records';
import { variablesOf } from './campaign-telephone';
import { numberToCall, regionOfCaller } from './contact-intake';
import { legalHoursIn } from './legal-hours.service';
import { regionKey, regionOf } from './plan/regions';
import { windowOf } from './plan/windows';

type PreviewCampaignRequest = z.output<typeof previewCampaign.request>;
type PreviewCampaignReply = z.input<typeof previewCampaign.reply>;
type TestWish = z.output<typeof testCampaign.request>;

const anyTime = { weekdays: [0, 1, 2, 3, 4, 5, 6], fromMinute: 0, toMinute: 24 * 60, holidays: [] };

/** Previews and tests a campaign before it starts. */
@Injectable()
export class CampaignPreview {
  constructor(
    private readonly tenants: TenantScope,
    private readonly bus: ServiceBus,
    private readonly placed: PlacedCalls,
  ) {}

  async of(
    { CampaignKeyID, CampaignContactKeyID, variables }: PreviewCampaignRequest,
    call: Call,
  ): Promise<PreviewCampaignReply> {
    const { campaign, contact } = await this.read(CampaignKeyID, CampaignContactKeyID, call);
    if (CampaignContactKeyID && !contact) throw notThere('contact of this campaign');
    const agent = await this.bus.ask(readAgentRuntime, { AgentID: campaign.agentId });
    const given = variables ?? (contact ? variablesOf(contact) : {});
    const unfilled = placeholdersOf(agent.Greeting, agent.SystemPrompt).filter(
      ({ name }) => (fillingOf(name, given) ?? null) === null,
    );
    return {
      CampaignContactKeyID: contact?.keyId ?? null,
      CampaignContactID: contact?.id ?? null,
      ContactNumber: contact?.number ?? null,
      variables: given,
      ...filled(agent, given),
      unfilled,
    };
  }

  /** Places a test call like the campaign's. Unlike those it waits for a slot, and it is not counted. */
  async test(wish: TestWish, call: Call): Promise<z.input<typeof testCampaign.reply>> {
    const { CampaignKeyID, variables, reference } = wish;
    const { campaign, contact } = await this.read(CampaignKeyID, undefined, call);
    const { number: to, says } = numberToCall(wish.to, regionOfCaller(campaign));
    if (to === undefined) throw new Fault('VALIDATION_FAILED', { details: [{ field: 'to', message: says }] });
    await this.requireLegalHours(campaign, to);
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

  /**
   * The called person is protected like the campaign's contacts, except by the campaign's own hours, since tests are made before they
   * begin.
   */
  private async requireLegalHours({ orgId, timeZone }: Campaign, number: string): Promise<void> {
    const own = await this.tenants.read(orgId, (manager) => legalHoursIn(manager, [orgId]));
    const rules = { ...anyTime, legalHours: own.get(orgId) ?? {} };
    const region = regionKey({ number }, timeZone);
    const now = Date.now();
    const opening = windowOf(region, rules).nextOpening(now);
    if (opening === now) return;
    const hours = `the legal hours of ${regionOf(region).country ?? 'its country'}`;
    const when = opening === undefined ? 'at no time' : `from ${new Date(opening).toISOString()}`;
    throw new Fault('CONFLICT', { message: `By ${hours}, as the organization has them, this number may be called ${when}.` });
  }

  /** The campaign, and the named contact, or else the one that is called first. */
  private read(keyId: string, contactKey: string | null | undefined, call: Call): Promise<PreviewSource> {
    return this.tenants.read(organizationOf(call), async (manager) => {
      const campaign = await findSeen(manager, keyId, call);
      const where = { campaignId: campaign.id, ...(contactKey && { keyId: contactKey }) };
      const contact = await manager.findOne(CampaignContact, { where, order: { id: 'ASC' } });
      return { campaign, contact };
    });
  }
}

interface PreviewSource {
  readonly campaign: Campaign;
  readonly contact: CampaignContact | null;
}

function filled(
  { Greeting, SystemPrompt }: AgentRuntime,
  variables: PreviewCampaignReply['variables'],
): Pick<PreviewCampaignReply, 'greeting' | 'prompt'> {
  return { greeting: withPlaceholders(Greeting, variables), prompt: withPlaceholders(SystemPrompt, personaFilling(variables)) };
}
