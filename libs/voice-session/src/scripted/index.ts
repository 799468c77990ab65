export { plainSettings } from './scripted-call';
export { ScriptedRecognition } from './scripted-recognition';
export { Chance, type Interrupted, knowledges, simulateInterruption } from './simulated-interruption';
