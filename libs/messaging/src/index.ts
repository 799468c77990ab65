export {
  type Caller,
  callerKey,
  callersWithKeys,
  newCallKey,
  privateCallKey,
  SignedPrincipals,
} from './access/signed-principals';
export { FairQueue } from './fairness/fair-queue';
export { Turns } from './fairness/turns';
export { type Credentials, newNkey } from './access/nats-identity';
export type { PrincipalCodec } from './access/principal-codec';
export { Broadcasts, type EventEnvelope, EventEnvelopeSchema, type EventMeta } from './event-envelope';
export { type BrokerUser, brokerUsers, nkeyVariable, renderNatsUsers, rightsOf } from './broker/message-rights';
export type { MessageUse, MessageUses } from './uses/event-consumers';
export { messageUses } from './uses/message-uses';
export { prepareEvents } from './broker/prepare-events';
export * from './call';
export { isPassing, type LineSignal, type OpenLine, SpeechLine } from './line/speech-line';
export * from './message-log';
export * from './transport-bus';
export * from './service-bus';
export { BusServer, Consumes, type ConsumerOf, type HandlerOf, Handles, type HearerOf, Hears } from './serving/bus-server';
export type { AcceptedLine } from './serving/serve-channel';
export { InProcessBroker, InProcessTransport } from './transport/in-process';
export { NatsTransport } from './transport/nats';
export type * from './transport/event-log';
export {
  inboxRoot,
  type Packet,
  type Receive,
  type Subscription,
  type PublishOptions,
  type TransportStatus,
  type Transport,
} from './transport/transport';
