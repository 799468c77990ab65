import { type DynamicModule, Module } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { TenantScope } from '@parley/database';
import { ServiceBus } from '@parley/messaging';
import type { CarrierDescriptor } from '@parley/ports';
import { carriers } from '@parley/providers/carrier-catalogue';
import { anyAddress, defineService, Lifetime, Logger, publicAddresses, RegularTasks, SealedSecrets } from '@parley/service-kit';
import { TelephonyBridgeVariables, type TelephonyConfiguration } from './config';
import { telephonySchema } from './database/schema';
import { AccountPorts, OpenPorts } from './accounts/account-ports';
import { CarrierAccounts, CarrierAccountsController, CarrierSeals } from './accounts/carrier-accounts.service';
import { CarrierCatalogue, OpenCarriers, PublicAddress } from './accounts/open-carriers';
import { CallRecords } from './calls/call-records';
import { CallList } from './calls/call-list';
import { CallOrders, PlacedCalls } from './orders/call-orders';
import { CallEventsController, CallsController } from './orders/calls.controller';
import { MediaTokens } from './calls/media-tokens';
import { CampaignContacts } from './campaigns/campaign-contacts';
import { CampaignContactsController, CampaignsController } from './campaigns/campaigns.controller';
import { CampaignLoop, CampaignEventsController, CampaignRemovalController } from './campaigns/campaign-loop';
import { CampaignPreview } from './campaigns/campaign-preview';
import { CampaignRecords, CampaignTallies } from './campaigns/campaign-records';
import { CampaignTelephone } from './campaigns/campaign-telephone';
import { Campaigns } from './campaigns/campaigns.service';
import { StoreClock } from './campaigns/claim-queries';
import { ContactIntake } from './campaigns/contact-intake';
import { ContactResults } from './campaigns/contact-results';
import { CallLimitsService, LegalHoursService, LegalHoursController } from './campaigns/legal-hours.service';
import { LearnedResults } from './campaigns/learned-results';
import { PostgresCampaignStore } from './campaigns/postgres-campaign-store';
import { CampaignWebhooks, CampaignWebhooksController } from './campaigns/webhooks/campaign-webhooks.service';
import { WebhookReach, WebhookSender } from './campaigns/webhooks/webhook-sender';
import { DoNotCallController, DoNotCallList } from './do-not-call/do-not-call.service';
import { Dialler, Dispatcher } from './dialling/dialler';
import { AccountListeners, HandedOnPorts } from './door/account-listeners';
import { ArrivedCalls, AudioSocketAddress, AudioSocketDoor } from './door/arrived-calls';
import { InboundCalls } from './door/inbound-calls';
import { PortHandovers } from './door/port-handovers';
import { ArrivingMedia, MediaDoor } from './door/media-door';
import { CallNotices } from './door/call-notices';
import { CarrierWebhooks, WebhooksController } from './door/webhooks.service';
import { CallParts, CallSettings } from './line/call-parts';
import { CallLimits, HeldCalls, Slots } from './live/slots';
import { LiveCounts } from './live/live-counts';
import { OldCalls, OldRows } from './recovery/old-calls';
import { LostCalls, Sweeper } from './recovery/sweeper';
import { Numbers, NumbersController } from './accounts/numbers.service';
import { AwaitedLegs, FarLegs } from './transfer/far-legs';
import { CallLegs } from './transfer/call-legs';
import { CallObservers } from './transfer/call-observers';

const records = [
  AccountPorts,
  CallRecords,
  CallLegs,
  CallList,
  CallOrders,
  CarrierAccounts,
  CarrierSeals,
  DoNotCallList,
  LiveCounts,
  MediaTokens,
  Numbers,
  PlacedCalls,
  PortHandovers,
];
const campaigns = [
  CampaignContacts,
  CampaignLoop,
  CampaignPreview,
  CampaignRecords,
  Campaigns,
  CampaignTallies,
  CampaignTelephone,
  CampaignWebhooks,
  ContactIntake,
  ContactResults,
  LearnedResults,
  LegalHoursService,
  CallLimitsService,
  PostgresCampaignStore,
  StoreClock,
  WebhookSender,
];
const live = [CallParts, Dialler, Dispatcher, HeldCalls, LostCalls, OldRows, OpenCarriers, Slots, Sweeper];
const door = [
  AccountListeners,
  ArrivedCalls,
  ArrivingMedia,
  AudioSocketDoor,
  CallNotices,
  CarrierWebhooks,
  CallObservers,
  FarLegs,
  InboundCalls,
  MediaDoor,
];

