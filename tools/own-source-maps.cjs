// For `node --require`: stack traces name the lines of our TypeScript. `--enable-source-maps` would also load the maps of every package,
// which take 15 MB in each process.
require('node:module').setSourceMapsSupport(true, { nodeModules: false });
