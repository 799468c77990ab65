export * from './catalogue';
export * from './language-model-variables';
export * from './open-language-model';
