// One set of compiler options for the build and for Jest, so that what is tested is what runs.
import path from 'node:path';

export const swcOptions = (root) => ({
  jsc: {
    parser: { syntax: 'typescript', decorators: true },
    target: 'es2023',
    transform: { legacyDecorator: true, decoratorMetadata: true },
    keepClassNames: true,
    baseUrl: path.resolve(root),
    paths: {
      '@parley/apps/*': ['apps/*/src/service.ts'],
      '@parley/*': ['libs/*/src/index.ts'],
    },
  },
  module: { type: 'commonjs' },
  sourceMaps: true,
  swcrc: false,
});
