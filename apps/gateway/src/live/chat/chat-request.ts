import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { ChatBody, Fault, openSession, recordingBytesMax, uploadsOf, type VoiceSessionOffer } from '@parley/contracts';
import { type Call, runInCall, ServiceBus } from '@parley/messaging';
import type { FileStore } from '@parley/ports';
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { receiveForm } from '../../api/files/uploads';
import { chatInput, fieldsOf, parseInput } from '../../endpoint/gateway-call';
import { requirePermit } from '../../door/access/permits';
import { EntryTokens, socketAddress } from '../../door/access/entry-tokens';

export type ChatRequest = z.output<typeof ChatBody>;

/** The key under which a request's recording is stored until its turn is over. */
export function recordingKey(orgId: number): string {
  return uploadsOf(orgId) + randomUUID();
}

/** A chat request, however it was sent. A recording, from a form or as base64, is stored under the key. */
export async function readChat(request: FastifyRequest, files: FileStore, key: string): Promise<ChatRequest> {
  // Only a form carries a file: a reference in JSON would name another caller's.
  if (!request.isMultipart())
    return withStored(parseInput(ChatBody, { ...spokenIn(chatInput(request)), audioFile: undefined }), files, key);
  const destination = { files, key, field: 'audioFile', bytesMax: recordingBytesMax, schema: ChatBody };
  const form = filledIn(await receiveForm(request, destination));
  const spoken = 'audioFile' in form ? { connectionType: 'stt' } : {};
  // The guard could not check a form before the form was read.
  const { AgentKeyID } = fieldsOf(request.query);
  requirePermit(request, { AgentKeyID, ...form });
  return withStored(parseInput(ChatBody, { AgentKeyID, ...spokenIn(form), ...spoken }), files, key);
}

/** A request with a recording is a spoken one, unless it says otherwise. */
function spokenIn(body: unknown): object {
  const fields = fieldsOf(body);
  const isSpoken = fields.audioBase64 !== undefined && fields.question === undefined;
  return { ...(isSpoken && { connectionType: 'stt' }), ...fields };
}

/** Forms send empty fields as empty text. */
function filledIn(form: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(form).filter(([, value]) => value !== ''));
}

/** The prefix that browsers put before a file's base64. */
const dataAddress = /^data:([^;,]{0,100})(?:;[^,]{0,100})?;base64,/u;

/** Messages carry no recordings, so base64 ones are stored as files. */
async function withStored(chat: ChatRequest, files: FileStore, key: string): Promise<ChatRequest> {
  if (chat.connectionType !== 'stt' || chat.audioFile || chat.audioBase64 === undefined) return chat;
  const [, mediaType = ''] = dataAddress.exec(chat.audioBase64) ?? [];
  const bytes = bytesOfBase64(chat.audioBase64.replace(dataAddress, ''));
  if (!bytes) throw new Fault('VALIDATION_FAILED', { details: [{ field: 'audioBase64', message: 'must be base64' }] });
  if (bytes.length > recordingBytesMax)
    throw new Fault('PAYLOAD_TOO_LARGE', { message: `audioBase64 may hold ${recordingBytesMax} bytes.` });
  await files.put(key, onePart(bytes), { bytesMax: recordingBytesMax });
  // Base64 comes without a file name to recognize PCM by; WAV, MP3 and unsupported formats are recognized by content anyway.
  const audioFile = { fileKey: key, fileName: 'audio', size: bytes.length, contentType: mediaType || 'audio/pcm' };
  return { ...chat, audioFile, audioBase64: undefined };
}

/**
 * Node skips invalid base64, so an invalid character shows in a shorter result. A regular expression over a long recording would
 * take six times as long as all of this.
 */
function bytesOfBase64(text: string): Buffer | undefined {
  const base64 = text.replace(/\s+/gu, '');
  const letters = base64.length - (base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0);
  const bytes = Buffer.from(base64, 'base64');
  return letters > 0 && letters % 4 !== 1 && bytes.length === Math.floor((letters * 3) / 4) ? bytes : undefined;
}

async function* onePart(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** Answers the `sts` mode: a session, and a token for its socket. Nothing is charged before the conversation begins. */
@Injectable()
export class VoiceOffers {
  constructor(
    private readonly bus: ServiceBus,
    @Inject(EntryTokens) private readonly tokens: EntryTokens,
    @Inject(socketAddress) private readonly address: string,
  ) {}

  async offer(chat: ChatRequest, call: Call): Promise<z.input<typeof VoiceSessionOffer>> {
    const { principal } = call;
    if (!principal) throw new Fault('API_KEY_MISSING');
    const { AgentKeyID, sessionUUID: known, language, variables } = chat;
    const session = { AgentKeyID, sessionUUID: known, language, variables, channel: 'VOICE' as const };
    const { sessionUUID, AgentKeyID: agent } = await runInCall(call, () => this.bus.ask(openSession, session));
    const bound = { sessionUUID, AgentKeyID: agent, ...(variables && { variables }) };
    const { token, expiresAt } = await this.tokens.issue({ kind: 'session', principal, ...bound });
    return { sessionUUID, wsUrl: `${this.address}/ws/sts?token=${token}`, token, expiresAt };
  }
}
