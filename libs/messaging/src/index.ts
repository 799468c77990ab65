export * from './call';
export * from './service-bus';
