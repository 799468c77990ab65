// Separate from the ports: suites are tests, and no service may load them.
export * from '../carrier/carrier.suite';
export { ManualClock } from '../carrier/scripted-call-media.fake';
export * from '../embeddings/embeddings.suite';
export * from '../file-store/file-store.suite';
export * from '../language-model/language-model.suite';
export * from '../mail/mail.suite';
export * from '../reranker/reranker.suite';
export * from '../speech-to-text/speech-to-text.suite';
export * from '../text-to-speech/text-to-speech.suite';
export * from '../voice-activity/turn-end.suite';
export * from '../vector-store/vector-store.suite';
export * from '../voice-activity/voice-activity.suite';
