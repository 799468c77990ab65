export * from './paging';
export * from './text';
export * from './secret';
