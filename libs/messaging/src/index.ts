export {
  type Caller,
  callerKey,
  callersWithKeys,
  frozenPrincipal,
  newCallKey,
  privateCallKey,
  SignedPrincipals,
} from './access/signed-principals';
export { FairQueue, StartQueue } from './fairness/fair-queue';
export { connectionTrouble, isUserSeed, type NatsCredentials, newNkey } from './access/nats-identity';
export {
  Broadcasts,
  DeletedOrganization,
  type EventEnvelope,
  EventEnvelopeSchema,
  type EventMeta,
  type Backlog,
  isOfDeletedOrganization,
  isRefusedEvent,
  RefusedEvent,
} from './event-envelope';
export { type BrokerUser, brokerUsers, nkeyVariable, prepareEvents, renderNatsUsers } from './broker/message-rights';
export type { MessageUse, MessageUses } from './uses/event-consumers';
export { messageUses } from './uses/message-uses';
export * from './call';
export type { Channel } from './line/channel-end';
export { isTemporary, keptForLine, type LineSignal, type OpenLine, SpeechLine } from './line/speech-line';
export * from './endpoint';
export type { AskOptions } from './requests/ask';
export * from './service-bus';
export { BusServer, Consumes, type ConsumerOf, type HandlerOf, Handles, type HearerOf, Hears } from './requests/bus-server';
export type { AcceptedChannel } from './requests/serving';
export { InProcessBroker } from './transport/in-process';
export { NatsTransport } from './transport/nats';
export { type MessageLog, type Receive, type Subscription, type PublishOptions, type Transport } from './transport/transport';
