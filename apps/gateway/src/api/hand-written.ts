import { applyDecorators, Delete, Get, HttpCode, Post, UseInterceptors } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import {
  AcceptedInvitation,
  acceptInvite,
  callStateChanged,
  ChatBody,
  chatEvents,
  type ContractName,
  countActiveCalls,
  type CreditKind,
  exportCampaignContacts,
  exportContacts,
  exportCreditUsage,
  exportFacts,
  type FaultCode,
  findRecording,
  getCampaign,
  getDocument,
  importSpreadsheet,
  Nothing,
  openTranscription,
  openVoiceSession,
  previewVoice,
  recordingPath,
  saveDocument,
  SpokenQuestionAnswer,
  streamTurn,
  SpeechText,
  synthesizeSpeech,
  TextAnswer,
  TextQuestion,
  transcribeRecording,
  uploadCampaignContacts,
  uploadContacts,
  VoiceSessionOffer,
  watchCalls,
  watchTodayCounts,
} from '@parley/contracts';
import { AuditInterceptor } from '../door/audit/recorded-actions';
import { type AnswerForm, type Endpoint, type HandWritten, pathOf, socketPaths } from '../endpoint/endpoint';
import { isRecorded } from '../endpoint/gateway-call';

const audio = (...contentTypes: string[]): AnswerForm[] => contentTypes.map((contentType) => ({ contentType, schemas: [] }));

/** A 25 MB recording in base64, and some fields. */
const spokenBodyBytesMax = 36 * 1024 * 1024;

const chat: HandWritten = {
  method: 'POST',
  path: '/api/v1/external/chat',
  operationId: 'chat',
  summary: 'Talk with an agent in any of four modes',
  tag: 'Conversation',
  contract: streamTurn,
  body: ChatBody,
  bodyLimitBytes: spokenBodyBytesMax,
  accepts: ['application/json', 'multipart/form-data'],
  answers: [
    // The one with most fields first: clients take the first that fits, and what another adds to it would be lost.
    { contentType: 'application/json', schemas: [VoiceSessionOffer, SpokenQuestionAnswer, TextAnswer], envelope: 'flat' },
    { contentType: 'text/event-stream', schemas: Object.values(chatEvents), mayFail: true },
    ...audio('audio/wav'),
  ],
  effects:
    'The answer is sound with `connectionType` `tts`, and a stream of events with `responseMode` `stream`. Most generated clients read ' +
    'every answer as JSON: for these two use their call that decodes nothing, such as `chat_without_preload_content` (openapi-generator, ' +
    'Python) or `chatRaw` (typescript-fetch), or send the request yourself.',
  keys: ['agt', 'wsk'],
  needs: 'agents.CanView',
  charges: ['TTT_API', 'TTS_API', 'STT_API'],
  faults: ['NOT_FOUND', 'SESSION_BUSY', 'PROVIDER_NOT_CONFIGURED', 'MODEL_PROVIDER_UNAVAILABLE', 'SPEECH_PROVIDER_UNAVAILABLE'],
};

const ttt: HandWritten = {
  method: 'POST',
  path: '/api/v1/ttt',
  operationId: 'askText',
  summary: 'Ask an agent by text',
  tag: 'Conversation',
  contract: streamTurn,
  body: TextQuestion,
  accepts: ['application/json'],
  answers: [{ contentType: 'application/json', schemas: [TextAnswer], envelope: 'flat' }],
  keys: ['agt', 'wsk'],
  needs: 'agents.CanView',
  charges: ['TTT_API'],
  faults: ['NOT_FOUND', 'SESSION_BUSY', 'PROVIDER_NOT_CONFIGURED', 'MODEL_PROVIDER_UNAVAILABLE'],
};

