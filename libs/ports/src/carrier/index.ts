export * from './call-control';
export * from './call-media';
export * from './carrier';
export { ManualClock, ScriptedCallMedia } from './scripted-call-media';
