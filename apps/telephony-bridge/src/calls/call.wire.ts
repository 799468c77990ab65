import type { CallRecord, callStateChanged } from '@parley/contracts';
import type { z } from 'zod';
import type { Call } from './call.entity';

/** A call as clients read it. */
export function recordOf(call: Call): z.input<typeof CallRecord> {
  return {
    CallKeyID: call.keyId,
    CallID: call.id,
    AgentKeyID: call.agentKey,
    AgentID: call.agentId,
    CarrierAccountKeyID: call.account.keyId,
    CarrierAccountID: call.accountId,
    CampaignID: call.campaignId,
    ContactID: call.contactId,
    carrier: call.carrier,
    carrierCallID: call.carrierCallId,
    direction: call.direction,
    state: call.state,
    outcome: call.outcome,
    from: call.fromAddress,
    to: call.toAddress,
    transferredTo: call.transferredTo,
    cause: call.cause,
    causeCode: call.causeCode,
    remarks: call.remarks,
    ...timesOf(call),
    minutes: Math.ceil(call.durationSeconds / 60),
    credits: { TTT_API: 0, TTS_API: 0, STT_API: 0, ...call.used },
    sessionUUID: call.sessionUuid,
    turnCount: call.turnCount,
    latency: call.latency,
    recordingKey: call.recordingKey,
    UpdatedOn: call.updatedOn.toISOString(),
  };
}

/** A call as its event tells of it: no numbers, no names. */
export function changeOf(call: Call): z.input<typeof callStateChanged.payload> {
  return {
    CallKeyID: call.keyId,
    CallID: call.id,
    AgentID: call.agentId,
    CampaignID: call.campaignId,
    ContactID: call.contactId,
    direction: call.direction,
    state: call.state,
    sessionUUID: call.sessionUuid,
    ...timesOf(call),
    outcome: call.outcome,
    cause: call.cause,
    causeCode: call.causeCode,
    quality: call.quality,
  };
}

function timesOf(call: Call) {
  return {
    queuedAt: call.queuedAt.toISOString(),
    ringingAt: call.ringingAt?.toISOString() ?? null,
    answeredAt: call.answeredAt?.toISOString() ?? null,
    endedAt: call.endedAt?.toISOString() ?? null,
    durationSeconds: call.durationSeconds,
  };
}
