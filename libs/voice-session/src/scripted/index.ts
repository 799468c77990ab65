export { plainSettings } from './scripted-call';
export { ScriptedRecognition } from './scripted-recognition';
export { Chance, type Interrupted, timingSources, simulateInterruption } from './simulated-interruption';
