import { openSpeechToText, openTextToSpeech, transcribeProviders, voiceProviders, type SpeechProviderConfig } from '@parley/providers/speech-catalogue';
import { SpeechEngines } from './speech-engines';

/** Every engine whose settings are there: those of production first, so that they come before those for showing. */
export async function configuredEngines(config: SpeechProviderConfig): Promise<SpeechEngines> {
  const isConfigured = ({ settings }: { settings: readonly (keyof SpeechProviderConfig)[] }): boolean =>
    settings.every((setting) => config[setting]);
  const speaking = await Promise.all(voiceProviders.filter(isConfigured).map(({ name }) => openTextToSpeech(name, config)));
  const hearing = await Promise.all(transcribeProviders.filter(isConfigured).map(({ name }) => openSpeechToText(name, config)));
  return new SpeechEngines(speaking.toSorted(byGrade), hearing.toSorted(byGrade));
}

type Graded = { capabilities: { grade: 'demo' | 'production' } };

function byGrade(a: Graded, b: Graded): number {
  return Number(a.capabilities.grade === 'demo') - Number(b.capabilities.grade === 'demo');
}
