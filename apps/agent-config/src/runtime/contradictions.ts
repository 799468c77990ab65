import type { FaultDetail, RuntimeSettings } from '@parley/contracts';

const schemaBytesMax = 16_384;

/** What in a configuration speaks against itself. */
export function contradictions(settings: RuntimeSettings): FaultDetail[] {
  const { EndOfTurn, Tools, TransferNumbers } = settings;
  const checks: [isWrong: boolean, field: string, predicate: string][] = [
    [
      settings.IsRecording === 1 && !settings.RecordingConsentLine.trim(),
      'RecordingConsentLine',
      'is required while IsRecording is 1',
    ],
    [
      EndOfTurn.dictationSilenceMs < EndOfTurn.silenceMs,
      'EndOfTurn.dictationSilenceMs',
      'must not be less than EndOfTurn.silenceMs',
    ],
    [settings.IdlePrompts.afterMs >= settings.MaxCallSeconds * 1000, 'IdlePrompts.afterMs', 'must be less than MaxCallSeconds'],
    [repeats(Tools.map(({ name }) => name)), 'Tools', 'must each have a name of their own'],
    [repeats(TransferNumbers.map(({ name }) => name)), 'TransferNumbers', 'must each have a name of their own'],
    [repeats([settings.LLMModelID, ...settings.LLMFallbackModelIDs]), 'LLMFallbackModelIDs', 'must not repeat a model'],
    [repeats([settings.VoiceID, ...settings.FallbackVoiceIDs]), 'FallbackVoiceIDs', 'must not repeat a voice'],
    [repeats([settings.TranscribeID, ...settings.FallbackTranscribeIDs]), 'FallbackTranscribeIDs', 'must not repeat a model'],
  ];
  const wrong = checks
    .filter(([isWrong]) => isWrong)
    .map(([, field, predicate]) => ({ field, message: `${field} ${predicate}` }));
  return [...wrong, ...Tools.flatMap(unusableParameters)];
}

/** Models are given the parameters of a function as the JSON Schema of an object. */
function unusableParameters({ name, parameters }: RuntimeSettings['Tools'][number]): FaultDetail[] {
  const field = `Tools.${name}.parameters`;
  if (parameters.type !== 'object') return [{ field, message: `${field} must be a JSON Schema of type object` }];
  if (Buffer.byteLength(JSON.stringify(parameters)) <= schemaBytesMax) return [];
  return [{ field, message: `${field} must be at most ${schemaBytesMax} bytes of JSON` }];
}

function repeats(values: readonly unknown[]): boolean {
  return new Set(values).size < values.length;
}
