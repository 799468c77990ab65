export { AdaptiveFilter, type Split } from './adaptive-filter';
export { contentBytes, contentOf } from './decode/content';
export { openAudio, type OpenAudioOptions } from './decode/open-audio';
export { AudioFailure, type AudioFailureReason, type SampleEncoding } from './decode/sample-decoder';
export { DtmfDetector, dtmfTone, FrameCutter, frameSamplesOf } from './dtmf';
export { Fourier } from './fourier';
export {
  aLaw,
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
export { paced, type PacingTime } from './pacing';
export { QuietGate, SilenceTrimmer } from './quiet';
export { isResamplable, resample, Resampler } from './resampler';
