import { context, propagation, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { AlwaysOnSampler, InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { saveCarrierAccount, saveNumber } from '@parley/contracts';
import { mediaTokenOf } from '@parley/ports';
import { carriers } from '@parley/providers/carrier-catalogue';
import { type CarrierPeer, carrierPeers, type MediaPlace, StubCarrierApi } from '@parley/providers/carrier-peers';
import { eventually } from '@parley/testing';
import type { Client } from 'pg';
import { WebSocket } from 'ws';
import { BridgeHarness } from '../testing/bridge-harness.suite';

type Place = Extract<MediaPlace, { kind: 'websocket' }>;

const numbers = { from: '+919820012345', to: '+912025510012' };
const byJson = carrierPeers.filter(({ carrier }) => ['twilio', 'plivo', 'exotel', 'vonage', 'telnyx'].includes(carrier));
const spans = new InMemorySpanExporter();

describe('the token in a call’s media path', () => {
  const api = new StubCarrierApi();
  let harness: BridgeHarness;
  let store: Client;
  let calls = 0;

  beforeAll(async () => {
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    const spanProcessors = [new SimpleSpanProcessor({ exporter: spans })];
    trace.setGlobalTracerProvider(new TracerProvider({ sampler: new AlwaysOnSampler(), spanProcessors }));
    await api.start();
    harness = await BridgeHarness.open({ CARRIERS_IN_PRIVATE_NETWORKS: 'true' }, undefined, carriers);
    store = await harness.sql();
  });
  afterAll(async () => {
    await harness.close();
    await api.stop();
    trace.disable();
    context.disable();
    propagation.disable();
  });

  /** Takes another call of a carrier whose API either obeys or rejects every command. */
  const ring = async (peer: CarrierPeer, webhookUrl: string, { isRefused = false, isSigned = true } = {}) => {
    const callId = `${peer.callId}${(calls += 1)}`;
    api.asked.length = 0;
    for (const command of peer.commands) {
      const question = command.replace(encodeURIComponent(peer.callId), encodeURIComponent(callId));
      if (isRefused) api.on(question, ({ body }: { body: string }) => ({ errors: [{ detail: `cannot do ${body}` }] }), 422);
      else api.on(question, {});
    }
    const { method, url, headers, body } = { ...peer, callId }.incoming(webhookUrl, numbers);
    const type = { 'content-type': headers['content-type'] ?? 'text/plain' };
    const asked = isSigned ? url : url.replace(/key=[^&]*/, 'key=none');
    const reply = await fetch(asked, { method, headers: isSigned ? headers : type, ...(body !== undefined && { body }) });
    return { status: reply.status, text: await reply.text(), callId };
  };
  const placeIn = (peer: CarrierPeer, text: string): Place => {
    const place = peer.placeOf({ text, api, audioSocket: { host: '127.0.0.1', port: 0 } });
    if (place.kind !== 'websocket') throw new Error('no WebSocket');
    return { ...place, url: new URL(place.url, harness.url.replace('http', 'ws')).href };
  };
  /** The open line, or the status of its refusal. */
  const connect = ({ url, headers, subprotocols = [] }: Place): Promise<WebSocket | number> =>
    new Promise((resolve, reject) => {
      const wire = new WebSocket(url, [...subprotocols], { ...(headers && { headers }) });
      wire.once('open', () => resolve(wire)).on('error', reject);
      wire.once('unexpected-response', (request, { statusCode }) => {
        wire.off('error', reject).on('error', () => undefined);
        request.destroy();
        resolve(statusCode ?? 0);
      });
    });

  it.each(byJson.map((peer) => [peer.name, peer] as const))(
    'appears in no log line, span, error or record: %s',
    async (_name, peer) => {
      const member = harness.member();
      const credentials = peer.credentials(api.url);
      const account = await member.ask(saveCarrierAccount, { carrier: peer.carrier, AccountName: peer.name, credentials });
      const { CarrierAccountKeyID, webhookURL } = account;
      await member.ask(saveNumber, { CarrierAccountKeyID, number: numbers.to, AgentID: 12, isDefault: 1 });
      const tokens = new Set<string>();
      const answers: string[] = [];
      const called = async (): Promise<Place> => {
        const { status, text } = await ring(peer, webhookURL);
        expect(status).toBe(200);
        const place = placeIn(peer, text);
        tokens.add(mediaTokenOf({ path: new URL(place.url).pathname + new URL(place.url).search }));
        return place;
      };

      answers.push((await ring(peer, webhookURL, { isSigned: false })).text);
      const kept = await called();
      const strange = await called();
      const other = peer.carrier === 'twilio' ? 'plivo' : 'twilio';
      expect(await connect({ ...strange, url: strange.url.replace(`/${peer.carrier}/`, `/${other}/`) })).toBe(404);
      const taken = await called();
      const wire = await connect(taken);
      if (typeof wire === 'number') throw new Error(`the media was refused: ${wire}`);
      expect(await connect(taken)).toBe(403);
      const ended = new Promise((resolve) => void wire.once('close', resolve));
      for (let at = 0; at < 60; at += 1) wire.send(`${taken.url} is no message`);
      await ended;

      if (peer.carrier === 'telnyx') {
        const refused = await ring(peer, webhookURL, { isRefused: true });
        tokens.add(mediaTokenOf({ path: new URL(placeIn(peer, refused.text).url).pathname }));
        answers.push(refused.text);
      }
      await store.query('ALTER TABLE media_tokens RENAME TO media_tokens_away');
      try {
        expect(await connect(kept)).toBe(503);
        const failed = await ring(peer, webhookURL);
        expect(failed.status).toBeGreaterThanOrEqual(500);
        answers.push(failed.text);
      } finally {
        await store.query('ALTER TABLE media_tokens_away RENAME TO media_tokens');
      }

      await eventually('the failures are logged', () => harness.log.some((line) => line.includes('could not be taken')));
      expect(harness.log.join('')).toContain('The media of a call was refused');
      const { rows } = await store.query(
        "SELECT c::text || coalesce((SELECT string_agg(t::text, '') FROM media_tokens t), '') AS row FROM calls c",
      );
      const traced = spans
        .getFinishedSpans()
        .map(({ name, attributes, events, status }) => ({ name, attributes, events, status }));
      expect(traced.length).toBeGreaterThan(0);
      const left = JSON.stringify([harness.log, traced, answers, rows]);
      expect(tokens.size).toBeGreaterThanOrEqual(3);
      expect([...tokens].filter((token) => left.includes(token))).toEqual([]);
    },
  );
});
