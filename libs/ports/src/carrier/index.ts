export * from './call-control';
export * from './call-media';
export * from './carrier';
export { ManualClock } from './manual-clock';
export { ScriptedCallMedia } from './scripted-call-media';
