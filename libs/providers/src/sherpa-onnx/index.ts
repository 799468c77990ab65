export { SherpaHearing } from './sherpa-hearing';
export { SherpaSpeaking } from './sherpa-speaking';
export { ZipformerHearing } from './zipformer-hearing';