const speech: readonly HandWritten[] = [
  {
    method: 'POST',
    path: '/api/v1/tts/external',
    operationId: 'synthesizeSpeech',
    summary: 'Synthesize speech from text',
    tag: 'Speech',
    contract: synthesizeSpeech,
    body: SpeechText,
    accepts: ['application/json'],
    answers: audio('audio/wav', 'audio/mpeg', 'audio/pcm', 'audio/basic'),
    keys: ['ext'],
    needs: 'key-kind',
    charges: ['TTS_API'],
    faults: ['NOT_FOUND', 'PROVIDER_NOT_CONFIGURED', 'SPEECH_PROVIDER_UNAVAILABLE'],
  },
  {
    method: 'POST',
    path: '/api/v1/stt/external',
    operationId: 'transcribeRecording',
    summary: 'Transcribe a recording',
    tag: 'Speech',
    contract: transcribeRecording,
    accepts: ['multipart/form-data'],
    answers: [{ contentType: 'application/json', schemas: [transcribeRecording.reply], envelope: 'flat' }],
    keys: ['ext'],
    needs: 'key-kind',
    charges: ['STT_API'],
    faults: ['PROVIDER_NOT_CONFIGURED', 'SPEECH_PROVIDER_UNAVAILABLE'],
  },
  {
    method: 'GET',
    path: '/api/v1/external/agent-config/demo-voice',
    operationId: 'previewVoice',
    summary: 'Play a sample of a voice',
    tag: 'Agent configuration',
    contract: previewVoice,
    accepts: [],
    answers: audio('audio/wav'),
    keys: ['wsk'],
    needs: 'agents.CanView',
    faults: ['NOT_FOUND', 'PROVIDER_NOT_CONFIGURED', 'SPEECH_PROVIDER_UNAVAILABLE'],
  },
];

