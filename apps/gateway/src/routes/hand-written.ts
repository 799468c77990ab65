import {
  askText, ChatBody, chatEvents, exportContacts, exportCreditUsage, type FaultCode, findRecording, type MessageContract, openTranscription,
  openVoiceSession,
  previewVoice, recordingPath, saveDocument, SpokenQuestionAnswer, streamTurn, synthesizeSpeech, TextAnswer, transcribeRecording, uploadContacts,
  VoiceSessionOffer,
} from '@parley/contracts';
import type { z } from 'zod';
import type { ChargedAccess, Envelope } from './route';

/** One form of the answer. Bytes have no schema; `envelope` says how JSON is dressed. */
interface Answer {
  readonly contentType: string;
  readonly schemas: readonly z.ZodType[];
  readonly envelope?: Envelope;
}

/** How a WebSocket is entered beside an `x-api-key` header. */
export type SocketCredential = 'session-token' | 'widget-token' | 'origin';

/** An endpoint that leaves the tables: it streams, takes a file, answers bytes or is a socket. */
export type HandWritten = ChargedAccess & {
  readonly method: 'GET' | 'POST' | 'WS';
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly tag: string;
  readonly contract: MessageContract;
  /** What the client sends, where it is not the request of the contract. */
  readonly body?: z.ZodType;
  readonly accepts: readonly ('application/json' | 'multipart/form-data')[];
  readonly answers: readonly Answer[];
  readonly credentials?: readonly SocketCredential[];
  readonly faults: readonly FaultCode[];
};

const audio = (...contentTypes: string[]): Answer[] => contentTypes.map((contentType) => ({ contentType, schemas: [] }));

const chat: HandWritten = {
  method: 'POST', path: '/api/v1/external/chat', operationId: 'chat', summary: 'Talk with an agent in any of four modes',
  tag: 'Conversation',
  contract: streamTurn, body: ChatBody, accepts: ['application/json', 'multipart/form-data'],
  answers: [
    { contentType: 'application/json', schemas: [TextAnswer, SpokenQuestionAnswer, VoiceSessionOffer], envelope: 'flat' },
    { contentType: 'text/event-stream', schemas: Object.values(chatEvents) },
    ...audio('audio/wav'),
  ],
  keys: ['agt', 'wsk'], needs: 'agents.CanView', charges: ['TTT_API', 'TTS_API', 'STT_API'],
  faults: ['NOT_FOUND', 'SESSION_BUSY', 'MODEL_PROVIDER_UNAVAILABLE', 'SPEECH_PROVIDER_UNAVAILABLE'],
};

const ttt: HandWritten = {
  method: 'POST', path: '/api/v1/ttt', operationId: 'askText', summary: 'Ask an agent by text', tag: 'Conversation',
  contract: askText, accepts: ['application/json'],
  answers: [{ contentType: 'application/json', schemas: [TextAnswer], envelope: 'flat' }],
  keys: ['agt', 'wsk'], needs: 'agents.CanView', charges: ['TTT_API'],
  faults: ['NOT_FOUND', 'SESSION_BUSY', 'MODEL_PROVIDER_UNAVAILABLE'],
};

const speech: readonly HandWritten[] = [
  {
    method: 'POST', path: '/api/v1/tts/external', operationId: 'synthesizeSpeech', summary: 'Speak a text', tag: 'Speech',
    contract: synthesizeSpeech, accepts: ['application/json'],
    answers: audio('audio/wav', 'audio/mpeg', 'audio/pcm', 'audio/basic'),
    keys: ['ext'], needs: 'key-kind', charges: ['TTS_API'],
    faults: ['NOT_FOUND', 'PROVIDER_NOT_CONFIGURED', 'SPEECH_PROVIDER_UNAVAILABLE'],
  },
  {
    method: 'POST', path: '/api/v1/stt/external', operationId: 'transcribeRecording', summary: 'Write down a recording',
    tag: 'Speech',
    contract: transcribeRecording, accepts: ['multipart/form-data'],
    answers: [{ contentType: 'application/json', schemas: [transcribeRecording.reply], envelope: 'flat' }],
    keys: ['ext'], needs: 'key-kind', charges: ['STT_API'], faults: ['SPEECH_PROVIDER_UNAVAILABLE'],
  },
  {
    method: 'GET', path: '/api/v1/external/agent-config/demo-voice', operationId: 'previewVoice', summary: 'Hear a voice',
    tag: 'Agent configuration', contract: previewVoice, accepts: [], answers: audio('audio/wav'),
    keys: ['wsk'], needs: 'agents.CanView', faults: ['NOT_FOUND', 'PROVIDER_NOT_CONFIGURED', 'SPEECH_PROVIDER_UNAVAILABLE'],
  },
];