/** Root of the telephony bridge: carriers, numbers and calls. */
@Module({
  controllers: [
    AwaitedLegs,
    CallEventsController,
    CallsController,
    CampaignContactsController,
    CampaignEventsController,
    CampaignsController,
    CampaignWebhooksController,
    CarrierAccountsController,
    DoNotCallController,
    HandedOnPorts,
    LegalHoursController,
    NumbersController,
    CampaignRemovalController,
    WebhooksController,
  ],
  providers: [...records, ...campaigns, ...live, ...door],
})
export class TelephonyBridgeModule {
  /** `carriers` are those this build supports. */
  static with(config: TelephonyConfiguration, carriers: readonly CarrierDescriptor[], reach?: WebhookReach): DynamicModule {
    const seals = new SealedSecrets({ secretKey: config.PARLEY_SECRET_KEY, oldSecretKeys: config.PARLEY_SECRET_KEYS_OLD });
    const limits: CallLimits = {
      live: config.CALLS_PER_ORGANIZATION,
      waiting: config.CALLS_WAITING_PER_ORGANIZATION,
      reserved: config.CALLS_RESERVED_FOR_CALLERS,
    };
    const settings: CallSettings = {
      silentMediaMs: config.CALL_SILENT_MEDIA,
      waitingMs: config.CALL_WAITING,
      drainMs: config.CALL_DRAIN,
      callsCostlyNumbers: config.CALLS_TO_COSTLY_NUMBERS,
    };
    const url = config.TELEPHONY_PUBLIC_URL ?? `http://127.0.0.1:${config.TELEPHONY_PORT}`;
    return {
      module: TelephonyBridgeModule,
      providers: [
        {
          provide: CarrierCatalogue,
          useValue: new CarrierCatalogue(carriers, { isPrivateAllowed: config.CARRIERS_IN_PRIVATE_NETWORKS }),
        },
        { provide: SealedSecrets, useValue: seals },
        { provide: AudioSocketAddress, useValue: { host: config.TELEPHONY_HOST, port: config.AUDIOSOCKET_PORT } },
        { provide: OpenPorts, useValue: openPortsOf(config) },
        { provide: CallLimits, useValue: limits },
        { provide: CallSettings, useValue: settings },
        {
          provide: OldCalls,
          inject: [ServiceBus, TenantScope, Logger, Lifetime, RegularTasks],
          useFactory: (bus: ServiceBus, tenants: TenantScope, log: Logger, lifetime: Lifetime, tasks: RegularTasks) =>
            new OldCalls(config.CALL_MONTHS, bus, tenants, { log, lifetime, tasks }),
        },
        {
          provide: WebhookReach,
          useValue: reach ?? new WebhookReach(config.WEBHOOKS_IN_PRIVATE_NETWORKS ? anyAddress : publicAddresses),
        },
        { provide: PublicAddress, useValue: new PublicAddress(url) },
      ],
    };
  }
}

const webhookBytesMax = 64 * 1024;
const requestMs = 10_000;
const headerBytesMax = 16 * 1024;
const headMs = 5_000;
const slowLookMs = 5_000;

/** Carriers' media streams, calls, campaigns' dialling and live counts. */
export const telephonyBridge = defineService({
  name: 'telephony-bridge',
  config: TelephonyBridgeVariables,
  database: telephonySchema,
  module: (config) => TelephonyBridgeModule.with(config, carriers),
  http: {
    port: (config) => config.TELEPHONY_PORT,
    host: (config) => config.TELEPHONY_HOST,
    hostVariable: 'TELEPHONY_HOST',
    server: () => ({
      ...{ bodyLimit: webhookBytesMax, requestTimeout: requestMs },
      http: { maxHeaderSize: headerBytesMax, headersTimeout: headMs, connectionsCheckingInterval: slowLookMs },
    }),
    configure: keepBodies,
  },
});

function openPortsOf({ TELEPHONY_HOST: host, SIP_PORTS, SIP_PORTS_PER_ORGANIZATION }: TelephonyConfiguration): OpenPorts {
  return { host, from: undefined, to: undefined, ...SIP_PORTS, perOrganization: SIP_PORTS_PER_ORGANIZATION };
}

/** Bodies are not parsed, because signatures cover their exact bytes. */
function keepBodies(app: NestFastifyApplication): void {
  const asIs = (_request: unknown, body: Buffer, done: (error: Error | null, body: Buffer) => void): void => done(null, body);
  for (const type of ['application/json', 'application/x-www-form-urlencoded', '*']) app.useBodyParser(type, {}, asIs);
}