const files: readonly HandWritten[] = [
  {
    method: 'POST',
    path: '/api/v1/external/SalesUser/upload',
    operationId: 'uploadContacts',
    summary: 'Upload contacts as CSV',
    tag: 'Sales',
    contract: uploadContacts,
    accepts: ['multipart/form-data'],
    answers: [{ contentType: 'application/json', schemas: [uploadContacts.reply], envelope: 'data' }],
    keys: ['wsk'],
    needs: { create: 'contacts.CanAdd', update: 'contacts.CanUpdate', by: 'rows' },
    faults: ['NOT_FOUND', 'CONFLICT'],
  },
  {
    method: 'POST',
    path: '/api/v1/external/SalesUser/export-contacts',
    operationId: 'exportContacts',
    summary: 'Export contacts as CSV',
    tag: 'Sales',
    contract: exportContacts,
    accepts: ['application/json'],
    answers: [{ contentType: 'text/csv', schemas: [] }],
    keys: ['wsk'],
    needs: 'contacts.CanView',
    faults: ['NOT_FOUND'],
  },
  {
    method: 'POST',
    path: '/api/v1/external/campaign/upload-contacts',
    operationId: 'uploadCampaignContacts',
    summary: 'Upload contacts of a campaign as CSV',
    tag: 'Campaigns',
    contract: uploadCampaignContacts,
    before: getCampaign,
    accepts: ['multipart/form-data'],
    answers: [{ contentType: 'application/json', schemas: [uploadCampaignContacts.reply], envelope: 'data' }],
    keys: ['wsk'],
    needs: 'campaigns.CanUpdate',
    faults: ['NOT_FOUND', 'CONFLICT'],
  },
  {
    method: 'POST',
    path: '/api/v1/external/campaign/export-contacts',
    operationId: 'exportCampaignContacts',
    summary: 'Export the contacts of a campaign and their results as CSV',
    tag: 'Campaigns',
    contract: exportCampaignContacts,
    accepts: ['application/json'],
    answers: [{ contentType: 'text/csv', schemas: [] }],
    keys: ['wsk'],
    needs: 'campaigns.CanView',
    faults: ['NOT_FOUND'],
  },
  {
    method: 'POST',
    path: '/api/v1/external/kb-doc/add-update',
    operationId: 'saveDocument',
    summary: 'Upload a document',
    tag: 'Knowledge',
    contract: saveDocument,
    before: getDocument,
    accepts: ['multipart/form-data'],
    answers: [{ contentType: 'application/json', schemas: [saveDocument.reply], envelope: 'data' }],
    keys: ['wsk'],
    needs: { create: 'knowledge.CanAdd', update: 'knowledge.CanUpdate', by: ['KBDocumentKeyID'] },
    faults: ['NOT_FOUND', 'CONFLICT'],
  },
  {
    method: 'POST',
    path: '/api/v1/external/kb/import-spreadsheet',
    operationId: 'importSpreadsheet',
    summary: 'Import all data of a business from a workbook or a CSV file',
    tag: 'Knowledge',
    contract: importSpreadsheet,
    accepts: ['multipart/form-data'],
    answers: [{ contentType: 'application/json', schemas: [importSpreadsheet.reply], envelope: 'data' }],
    keys: ['wsk'],
    needs: { create: 'knowledge.CanAdd', update: 'knowledge.CanUpdate', by: 'rows' },
    faults: ['NOT_FOUND', 'CONFLICT'],
  },
  {
    method: 'GET',
    path: recordingPath,
    operationId: 'findRecording',
    summary: 'Download the recording of a conversation',
    tag: 'Conversation logs',
    contract: findRecording,
    accepts: [],
    answers: audio('audio/wav', 'audio/mpeg', 'audio/ogg'),
    keys: ['wsk'],
    needs: 'logs.CanView',
    faults: ['NOT_FOUND'],
  },
  {
    method: 'POST',
    path: '/api/v1/external/credits/usage-export',
    operationId: 'exportCreditUsage',
    summary: 'Export the credit ledger as CSV',
    tag: 'Credits',
    contract: exportCreditUsage,
    accepts: ['application/json'],
    answers: [{ contentType: 'text/csv', schemas: [] }],
    keys: ['wsk'],
    needs: 'billing.CanView',
    faults: ['NOT_FOUND'],
  },
  {
    method: 'POST',
    path: '/api/v1/external/dashboard-count/export',
    operationId: 'exportFacts',
    summary: 'Export calls, conversations, turns or sales calls as CSV',
    tag: 'Dashboards',
    contract: exportFacts,
    accepts: ['application/json'],
    answers: [{ contentType: 'text/csv', schemas: [] }],
    keys: ['wsk'],
    needs: 'dashboards.CanView',
    faults: ['NOT_FOUND'],
  },
];

const invites: readonly HandWritten[] = [
  {
    method: 'POST',
    path: '/api/v1/external/team-management/invite/accept',
    operationId: 'acceptInvite',
    summary: 'Accept an invitation, and get the first key',
    tag: 'Team',
    contract: acceptInvite,
    accepts: ['application/json'],
    answers: [{ contentType: 'application/json', schemas: [AcceptedInvitation], envelope: 'data' }],
    keys: 'public',
    needs: 'nothing',
    mayBeKnown: true,
    faults: ['NOT_FOUND', 'CONFLICT'],
  },
];

const live: readonly HandWritten[] = [
  {
    method: 'GET',
    path: '/api/v1/external/dashboard-count/live',
    operationId: 'watchCalls',
    summary: 'Stream the live calls and today’s counts',
    tag: 'Dashboards',
    contract: watchCalls,
    // A client that reconnects names its last event in the Last-Event-ID header, so there is no body.
    body: Nothing,
    accepts: [],
    // The `data` of each event, by event name.
    answers: [
      { contentType: 'text/event-stream', schemas: [countActiveCalls.reply, callStateChanged.payload, watchTodayCounts.item] },
    ],
    keys: ['wsk'],
    needs: 'dashboards.CanView',
    faults: [],
  },
];

const socketFaults: readonly FaultCode[] = [
  'UPGRADE_REQUIRED',
  'NOT_FOUND',
  'CREDITS_EXHAUSTED',
  'PROVIDER_NOT_CONFIGURED',
  'SPEECH_PROVIDER_UNAVAILABLE',
];