const files: readonly HandWritten[] = [
  {
    method: 'POST', path: '/api/v1/external/SalesUser/upload', operationId: 'uploadContacts', summary: 'Upload contacts as CSV',
    tag: 'Sales',
    contract: uploadContacts, accepts: ['multipart/form-data'],
    answers: [{ contentType: 'application/json', schemas: [uploadContacts.reply], envelope: 'data' }],
    keys: ['wsk'], needs: 'contacts.CanAdd', faults: ['NOT_FOUND', 'CONFLICT'],
  },
  {
    method: 'POST', path: '/api/v1/external/SalesUser/export-contacts', operationId: 'exportContacts',
    summary: 'Export contacts as CSV',
    tag: 'Sales', contract: exportContacts, accepts: ['application/json'], answers: [{ contentType: 'text/csv', schemas: [] }],
    keys: ['wsk'], needs: 'contacts.CanView', faults: ['NOT_FOUND'],
  },
  {
    method: 'POST', path: '/api/v1/external/kb-doc/add-update', operationId: 'saveDocument', summary: 'Upload a document',
    tag: 'Knowledge',
    contract: saveDocument, accepts: ['multipart/form-data'],
    answers: [{ contentType: 'application/json', schemas: [saveDocument.reply], envelope: 'data' }],
    keys: ['wsk'], needs: { create: 'knowledge.CanAdd', update: 'knowledge.CanUpdate', by: ['KBDocumentKeyID'] },
    faults: ['NOT_FOUND', 'CONFLICT'],
  },
  {
    method: 'GET', path: recordingPath, operationId: 'findRecording', summary: 'Hear the recording of a conversation',
    tag: 'Conversation logs', contract: findRecording, accepts: [], answers: audio('audio/wav', 'audio/mpeg', 'audio/ogg'),
    keys: ['wsk'], needs: 'logs.CanView', faults: ['NOT_FOUND'],
  },
  {
    method: 'POST', path: '/api/v1/external/credits/usage-export', operationId: 'exportCreditUsage',
    summary: 'Export the credit ledger as CSV',
    tag: 'Credits', contract: exportCreditUsage, accepts: ['application/json'],
    answers: [{ contentType: 'text/csv', schemas: [] }],
    keys: ['wsk'], needs: 'billing.CanView', faults: [],
  },
];

const socketFaults: readonly FaultCode[] = ['UPGRADE_REQUIRED', 'NOT_FOUND', 'CREDITS_EXHAUSTED', 'SPEECH_PROVIDER_UNAVAILABLE'];

const sockets: readonly HandWritten[] = [
  {
    method: 'WS', path: '/ws/sts', operationId: 'voiceSocket', summary: 'A live voice conversation', tag: 'WebSockets',
    contract: openVoiceSession, accepts: [], answers: [], credentials: ['session-token'],
    keys: ['agt'], needs: 'key-kind', charges: ['TTT_API', 'TTS_API', 'STT_API'], faults: socketFaults,
  },
  {
    method: 'WS', path: '/ws/widgetchat', operationId: 'widgetSocket', summary: 'Chat and voice of an embedded widget',
    tag: 'WebSockets',
    contract: openVoiceSession, accepts: [], answers: [], credentials: ['widget-token', 'origin'],
    keys: [], needs: 'key-kind', charges: ['TTT_API', 'TTS_API', 'STT_API'], faults: socketFaults,
  },
  {
    method: 'WS', path: '/ws/transcribe', operationId: 'transcriptionSocket', summary: 'Live transcription', tag: 'WebSockets',
    contract: openTranscription, accepts: [], answers: [], credentials: ['session-token'],
    keys: [], needs: 'key-kind', charges: ['STT_API'], faults: socketFaults,
  },
];

/** Every endpoint that no table row makes, with the same data about access. */
export const handWritten: readonly HandWritten[] = [ttt, chat, ...speech, ...files, ...sockets];
