import type { SchemaDefinition } from '@parley/database';
import { CarrierAccount, PhoneNumber } from '../accounts/entities';
import { CallEntity } from '../calls/call.entity';
import { Campaign, CampaignContact, CampaignWebhook } from '../campaigns/campaign.entity';
import { DoNotCallNumber } from '../do-not-call/do-not-call.service';
import { CreateDoNotCall1764000000000 } from './migrations/1764000000000-create-do-not-call';
import { CreateTelephony1763900000000 } from './migrations/1763900000000-create-telephony';
import { GiveAccountsPorts1764000100000, KnowOpenPorts1764301600000 } from './migrations/1764000100000-give-accounts-ports';
import { CreateCampaigns1764100000000 } from './migrations/1764100000000-create-campaigns';
import { LearnResults1764200000000 } from './migrations/1764200000000-learn-results';
import { LimitCallsPerNumber1764300600000 } from './migrations/1764300600000-limit-calls-per-number';
import { KnowBothIds1764300900000 } from './migrations/1764300900000-know-both-ids';
import { FindCallsBySession1764300800000 } from './migrations/1764300800000-find-calls-by-session';
import { KnowWhenCallsWereHeld1764301000000 } from './migrations/1764301000000-know-when-calls-were-held';
import {
  KeepDialogsAndCountries1764301200000,
  TellOfTransfers1764301400000,
} from './migrations/1764301200000-keep-dialogs-and-countries';
import {
  ClaimRequests1764301500000,
  FindCallsWithWords1764301300000,
  FindDeletedContacts1764301700000,
} from './migrations/1764301300000-find-calls-with-words';
import { WithdrawContacts1764300700000 } from './migrations/1764300700000-withdraw-contacts';
import {
  KeepFieldOrder1764300400000,
  KnowCampaignContacts1764300500000,
} from './migrations/1764300400000-fields-and-contacts-of-campaigns';
import { DialAhead1764300300000 } from './migrations/1764300300000-dial-ahead';
import { ChargeResultsOnce1764300200000 } from './migrations/1764300200000-charge-results-once';
import { TellWebhooks1764300100000 } from './migrations/1764300100000-tell-webhooks';
import { NarrowLegalHours1764300000000 } from './migrations/1764300000000-narrow-legal-hours';
import { KeepVoiceQuality1764000200000 } from './migrations/1764000200000-keep-voice-quality';

/** The tables of this service. */
export const telephonySchema: SchemaDefinition = {
  schema: 'telephony',
  entities: [CallEntity, Campaign, CampaignContact, CampaignWebhook, CarrierAccount, DoNotCallNumber, PhoneNumber],
  migrations: [
    CreateTelephony1763900000000,
    CreateDoNotCall1764000000000,
    GiveAccountsPorts1764000100000,
    KeepVoiceQuality1764000200000,
    CreateCampaigns1764100000000,
    LearnResults1764200000000,
    NarrowLegalHours1764300000000,
    TellWebhooks1764300100000,
    ChargeResultsOnce1764300200000,
    DialAhead1764300300000,
    KeepFieldOrder1764300400000,
    KnowCampaignContacts1764300500000,
    LimitCallsPerNumber1764300600000,
    WithdrawContacts1764300700000,
    FindCallsBySession1764300800000,
    KnowBothIds1764300900000,
    KnowWhenCallsWereHeld1764301000000,
    KeepDialogsAndCountries1764301200000,
    FindCallsWithWords1764301300000,
    TellOfTransfers1764301400000,
    ClaimRequests1764301500000,
    KnowOpenPorts1764301600000,
    FindDeletedContacts1764301700000,
  ],
};