const sockets: readonly HandWritten[] = [
  {
    method: 'WS',
    path: socketPaths.voice,
    operationId: 'voiceSocket',
    summary: 'A live voice conversation',
    tag: 'WebSockets',
    contract: openVoiceSession,
    accepts: [],
    answers: [],
    credentials: ['session-token'],
    keys: ['agt'],
    needs: 'key-kind',
    charges: ['TTT_API', 'TTS_API', 'STT_API'],
    faults: socketFaults,
  },
  {
    method: 'WS',
    path: socketPaths.widget,
    operationId: 'widgetSocket',
    summary: 'Chat and voice of an embedded widget',
    tag: 'WebSockets',
    contract: openVoiceSession,
    accepts: [],
    answers: [],
    credentials: ['widget-token', 'origin'],
    keys: [],
    needs: 'key-kind',
    charges: ['TTT_API', 'TTS_API', 'STT_API'],
    faults: socketFaults,
  },
  {
    method: 'WS',
    path: socketPaths.transcription,
    operationId: 'transcriptionSocket',
    summary: 'Live transcription',
    tag: 'WebSockets',
    contract: openTranscription,
    accepts: [],
    answers: [],
    credentials: ['session-token'],
    keys: [],
    needs: 'key-kind',
    charges: ['STT_API'],
    faults: socketFaults,
  },
];

/** Every endpoint without a table row, described in the same way. */
export const handWritten: readonly HandWritten[] = [ttt, chat, ...speech, ...files, ...invites, ...live, ...sockets];

/** One of the three paths on which sockets are opened. */
export interface SocketEndpoint {
  readonly endpoint: HandWritten;
  /** The kind of token that opens it. */
  readonly takes: 'session' | 'widget';
  readonly relay: 'voice' | 'widget' | 'transcription';
  readonly charges: readonly CreditKind[];
}

const relays = { voiceSocket: 'voice', widgetSocket: 'widget', transcriptionSocket: 'transcription' } as const;

/** Every socket endpoint by path. */
export const socketEndpoints: ReadonlyMap<string, SocketEndpoint> = new Map(
  handWritten.filter(({ method }) => method === 'WS').map((endpoint) => [endpoint.path, socketEndpointOf(endpoint)]),
);

/** The endpoint of a request, ignoring its query. */
export function socketEndpointAt(url: string | undefined): SocketEndpoint | undefined {
  return socketEndpoints.get(pathOf(url));
}

function socketEndpointOf(endpoint: HandWritten): SocketEndpoint {
  const relay = Object.entries(relays).find(([operationId]) => operationId === endpoint.operationId)?.[1];
  if (!relay) throw new TypeError(`no relay is known for ${endpoint.path}`);
  const takes = endpoint.credentials?.includes('widget-token') ? 'widget' : 'session';
  return { endpoint, takes, relay, charges: endpoint.charges ?? [] };
}

type HandWrittenName = ContractName | 'askText' | 'chat';

// A socket path also answers a plain GET, to say that it needs an upgrade.
const verbs = { GET: Get, POST: Post, DELETE: Delete, WS: Get };

/** Binds a method to an endpoint: its path, who may call it, what its body may be, and whether the audit log records it. */
export function Answers(endpoint: Endpoint | HandWrittenName): MethodDecorator {
  const answered = typeof endpoint === 'string' ? handWrittenOf(endpoint) : endpoint;
  const audited = isRecorded(answered) ? [UseInterceptors(AuditInterceptor)] : [];
  const verb = verbs[answered.method](answered.path);
  return applyDecorators(verb, HttpCode(200), RouteConfig({ endpoint: answered }), ...audited);
}

function handWrittenOf(operationId: HandWrittenName): Endpoint {
  const endpoint = handWritten.find((each) => each.operationId === operationId);
  if (!endpoint) throw new TypeError(`no endpoint by hand is called ${operationId}`);
  return endpoint;
}
