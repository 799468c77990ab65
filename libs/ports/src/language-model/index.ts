export * from './language-model';
export * from './model-chain';
export * from './scripted-language-model';
