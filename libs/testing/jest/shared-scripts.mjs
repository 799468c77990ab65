// Jest compiles every module anew for every test file, which took a third of the time of a file that starts a service. Here a
// worker compiles a module once, and each file runs that script in its own context: only the code is shared, no value is.
import { Script } from 'node:vm';
import jestRuntime from 'jest-runtime';

const Runtime = jestRuntime.default ?? jestRuntime;
/** By file, with the text that it was compiled from: a test may write a module and load it again. */
const scripts = new Map();
const scriptsMax = 20_000;
/** A worker runs one test file at a time; what it imports later goes through that file's own loader. */
let current;

/** Jest's runtime, with compiled code that outlives a test file. */
export default class SharedScripts extends Runtime {
  constructor(...args) {
    super(...args);
    const { executor } = this;
    const compile = executor.compile.bind(executor);
    current = executor;
    executor.compile = (source, filename) => {
      const context = executor.environment.getVmContext();
      if (context === null || executor.resolution.isCoreModule(filename)) return compile(source, filename);
      try {
        return scriptOf(source, filename, executor.injectedModuleParameters).runInContext(context);
      } catch {
        // Jest itself says what is wrong with the text of a module.
        return compile(source, filename);
      }
    };
  }
}

function scriptOf(source, filename, parameters) {
  const known = scripts.get(filename);
  if (known?.source === source) return known.script;
  const head = `(function(${parameters.join(',')}){`;
  const script = new Script(`${head}${source}\n})`, {
    filename,
    columnOffset: -head.length,
    importModuleDynamically: (specifier, _script, attributes, phase) =>
      current.dynamicImport(specifier, filename, current.environment.getVmContext(), attributes, phase),
  });
  if (scripts.size < scriptsMax) scripts.set(filename, { source, script });
  return script;
}
