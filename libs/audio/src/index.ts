export { AdaptiveFilter, type Split } from './adaptive-filter';
export { contentOf } from './decode/content';
export { openAudio } from './decode/open-audio';
export {
  aLaw,
  AudioFailure,
  type AudioFailureReason,
  bytesFromSamples,
  encodeSamples,
  joinSamples,
  loudnessOf,
  muLaw,
  type OutputEncoding,
  samplesFromBytes,
  wavFile,
  wavHeader,
} from './encodings';
export { DtmfDetector, dtmfTone, FrameCutter, frameSamplesOf } from './dtmf';
export { Fourier, RealFourier, type Spectrum } from './fourier';
export { QuietGate, silenceBefore, SilenceTrimmer, VoiceClarity } from './quiet';
export { resample, Resampler } from './resampler';
